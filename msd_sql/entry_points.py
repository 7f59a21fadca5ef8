"""The functions that the macros call: entry points, and nothing else; their SQL types are in surface/entry_types.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from msd_sql.actions.declare import declare
from msd_sql.actions.explain import explain
from msd_sql.actions.key_column import key_column
from msd_sql.actions.reach import reach, reach_interval
from msd_sql.actions.select import pick
from msd_sql.actions.show_ledger import ledger_rows, release_rows, remaining
from msd_sql.actions.tell import ask, probes, statement
from msd_sql.actions.whole_statement import draws_every_group
from msd_sql.database.host import HostError, Interrupted
from msd_sql.errors import EngineError, MsdError, uncharged
from msd_sql.guard.probes import probe
from msd_sql.question.arguments import Arguments, Chunk, whole
from msd_sql.question.options import asserted_public
from msd_sql.question.source import guarded
from msd_sql.runtime.call import INTERRUPTED, Call
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.surface.entry_types import ENTRIES

Run = Callable[..., Any]
# What DuckDB calls a relation of the program inside of the statements that it writes for it.
_INSIDE = re.compile(r"\"?\b(?:__duckdb_\w+|unnamed_relation_[0-9a-f]+)\"?")


@dataclass(frozen=True)
class Function:
    """A function to register."""

    name: str
    run: Run
    parameters: Sequence[str]
    returns: str
    arrow: bool = False


def functions(instance: Instance) -> list[Function]:
    """The functions of one database; what comes in numbers comes in Arrow arrays.

    >>> [function.name for function in functions(Instance("token"))][:2]
    ['_msd_instance', '_msd_statement']
    """
    made: list[tuple[str, Run]] = [
        ("_msd_instance", lambda: instance.token),
        ("_msd_statement", lambda told: statement(instance, told)),
        ("_msd_probes", lambda told: probes(instance, told)),
        ("_msd_probe", probe),
        ("_msd_ask", lambda told, plan, answers: ask(instance, told, plan, answers)),
        ("_msd_take", _take(instance)),
        ("_msd_offer", _offer(instance)),
        ("_msd_pick", _pick(instance)),
        ("_msd_explain", _explain(instance)),
        ("_msd_key", _key(instance)),
        ("_msd_declare", _plain(instance, declare)),
        ("_msd_reach", _plain(instance, reach)),
        ("_msd_reach_interval", _plain(instance, reach_interval)),
        ("_msd_remaining", _plain(instance, remaining)),
        ("_msd_ledger", _plain(instance, ledger_rows)),
        ("_msd_releases", _plain(instance, release_rows)),
    ]
    return typed(made)


def typed(made: Sequence[tuple[str, Run]]) -> list[Function]:
    """The functions with the types that a database is told of.

    >>> typed([("_msd_probe", len)])[0].returns
    'VARCHAR'
    """
    return [
        Function(name, run, ENTRIES[name].parameters, ENTRIES[name].returns, ENTRIES[name].arrow) for name, run in made
    ]


@contextmanager
def as_one_sentence(instance: Instance, asking: Context) -> Iterator[None]:
    """Let an error reach the user as one sentence: DuckDB 1.5 prints the whole way that it took.

    >>> with as_one_sentence(instance, context):
    ...     pass
    """
    failure: Exception
    try:
        yield
    except MsdError as error:
        failure = type(error)(*(_INSIDE.sub("the relation", str(part)) for part in error.args))
    except Interrupted:
        failure = EngineError(INTERRUPTED)
    except HostError as error:
        failure = EngineError(f"DuckDB refused a statement of msd_sql: {error}")
    else:
        return
    instance.failed[asking.connection] = copy(failure)  # what is raised holds its callers, and they the connection
    raise failure from None


@contextmanager
def _asking(instance: Instance, asking: Context) -> Iterator[Call]:
    """A call about a selection: its vectors are let go of if it fails."""
    with as_one_sentence(instance, asking), instance.call(asking) as call, dropping_vectors_on_error(call.vectors):
        yield call


def _arguments(call: Call, questions: Any) -> list[Arguments]:
    """What the groups of a chunk were given."""
    with uncharged():
        chunk = Chunk(questions)
        for public in {asserted_public(options) for options in chunk.options}:
            # First of all: an error about an argument quotes it, and an argument can be computed from private rows.
            guarded(call, public)
        return chunk.read(call.vectors)


def _offer(instance: Instance) -> Run:
    """A function that keeps every group until all are known; what comes back for it is a number."""

    def chunk(questions: Any, heard: Any) -> Any:
        with _asking(instance, instance.heard(heard[0].as_py())) as call:
            return pa.array(call.offers.put(_arguments(call, questions)), type=pa.int64())

    return chunk


def _pick(instance: Instance) -> Run:
    """A function that answers groups by their numbers, all that were offered in one step if it can."""

    def chunk(numbers: Any, connections: Any, queries: Any) -> Any:
        with _asking(instance, instance.context(connections[0].as_py(), queries[0].as_py())) as call:
            found = call.offers.answer(
                whole(numbers).to_pylist(),
                lambda waiting: draws_every_group(call.context.statement),
                lambda offered: pick(call, offered),
            )
        return pa.array(found, type=pa.list_(pa.int64()))

    return chunk


def _explain(instance: Instance) -> Run:
    kind = pa.struct([("property", pa.string()), ("value", pa.string())])

    def chunk(questions: Any, heard: Any) -> Any:
        with _asking(instance, instance.heard(heard[0].as_py())) as call:
            return pa.array([explain(call, group) for group in _arguments(call, questions)], type=pa.list_(kind))

    return chunk


def _key(instance: Instance) -> Run:
    """A function that finds the key column, once for a statement: all groups of it have the same columns."""

    def run(names: list[str] | None, first: str | None, last: str | None, heard: str) -> str | None:
        asking = instance.heard(heard)

        def find() -> str | None:
            with as_one_sentence(instance, asking), instance.call(asking) as call:
                return key_column(call, names, first, last)

        about = ("key", tuple(names or ()), first, last)
        return instance.once(asking.connection, asking.query, about, find)

    return run


def _take(instance: Instance) -> Run:
    """A function that keeps every row's vector for the selection of the same statement.

    Of any type: DuckDB would make a list of an array, number by number, for a parameter that is one.
    """

    def chunk(*columns: Any) -> Any:
        vectors, connection, query = columns
        store = instance.vectors(connection[0].as_py(), query[0].as_py())
        return pa.array(store.put(whole(vectors)))

    return chunk


@contextmanager
def dropping_vectors_on_error(store: VectorStore) -> Iterator[None]:
    """Keep nothing of a selection that failed."""
    try:
        yield
    except BaseException:
        store.forget()
        raise


def _plain(instance: Instance, act: Run) -> Run:
    """A function of its arguments and, last, of the text by which its caller is known."""

    def run(*given: Any) -> Any:
        *arguments, heard = given
        asking = instance.heard(heard)
        with as_one_sentence(instance, asking), instance.call(asking) as call:
            return act(call, *arguments)

    return run
