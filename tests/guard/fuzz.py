# ruff: noqa: E501 - one production of the grammar a line
"""A grammar of queries against the guard: `python -m tests.guard.fuzz --minutes 10`.

The guard decides over every query as it does for a user, from DuckDB's plan on the caller's connection. What it lets
through is run on two databases that differ in the rows of one user, with the mechanism replaced by one that shows all
the candidates, features and numbers that it is given: the answers must be the same. The grammar prefers what a guard
could overlook: correlation, names that hide names, macros, views, set operations, CTEs, TEMP objects.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

import msd_sql
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import OWN_NAMES
from msd_sql.errors import MsdError
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.examine import Guard

ROWS = "SELECT i % 5 AS user_id, i % 7 AS item_id, i AS qty FROM range(40) t(i) WHERE i % 5 <> 3"
USER = {"one": "VALUES (3, 0, 1), (3, 1, 9)", "two": "VALUES (3, 5, 2), (3, 6, 4), (3, 2, 7)"}
SCHEMA = """
CREATE TABLE purchases (user_id INTEGER, item_id INTEGER, qty INTEGER);
CREATE TABLE products AS SELECT i::INTEGER AS item_id, i * 1.5 AS price, ['a', 'b', 'c'][1 + i % 3] AS kind,
    [i % 2, i % 3] AS li, {'limit': i % 4}::JSON AS info FROM range(8) t(i);
CREATE TABLE archive AS SELECT i::INTEGER AS item_id, i % 2 AS qty FROM range(4) t(i);
CREATE VIEW sold AS SELECT item_id, count(*) AS n FROM purchases GROUP BY item_id;
CREATE VIEW ranked AS SELECT p.*, (SELECT count(*) FROM purchases u WHERE u.item_id = p.item_id) AS n FROM products p;
CREATE VIEW cheap AS FROM products WHERE price < 9;
CREATE MACRO bought(x) AS (SELECT count(*) FROM purchases p WHERE p.item_id = x);
CREATE MACRO twice(x) AS 2 * x;
CREATE MACRO of_user(u) AS TABLE SELECT item_id FROM purchases WHERE user_id = u;
CREATE MACRO at_most(n) AS TABLE FROM products WHERE item_id <= n;
"""
DECLARED = (
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1e9, delta := 0.5, users := 5)",
    "SELECT msd_items('products', key := 'item_id', reach := 'purchases')",
)
OWN = (
    "CREATE TEMP VIEW mine AS SELECT item_id FROM purchases WHERE user_id = 3",
    "CREATE TEMP VIEW ours AS SELECT item_id FROM products WHERE item_id < 6",
    "CREATE TEMP TABLE copied AS SELECT item_id FROM purchases WHERE user_id = 3",
    "CREATE TEMP MACRO near(x) AS (SELECT min(abs(item_id - x)) FROM purchases WHERE user_id = 3)",
    "CREATE TEMP MACRO half(x) AS x // 2",
)


class Grammar:
    """Random queries that DuckDB mostly accepts. Each source has the columns it is known to have."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *given: Any) -> Any:
        """One of these."""
        return self.random.choice(given)

    def statement(self) -> str:
        """A statement with at least one call of ours."""
        made = self.pick(self.select, self.select, self.select, self.topk, self.around, self.around, self.reach)()
        return self.pick(
            made, made, made, made, f"WITH {self.cte(2)} {made}" if made.startswith(("SELECT", "FROM")) else made,
            f"FROM ({made})",
            f"{made} UNION ALL {made}" if made.startswith("SELECT") else made, f"SELECT ({self.call()} FROM products), q.* FROM ({made}) q",
        )  # fmt: skip

    def call(self) -> str:
        """A SELECT of the call, without its source."""
        more = self.pick(
            "",
            "",
            "",
            f", quota := {self.value('item_id', 1)}, quota_cap := 1",
            ", score := 1.0",
            f", features := [{self.value('item_id', 1)}::VARCHAR]",
        )
        eps, diversity = ("NULL", "0") if "score" in more else ("0.001", "0.5" if "features" in more else "0")
        reach = "" if "score" in more else ", reach := 'purchases'"
        return f"SELECT msd_select(item_id, {self.pick('2', '3', '2', self.value('item_id', 0))}, {eps}, {diversity}{reach}{more}) AS picked"

    def select(self) -> str:
        """A selection from a source."""
        where = self.pick("", f" WHERE {self.condition(2)}")
        return f"{self.call()} FROM {self.source(3)}{where}"

    def topk(self) -> str:
        """A table macro over a named relation."""
        name = self.pick(
            "products",
            "cheap",
            "archive",
            "purchases",
            "sold",
            "ranked",
            "ours",
            "mine",
            "'products'",
            "c",
            "'so' || 'ld'",
        )
        k = self.pick("2", "2", self.value("item_id", 1))
        return f"FROM {self.pick('msd_topk', 'msd_explain')}({name}, {k}, 0.001, 0, key := 'item_id', reach := 'purchases')"

    def reach(self) -> str:
        """An estimate of the users that some items reach."""
        items = self.pick("[1, 2]", f"(SELECT list(item_id) FROM {self.source(2)})", f"[{self.value('1', 1)}]")
        return f"SELECT msd_reach({items}, 0.001, relation := 'purchases') >= 0 AS reached"

    def around(self) -> str:
        """A query around the call, which may look at it."""
        inner = f"({self.call()} FROM {self.source(1)} WHERE {self.condition(1, outer='o.')})"
        outer = self.source(1)
        return self.pick(
            f"SELECT {inner} AS picked FROM {outer} o",
            f"SELECT s.* FROM {outer} o, LATERAL {inner} s",
            f"SELECT o.item_id FROM {outer} o WHERE len({inner}) > 0",
            f"SELECT CASE WHEN o.item_id > 2 THEN {inner} END AS picked FROM {outer} o",
            f"SELECT {inner} AS picked, {self.pick('1', 'o.item_id', '(SELECT count(*) FROM purchases)')} FROM {outer} o LIMIT 2",
        )  # fmt: skip

    def cte(self, depth: int) -> str:
        """Some CTEs; their names may hide tables."""
        name = self.pick("c", "purchases", "products", "archive", "sold")
        kind = self.pick("", "MATERIALIZED ", "NOT MATERIALIZED ")
        return f"{name} AS {kind}(SELECT item_id FROM {self.source(depth - 1)})"

    def source(self, depth: int) -> str:
        """Something to select item_id from."""
        flat = ("products", "cheap", "archive", "at_most(5)", "ours", "(VALUES (1), (2), (3)) v(item_id)", "range(5) r(item_id)",
                "main.products", "query_table('cheap')", "purchases", "sold", "ranked", "of_user(3)", "mine", "copied", "main.purchases")  # fmt: skip
        public = flat[:9]
        if depth <= 0:
            return self.pick(*public, *public, *public, *flat)
        one, two = self.source(depth - 1), self.source(depth - 1)
        return self.pick(
            *public, *public, self.pick(*flat),
            f"(SELECT item_id FROM {one} WHERE {self.condition(depth - 1)})",
            f"(SELECT a.item_id FROM {one} a {self.pick('JOIN', 'LEFT JOIN', 'SEMI JOIN', 'ANTI JOIN', 'FULL JOIN')} {two} b ON a.item_id = b.item_id)",
            f"(SELECT item_id FROM {one} {self.pick('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')} SELECT item_id FROM {two})",
            f"(SELECT a.item_id FROM {one} a, LATERAL (SELECT b.item_id AS i FROM {two} b WHERE b.item_id = a.item_id) l)",
            f"(WITH {self.cte(depth)} SELECT item_id FROM {self.pick('c', 'purchases', 'products', 'archive', 'sold')})",
            f"(SELECT item_id FROM {one} ORDER BY {self.value('item_id', depth - 1)} LIMIT {self.pick('3', self.value('2', depth - 1))})",
            f"(SELECT item_id, row_number() OVER (ORDER BY {self.value('item_id', depth - 1)}) AS rn FROM {one} QUALIFY rn < 4)",
            f"(SELECT unnest(list(item_id)) AS item_id FROM {one})",
            f"(SELECT item_id FROM {one} GROUP BY item_id HAVING {self.condition(depth - 1)})",
            f"(PIVOT (SELECT item_id, 1 AS one FROM {one}) ON one IN (1) USING count(*))",
            f"(SELECT item_id::INTEGER AS item_id FROM (UNPIVOT (SELECT item_id::BIGINT AS a FROM {one}) ON a INTO NAME n VALUE item_id))",
            f"query('SELECT item_id FROM {self.pick('cheap', 'sold', 'products')}')",
            f"query_table('{self.pick('ch', 'so')}' || '{self.pick('eap', 'ld')}')",
            f"(SELECT coalesce(item_id, {self.value('1', depth - 1)}) AS item_id FROM {one})",
            f"(FROM {one} SELECT item_id USING SAMPLE 100%)",
            f"(WITH RECURSIVE w(item_id) AS (SELECT min(item_id) FROM {one} UNION SELECT item_id + 1 FROM w WHERE item_id < 5) FROM w)",
        )  # fmt: skip

    def condition(self, depth: int, outer: str = "") -> str:
        """A condition over item_id, and over a row outside where there is one."""
        there = f"{outer}item_id" if outer else "3"
        one = self.value("item_id", depth - 1)
        subquery = f"SELECT item_id FROM {self.source(depth - 1)}"
        return self.pick(
            f"item_id <= {self.pick('4', there, one)}", f"{one} >= {there}", f"item_id IN ({subquery})", f"item_id NOT IN ({subquery})",
            f"EXISTS ({subquery} x WHERE x.item_id = {self.pick('item_id', there, '2')})", f"item_id = ANY ({subquery})",
            f"[{there}].list_contains(item_id)", f"item_id >= {there}.abs()", f"NOT (item_id > {one})", f"item_id BETWEEN 0 AND {one}",
            f"coalesce(to_json({{'l': {there}}}) -> '$.l', '0')::INTEGER <= item_id", f"CASE WHEN {one} > 2 THEN item_id < 5 ELSE true END",
            f"len(list_filter([item_id], lambda x: x <= {there})) > 0", f"item_id + qty > {there}", "user_id > 1", "n > 1", f"rowid >= {there}",
        )  # fmt: skip

    def value(self, column: str, depth: int) -> str:
        """A number."""
        flat = (column, "2", f"{column} % 3", f"abs({column})", f"twice({column})", f"half({column})")
        if depth <= 0:
            return self.pick(*flat, *flat, f"bought({column})", f"near({column})")
        return self.pick(
            *flat, *flat, f"bought({column})", f"near({column})", f"(SELECT max(item_id) FROM {self.source(depth - 1)})",
            f"(SELECT count(*) FROM {self.source(depth - 1)})", f"coalesce({self.value(column, depth - 1)}, 1)",
            f"(SELECT item_id FROM {self.source(depth - 1)} ORDER BY 1 LIMIT 1)", "(SELECT count(*) FROM purchases WHERE user_id = 3)",
        )  # fmt: skip


@dataclass
class Outcome:
    """What a run has found."""

    tried: int = 0
    refused: int = 0
    failed: int = 0  # DuckDB does not accept it, or the arguments make no sense
    answered: int = 0
    leaks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.tried} statements: {self.answered} answered on both databases, {self.refused} refused by the guard,"
            f" {self.failed} not SQL or not a question; {len(self.leaks)} differ"
        )


# The mechanism is replaced by one that shows all that it is given: no noise, and no choice to hide a difference in.
SHOWING = """
CREATE OR REPLACE TEMP MACRO msd_select(items, k, eps, diversity, reach := NULL, quota := NULL, quota_cap := NULL,
    score := NULL, features := NULL) AS list_sort(list(concat_ws('|', items, k, eps, quota, features)));
CREATE OR REPLACE TEMP MACRO msd_topk(tbl, k, eps, diversity, key := NULL, reach := NULL) AS TABLE
    SELECT *, k AS asked FROM query_table(tbl);
CREATE OR REPLACE TEMP MACRO msd_explain(tbl, k, eps, diversity, key := NULL, reach := NULL) AS TABLE
    SELECT *, k AS asked FROM query_table(tbl);
CREATE OR REPLACE TEMP MACRO msd_reach(items, eps, relation := NULL) AS len(list_sort(items)::VARCHAR);
"""


class Neighbours:
    """Two databases that differ in one user's rows, and the guard over the first of them."""

    def __init__(self) -> None:
        self.connections = {name: self._open(name) for name in USER}
        self.caller = self._own(self.connections["one"].cursor())  # with our macros as a user has them
        self.told = self.caller.execute("SELECT _msd_told()").fetchall()[0][0]
        self.host = DuckDBHost(self.caller.cursor())
        self.host.run(OWN_NAMES)
        self.known: dict[Any, Any] = {}
        for con in self.connections.values():
            con.execute(SHOWING)

    def _open(self, name: str) -> duckdb.DuckDBPyConnection:
        con = msd_sql.register(duckdb.connect())
        con.execute(SCHEMA)
        con.execute(f"INSERT INTO purchases {ROWS}")
        con.execute(f"INSERT INTO purchases {USER[name]}")
        for sql in DECLARED:
            con.execute(sql).fetchall()
        con.execute("SET threads = 1")
        return self._own(con)

    def _own(self, con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """A connection with our functions and with TEMP objects of its own."""
        msd_sql.register(con)
        for sql in (*OWN, "SET enable_progress_bar = false"):
            con.execute(sql).fetchall()
        return con

    def once(self, question: Any, answer: Callable[[], Any]) -> Any:
        """The schema stays as it is."""
        if question not in self.known:
            self.known[question] = answer()
        return self.known[question]

    def allowed(self, sql: str) -> bool | None:
        """What the guard decides, from DuckDB's plan on the caller's connection; None if DuckDB does not bind it."""
        plan = self.caller.execute("SELECT json_serialize_plan(?)", [sql]).fetchall()[0][0]
        if plan is None or '"error_type":"binder"' in plan[:80] or '"error_type":"parser"' in plan[:80]:
            return None
        view = replace(ConnectionView.read(self.told, plan), statement=sql)
        try:
            Guard(self.host, view, {"memory.main.purchases": "user_id"}, ["memory.main.products"], self.once).examine()
        except MsdError:
            return False
        return True

    def ask(self, name: str, sql: str) -> Any:
        """What a database answers; None where it fails."""
        try:
            return sorted(map(repr, self.connections[name].execute(sql).fetchall()))
        except duckdb.Error:
            return None

    def close(self) -> None:
        """Let go of both."""
        for con in (self.caller, *self.connections.values()):
            con.close()


def fuzz(seed: int, *, statements: int | None = None, seconds: float | None = None, aloud: bool = False) -> Outcome:
    """Try queries until there were enough of them, or the time is over."""
    found, neighbours, grammar = Outcome(), Neighbours(), Grammar(seed)
    began = said = time.monotonic()
    try:
        while (statements is None or found.tried < statements) and (
            seconds is None or time.monotonic() - began < seconds
        ):
            sql = grammar.statement()
            found.tried += 1
            allowed = neighbours.allowed(sql)
            if allowed is None:
                found.failed += 1
            elif not allowed:
                found.refused += 1
            elif (one := neighbours.ask("one", sql)) == (two := neighbours.ask("two", sql)):
                found.answered += one is not None
                found.failed += one is None
            else:
                found.leaks.append(sql)
                if aloud:
                    print(f"DIFFERS: {sql}\n  {one}\n  {two}", flush=True)
            if aloud and time.monotonic() - said > 60:
                said = time.monotonic()
                print(found, flush=True)
    finally:
        neighbours.close()
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line: 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.guard.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--statements", type=int)
    parser.add_argument("--seed", type=int, default=20260)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = fuzz(given.seed, statements=given.statements, seconds=60 * given.minutes, aloud=True)
    print(f"DuckDB {duckdb.__version__}, seed {given.seed}: {found}")
    return 1 if found.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
