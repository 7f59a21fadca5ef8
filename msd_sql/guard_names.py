"""Names for the guard: what a name of a statement stands for in the user's database and session (DESIGN 3)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from msd_sql.guard_files import looks_like_file
from msd_sql.host import Host
from msd_sql.sqltext import Name, SearchPath, literal

Kind: TypeAlias = Literal["table", "view", "file", "system", "unknown"]
Home: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Relation:
    """What a name in a FROM clause is; `name` is set for tables and views, `sql` for views, `text` for the rest."""

    kind: Kind
    text: str
    name: Name | None = None
    sql: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for two spellings of one relation: DuckDB's names are case-insensitive."""
        if self.name is None:
            return (self.kind, self.text)
        return (self.name.database.lower(), self.name.schema.lower(), self.name.name.lower())

    @property
    def home(self) -> Home | None:
        """The schema in which the names of a view's definition are looked up first."""
        return (self.name.database, self.name.schema) if self.name else None


@dataclass(frozen=True)
class Macro:
    """One overload of a user's macro: a scalar expression, or a query if `table`."""

    name: Name
    parameters: tuple[str, ...]
    body: str
    table: bool


class Resolver(Protocol):
    """What the guard asks of a database."""

    def relation(self, parts: Sequence[str], home: Home | None = None) -> Relation:
        """The relation of a name of one to three parts, looked up in `home` before the search path."""
        ...

    def columns(self, relation: Relation) -> frozenset[str] | None:
        """The lower-case column names of a relation; None if they are not known."""
        ...

    def macros(self, parts: Sequence[str]) -> Sequence[Macro]:
        """The overloads of the user's macro that a call of this name runs; none for any other function."""
        ...

    def function(self, name: str) -> bool:
        """Tell whether a function that is not a macro of the user has this name (a built-in one, or a UDF)."""
        ...

    def prepared(self, name: str) -> str | None:
        """The statement that `EXECUTE name` runs; None if it is not known."""
        ...


@dataclass(frozen=True)
class Session:
    """What only the caller's own connection can see: TEMP objects and prepared statements (see `session.sql`).

    >>> Session.read('{"views": {"v": "SELECT 1"}, "tables": ["t"]}').tables
    frozenset({'t'})
    """

    tables: frozenset[str] = frozenset()
    views: Mapping[str, str] = field(default_factory=dict)
    prepared: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str | None) -> Session:
        """The session as `_msd_session()` tells it, in JSON; nothing is known of it if there is no text."""
        told = json.loads(text) if text else {}
        return cls(
            frozenset(name.lower() for name in told.get("tables") or ()),
            {name.lower(): sql or "" for name, sql in (told.get("views") or {}).items()},
            {name.lower(): sql for name, sql in (told.get("prepared") or {}).items()},
        )


_RELATIONS = """
SELECT 'table' AS kind, database_name, schema_name, table_name AS name, '' AS sql
FROM duckdb_tables() WHERE NOT internal AND NOT temporary
UNION ALL
SELECT 'view', database_name, schema_name, view_name, coalesce(sql, '')
FROM duckdb_views() WHERE NOT internal AND NOT temporary
"""

_MACROS = """
SELECT database_name, schema_name, function_name, array_to_string(parameters, ','), macro_definition,
       function_type = 'table_macro'
FROM duckdb_functions()
WHERE function_type IN ('macro', 'table_macro') AND NOT internal AND database_name <> 'temp'
"""

_FUNCTIONS = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal"
# Built-in functions by version: a name that is not among them is looked up again (an extension was loaded).
_KNOWN: dict[str, frozenset[str]] = {}


class HostResolver:
    """Reads the catalog through a host: once, when first needed, so make one for every question.

    >>> import duckdb
    >>> from msd_sql.host import DuckDBHost
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE products(item_id INTEGER)")
    >>> HostResolver(DuckDBHost(con), (("memory", "main"),)).relation(["PRODUCTS"]).key
    ('memory', 'main', 'products')
    """

    def __init__(self, host: Host, path: SearchPath, session: Session | None = None) -> None:
        self._host = host
        self._path = path
        self._session = session or Session()
        self._found: dict[tuple[str, ...], Relation] | None = None
        self._macros: dict[str, list[Macro]] | None = None
        self._columns: dict[tuple[str, ...], frozenset[str]] = {}

    def relation(self, parts: Sequence[str], home: Home | None = None) -> Relation:
        """The relation of a name, in the order in which DuckDB looks it up: home, TEMP, the search path."""
        low = tuple(part.lower() for part in parts)
        shown = ".".join(parts)
        found = self._catalog()
        if len(low) > 3:
            return Relation("unknown", shown)
        if len(low) == 3:
            return found.get(low) or self._temporary(low) or self._other(low, shown)
        if len(low) == 2:
            schemas = [(database, low[0]) for database, _ in ((home,) if home else ()) + self._path]
            # `a.b` is schema a, or the main schema of database a.
            keys = dict.fromkeys((db.lower(), schema, low[1]) for db, schema in [*schemas, (low[0], "main")])
            hits = [found[key] for key in keys if key in found]
            if len(hits) > 1 and low[0] not in {schema.lower() for _, schema in self._path}:
                return Relation("unknown", shown)
            return (hits[0] if hits else None) or self._temporary(low) or self._other(low, shown)
        places = ((home,) if home else ()) + self._path
        if home and (hit := found.get((home[0].lower(), home[1].lower(), low[0]))):
            return hit
        if temporary := self._temporary(low):
            return temporary
        for database, schema in places:
            if hit := found.get((database.lower(), schema.lower(), low[0])):
                return hit
        return self._other(low, shown)

    def columns(self, relation: Relation) -> frozenset[str] | None:
        """The columns of a table or view of the database."""
        name = relation.name
        if name is None or name.database == "temp":
            return None
        if relation.key not in self._columns:
            rows = self._host.rows(
                "SELECT lower(column_name) FROM duckdb_columns()"
                f" WHERE database_name = {literal(name.database)} AND schema_name = {literal(name.schema)}"
                f" AND table_name = {literal(name.name)}"
            )
            self._columns[relation.key] = frozenset(row[0] for row in rows)
        return self._columns[relation.key]

    def macros(self, parts: Sequence[str]) -> Sequence[Macro]:
        """The user's macro of this name. A macro of the search path hides a built-in function of the same name."""
        if self._macros is None:
            self._macros = {}
            for database, schema, name, parameters, body, table in self._host.rows(_MACROS):
                listed = tuple(parameters.split(",")) if parameters else ()
                one = Macro(Name(database, schema, name), listed, body or "", bool(table))
                self._macros.setdefault(name.lower(), []).append(one)
        named = self._macros.get(parts[-1].lower(), [])
        if len(parts) == 1:
            visible = {(database.lower(), schema.lower()) for database, schema in self._path}
            return [one for one in named if (one.name.database.lower(), one.name.schema.lower()) in visible]
        within = {part.lower() for part in parts[:-1]}
        return [one for one in named if within <= {one.name.database.lower(), one.name.schema.lower()}]

    def function(self, name: str) -> bool:
        """A function that is not the user's macro; a TEMP macro of the caller is not seen from here."""
        known = _KNOWN.get(self._host.version, frozenset())
        if name.lower() not in known:
            known = frozenset(row[0] for row in self._host.rows(_FUNCTIONS))
            _KNOWN[self._host.version] = known
        return name.lower() in known

    def prepared(self, name: str) -> str | None:
        """A prepared statement of the caller's connection."""
        return self._session.prepared.get(name.lower())

    def _catalog(self) -> dict[tuple[str, ...], Relation]:
        if self._found is None:
            self._found = {}
            for kind, database, schema, name, sql in self._host.rows(_RELATIONS):
                one = Relation("view" if kind == "view" else "table", name, Name(database, schema, name), sql)
                self._found[one.key] = one
        return self._found

    def _temporary(self, low: Sequence[str]) -> Relation | None:
        if any(part not in ("temp", "main") for part in low[:-1]):
            return None
        name = Name("temp", "main", low[-1])
        if low[-1] in self._session.tables:
            return Relation("unknown", low[-1])  # what a TEMP table was filled from is not recorded anywhere
        sql = self._session.views.get(low[-1])
        if sql is None:
            return None
        # A registered data frame is a TEMP view without a definition (1.5) or over pandas_scan() (2.0).
        return Relation("view", low[-1], name, sql) if sql else Relation("unknown", low[-1])

    def _other(self, low: Sequence[str], shown: str) -> Relation:
        if len(low) == 1 and looks_like_file(shown):
            return Relation("file", shown)
        if "information_schema" in low[:-1]:
            return Relation("system", shown)
        return Relation("unknown", shown)
