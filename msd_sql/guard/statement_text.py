"""The words of a statement: what DuckDB is asked to plan, what is said literally, and which names are mentioned.

The plan decides; a text is read only for what no plan can show. The words are told apart as DuckDB does it; a text
that ends in the middle of a word is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msd_sql.database.sql_text import fold
from msd_sql.errors import LeakError
from msd_sql.surface.description import Kind
from msd_sql.surface.functions import SELECTIONS

_TOKEN = re.compile(
    r"""(?P<blank>\s+|--[^\n]*)
    |(?P<comment>/\*)
    |(?P<string>[eE]'(?:\\.|''|[^'\\])*'|(?:[xXbBnN]|[uU]&)?'(?:''|[^'])*'
      |\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
    |(?P<name>"(?:""|[^"])*")
    |(?P<parameter>\?\d*|\$\w+)
    |(?P<number>\d[\w.]*|\.\d\w*)
    |(?P<word>[^\W\d][\w$]*)
    |(?P<symbol>:=|=>|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_NESTED = re.compile(r"/\*|\*/")
_LITERAL_WORDS = frozenset(["true", "false", "null"])
_SELECTIONS = frozenset(function.name for function in SELECTIONS)
_AGGREGATE = next(function.name for function in SELECTIONS if function.shape == "aggregate")
# One value for all rows says nothing here; but a text for features may be the name of a table, and a number is a score.
_COLUMNS = {
    one.name: one.kind
    for function in SELECTIONS
    for one in function.arguments
    if one.kind in (Kind.CATEGORY, Kind.GROUP, Kind.FEATURES, Kind.SCORE)
}


@dataclass(frozen=True)
class Token:
    """One word of a statement: `kind` is string, name (quoted), parameter, number, word or symbol."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """What an identifier means: folded as DuckDB folds it, without its quotes."""
        inner = self.text[1:-1].replace('""', '"') if self.kind == "name" else self.text
        return fold(inner)

    @property
    def value(self) -> str:
        """What stands in a plain string."""
        inside = self.text[self.text.index("'") + 1 : -1] if "'" in self.text else self.text.strip("$")
        return inside.replace("''", "'")

    def says(self, *words: str) -> bool:
        """Is it one of these keywords or symbols?"""
        return self.kind in ("word", "symbol") and fold(self.text) in words


@lru_cache(maxsize=64)  # the guard, and whoever counts groups, look at the same few texts again and again
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text without blanks and comments.

    >>> [token.text for token in tokens("SELECT a /* b */ FROM t -- c")]
    ['SELECT', 'a', 'FROM', 't']
    """
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None, text[place:]  # any character is a symbol
        kind, end = match.lastgroup or "", match.end()
        if match["comment"]:
            end = _comment_end(text, place)
        elif match["string"] is not None:
            kind = "string"
        if kind == "symbol" and match[0] in "'\"":
            raise unreadable("a quote in it does not end")
        if kind not in ("blank", "comment"):
            found.append(Token(kind, match[0], place, end))
        place = end
    return tuple(found)


def planned(statement: str, prepared: Mapping[str, str]) -> str:
    """What DuckDB can plan of a statement: no EXPLAIN, what was prepared instead of EXECUTE, NULL for parameters.

    >>> planned("EXPLAIN ANALYZE SELECT f(a,$1,$2) FROM t", {})
    'SELECT f(a,NULL,NULL) FROM t'
    """
    words = _without_semicolon(tokens(statement))
    if words and words[0].says("explain"):
        at = 1
        while at < len(words) and words[at].says("analyze"):
            at += 1
        if at < len(words) and words[at].says("(") and not words[at + 1].says("select", "with", "from", "("):
            at = closing(words, at) + 1
        return planned(statement[words[at].start :], prepared) if at < len(words) else statement
    if words and words[0].says("execute"):
        return planned(_prepared(words, prepared), prepared)
    made, place = [], 0
    for one in words:
        if one.kind == "parameter":
            made.append(statement[place : one.start] + "NULL")
            place = one.end
    return "".join([*made, statement[place:]])


def asserts_public(text: str) -> bool:
    """Does the statement say `public := true` in so many words, wherever it says `public :=` at all?

    >>> asserts_public("SELECT msd_select(i, 3, 0.1, 0, public := true) FROM t")
    True
    >>> asserts_public("SELECT msd_select(i, 3, 0.1, 0, public := (SELECT true)) FROM t")
    False
    """
    words = tokens(text)
    said = [
        words[at + 2 : at + 4]
        for at, one in enumerate(words[:-3])
        if one.kind in ("word", "name") and one.name == "public" and words[at + 1].says(":=", "=>")
    ]
    return bool(said) and all(value.says("true") and after.says(",", ")") for value, after in said)


def constant_columns(text: str) -> dict[str, str]:
    """The arguments of a selection that name a column of the rows, where one value for all rows is given instead.

    >>> constant_columns("FROM msd_topk(t, 3, 0.1, 0, by := 'genre', quota := ['a', 'b'], features := tags)")
    {'by': "'genre'", 'quota': "['a', 'b']"}
    >>> constant_columns("SELECT msd_select('id', 3, 0.1, 0, features := 'pairs') FROM t")
    {'items': "'id'"}
    """
    words, found, calls = tokens(text), {}, [""]
    for at, one in enumerate(words):
        if one.says("("):
            calls.append(words[at - 1].name if at and words[at - 1].kind in ("word", "name") else "")
        elif one.says(")"):
            calls = calls[:-1] or [""]
        first = calls[-1] == _AGGREGATE and one.says("(")
        named = calls[-1] in _SELECTIONS and one.says(":=", "=>") and words[at - 1].name in _COLUMNS
        if not (first or named):
            continue
        name, value = "items" if first else words[at - 1].name, _until_comma(words[at + 1 :])
        texts = [word for word in value if word.kind == "string"]
        quoted = len(value) == 1 and bool(texts)  # a text alone
        kind = None if first else _COLUMNS[name]
        meant = not quoted if kind is Kind.FEATURES else quoted if kind is Kind.SCORE else True
        plain = all(word.kind in ("string", "number") or word.says(*"[](),-+") for word in value)
        if meant and plain and any(word.kind in ("string", "number") for word in value):
            found[name] = text[value[0].start : value[-1].end]
    return found


def _until_comma(words: Sequence[Token]) -> Sequence[Token]:
    """The words of an argument."""
    depth = 0
    for at, one in enumerate(words):
        if depth == 0 and one.says(",", ")"):
            return words[:at]
        depth += one.says("(", "[") - one.says(")", "]")
    return words


@lru_cache(maxsize=64)
def mentioned(text: str, *, options: bool = False) -> frozenset[str]:
    """Every identifier of a text, folded; of its strings, too, for query('…') and query_table('…').

    The protected relation that reach := or relation := names is not read by the statement, nor what stands in
    among := (its own check lets it look at one row only): only with `options`.

    >>> sorted(mentioned('SELECT "Id" FROM T'))
    ['from', 'id', 'select', 't']
    """
    found, words = set(), tokens(text)
    for at, one in enumerate(words):
        if one.kind in ("word", "name"):
            found.add(one.name)
        elif one.kind == "string" and (options or not _is_option(words, at)):
            found.update(fold(word) for word in re.findall(r'"[^"]+"|[^\W\d]\w*', one.value))
    return frozenset(name.strip('"') for name in found)


def _is_option(words: Sequence[Token], at: int) -> bool:
    return at > 1 and words[at - 1].says(":=", "=>") and words[at - 2].name in ("reach", "relation", "among")


def common_tables(words: Sequence[Token]) -> dict[str, Sequence[Token]]:
    """The CTEs of a statement by name, and the words of each."""
    found: dict[str, Sequence[Token]] = {}
    for at, one in enumerate(words):
        if one.kind not in ("word", "name") or at == 0 or not words[at - 1].says("with", "recursive", ","):
            continue
        here = at + 1
        if here < len(words) and words[here].says("("):
            here = closing(words, here) + 1
        if here < len(words) and words[here].says("as"):
            here += 1
            while here < len(words) and words[here].says("not", "materialized"):
                here += 1
            if here < len(words) and words[here].says("("):
                found.setdefault(one.name, words[here : closing(words, here) + 1])
    return found


def made_table(text: str) -> str | None:
    """The folded name of the table that CREATE TABLE … AS makes; None for another statement.

    >>> made_table("CREATE OR REPLACE TABLE main.Chosen AS SELECT 1")
    'chosen'
    """
    words = tokens(text)
    if not words or not words[0].says("create"):
        return None
    at = next((place for place, one in enumerate(words) if one.says("as", "(")), 0)
    return words[at - 1].name if at > 1 and words[at - 1].kind in ("word", "name") else None


def unreadable(why: str) -> LeakError:
    """The refusal of a statement of which DuckDB does not tell what it reads."""
    return LeakError(
        f"The guard cannot tell what this statement reads: {why}. If the candidates are public, say public := true (the"
        " ledger records it)."
    )


def _prepared(words: Sequence[Token], prepared: Mapping[str, str]) -> str:
    known = {fold(name): sql for name, sql in prepared.items()}
    sql = known.get(words[1].name) if len(words) > 1 else None
    if sql is None:
        raise unreadable("the text of the prepared statement is not known")
    for place, one in enumerate(words[2:], start=2):
        named = place + 1 < len(words) and words[place + 1].says(":=", "=>", "=")
        literal = one.kind in ("number", "string") or one.says(*_LITERAL_WORDS)
        if not (literal or named or one.says("(", ")", ",", "-", "+", ":=", "=>", "=")):
            raise unreadable("EXECUTE is given something else than literals, which can be computed from anything")
    return sql


def _without_semicolon(words: Sequence[Token]) -> Sequence[Token]:
    while words and words[-1].says(";"):
        words = words[:-1]
    if any(one.says(";") for one in words):
        raise unreadable("it is several statements at once: run them one by one")
    return words


def closing(words: Sequence[Token], opening: int) -> int:
    """Where the parenthesis that opens at a place ends; at the last word if it does not."""
    depth = 0
    for at in range(opening, len(words)):
        depth += words[at].says("(") - words[at].says(")")
        if depth == 0:
            return at
    return len(words) - 1


def _comment_end(text: str, place: int) -> int:
    """Comments nest."""
    depth, at = 1, place + 2
    while depth:
        match = _NESTED.search(text, at)
        if match is None:
            raise unreadable("a comment in it does not end")
        depth += 1 if match[0] == "/*" else -1
        at = match.end()
    return at


# Functions that read files, or another system's tables. Not all that end in _scan: arrow_scan reads a program's data.
READING = re.compile(
    r"(read_|parquet_|sniff_)\w+|(parquet|sqlite|postgres|mysql|delta|iceberg|ducklake)_scan(_pushdown)?|glob"
)
