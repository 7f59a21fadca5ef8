"""SQL text: names and values reach a statement only from here, quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import TypeAlias

from msd_sql.errors import InputError

Value: TypeAlias = "bool | int | float | Decimal | str | datetime | Sequence[Value] | None"
# Where an unqualified name is looked for: (database, schema), in order.
SearchPath: TypeAlias = tuple[tuple[str, str], ...]

SPARK = "spark:"
_FOLDED = str.maketrans(ascii_uppercase, ascii_lowercase)
_DATABASE = "the database"
_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([\w$]+))\s*')
_HOLE = re.compile(rf'\$(\w+)|"{_DATABASE}"')


@dataclass(frozen=True, order=True)
class Name:
    """A relation by database, schema and name, spelled as the database's own catalog spells it.

    >>> str(Name("shop", "main", "My Table"))
    'shop.main."My Table"'
    """

    database: str
    schema: str
    name: str

    def __str__(self) -> str:
        return ".".join(shown(part) for part in (self.database, self.schema, self.name))

    @property
    def sql(self) -> str:
        """The name with every part quoted, for a FROM clause."""
        return ".".join(quote(part) for part in (self.database, self.schema, self.name))


def quote(name: str) -> str:
    """An identifier, quoted.

    >>> print(quote("My Table"))
    "My Table"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def fold(name: str) -> str:
    """A name as DuckDB compares names: letters of ASCII in lower case, and every other letter as it is.

    >>> fold("Purchases") == fold("PURCHASES"), fold("\N{KELVIN SIGN}ey") == fold("key")
    (True, False)
    """
    return name.translate(_FOLDED)


def literal(value: Value) -> str:
    """A value as SQL text.

    >>> literal("it's"), literal(Decimal("0.10")), literal([1, None])
    ("'it''s'", "CAST('0.10' AS DECIMAL(38, 2))", '[1, NULL]')
    """
    # In a tenth of the time that sqlglot takes to write it: a line of the ledger has twenty values.
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    if isinstance(value, Decimal):
        return f"CAST('{value:f}' AS DECIMAL(38, {max(0, -int(value.as_tuple().exponent))}))"
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    if isinstance(value, datetime):
        return f"CAST('{value.astimezone(UTC).replace(tzinfo=None).isoformat(' ')}' AS TIMESTAMP)"
    return f"[{', '.join(literal(part) for part in value)}]"


def utc(value: datetime) -> datetime:
    """A time that was read from a TIMESTAMP column of ours."""
    return value.replace(tzinfo=UTC)


def statement(sql: str, database: str, /, **values: Value) -> str:
    """A statement over schema `msd` of `database`, with its `$names` replaced by literals.

    >>> print(statement("SELECT spent FROM msd.protected WHERE key = $key", "shop", key="main.t"))
    SELECT spent FROM "shop".msd.protected WHERE key = 'main.t'
    """

    def filled(hole: re.Match[str]) -> str:
        return literal(values[hole.group(1)]) if hole.group(1) else quote(database)

    return _HOLE.sub(filled, _template(sql))


@lru_cache(maxsize=1024)
def parts(text: str) -> tuple[str, ...]:
    """The one to three parts of a relation's name as a user writes it.

    >>> parts('shop.main."My Table"')
    ('shop', 'main', 'My Table')
    """
    problem = f"'{text}' is not the name of a relation. Give a name such as purchases, main.purchases or \"My Table\"."
    if not text.strip():
        raise InputError(problem)
    found: list[str] = []
    place = 0
    while True:
        part = _PART.match(text, place)
        if part is None or len(found) == 3:
            raise InputError(problem)
        found.append(part[1].replace('""', '"') if part[1] is not None else part[2])
        if part.end() == len(text):
            return tuple(found)
        if text[part.end()] != ".":
            raise InputError(problem)
        place = part.end() + 1


def search_path(database: str, schema: str = "main", setting: str = "") -> SearchPath:
    """The search path of a connection from its current_database(), current_schema() and search_path setting.

    >>> search_path("shop", "main", "lake.raw")
    (('lake', 'raw'), ('shop', 'main'))
    """
    found = []
    for entry in re.findall(r'(?:"(?:[^"]|"")*"|[^",])+', setting):
        if entry.strip():
            named = parts(entry.strip())
            found.append((named[-2] if len(named) > 1 else database, named[-1]))
    return tuple(dict.fromkeys([*found, (database, schema), (database, "main")]))


def shown(part: str) -> str:
    """An identifier as people write it: quoted only where it must be."""
    plain = part.isascii() and part.isidentifier() and part == fold(part)
    return part if plain else quote(part)


@lru_cache(maxsize=256)
def _template(sql: str) -> str:
    """A statement of ours with its holes still open, and the place of schema msd among them."""
    return re.sub(r'(?<![\w."])msd(?=\.\w)|(?<=SCHEMA )msd\b|(?<=EXISTS )msd$', f'"{_DATABASE}".msd', sql)
