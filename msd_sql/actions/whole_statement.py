"""Whether a statement draws every group that it offers, as far as its text tells: then all are charged in one step.

DuckDB hands on groups in chunks of 2,048. Where the first chunk is all there is, nobody has to ask. Where it is not,
either more will come, or a LIMIT, a filter or a join above leaves the others out, who must not pay for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msd_sql.errors import LeakError
from msd_sql.guard.statement_text import Token, tokens

_CLAUSES = ("from", "where", "group", "having", "window", "order", "limit", "offset", "fetch", "qualify", "using")
_LEAVES_OUT = ("qualify", "using", "tablesample", "union", "except", "intersect")
_CUTS = ("limit", "offset", "fetch")


def draws_every_group(statement: str, calls: frozenset[str] = frozenset(["msd_select"])) -> bool:
    """True if the call stands in the outermost SELECT, and nothing there leaves a group out after it.

    >>> draws_every_group("SELECT category, msd_select(item_id, 6, 0.1, 0.5) FROM products GROUP BY category")
    True
    >>> draws_every_group("SELECT category, msd_select(item_id, 6, 0.1, 0.5) FROM products GROUP BY category LIMIT 10")
    False
    """
    try:
        words = _query(tokens(statement))
    except LeakError:  # a text that ends in the middle of a word
        return False
    top = [one for one, depth, _ in _nested(words) if depth == 0]
    if sum(one.says("select") for one in top) != 1 or any(one.says(*_LEAVES_OUT, ";") for one in top):
        return False
    if any(one.says(*_CUTS) for one in top) and not any(one.says("order") for one in top):
        return False
    listed = False
    for one, depth, queries in _nested(words):
        if depth == 0:
            listed = one.says("select") or (listed and not one.says(*_CLAUSES))
        if listed and queries == 0 and one.kind in ("word", "name") and one.name in calls:
            return True
    return False


def _query(words: Sequence[Token]) -> Sequence[Token]:
    """The words of the query in CREATE … AS, INSERT, COPY or parentheses."""
    while words and words[-1].says(";"):
        words = words[:-1]
    if words and words[0].says("copy"):
        end = next((at for at, (one, depth, _) in enumerate(_nested(words)) if depth == 0 and one.says("to")), 0)
        words = words[1:end]
    elif words and words[0].says("create", "insert"):
        starts = (at for at, (one, depth, _) in enumerate(_nested(words)) if depth == 0 and one.says("select", "with"))
        words = words[next(starts, len(words)) :]
    while len(words) > 1 and words[0].says("(") and all(depth > 0 for _, depth, _ in _nested(words[1:-1], 1)):
        words = words[1:-1]
    return words


def _nested(words: Sequence[Token], depth: int = 0) -> Iterator[tuple[Token, int, int]]:
    """Every word with its depth in brackets, and how many of those hold a query of their own; brackets are inside."""
    queries = [False] * depth
    for at, one in enumerate(words):
        if one.says("(", "[", "{"):
            inner = words[at + 1] if at + 1 < len(words) else one
            queries.append(inner.says("select", "with", "from", "values"))
        yield one, len(queries), sum(queries)
        if one.says(")", "]", "}") and queries:
            queries.pop()
