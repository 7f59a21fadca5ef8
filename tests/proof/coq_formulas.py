"""Formulas out of `proof/statements.txt`, as Python functions: what a theorem says can be computed."""

import math
import re
from collections.abc import Callable
from pathlib import Path

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": math.exp,
    "ln": math.log,
    "sinh": math.sinh,
    "tanh": math.tanh,
    "INR": float,
    "Rpower": math.pow,
    "Nat.min": min,
}
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_][\w.']*)|(?P<symbol>[-+*/^()]))")
_BRACKET = re.compile(r"[^\s()]+|[()]")


class Statements:
    """The theorems and definitions that `proof/statements.txt` lists, by name."""

    def __init__(self, file: Path) -> None:
        text = " ".join(file.read_text(encoding="utf-8").split())
        self.theorems = dict(re.findall(r"@(\w+) : (.*?)(?= @|$)", text))
        self.definitions = dict(re.findall(r"(?:^| )(\w+) = fun [^=]* => (.*?) : [^:]*?(?= \w+ = | Record |$)", text))

    def approximate(self, theorem: str) -> tuple[str, str]:
        """The ε and the δ of a theorem that concludes with (ε, δ)-privacy."""
        *_, eps, delta = _applied("approximate", self.theorems[theorem])
        return eps, delta

    def pure(self, theorem: str) -> str:
        """The ε of a theorem that concludes with pure privacy."""
        return _applied("pure", self.theorems[theorem])[-1]

    def at_most(self, theorem: str) -> str:
        """The right-hand side of a theorem that concludes with an inequality."""
        return self.theorems[theorem].rpartition(" <= ")[2]


def evaluate(formula: str, **values: float) -> float:
    """The value of a Coq expression over the reals, as Coq reads it: - and / as signs bind tighter than * and /."""
    tokens = _tokens(formula)
    value = _sum(tokens, values)
    if tokens:
        raise ValueError(f"{formula!r} does not end at {tokens[0]!r}")
    return value


def _applied(head: str, statement: str) -> list[str]:
    """The arguments that the statement's last `head` is applied to, each as text."""
    arguments: list[str] = []
    depth = 0
    for word in _BRACKET.findall(statement.rpartition(f" {head} ")[2]):
        depth -= word == ")"
        if depth or word == ")":
            arguments[-1] += f" {word}"
        else:
            arguments.append(word)
        depth += word == "("
    return arguments


def _tokens(formula: str) -> list[str]:
    tokens, at = [], 0
    while at < len(formula.rstrip()):
        found = _TOKEN.match(formula, at)
        if not found:
            raise ValueError(f"{formula[at:]!r} is beyond what is read of Coq")
        tokens.append(found.group().strip())
        at = found.end()
    return tokens


def _sum(tokens: list[str], values: dict[str, float]) -> float:
    value = _product(tokens, values)
    while tokens and tokens[0] in "+-":
        value += _product(tokens, values) if tokens.pop(0) == "+" else -_product(tokens, values)
    return value


def _product(tokens: list[str], values: dict[str, float]) -> float:
    value = _signed(tokens, values)
    while tokens and tokens[0] in "*/":
        value = value * _signed(tokens, values) if tokens.pop(0) == "*" else value / _signed(tokens, values)
    return value


def _signed(tokens: list[str], values: dict[str, float]) -> float:
    if tokens[0] not in "-/":
        return _power(tokens, values)
    return -_signed(tokens, values) if tokens.pop(0) == "-" else 1 / _signed(tokens, values)


def _power(tokens: list[str], values: dict[str, float]) -> float:
    value = _application(tokens, values)
    if tokens and tokens[0] == "^":
        tokens.pop(0)
        value **= _signed(tokens, values)
    return value


def _application(tokens: list[str], values: dict[str, float]) -> float:
    function = _FUNCTIONS.get(tokens[0])
    if function is None:
        return _atom(tokens, values)
    tokens.pop(0)
    arguments = []
    while tokens and tokens[0] not in "+-*/^)":
        arguments.append(_atom(tokens, values))
    return function(*arguments)


def _atom(tokens: list[str], values: dict[str, float]) -> float:
    token = tokens.pop(0)
    if token == "(":
        value = _sum(tokens, values)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a bracket is not closed")
        return value
    return float(token) if token.isdigit() else values[token]
