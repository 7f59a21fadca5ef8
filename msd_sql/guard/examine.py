"""The guard: refuses a statement that asks for a private selection and reads protected data too (docs/privacy.md 8).

DuckDB's own plan of the statement, made on the caller's connection, is the authority: it names every table that is
scanned, through views, macros, CTEs and correlated subqueries alike. What a plan cannot show is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from msd_sql.catalog.relations import Once, foreign_databases, relation_rows
from msd_sql.database.host import Host, Row
from msd_sql.database.plans import Plan, Scan, explained, plan_of, serialized
from msd_sql.database.sql_text import Name, fold, literal, parts
from msd_sql.errors import LeakError
from msd_sql.guard.caller_settings import as_the_caller
from msd_sql.guard.connection_view import ConnectionView, Key, key_of
from msd_sql.guard.files import located, overlap
from msd_sql.guard.private_data import PrivateData, closure, database_files, name_key, private_data, views_of
from msd_sql.guard.probes import PROBED, hidden, macro_bodies
from msd_sql.guard.program_variables import check_program_variables
from msd_sql.guard.statement_text import READING, made_table, mentioned, planned, unreadable
from msd_sql.guard.syntax import named_files
from msd_sql.guard.way import way

# Operators that compute with what they are given; data that a program holds, and whatever is new, is not among them.
_OPERATORS = frozenset([
    "PROJECTION", "FILTER", "AGGREGATE_AND_GROUP_BY", "AGGREGATE", "WINDOW", "UNNEST", "LIMIT", "LIMIT_PERCENT",
    "ORDER_BY", "TOP_N", "DISTINCT", "SAMPLE", "PIVOT", "GET", "DELIM_GET", "EXPRESSION_GET", "DUMMY_SCAN",
    "EMPTY_RESULT", "CTE_REF", "CTE_SCAN", "COMPARISON_JOIN", "ANY_JOIN", "CROSS_PRODUCT", "POSITIONAL_JOIN",
    "DELIM_JOIN", "ASOF_JOIN", "DEPENDENT_JOIN", "JOIN", "UNION", "EXCEPT", "INTERSECT", "RECURSIVE_CTE",
    "REC_CTE", "MATERIALIZED_CTE", "CTE", "INSERT", "DELETE", "UPDATE", "MERGE_INTO", "CREATE_TABLE", "COPY_TO_FILE",
    "SET", "EXPLAIN",
])  # fmt: skip
# Table functions that read nothing but their arguments, or names out of the schema: of those, with the columns that may
# be read. Not what a type is made of, nor the names of columns: an ENUM and a PIVOT make both out of values.
_NAMES = ("database_name", "database_oid", "schema_name", "schema_oid", "internal", "temporary", "comment")
_FUNCTIONS: Mapping[str, Collection[str] | None] = {
    **dict.fromkeys(["range", "generate_series", "unnest", "generate_subscripts", "repeat", "repeat_row"]),
    **dict.fromkeys(["json_each", "json_tree"]),
    "duckdb_databases": (*_NAMES, "path", "type", "readonly"),
    "duckdb_schemas": (*_NAMES, "oid"),
    "duckdb_tables": (*_NAMES, "table_name", "table_oid"),
    "duckdb_views": (*_NAMES, "view_name", "view_oid"),
    "duckdb_prepared_statements": ("name", "statement"),
    "duckdb_variables": ("name",),
    "duckdb_types": (*_NAMES, "type_name", "type_oid", "logical_type"),
}
# Those that we call ourselves, once each, for what a connection sees (surface/caller.sql).
_OURS = ("duckdb_tables", "duckdb_views", "duckdb_prepared_statements", "duckdb_variables", "duckdb_types")
# Functions that tell of something else than their arguments, and the arguments with which we call them ourselves.
_STATE: Mapping[str, Collection[str]] = {
    **dict.fromkeys(["nextval", "currval", "getvariable", "stats"], ()),
    **dict.fromkeys(["enum_range", "enum_range_boundary", "enum_first", "enum_last", "enum_code"], ()),
    "current_setting": ("search_path", "file_search_path", "home_directory"),
    "json_serialize_plan": ("_msd_statement()", "_msd_probe()"),
}  # fmt: skip
_ADVICE = (
    "A statement that asks for a private selection must not read protected data for anything else: select from public"
    " relations, and ask for the rest in a statement of its own. If this is public for a reason that the SQL does not"
    " show, say public := true (the ledger records it)."
)


@dataclass(frozen=True)
class Sources:
    """What a statement reads: `rows` are the relations whose rows can become candidates, the items table among them."""

    rows: tuple[Name, ...] = ()
    relations: tuple[Name, ...] = ()


class Guard:
    """What the guard asks about one statement: the caller's view of it, what is protected and what is declared."""

    def __init__(
        self,
        host: Host,
        view: ConnectionView,
        protected: Mapping[str, str | None],
        declared: Collection[str],
        once: Once,
        *,
        elsewhere: bool = False,  # are relations protected that this database does not hold, as in Spark?
    ) -> None:
        self._host = host
        self._view = view
        self._declared = declared
        self._once = once
        self._rows: Sequence[Row] = relation_rows(host, once)
        self._private: PrivateData = once(
            ("private", *protected), lambda: private_data(host, self._rows, protected, declared)
        )
        self._guarding = elsewhere or bool(protected)

    def examine(self) -> Sources:
        """What the statement reads; LeakError if that is protected, or cannot be told while anything is."""
        try:
            plan = self._plan()
        except LeakError:
            if self._guarding:
                raise
            return Sources()
        if self._guarding:
            self._check(plan, self._text)
        return Sources(self._feeding(plan), plan.tables)

    def check_relation(self, name: Name) -> None:
        """LeakError if a relation's rows are private, or nothing tells whether they are."""
        text = f"FROM {name.sql}"
        plan = plan_of(self._host, text)
        if plan is None:
            raise unreadable(f"{name} cannot be read")
        if self._guarding:
            self._check(plan, text)

    @cached_property
    def _text(self) -> str:
        return planned(self._view.statement, self._view.prepared)

    def _plan(self) -> Plan:
        if "__pivot_enum_" in (text := self._text):
            raise unreadable("its columns are values that PIVOT has read before; list them, PIVOT … ON c IN (…)")
        told = self._view.plan or '{"error": true}'
        found = serialized(told)
        if not isinstance(found, Plan):
            return self._from_outside(text)
        if not any(call.name.startswith("_msd_") for call in found.calls):
            raise unreadable("its text does not call msd_sql, and the program holds the rest of it: write it in SQL")
        check_program_variables(self._host, text, self._view)
        self._check_variables(text, told)
        return found

    def _check_variables(self, text: str, told: str) -> None:
        """A variable can hold private values, and is a constant in a plan: without it the plan must be the same."""
        if not self._view.variables:
            return
        with as_the_caller(self._host, self._view):
            rows = self._host.rows(f"SELECT CAST(json_serialize_plan({literal(text)}) AS VARCHAR)")
        if rows[0][0] != told:
            names = ", ".join(self._view.variables)
            raise unreadable(
                f"variables are set ({names}), which can hold anything, and the statement reads one of them, or TEMP"
                f" objects that may: RESET VARIABLE {self._view.variables[0]}, or write the value itself"
            )

    def _from_outside(self, text: str) -> Plan:
        """The plan on another connection, for a statement that reads files: the caller must have nothing of its own."""
        own = sorted({*self._view.temporary, *self._view.variables})
        if own:
            raise unreadable(
                f"DuckDB does not tell its plan, and your connection has TEMP objects or variables ({', '.join(own)})"
                " that another one does not see. Drop them, or make them permanent; candidates from a data frame or a"
                " file can be made a table"
            )
        there = {key_of(row[1], row[2], row[3]): row[5] for row in self._rows}
        foreign = foreign_databases(self._host)
        here = {**self._view.tables, **self._view.views}
        here, there = ({key: one for key, one in seen.items() if key[1] != "msd"} for seen in (here, there))
        made = made_table(self._view.statement)  # CREATE TABLE … AS has made it by now
        changed = {key for key in {*here, *there} if key[0] not in foreign and here.get(key) != there.get(key)}
        if any(key[2] != made or key in there for key in changed):
            raise unreadable("tables or views were changed in a transaction that is not yet committed: COMMIT first")
        names = self._once(PROBED, list)
        if not names or len(names) != len(self._view.probes):
            raise unreadable(
                "DuckDB does not tell its plan: a data frame or another variable of the program, a relation that this"
                " connection does not have, or files that its text does not name"
            )
        if (found := hidden(self._host, names, self._view.probes)) is not None:
            raise unreadable(
                f"DuckDB does not tell its plan, and {found} may be a TEMP macro, which another connection does not"
                " see. Drop it, or make it permanent"
            )
        with as_the_caller(self._host, self._view):
            plan = explained(self._host, text)
        if plan is None:
            raise unreadable("another connection of this database cannot run it")
        return plan

    def _check(self, plan: Plan, text: str) -> None:
        tables = [scan.table for scan in plan.scans if scan.table is not None]
        others = [scan for scan in plan.scans if scan.table is None]
        for table in tables:
            self._check_table(table, text)
        for word in mentioned(text) if self._private.silent else ():
            if (owner := self._private.silent.get(word)) is not None:
                self._refuse(owner, owner.name, text)
        self._check_files(others, [text])
        words = {word for one in closure([text], self._views, {}) for word in mentioned(one)}
        for scan in others:
            self._check_function(scan, words)
        told = Counter(scan.function for scan in others if scan.columns is None and scan.function in _OURS)
        if len({told[name] for name in _OURS}) > 1:  # a view of DuckDB's own reads one of them, too
            raise unreadable(f"it reads {max(told, key=told.__getitem__)}(), which can tell of the rows of tables")
        if odd := sorted(plan.operators - _OPERATORS):
            raise unreadable(f"it has a step {odd[0]} that the guard does not know, or rows that the program holds")
        for call in plan.calls:
            first, *rest = call.arguments or ("",)
            if call.name in _STATE and not (first in _STATE[call.name] and set(rest) <= {"False"}):
                raise unreadable(f"{call.name}() tells what was stored before, which can be anything")
        if said := words & _STATE.keys():  # it may be a constant by now, which a plan does not tell from others
            raise unreadable(f"{min(said)}() tells what was stored before, which can be anything")
        if plan.enums or (not plan.has_enums and words & set(self._view.enums)):
            raise unreadable("it uses an ENUM type that no table of it has, and that can be made from anything")

    def _check_table(self, table: Name, text: str) -> None:
        key = name_key(table)
        if (owner := self._private.tables.get(key)) is not None:
            self._refuse(owner, table.name, text)
        there, here = self._committed.get(key), self._view.tables.get(key)
        if key[0] == "temp" or there is None or (here is not None and here != there):
            what, way_out = "a table that a transaction made or changed and did not commit yet", "COMMIT first"
            if key[0] == "temp":
                what, way_out = "a TEMP table", "If its rows are public, make it a permanent table"
            raise unreadable(
                f"'{table.name}' is not a committed table of this database ({what}): nothing tells what it was filled"
                f" from. {way_out}"
            )

    def _check_function(self, scan: Scan, words: Collection[str]) -> None:
        columns = _FUNCTIONS.get(scan.function, ())
        if columns is None or READING.fullmatch(scan.function):
            return
        if scan.columns is None:  # not told; then we may be the ones who read it, if the text does not say its name
            public = scan.function in _OURS and scan.function not in words
        else:
            public = bool(columns) and scan.columns <= {*columns}
        if not public:
            raise unreadable(f"{scan.function}() can return anything, or tells of the rows of tables")

    def _check_files(self, scans: Sequence[Scan], texts: Sequence[str]) -> None:
        reading = [scan for scan in scans if READING.fullmatch(scan.function)]
        private = {**self._private.files, **database_files(self._host, self._private)} if reading else {}
        if not private:
            return
        if all(scan.files for scan in reading):
            found: list[str | None] = [file for scan in reading for file in scan.files]
        else:
            every = closure(texts, self._views, self._macros)
            found = list(named_files(self._host, every)) or [None]
        for path in found:
            if path is None:
                raise unreadable("it reads files whose path is computed: write the path as a plain string")
            for file, owner in private.items():
                if any(overlap(one, two) for one in self._places(path) for two in self._places(file)):
                    self._refuse(owner, path, texts[0])

    def _places(self, path: str) -> set[str]:
        """Settings belong to one connection: the caller's, or ours that reads the protected relation."""
        ours = self._host.rows(
            "SELECT system.main.current_setting('file_search_path'), system.main.current_setting('home_directory')"
        )[0]
        folders = [one.strip() for one in str(ours[0] or "").split(",") if one.strip()]
        return located(path, self._view.folders, self._view.home) | located(path, folders, ours[1] or "")

    def _refuse(self, owner: Name, read: str, text: str) -> NoReturn:
        target = read if "/" in read else fold(read)
        path = way(text, target, self._views, self._macros)
        if target == fold(owner.name):
            via = f": {path}" if " → " in path else ""
            raise LeakError(f"This statement reads the protected relation {owner.name}{via}. {_ADVICE}")
        to_owner = way(text, fold(owner.name), self._views, self._macros)
        if " → " in to_owner or fold(owner.name) in mentioned(text):
            path = to_owner if target in to_owner else f"{to_owner} → view → {read}"
        raise LeakError(
            f"This statement reads data of the protected relation {owner.name}, which reads {read}: {path}. {_ADVICE}"
            f" If {read} is public, declare it with msd_items (not if it holds the units)."
        )

    def _feeding(self, plan: Plan) -> tuple[Name, ...]:
        """The relations that candidates can come from: views that are mentioned first, then the tables under them."""
        texts = closure([self._text], self._views, {})
        words = {word for text in texts for word in mentioned(text)}
        declared = {name_key(Name(*parts(text))) for text in self._declared}
        views = [name for key, (name, _) in self._views.items() if key in declared and key[2] in words]
        tables = plan.feeding if plan.feeding is not None else plan.tables
        direct = mentioned(self._text)
        under = {key_of("", "", table.name)[2] for table in tables} - direct if views else set()
        return (*views, *sorted(table for table in tables if fold(table.name) not in under))

    @cached_property
    def _committed(self) -> dict[Key, str]:
        """The tables that every connection sees, each with its object id."""
        return {key_of(row[1], row[2], row[3]): row[5] for row in self._rows if row[0] == "table"}

    @cached_property
    def _views(self) -> dict[Key, tuple[Name, str]]:
        return views_of(self._rows)

    @cached_property
    def _macros(self) -> dict[str, str]:
        """The bodies of all macros that every connection sees. DuckDB takes long to list them: for errors and files."""
        return macro_bodies(self._host)
