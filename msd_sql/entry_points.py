"""The functions that the macros call: entry points, their SQL types, and nothing else.

Python can register scalar functions only. `side_effects`: DuckDB neither folds them nor runs them for EXPLAIN, PREPARE
or LIMIT 0 (but for `_msd_caller_query`, which is run then); `special` NULL handling: an empty input still arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from msd_sql.actions.bind_time import caller_query
from msd_sql.actions.declare import declare
from msd_sql.actions.explain import explain
from msd_sql.actions.key_column import key_column
from msd_sql.actions.prefetch import prefetch
from msd_sql.actions.reach import reach
from msd_sql.actions.select import pick
from msd_sql.actions.show_ledger import LEDGER, ledger_rows, remaining
from msd_sql.database.host import HostError, Interrupted
from msd_sql.errors import EngineError, MsdError
from msd_sql.question.arguments import Arguments, Group, groups, whole
from msd_sql.question.options import asserted_public
from msd_sql.question.prepare import guarded
from msd_sql.runtime import call
from msd_sql.runtime.call import Call, Context, uncharged
from msd_sql.runtime.instance import Instance
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.surface.macros import QUESTION, struct

CONTEXT = struct((name, "VARCHAR") for name in call.FIELDS)
PROPERTIES = "STRUCT(property VARCHAR, value VARCHAR)[]"


@dataclass(frozen=True)
class Function:
    """A function to register."""

    name: str
    run: Callable[..., Any]
    parameters: Sequence[str]
    returns: str
    arrow: bool = False
    at_bind: bool = False  # may DuckDB call it when it binds a statement, instead of every time?


def functions(instance: Instance) -> list[Function]:
    """The functions of one database; what comes in numbers comes in Arrow arrays.

    >>> [function.name for function in functions(Instance("token"))][:2]
    ['_msd_instance', '_msd_caller_query']
    """
    return [
        Function("_msd_instance", lambda: instance.token, (), "VARCHAR"),
        Function("_msd_caller_query", lambda: caller_query(instance), (), "VARCHAR", at_bind=True),
        _plain(instance, "_msd_prefetch", prefetch, (), "VARCHAR"),
        _take(instance),
        _group(instance, "_msd_pick", pick, "BIGINT[]"),
        _group(instance, "_msd_explain", explain, PROPERTIES),
        _plain(instance, "_msd_key", key_column, ("VARCHAR[]", "VARCHAR", "VARCHAR"), "VARCHAR"),
        _plain(instance, "_msd_declare", declare, ("VARCHAR", "VARCHAR"), "VARCHAR"),
        _plain(instance, "_msd_reach", reach, ("VARCHAR[]", "VARCHAR", "VARCHAR"), "BIGINT"),
        _plain(instance, "_msd_remaining", remaining, ("VARCHAR",), "DOUBLE"),
        _plain(instance, "_msd_ledger", ledger_rows, (), LEDGER),
    ]


def create(con: duckdb.DuckDBPyConnection, function: Function) -> None:
    """Register a function on the database of a connection.

    >>> create(duckdb.connect(), functions(Instance("token"))[0])
    """
    make: Any = con.create_function  # its annotations do not know that the names of types and kinds do as well
    make(
        function.name,
        function.run,
        None if "ANY" in function.parameters else list(function.parameters),  # None: as many and whatever come
        function.returns,
        type="arrow" if function.arrow else "native",
        null_handling="special",
        side_effects=not function.at_bind,
    )


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
        failure = type(error)(*error.args)
    except Interrupted:
        failure = EngineError(call.INTERRUPTED)
    except HostError as error:
        failure = EngineError(f"DuckDB refused a statement of msd_sql: {error}")
    else:
        return
    instance.failed[asking.connection] = failure
    raise failure from None


def _group(instance: Instance, name: str, act: Callable[[Call, Arguments], Any], returns: str) -> Function:
    """A function of one group's items."""
    kind = pa.int64() if returns == "BIGINT[]" else pa.struct([("property", pa.string()), ("value", pa.string())])

    def one(group: Group) -> Any:
        asking = Context.read(group.caller)
        with as_one_sentence(instance, asking), instance.call(asking) as call, dropping_vectors_on_error(call.vectors):
            with uncharged():
                # First of all: an error about an argument quotes it, and an argument can be computed from private rows.
                guarded(call, asserted_public(group.options))
                arguments = group.read(call.vectors)
            return act(call, arguments)

    def chunk(questions: Any, callers: Any) -> Any:
        return pa.array([one(group) for group in groups(questions, callers)], type=pa.list_(kind))

    return Function(name, chunk, (QUESTION, CONTEXT), returns, arrow=True)


def _take(instance: Instance) -> Function:
    """A function that keeps every row's vector for the selection of the same statement.

    Of any type: DuckDB would make a list of an array, number by number, for a parameter that is one.
    """

    def chunk(*columns: Any) -> Any:
        vectors, connection, query = columns
        store = instance.vectors(connection[0].as_py(), query[0].as_py())
        return pa.array(store.put(whole(vectors)))

    return Function("_msd_take", chunk, ("ANY", "BIGINT", "BIGINT"), "BIGINT", arrow=True)


@contextmanager
def dropping_vectors_on_error(store: VectorStore) -> Iterator[None]:
    """Keep nothing of a selection that failed."""
    try:
        yield
    except BaseException:
        store.forget()
        raise


def _plain(
    instance: Instance, name: str, act: Callable[..., Any], parameters: tuple[str, ...], returns: str
) -> Function:
    def run(arguments: Sequence[Any], told: dict[str, str | None]) -> Any:
        asking = Context.read(told)
        with as_one_sentence(instance, asking), instance.call(asking) as call:
            return act(call, *arguments)

    shapes: dict[int, Callable[..., Any]] = {
        0: lambda told: run((), told),
        1: lambda a, told: run((a,), told),
        2: lambda a, b, told: run((a, b), told),
        3: lambda a, b, c, told: run((a, b, c), told),
    }
    return Function(name, shapes[len(parameters)], (*parameters, CONTEXT), returns)
