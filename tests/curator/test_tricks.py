"""Every statement of the guard's corpus, through every client of a curator: no private row is there to be read.

The private rows are marked: their numbers stand nowhere else, so that a result that shows one of them, or how many
there are, has read them past the mechanism.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import msd_sql
from tests.curator.shop import Server, add_account, serve
from tests.guard.corpus import FOLDER, every, write_files

dbapi = pytest.importorskip("adbc_driver_flightsql.dbapi")
FIRST, USERS, ROWS = 7_000_000, 5_003, 10_007  # of the private ids; how many users and rows there are
MARKED = re.compile(rf"\b7\d{{6}}\b|\b{USERS}\b|\b{ROWS}\b|\b{ROWS - 1}\b")
PUBLISHED = ("products", "categories", "archive")
PRIVATE = ("purchases", "pickups", "orders_seen")
WARNING = "ignore::msd_sql.actions.select.FewCandidates"
pytestmark = [pytest.mark.filterwarnings(WARNING), pytest.mark.slow]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tricks")
    write_files(folder)
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        con.execute((FOLDER / "schema.sql").read_text().replace("$files", str(folder)))
        marked = f"SELECT {FIRST} + i % {USERS}, {FIRST} + (i * 7) % 12"
        for table, more in (("purchases", ", DATE '2026-01-01'"), ("orders", "")):
            con.execute(f"DELETE FROM {table}")
            con.execute(f"INSERT INTO {table} {marked}{more} FROM range({ROWS}) t(i)")
            con.execute(f"INSERT INTO {table} SELECT {FIRST} + i % 10, i % 12{more} FROM range(60) t(i)")
        for name in PRIVATE:
            options = "unit := 'user_id', item := 'item_id', users := 6000, budget := 1000, delta := 1e-3"
            con.execute(f"SELECT msd_protect('{name}', {options})").fetchall()
        con.execute("SELECT msd_items('products', key := 'item_id', reach := 'purchases')").fetchall()
        for name in PUBLISHED:
            con.execute(f"SELECT msd_publish('{name}')").fetchall()
    return path


@pytest.fixture(scope="module")
def token(place: Path) -> str:
    return add_account(place, "ana", shares=[{"relation": name, "budget": "900"} for name in PRIVATE])


@pytest.fixture(scope="module")
def server(place: Path, token: str) -> Iterator[Server]:
    found = serve(place, "--rate", "100000")
    yield found
    assert found.stop() == 0


def statements(folder: Path) -> Iterator[list[str]]:
    """Every case as its statements in order, those that prepare it first."""
    for _, case in every():
        yield [sql.replace("$files", str(folder)).replace("$relative", str(folder)) for sql in (*case.before, case.sql)]


def asking(server: Server, token: str) -> duckdb.DuckDBPyConnection:
    con = msd_sql.register(duckdb.connect(), curator=server.address, token=token)
    for name in PUBLISHED:
        con.execute(f"SELECT msd_pull('{name}')").fetchall()
    return con


def seen(told: Counter[str], found: Any) -> None:
    shown = MARKED.findall(str(found))
    assert not shown, f"{shown[:5]} in {str(found)[:500]}"
    told["answered"] += 1


def test_no_trick_of_the_corpus_over_flight_sql(server: Server, place: Path, token: str) -> None:
    told: Counter[str] = Counter()
    options = {"adbc.flight.sql.authorization_header": f"Bearer {token}"}
    with dbapi.connect(server.address, db_kwargs=options, autocommit=True) as connection:
        for case in statements(place.parent):
            for sql in case:
                with connection.cursor() as cursor:
                    try:
                        found = cursor.execute(sql).fetchall()
                    except dbapi.Error as error:
                        seen(told, error)
                        told["refused"] += 1
                        told["answered"] -= 1
                    else:
                        seen(told, found)
    assert told["answered"] > 100, "honest questions are among them"
    assert told["refused"] > 300, told


def test_no_trick_of_the_corpus_in_a_database_of_one_s_own(server: Server, place: Path, token: str) -> None:
    told: Counter[str] = Counter()
    shared = asking(server, token)
    for case in statements(place.parent / "nowhere"):  # the analyst's machine has not the owner's files
        con = shared if len(case) == 1 else asking(server, token)  # what prepares a case is its own
        for sql in case:
            try:
                found = con.execute(sql).fetchall()
            except duckdb.Error as error:
                seen(told, error)
                told["refused"] += 1
                told["answered"] -= 1
            else:
                seen(told, found)
    assert told["answered"] > 100, told
    assert told["refused"] > 300, told


def test_no_trick_of_the_corpus_in_the_shell(server: Server, place: Path, token: str) -> None:
    pulled = ".bail off\n" + "".join(f"SELECT msd_pull('{name}');\n" for name in PUBLISHED)
    text = "".join(f"{sql.rstrip(';')}\n;\n" for case in statements(place.parent / "nowhere") for sql in case)
    done = subprocess.run(
        [sys.executable, "-m", "msd_sql.cli", "shell", "--curator", server.address, "-csv"],
        input=pulled + text, capture_output=True, text=True, check=False, timeout=600, env=_environment(token),
    )  # fmt: skip
    assert "12 rows" in done.stdout
    assert done.stderr.count("does not exist") > 100, "where private tables are named"
    assert not MARKED.findall(done.stdout + done.stderr)


def test_no_private_name_is_in_the_catalog_of_an_analyst(server: Server, token: str) -> None:
    options = {"adbc.flight.sql.authorization_header": f"Bearer {token}"}
    with dbapi.connect(server.address, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
        for kind in ("tables", "views", "columns", "schemas", "types", "sequences", "indexes", "constraints"):
            cursor.execute(f"SELECT t::VARCHAR FROM duckdb_{kind}() AS t")
            found = str([row for row in cursor.fetchall() if "database_name: system" not in row[0]])
            for name in ("user_id", "orders", "pickups", "popular", "products_ranked", "shelf"):
                assert name not in found, f"{name} in duckdb_{kind}()"
        cursor.execute("SELECT function_name FROM duckdb_functions() WHERE function_type LIKE '%macro'")
        macros = {row[0] for row in cursor.fetchall()}
        assert not macros & {"bought", "bestsellers", "rows_of", "pick", "best_of"}


def _environment(token: str) -> dict[str, str]:
    return {**os.environ, "MSD_TOKEN": token, "PYTHONWARNINGS": "ignore"}
