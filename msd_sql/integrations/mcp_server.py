"""A server for assistants (Model Context Protocol): four tools, no SQL, our errors as errors of the tool.

An assistant may be told what to do by a text that it reads. So it gets no statement to write: it names an items table
that the owner has declared and values to filter by, and the ledger's budget is the limit, as for everybody.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from msd_sql.api.ask import explain, select
from msd_sql.api.connection import Connection
from msd_sql.api.figures import remaining
from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import InputError, MsdError, PrivacyError, suggest
from msd_sql.registration import inner, instance_of

try:
    from mcp.server.mcpserver import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:  # mcp 1.x
    from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.fastmcp.exceptions import ToolError

P = ParamSpec("P")
Value = str | int | float | bool
INSTRUCTIONS = (
    "Chooses k items that reach many users and differ from each other, under differential privacy. Every select costs "
    "ε of a budget that does not come back: call tables first, explain before select, and select sparingly. The same "
    "question about unchanged data is answered again for nothing."
)


def server(con: Connection, *, most_eps: float = 1.0) -> Any:
    """The server over a connection; `most_eps` is the ε that one answer may cost at most."""
    made = Server("msd_sql", instructions=INSTRUCTIONS)
    tool = made.tool

    @tool()
    @_told
    def tables() -> str:
        """List the items tables that can be selected from, their columns, and the budgets that are left, as JSON."""
        found = _items(con)
        left = {name: remaining(con, name) for name in {one["reach"] for one in found.values()} if name}
        shown = [{field: value for field, value in one.items() if field != "_sql"} for one in found.values()]
        return json.dumps({"items": shown, "eps_left": left}, ensure_ascii=False)

    @tool(name="explain")
    @_told
    def explain_(
        table: str, k: int, eps: float, diversity: float = 0.5, filters: dict[str, Value] | None = None
    ) -> str:
        """Tell what a selection would do and cost. Costs nothing. filters: column = value, all of them."""
        found = explain(_candidates(con, table, filters), con=con, key=_key(con, table), k=k, eps=eps,
                        diversity=diversity, reach=_items(con)[table]["reach"])  # fmt: skip
        return "\n".join(f"{row.property}: {row.value}" for row in found.itertuples())

    @tool(name="select")
    @_told
    def select_(table: str, k: int, eps: float, diversity: float = 0.5, filters: dict[str, Value] | None = None) -> str:
        """Choose k rows of an items table, as JSON. diversity: 0 is reach only, 1 is difference only. Costs eps."""
        if not eps <= most_eps:
            raise PrivacyError(f"eps = {eps} was asked for; this server allows {most_eps:g} an answer at most.")
        found = select(_candidates(con, table, filters), con=con, key=_key(con, table), k=k, eps=eps,
                       diversity=diversity)  # fmt: skip
        rows = json.loads(found.to_pandas().to_json(orient="records", date_format="iso"))
        return json.dumps({"rows": rows, "receipt": str(found.receipt)}, ensure_ascii=False)

    @tool(name="remaining")
    @_told
    def remaining_(relation: str) -> float:
        """Tell the ε that is left of a protected relation's budget. Costs nothing."""
        return remaining(con, relation)

    return made


def _told(tool: Callable[P, Any]) -> Callable[P, Any]:
    """Tell an assistant our errors in our words, and nothing else of what went wrong."""

    @wraps(tool)
    def call(*arguments: P.args, **named: P.kwargs) -> Any:
        try:
            return tool(*arguments, **named)
        except MsdError as error:
            raise ToolError(str(error)) from None

    return call


def _items(con: Connection) -> dict[str, dict[str, Any]]:
    raw = inner(con)
    instance = instance_of(raw)
    told = raw.execute(f"SELECT {instance.prefix}_msd_caller()").fetchall()[0][0]
    with instance.call(instance.heard(told)) as call:
        declared = list(call.items())
    found = {}
    short = Counter(one.relation.name for one in declared if one.relation is not None)
    for one in declared:
        relation = one.relation.sql if one.relation is not None else one.name
        name = one.relation.name if one.relation is not None and short[one.relation.name] == 1 else one.name
        columns = [str(row[0]) for row in raw.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
        found[name] = {"table": name, "key": one.key_column, "columns": columns, "reach": one.reach}
        found[name]["_sql"] = relation
    return found


def _key(con: Connection, table: str) -> str:
    return str(_items(con)[table]["key"])


def _candidates(con: Connection, table: str, filters: dict[str, Value] | None) -> str:
    known = _items(con)
    if table not in known:
        raise InputError(suggest("items table", table, known))
    columns = known[table]["columns"]
    for column in filters or {}:
        if column not in columns:
            raise InputError(f"filters: {suggest('column', column, columns)}")
    wanted = [f"{quote(column)} = {literal(value)}" for column, value in (filters or {}).items()]
    where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
    return f"SELECT * FROM {known[table]['_sql']}{where}"
