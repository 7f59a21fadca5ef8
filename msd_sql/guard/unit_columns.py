"""Which tables under a protected view its units come from, told from DuckDB's plan: those stay private in any case."""

from __future__ import annotations

import json
from typing import Any

from msd_sql.database.host import Host, HostError
from msd_sql.database.sql_text import Name, literal, quote

Node = dict[str, Any]
_PASSING = frozenset(["LOGICAL_FILTER", "LOGICAL_ORDER_BY", "LOGICAL_LIMIT", "LOGICAL_DISTINCT", "LOGICAL_SAMPLE"])
_JOINS = frozenset(["LOGICAL_COMPARISON_JOIN", "LOGICAL_ANY_JOIN", "LOGICAL_CROSS_PRODUCT"])


class _Untold(Exception):  # noqa: N818 - it never leaves this module
    """An operator whose columns are not followed."""


def unit_tables(host: Host, view: Name, unit: str) -> frozenset[Name] | None:
    """The tables whose columns the unit of a view is computed from; None if that cannot be told.

    >>> unit_tables(host, Name("shop", "main", "recent_purchases"), "user_id")
    frozenset({Name(database='shop', schema='main', name='purchases')})
    """
    sql = f"SELECT {quote(unit)} FROM {view.sql}"
    try:
        told = json.loads(host.rows(f"SELECT CAST(json_serialize_plan({literal(sql)}) AS VARCHAR)")[0][0])
        return frozenset(_origins(told["plans"][0], 0))
    except (HostError, KeyError, IndexError, _Untold):
        return None


def _origins(node: Node, place: int) -> set[Name]:
    kind, children = node["type"], node["children"]
    if kind == "LOGICAL_GET":
        data = node["function_data"]
        return {Name(data["catalog"], data["schema"], data["table"])}
    if kind == "LOGICAL_PROJECTION":
        return _all(children[0], node["expressions"][place])
    if kind == "LOGICAL_AGGREGATE_AND_GROUP_BY":
        return _all(children[0], [*node["groups"], *node["expressions"]][place])
    if kind in _PASSING and not node.get("projection_map"):
        return _origins(children[0], place)
    if kind in _JOINS:
        left = _width(children[0])
        return _origins(children[0], place) if place < left else _origins(children[1], place - left)
    if kind == "LOGICAL_UNION":
        return {name for child in children for name in _origins(child, place)}
    raise _Untold


def _all(child: Node, expression: Any) -> set[Name]:
    found, waiting = set(), [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("expression_class") == "BOUND_REF":
                found |= _origins(child, node["index"])
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found


def _width(node: Node) -> int:
    kind, children = node["type"], node["children"]
    if kind == "LOGICAL_GET" and not node["projection_ids"]:
        return len(node["column_indexes"])
    if kind == "LOGICAL_PROJECTION":
        return len(node["expressions"])
    if kind == "LOGICAL_AGGREGATE_AND_GROUP_BY":
        return len(node["groups"]) + len(node["expressions"])
    if kind in _PASSING and not node.get("projection_map"):
        return _width(children[0])
    if kind in _JOINS and node.get("join_type", "INNER") in ("INNER", "LEFT", "RIGHT", "OUTER"):
        return _width(children[0]) + _width(children[1])
    raise _Untold
