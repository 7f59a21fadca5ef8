"""The way from a statement to a relation that it reads, for the error: products_ranked → view → purchases.

DuckDB's plan has decided by then. The way is looked for among the words of the statement and of the views and macros
that it mentions, the shortest first; what cannot be found is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msd_sql.database.sql_text import Name, fold, shown
from msd_sql.guard.connection_view import Key
from msd_sql.guard.statement_text import Token, common_tables, tokens

Views = Mapping[Key, tuple[Name, str]]


def way(statement: str, target: str, views: Views, macros: Mapping[str, str]) -> str:
    """The names on the way to `target`, a folded name or a file, and the target itself.

    >>> views = {("shop", "main", "popular"): (Name("shop", "main", "popular"), "SELECT * FROM purchases")}
    >>> way("SELECT * FROM popular", "purchases", views, {})
    'popular → view → purchases'
    """
    first = tokens(statement)
    definitions: dict[str, tuple[str, str, Sequence[Token]]] = {}
    definitions.update((name, ("macro", name, tokens(body))) for name, body in macros.items())
    definitions.update((fold(name.name), ("view", shown(name.name), tokens(sql))) for name, sql in views.values())
    definitions.update((name, ("CTE", name, words)) for name, words in common_tables(first).items())  # nearest
    waiting: list[tuple[Sequence[Token], tuple[str, ...], Collection[str]]] = [(first, (), ())]
    while waiting:
        words, steps, seen = waiting.pop(0)
        outer = words is first
        inside = {one for cte in common_tables(words).values() for one in cte} if outer else set()
        named = [word for at, word in enumerate(words) if word not in inside and not _is_option(words, at)]
        if any(_means(word, target) for word in named) and not (outer and target in common_tables(words)):
            return " → ".join([*steps, target])
        for word in named:
            known = definitions.get(word.name) if word.kind in ("word", "name") else None
            if known is not None and word.name not in seen and len(steps) < 20:
                waiting.append((known[2], (*steps, known[1], known[0]), (*seen, word.name)))
    return target


def _is_option(words: Sequence[Token], at: int) -> bool:
    """Is it the value of an argument by name, such as reach := 'purchases'?"""
    return words[at].kind == "string" and at > 0 and words[at - 1].says(":=", "=>")


def _means(word: Token, target: str) -> bool:
    if word.kind == "string":
        return word.value == target or fold(word.value).rpartition(".")[2] == target
    return word.kind in ("word", "name") and (word.name == target or word.text[1:-1] == target)
