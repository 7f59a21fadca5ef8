"""Names for the guard: what a name of a statement stands for in the user's database and session (docs/privacy.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from msd_sql.database.host import Host, Row
from msd_sql.database.sql_text import Name, SearchPath, literal
from msd_sql.guard.connection_view import Key, Macro, Session, macro, split
from msd_sql.guard.files import located, looks_like_file
from msd_sql.surface.macros import OURS

Kind: TypeAlias = Literal["table", "view", "file", "system", "unknown"]
Home: TypeAlias = tuple[str, str]
Question: TypeAlias = tuple[Any, ...]
Once: TypeAlias = Callable[[Question, Callable[[], Any]], Any]  # answers a question, by asking or from memory


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


class Resolver(Protocol):
    """What the guard asks of a database."""

    def relation(self, parts: Sequence[str], home: Home | None = None) -> Relation:
        """The relation of a name of one to three parts, looked up in `home` before the search path."""
        ...

    def columns(self, relation: Relation) -> frozenset[str] | None:
        """The lower-case column names of a relation; None if they are not known."""
        ...

    def macros(self, parts: Sequence[str], home: Home | None = None) -> Sequence[Macro]:
        """The overloads of the user's macro that a call of this name can run; none for any other function."""
        ...

    def visible(self) -> Sequence[Macro]:
        """The user's macros that can be called without a schema, and so hide functions of DuckDB."""
        ...

    def committed(self) -> Resolver:
        """What every connection sees: names without the caller's TEMP objects and uncommitted changes."""
        ...

    def function(self, name: str) -> bool:
        """Tell whether a function that is not a macro of the user has this name (a built-in one, or a UDF)."""
        ...

    def places(self, path: str) -> set[str]:
        """The files that a path may mean with the settings of the caller and of the database."""
        ...

    def prepared(self, name: str) -> str | None:
        """The statement that `EXECUTE name` runs; None if it is not known."""
        ...


_RELATIONS = """
SELECT 'table' AS kind, database_name, schema_name, table_name AS name, '' AS sql,
       CAST(table_oid AS VARCHAR) AS object_id
FROM system.main.duckdb_tables() WHERE NOT internal AND NOT temporary
UNION ALL
SELECT 'view', database_name, schema_name, view_name, coalesce(sql, ''), CAST(system.main.hash(sql) AS VARCHAR)
FROM system.main.duckdb_views() WHERE NOT internal AND NOT temporary
UNION ALL
SELECT 'foreign', database_name, '', '', '', '' FROM system.main.duckdb_databases() WHERE type <> 'duckdb'
"""

_MACROS = """
SELECT database_name, schema_name, function_name, system.main.array_to_string(parameters, ','), macro_definition,
       function_type
FROM system.main.duckdb_functions()
WHERE function_type IN ('macro', 'table_macro') AND NOT internal AND database_name <> 'temp'
"""

_FUNCTIONS = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal"
# Built-in functions by version: a name that is not among them is looked up again (an extension was loaded).
_KNOWN: dict[str, frozenset[str]] = {}


def remembering() -> Once:
    """Something that answers a question once."""
    known: dict[Question, Any] = {}

    def once(question: Question, answer: Callable[[], Any]) -> Any:
        if question not in known:
            known[question] = answer()
        return known[question]

    return once


def relation_rows(host: Host, once: Once) -> list[Row]:
    """Every table and view that all connections see: kind, database, schema, name, SQL of a view, and its object id."""
    found: list[Row] = once(("relations",), lambda: host.rows(_RELATIONS))
    return found


def described(host: Host, once: Once, relation: str) -> dict[str, str]:
    """The columns of a relation that all connections see, with their types.

    >>> described(host, call.once, '"shop"."main"."products"')["price"]
    'DECIMAL(21,1)'
    """

    def look() -> dict[str, str]:
        return {row[0]: str(row[1]) for row in host.rows(f"DESCRIBE SELECT * FROM {relation}")}

    found: dict[str, str] = once(("described", relation), look)
    return found


class HostResolver:
    """Reads the catalog through a host: once, when first needed, so make one for every question.

    >>> import duckdb
    >>> from msd_sql.database.duckdb_host import DuckDBHost
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE products(item_id INTEGER)")
    >>> HostResolver(DuckDBHost(con), (("memory", "main"),)).relation(["PRODUCTS"]).key
    ('memory', 'main', 'products')
    """

    def __init__(self, host: Host, path: SearchPath, session: Session | None = None, once: Once | None = None) -> None:
        self._host = host
        self._path = path
        self._session = session or Session()
        self._once = once or remembering()
        self._found: dict[Key, Relation] | None = None
        self._macros: dict[str, list[Macro]] | None = None
        self._committed: HostResolver | None = None
        self._settings: tuple[tuple[str, ...], str] | None = None

    def committed(self) -> HostResolver:
        """The names that every connection sees."""
        if self._session == Session():
            return self
        if self._committed is None:
            self._committed = HostResolver(self._host, self._path, once=self._once)
        return self._committed

    def relation(self, parts: Sequence[str], home: Home | None = None) -> Relation:
        """The relation of a name, in the order in which DuckDB looks it up: TEMP, home, the search path."""
        low = tuple(part.lower() for part in parts)
        shown = ".".join(parts)
        found = self._catalog()
        if len(low) > 3:
            return Relation("unknown", shown)
        # TEMP hides what main.products means, too, and inside of views of DuckDB 2 even shop.main.products.
        if len(low) < 3 or low[0] == "temp":
            if temporary := self._temporary(low):
                return temporary
        elif home and low[1] == "main" and self._temporary(low[2:]):
            return Relation("unknown", shown)
        if len(low) == 3:
            return found.get((low[0], low[1], low[2])) or self._other(low, shown)
        places = ((home,) if home else ()) + self._path
        if len(low) == 2:
            # `a.b` is schema a, or the main schema of database a.
            schemas = [(database, low[0]) for database, _ in places]
            keys = dict.fromkeys((db.lower(), schema, low[1]) for db, schema in [*schemas, (low[0], "main")])
            hits = [found[key] for key in keys if key in found]
            if len(hits) > 1 and low[0] not in {schema.lower() for _, schema in self._path}:
                return Relation("unknown", shown)
            return hits[0] if hits else self._other(low, shown)
        for database, schema in places:
            if hit := found.get((database.lower(), schema.lower(), low[0])):
                return hit
        return self._other(low, shown)

    def columns(self, relation: Relation) -> frozenset[str] | None:
        """The columns of a table or view of the database."""
        name = relation.name
        if name is None or name.database == "temp":
            return None
        if relation.kind == "table":
            return frozenset(column.lower() for column in described(self._host, self._once, name.sql))
        sql = (  # without binding the view again
            "SELECT lower(column_name) FROM duckdb_columns()"
            f" WHERE database_name = {literal(name.database)} AND schema_name = {literal(name.schema)}"
            f" AND table_name = {literal(name.name)}"
        )
        found: frozenset[str] = self._once(
            ("columns", relation.key), lambda: frozenset(row[0] for row in self._host.rows(sql))
        )
        return found

    def macros(self, parts: Sequence[str], home: Home | None = None) -> Sequence[Macro]:
        """The user's macros of this name: TEMP ones and those of the search path hide built-in functions."""
        name, within = parts[-1].lower(), [part.lower() for part in parts[:-1]]
        named = self._listed().get(name, [])
        if name in OURS and within in ([], ["main"], ["temp"], ["temp", "main"]):
            return []  # our own TEMP macros come first
        if not within:
            return [one for one in named if self._sees(one, home)]
        return [one for one in named if set(within) <= {one.name.database.lower(), one.name.schema.lower()}]

    def visible(self) -> Sequence[Macro]:
        """The user's TEMP macros and those of the search path."""
        return [one for named in self._listed().values() for one in named if self._sees(one, None)]

    def _sees(self, one: Macro, home: Home | None) -> bool:
        at = (one.name.database.lower(), one.name.schema.lower())
        places = (("temp", "main"), *self._path, *((home,) if home else ()))
        return at in {(database.lower(), schema.lower()) for database, schema in places}

    def _listed(self) -> dict[str, list[Macro]]:
        if self._macros is None:
            self._macros = {}
            told = self._session.macros
            for one in told if told is not None else [macro(*row) for row in self._host.rows(_MACROS)]:
                self._macros.setdefault(one.name.name.lower(), []).append(one)
        return self._macros

    def function(self, name: str) -> bool:
        """A function that is not the user's macro."""
        known = _KNOWN.get(self._host.version, frozenset())
        if name.lower() not in known:
            known = frozenset(row[0] for row in self._host.rows(_FUNCTIONS))
            _KNOWN[self._host.version] = known
        return name.lower() in known

    def places(self, path: str) -> set[str]:
        """Settings belong to one connection: the caller's, or the host's that reads the protected relation."""
        if self._settings is None:
            rows = self._host.rows(
                "SELECT system.main.current_setting('file_search_path'), system.main.current_setting('home_directory')"
            )
            self._settings = (split(rows[0][0]), rows[0][1] or "")
        told = self._session
        return located(path, told.folders, told.home) | located(path, *self._settings)

    def prepared(self, name: str) -> str | None:
        """A prepared statement of the caller's connection."""
        return self._session.prepared.get(name.lower())

    def _catalog(self) -> dict[Key, Relation]:
        if self._found is None:
            rows = relation_rows(self._host, self._once)
            foreign = {row[1].lower() for row in rows if row[0] == "foreign"}  # whose marks are not lasting
            seen = self._session.catalog
            # What the caller sees and nobody else can be anything; what the caller no longer sees is not meant.
            self._found = {key: Relation("unknown", key[2]) for key in seen or ()}
            for kind, database, schema, name, sql, object_id in rows:
                key = (database.lower(), schema.lower(), name.lower())
                if kind == "foreign" or (seen is not None and key not in seen):
                    continue
                if seen is None or seen[key] == object_id or key[0] in foreign:
                    self._found[key] = Relation(
                        "view" if kind == "view" else "table", name, Name(database, schema, name), sql
                    )
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
