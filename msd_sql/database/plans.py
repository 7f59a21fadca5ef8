"""Plans: what a statement scans and calls, as DuckDB itself tells it before anything is optimised away.

`json_serialize_plan` tells all of it, and exactly; it cannot tell of files and of other systems' tables, for which
EXPLAIN names the functions that read them. Both bind a statement without running it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from msd_sql.database.host import Host, HostError
from msd_sql.database.sql_text import Name, literal, parts

Node = dict[str, Any]
# Joins that ask whether there is a row on their right side, or for one value of it: its rows are not handed on.
_ASKING = frozenset(["MARK", "SINGLE", "SEMI", "ANTI", "RIGHT_SEMI", "RIGHT_ANTI"])
_TYPES = frozenset([
    "return_type", "returned_types", "types", "type_info", "arguments", "original_arguments", "names", "extra_info",
    "table_filters", "column_indexes", "qname",
])  # fmt: skip
_LEAVES = frozenset(["BOUND_REF", "VALUE_CONSTANT", "BOUND_COLUMN_REF"])


@dataclass(frozen=True)
class Scan:
    """A table that is scanned, or a table function that is called; `columns` are those that are read."""

    function: str
    table: Name | None = None
    columns: frozenset[str] | None = None  # None: not told
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """A function that is called on rows. An argument is a constant's text, a function's name with (), or empty."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What a statement does. `feeding` are the tables whose rows reach a function of ours; None: not told."""

    operators: frozenset[str]
    scans: tuple[Scan, ...]
    calls: frozenset[Call] = frozenset()
    enums: frozenset[tuple[str, ...]] = frozenset()  # that are not the type of a column that is scanned
    has_enums: bool = False  # has a table that is scanned a column of such a type?
    feeding: frozenset[Name] | None = None

    @property
    def tables(self) -> tuple[Name, ...]:
        """The tables that are scanned."""
        return tuple(dict.fromkeys(scan.table for scan in self.scans if scan.table is not None))


@lru_cache(maxsize=8)
def serialized(text: str) -> Plan | str:
    """The plan that json_serialize_plan told, or what it says is in the way.

    >>> serialized('{"error": true, "error_type": "binder", "error_message": "No such table"}')
    'binder'
    """
    told = json.loads(text)
    if told["error"]:
        return str(told.get("error_type"))
    seen = _Seen()
    for plan in told["plans"]:
        seen.walk(plan)
    scanned, enums = set[tuple[str, ...]](), frozenset[tuple[str, ...]]()
    if '"id":"ENUM"' in text:
        scanned = {enum for node in seen.gets for enum in _enums(node["returned_types"])}
        enums = frozenset(_enums(told["plans"])) - scanned
    if "ENUM(" in text:  # what typeof() says of one is a constant by now
        said = [one for one in _strings(told["plans"]) if "ENUM(" in one]
        enums |= {(one,) for one in said if not any(_written(enum) in one for enum in scanned)}
    return Plan(
        frozenset(seen.operators),
        tuple(_scan(node) for node in seen.gets),
        frozenset(_call(node) for node in seen.functions),
        enums,
        bool(scanned),
        frozenset(name for node in seen.ours.values() for name in _handing_on(node, dict(seen.ctes))),
    )


def plan_of(host: Host, sql: str) -> Plan | None:
    """The plan of a statement that a host can run itself; None if DuckDB does not bind it.

    >>> plan_of(host, "SELECT item_id FROM shop.main.recent_purchases").tables
    (Name(database='shop', schema='main', name='purchases'),)
    """
    try:
        told = host.rows(f"SELECT CAST(json_serialize_plan({literal(sql)}) AS VARCHAR)")
        found = serialized(told[0][0])
        return found if isinstance(found, Plan) else explained(host, sql)
    except HostError:
        return None


def explained(host: Host, sql: str) -> Plan | None:
    """The plan as EXPLAIN tells it: operators, tables, and the names of table functions."""
    with suppress(HostError):  # a locked configuration stays as it is
        host.run("PRAGMA explain_output = 'all'")
    try:
        rows = {str(row[0]): str(row[1]) for row in host.rows(f"EXPLAIN (FORMAT json) {sql}")}
    except HostError:
        return None
    finally:
        with suppress(HostError):
            host.run("PRAGMA explain_output = 'physical_only'")
    if "logical_plan" not in rows:  # what is optimised tells too little
        return None
    operators, scans = set(), []
    waiting = list(json.loads(rows["logical_plan"]))
    while waiting:
        node = waiting.pop()
        waiting.extend(node["children"])
        table = node["extra_info"].get("Table")
        if table is not None:
            scans.append(Scan(node["name"].lower(), Name(*parts(table)) if table.count(".") >= 2 else None))
        elif not node["children"] and "Filters" in node["extra_info"]:
            scans.append(Scan(node["name"].lower()))
        else:
            operators.add(node["name"])
    return Plan(frozenset(operators), tuple(scans))


class _Seen:
    """One walk over the hundred thousand characters of a plan: what matters of it."""

    def __init__(self) -> None:
        self.operators: set[str] = set()
        self.gets: list[Node] = []
        self.functions: list[Node] = []
        self.ours: dict[int, Node] = {}  # the operators that call a function of ours
        self.ctes: dict[int, Node] = {}  # what a reference to a CTE reads, by its number

    def walk(self, root: Node) -> None:
        operators = [root]
        while operators:
            operator = operators.pop()
            waiting: list[Any] = [operator]  # it and its expressions
            while waiting:
                node = waiting.pop()
                if node.__class__ is list:
                    waiting += node
                    continue
                if node.__class__ is not dict:
                    continue
                kind = node.get("type")
                if kind.__class__ is not str:  # a constant has a type that is a record
                    pass
                elif kind.startswith("LOGICAL_"):
                    if node is not operator:
                        operators.append(node)
                        continue
                    self.operators.add(kind.removeprefix("LOGICAL_"))
                    if kind == "LOGICAL_GET":
                        self.gets.append(node)
                    elif kind == "LOGICAL_MATERIALIZED_CTE":
                        self.ctes[node["table_index"]] = node["children"][0]
                elif kind == "BOUND_FUNCTION":
                    self.functions.append(node)
                    if _name(node).startswith("_msd_"):
                        self.ours[id(operator)] = operator
                elif kind in _LEAVES:
                    continue
                waiting += [
                    child
                    for key, child in node.items()
                    if (child.__class__ is dict or child.__class__ is list) and key not in _TYPES
                ]


def _name(node: Node) -> str:
    """The function of a node: a name in 1.x, a path of names in 2.x."""
    path = (node.get("qname") or {}).get("path")
    return str(path[-1] if path else node.get("name", "")).lower()


def _scan(node: Node) -> Scan:
    data, names = node.get("function_data") or {}, node["names"]
    places = [column["index"] for column in node["column_indexes"]]
    columns = frozenset(names[place].lower() for place in places if isinstance(place, int) and place < len(names))
    table = Name(data["catalog"], data["schema"], data["table"]) if _name(node) == "seq_scan" else None
    return Scan(_name(node), table, columns, tuple(data.get("files") or ()) if table is None else ())


def _call(node: Node) -> Call:
    return Call(_name(node), tuple(_argument(one) for one in node.get("children", ())))


def _argument(node: Node) -> str:
    while node.get("expression_class") == "BOUND_CAST":
        node = node["child"]
    if node.get("expression_class") == "BOUND_FUNCTION":
        return f"{_name(node)}()"
    return str(node["value"].get("value")) if node.get("expression_class") == "BOUND_CONSTANT" else ""


def _written(enum: tuple[str, ...]) -> str:
    labels = ", ".join(literal(label) for label in enum)
    return f"ENUM({labels})"


def _enums(types: Any) -> Iterator[tuple[str, ...]]:
    for node in dicts(types):
        if node.get("id") == "ENUM":
            yield tuple((node.get("type_info") or {}).get("values") or ("?",))


def _strings(root: Any) -> Iterator[str]:
    for node in dicts(root):
        yield from (value for value in node.values() if isinstance(value, str))


def dicts(root: Any) -> Iterator[Node]:
    """Every dictionary in what a JSON text holds, however deep.

    >>> list(dicts([{"a": [{"b": 1}]}]))
    [{'a': [{'b': 1}]}, {'b': 1}]
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _handing_on(node: Node, ctes: dict[int, Node]) -> Iterator[Name]:
    """The tables whose rows a node hands on; each of `ctes` is followed once."""
    if node["type"] == "LOGICAL_GET" and (table := _scan(node).table) is not None:
        yield table
    children = node.get("children", ())
    if node["type"] == "LOGICAL_MATERIALIZED_CTE":
        children = children[1:]
    elif node["type"] == "LOGICAL_CTE_REF":
        children = [read] if (read := ctes.pop(node["cte_index"], None)) else ()
    elif node.get("join_type") in _ASKING or (node["type"] == "LOGICAL_CROSS_PRODUCT" and _one_value(children[1])):
        children = children[:1]
    for child in children:
        yield from _handing_on(child, ctes)


def _one_value(node: Node) -> bool:
    """Is it a scalar subquery? DuckDB joins its one row, and an error if there are more."""
    return node["type"] == "LOGICAL_PROJECTION" and any(
        _name(one) == "error" for one in dicts(node["expressions"]) if one.get("type") == "BOUND_FUNCTION"
    )
