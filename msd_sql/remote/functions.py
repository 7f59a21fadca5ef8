"""The SQL functions of a database that asks elsewhere: of the same names and types, answered through a door.

No guard: whatever the statement does, it reads no private row, because none is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import pyarrow as pa

from msd_sql.actions.select import Selected, tell_late
from msd_sql.actions.whole_statement import draws_every_group
from msd_sql.database.plans import Plan, serialized
from msd_sql.database.sql_text import Name, quote
from msd_sql.engines.candidates import member_type
from msd_sql.entry_points import Function, Run, as_one_sentence, dropping_vectors_on_error, typed
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.question.arguments import whole
from msd_sql.remote.wire import Asked, Door, Told, outgoing, plain_key_type
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance
from msd_sql.runtime.offers import Offers
from msd_sql.udfs.receipt import Receipt

DoorOf = Callable[[int], Door]  # by the number of the connection that asks
_TYPE = re.compile(r"[A-Z_ ]+(\([0-9, ]+\))?(\[[0-9]*\])*")
_LIMIT = 100_000  # characters of a statement that travel
_TEXT = r'("(?:[^"\\]|\\.)*")'
_SCANNED = re.compile(rf'"function_data":\{{"catalog":{_TEXT},"schema":{_TEXT},"table":{_TEXT}')


def functions(instance: Instance, door: DoorOf) -> list[Function]:
    """The functions of a database that asks elsewhere.

    >>> [function.name for function in functions(Instance("token"), lambda connection: door)][:2]
    ['_msd_instance', '_msd_statement']
    """
    asking = _Asking(instance, door)
    plain = asking.plain
    return typed(
        [
            ("_msd_instance", lambda: instance.token),
            ("_msd_statement", lambda told: ConnectionView.read(told).statement),
            ("_msd_probes", lambda told: []),
            ("_msd_probe", lambda name: "SELECT 1"),
            ("_msd_ask", asking.hear),
            ("_msd_take", asking.take),
            ("_msd_offer", asking.offer),
            ("_msd_pick", asking.pick),
            ("_msd_explain", asking.explain),
            ("_msd_key", asking.key),
            ("_msd_declare", asking.declare),
            ("_msd_reach", plain("reach", "items", "type", "options")),
            ("_msd_reach_interval", plain("reach interval", "items", "type", "options")),
            ("_msd_remaining", plain("remaining", "relation")),
            ("_msd_ledger", plain("ledger")),
            ("_msd_releases", plain("releases")),
        ]
    )


class _Asking:
    """What the functions of one database share."""

    def __init__(self, instance: Instance, door: DoorOf) -> None:
        self._instance, self._door = instance, door

    def hear(self, told: str, plan: str | None, answers: Sequence[str] | None) -> str:
        """Keep what a statement told of itself."""
        return self._instance.hear(Context(ConnectionView.read(told, plan)))

    def take(self, *columns: Any) -> Any:
        """Keep every row's vector for the selection of the same statement."""
        vectors, connection, query = columns
        store = self._instance.vectors(connection[0].as_py(), query[0].as_py())
        return pa.array(store.put(whole(vectors)))

    def offer(self, questions: Any, heard: Any) -> Any:
        """Keep every group until all are known; the number of each."""
        context = self._instance.heard(heard[0].as_py())
        with self._watched(context):
            groups = self._groups(context, questions)
            rows = [groups.slice(place, 1) for place in range(groups.num_rows)]
            return pa.array(self._offers(context).put(rows), type=pa.int64())

    def pick(self, numbers: Any, connections: Any, queries: Any) -> Any:
        """The positions for groups by their numbers, all that were offered in one question if it can be."""
        context = self._instance.context(connections[0].as_py(), queries[0].as_py())
        with self._watched(context):
            found = self._offers(context).answer(
                whole(numbers).to_pylist(),
                lambda waiting: draws_every_group(context.statement),
                lambda offered: self._select(context, pa.concat_tables(offered)),
            )
        return pa.array(found, type=pa.list_(pa.int64()))

    def explain(self, questions: Any, heard: Any) -> Any:
        """The lines of a dry run, a list for every group."""
        context = self._instance.heard(heard[0].as_py())
        kind = pa.list_(pa.struct([("property", pa.string()), ("value", pa.string())]))
        with self._watched(context):
            told = self._ask(context, "explain", {}, self._groups(context, questions))
        return pa.array(told.values["lines"], type=kind)

    def key(self, names: list[str] | None, first: str | None, last: str | None, heard: str) -> Any:
        """The name of the key column, asked for once a statement."""
        context = self._instance.heard(heard)
        if names is None:
            return None

        def find() -> Any:
            with as_one_sentence(self._instance, context):
                return self._ask(context, "key", {"names": names, "first": first, "last": last}).values["value"]

        about = ("key", tuple(names), first, last)
        return self._instance.once(context.connection, context.query, about, find)

    def declare(self, act: str, arguments: str, heard: str) -> str:
        """An owner's act, or the pull of a published table, which is done here."""
        context = self._instance.heard(heard)
        with as_one_sentence(self._instance, context):
            if act == "pull":
                return self._pull(context, str(json.loads(arguments).get("relation") or ""))
            return str(self._ask(context, "declare", {"what": act, "arguments": arguments}).values["value"])

    def plain(self, act: str, *names: str) -> Run:
        """A function of plain values, which travel under these names."""

        def run(*arguments: Any) -> Any:
            context = self._instance.heard(arguments[-1])
            with as_one_sentence(self._instance, context):
                told = self._ask(context, act, dict(zip(names, arguments[:-1], strict=True)))
                return _with_times(told.values["value"])

        return run

    def _groups(self, context: Context, questions: Any) -> pa.Table:
        question = whole(questions)
        store = self._instance.vectors(context.connection, context.query)
        with dropping_vectors_on_error(store):
            kinds = [
                self._key_type(context, kind, option["key"])
                for kind, option in zip(
                    question.field("key_type").to_pylist(), question.field("options").to_pylist(), strict=True
                )
            ]
            return outgoing(questions, kinds, store)

    def _key_type(self, context: Context, kind: str | None, key: str | None) -> str:
        if kind is None:
            return "VARCHAR"  # of no rows

        def find() -> str:
            if key is None:
                return plain_key_type(kind.removesuffix("[]"))
            with self._instance.host(context.connection) as host:
                return plain_key_type(member_type(host, kind, key))

        return self._instance.once(context.connection, context.query, ("key type", kind, key), find)

    def _select(self, context: Context, groups: pa.Table) -> list[list[int]]:
        told = self._ask(context, "select", {}, groups).values
        if told["receipt"] is not None:
            self._instance.released[context.connection] = Selected(
                tuple(told["keys"]),
                told["positions"][-1],
                told["diversity"],
                Receipt.from_dict(told["receipt"]),
                told["entry"],
                told["replayed"],
            )
        for note in told["notes"]:
            tell_late(note)
        positions: list[list[int]] = told["positions"]
        return positions

    def _pull(self, context: Context, relation: str) -> str:
        told = self._ask(context, "pull", {"relation": relation})
        name, types = told.values["name"], told.values["types"]
        typed = ", ".join(_typed(column, kind) for column, kind in types.items())
        here = Name(*context.path[0], name)  # where the caller's own tables are made
        self._instance.bring(context.connection, here, told.table, typed)
        count = told.table.num_rows if told.table is not None else 0
        return f"{name}: {count:,} rows, as the curator publishes them now."

    def _ask(self, context: Context, act: str, given: dict[str, Any], groups: pa.Table | None = None) -> Told:
        said = {"statement": context.statement[:_LIMIT], "from": sources(context.view)}
        return self._door(context.connection).ask(Asked(act, {**said, **given}, groups))

    def _offers(self, context: Context) -> Offers[Any, Any]:
        return self._instance.once(context.connection, context.query, ("offers",), Offers)

    def _watched(self, context: Context) -> AbstractContextManager[None]:
        return as_one_sentence(self._instance, context)


def _typed(column: str, kind: str) -> str:
    """A column of a pulled table; of a type whose text could say more than a type, as Arrow has brought it."""
    name = quote(column)
    return f"CAST({name} AS {kind}) AS {name}" if _TYPE.fullmatch(kind) else name


def sources(view: ConnectionView) -> list[list[str]]:
    """The tables whose rows reach a function of ours, as (schema, name): which of the owner's items they may be.

    Where one table alone is scanned it is that one, and the hundred thousand characters of the plan need not be read,
    which takes 3 ms.

    >>> sources(ConnectionView())
    []
    """
    scanned = set(_SCANNED.findall(view.plan or ""))
    if len(scanned) == 1:
        _, schema, name = (json.loads(part) for part in scanned.pop())
        return [[schema, name]]
    found = serialized(view.plan) if view.plan is not None else None
    tables = found.feeding or found.tables if isinstance(found, Plan) else ()
    return [[name.schema, name.name] for name in tables]


def _with_times(value: Any) -> Any:
    """Rows as a door hands them on, their times as DuckDB takes them."""
    if not isinstance(value, list):
        return value
    return [
        {**row, "time": datetime.fromisoformat(row["time"])} if isinstance(row.get("time"), str) else row
        for row in value
    ]
