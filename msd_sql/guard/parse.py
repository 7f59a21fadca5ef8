"""SQL text to trees, for the guard: what sqlglot cannot parse, or parses into less than was written, is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]  # re-exported, without saying so

from msd_sql.errors import LeakError
from msd_sql.guard.names import Resolver

# What a statement may begin with; sqlglot would keep anything else as opaque text.
_QUERIES = ("SELECT", "WITH", "FROM", "TABLE", "VALUES", "(", "PIVOT", "UNPIVOT", "SUMMARIZE", "DESCRIBE")
_STARTS = frozenset([*_QUERIES, "CREATE", "INSERT", "COPY", "UPDATE", "DELETE", "MERGE", "SET"])
# DuckDB's own rendering of a lambda in a view's definition, which sqlglot reads only with an arrow.
_LAMBDA = re.compile(r"\(lambda (\w+(?:, \w+)*): ")
_EXPLAIN = re.compile(r"^\s*(?:ANALYZE\b\s*)?(?:\((?:\s*(?:ANALYZE|FORMAT\s+\w+)\s*,?)+\))?\s*", re.IGNORECASE)
_PREPARE = re.compile(r'\s*(?:"[^"]+"|\w+)\s*(?:\([^)]*\))?\s+AS\s+', re.IGNORECASE)
_EXECUTE = re.compile(r'\s*(?P<name>"[^"]+"|\w+)')
_SAMPLE = re.compile(r"USING SAMPLE ([\d.]+%?) ?\((\w+)\)")


def statements(text: str, resolver: Resolver, names: Collection[str]) -> list[exp.Expr]:
    """The trees of a text; EXPLAIN and PREPARE stand for the statement inside, EXECUTE for what was prepared.

    `names` are the identifiers that must all be in the trees: the calls and the protected relations.
    """
    return [_tree(part, resolver, names) for part in _split(text)]


def query(text: str, names: Collection[str] = ()) -> exp.Expr:
    """The tree of a view's definition (CREATE VIEW … AS query) or of a query's text.

    >>> query("CREATE VIEW v AS SELECT 1 AS one").sql("duckdb")
    'SELECT 1 AS one'
    """
    tree = _parsed(text, names)
    if isinstance(tree, exp.Create) and isinstance(tree.expression, exp.Expr):
        inner = tree.expression
        inner.pop()
        return inner
    return tree


def expression(text: str, names: Collection[str] = ()) -> exp.Expr:
    """The tree of a scalar macro's body."""
    tree = _parsed(f"SELECT {text}", names)
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        raise unreadable("a macro's body is not one expression")
    found: exp.Expr = tree.expressions[0]
    found.pop()
    return found


def called(node: exp.Expr) -> str:
    """The name of a function as it was written: sqlglot renames those it knows (`list_sum` may be a user's macro)."""
    return str(node.meta.get("written") or node.name)


def unreadable(why: str) -> LeakError:
    """The refusal of a text that the guard does not understand."""
    return LeakError(
        f"The guard cannot read this statement ({why}), so it cannot tell whether the candidates depend on protected"
        " data. Write the source of the candidates in simpler SQL, or in a view of its own; if you know that they are"
        " public, say public := true (the ledger records it)."
    )


def _split(text: str) -> list[str]:
    """The statements of a text, without the comments around them."""
    parts: list[list[Token]] = [[]]
    for token in _tokens(text):
        if token.token_type == TokenType.SEMICOLON:
            parts.append([])
        else:
            parts[-1].append(token)
    return [text[part[0].start : part[-1].end + 1] for part in parts if part]


def _tree(text: str, resolver: Resolver, names: Collection[str]) -> exp.Expr:
    tokens = _tokens(text)
    start = tokens[0].text.upper() if tokens else ""
    rest = text[tokens[0].end + 1 :] if tokens else ""
    if start == "EXPLAIN":
        return _tree(_EXPLAIN.sub("", rest, count=1), resolver, names)
    if start == "PREPARE" and (inner := _PREPARE.match(rest)):
        return _tree(rest[inner.end() :], resolver, names)
    if start == "EXECUTE" and (named := _EXECUTE.match(rest)):
        prepared = resolver.prepared(named["name"].strip('"'))
        if prepared is None:
            raise unreadable(f"the text of the prepared statement {named['name']} is not known here")
        return _tree(prepared, resolver, names)
    if start not in _STARTS:
        raise unreadable(f"it begins with {start or 'nothing'}")
    return _parsed(text, names)


def _tokens(text: str) -> list[Token]:
    try:
        return list(sqlglot.tokenize(text, read="duckdb"))
    except SqlglotError:
        raise unreadable("its text cannot be split into words") from None


def _parsed(text: str, names: Collection[str]) -> exp.Expr:
    text = text.strip().rstrip(";")
    try:
        tree = sqlglot.parse_one(text, read="duckdb")
    except SqlglotError:
        text = _LAMBDA.sub(_arrow, _SAMPLE.sub(r"USING SAMPLE \2(\1)", text))
        try:
            tree = sqlglot.parse_one(text, read="duckdb")
        except (SqlglotError, RecursionError):
            raise unreadable("its syntax is not known") from None
    except RecursionError:
        raise unreadable("it is nested too deeply") from None
    if not isinstance(tree, exp.Expr) or tree.find(exp.Command):
        raise unreadable("its syntax is not known")
    for node in tree.find_all(exp.Func):
        if "start" in node.meta:
            node.meta["written"] = text[node.meta["start"] : node.meta["end"] + 1].strip('"')
    _complete(tree, text, {name.lower() for name in names})
    return tree


def _arrow(found: re.Match[str]) -> str:
    parameters = found[1]
    return f"(({parameters}) -> " if "," in parameters else f"({parameters} -> "


def _complete(tree: exp.Expr, text: str, names: Collection[str]) -> None:
    """Every name that matters is in the tree as often as in the text: a parser that drops a clause is caught."""
    written = Counter(
        token.text.lower()
        for token in _tokens(text)
        if token.token_type not in (TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.RAW_STRING)
    )
    kept: Counter[str] = Counter()
    for node in tree.walk():
        if isinstance(node, exp.Identifier | exp.Var):
            kept[node.name.lower()] += 1
        elif isinstance(node, exp.Func) and isinstance(node, exp.Expr) and not isinstance(node.this, exp.Identifier):
            kept[called(node).lower()] += 1
    for name in names:
        if kept[name] < written[name]:
            raise unreadable(f"'{name}' stands where the guard does not expect it")
