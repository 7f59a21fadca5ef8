"""A curator as a process on loopback, and its clients as they come: honest, wrong, broken, many, gone, killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyarrow import flight

import msd_sql
from tests.curator.certificates import write_certificate
from tests.curator.fuzz import Fuzzer
from tests.curator.shop import Server, add_account, make_shop, serve, share, spent

dbapi = pytest.importorskip("adbc_driver_flightsql.dbapi")
SIX = "SELECT msd_select(item_id, 6, 0.05, 0.5) AS items FROM products"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("served") / "shop.duckdb")


@pytest.fixture(scope="module")
def held(place: Path) -> dict[str, str]:
    return {
        "ana": add_account(place, "ana", shares=share(0.6)),
        "ben": add_account(place, "ben", shares=share(0.1)),
        "gus": add_account(place, "gus", shares=share(0.1)),
        "olga": add_account(place, "olga", role="owner"),
    }


@pytest.fixture(scope="module")
def server(place: Path, held: dict[str, str]) -> Iterator[Server]:
    found = serve(place, "--rate", "100000", "--page", "0")
    yield found
    assert found.stop() == 0
    assert "Traceback" not in "".join(line.get("text", "") for line in found.log)


def connected(server: Server, token: str, **more: str) -> Any:
    options = {"adbc.flight.sql.authorization_header": f"Bearer {token}", **more}
    return dbapi.connect(server.address, db_kwargs=options, autocommit=True)


def rows(connection: Any, sql: str, values: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def asking(server: Server, token: str) -> duckdb.DuckDBPyConnection:
    return msd_sql.register(duckdb.connect(), curator=server.address, token=token)


def msd(*arguments: str, token: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "msd_sql.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MSD_TOKEN": token}, check=False)


def test_three_clients_get_the_same_answer_and_pay_once(server: Server, held: dict[str, str]) -> None:
    with connected(server, held["ana"]) as connection:
        (items,) = rows(connection, SIX)[0]
        assert len(set(items)) == 6
        assert rows(connection, SIX) == [(items,)]
    con = asking(server, held["ana"])
    assert "61 rows" in con.execute("SELECT msd_pull('products')").fetchall()[0][0]
    assert con.execute(SIX).fetchall() == [(items,)]
    told = msd_sql.select(con.table("products"), k=6, eps=0.05, diversity=0.5, key="item_id")
    assert told.items == tuple(items)
    assert told.receipt is not None
    assert told.receipt.private
    shell = ["-csv", "-c", f"SELECT msd_pull('products'); {SIX}"]
    done = msd("shell", "--curator", server.address, *shell, token=held["ana"])
    assert done.returncode == 0, done.stderr
    assert str(items) in done.stdout
    assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] == pytest.approx(0.55)


def test_three_clients_ask_about_part_of_the_people(server: Server, held: dict[str, str]) -> None:
    part = "among := 'user_id < 30'"
    ask = f"SELECT msd_select(item_id, 2, 0.01, 0, {part}, users := 30) AS items FROM products"
    reached = f"SELECT msd_reach_interval([1, 2], 0.01, 0.9, {part}).estimate AS reached"
    with connected(server, held["ana"]) as connection:
        (items,) = rows(connection, ask)[0]
        (estimate,) = rows(connection, reached)[0]
    con = asking(server, held["ana"])
    con.execute("SELECT msd_pull('products')").fetchall()
    left = con.execute("SELECT msd_remaining('purchases')").fetchall()
    assert con.execute(ask).fetchall() == [(items,)]
    told = msd_sql.select(
        con.table("products"), k=2, eps=0.01, diversity=0, key="item_id", among="user_id < 30", users=30
    )
    assert told.items == tuple(items)
    assert con.execute(f"SELECT msd_reach([1, 2], 0.01, {part})").fetchall() == [(estimate,)]
    lead = con.execute(f"FROM msd_explain(products, 2, 0.01, 0, {part}, users := 30, head := 0.5)").fetchall()
    assert dict(lead)["audience"] == "user_id < 30"
    assert "no item is expected to have more than 15 users" in dict(lead)["worth"]
    shell = ["-csv", "-c", f"SELECT msd_pull('products'); {ask}; {reached}"]
    done = msd("shell", "--curator", server.address, *shell, token=held["ana"])
    assert done.returncode == 0, done.stderr
    assert str(items) in done.stdout
    assert done.stdout.splitlines()[-1] == str(estimate)
    assert con.execute("SELECT msd_remaining('purchases')").fetchall() == left  # one release, for whoever asks how


def test_standard_clients_find_their_way(server: Server, held: dict[str, str]) -> None:
    with connected(server, held["ana"]) as connection:
        assert rows(connection, "SELECT title FROM products WHERE item_id = ?", (7,)) == [("product 7",)]
        objects = connection.adbc_get_objects(depth="all").read_all().to_pylist()
        assert [one["catalog_name"] for one in objects] == ["memory"]
        tables = [table for schema in objects[0]["catalog_db_schemas"] for table in schema["db_schema_tables"]]
        assert [table["table_name"] for table in tables] == ["products"]
        assert "item_id" in connection.adbc_get_table_schema("products").names
        assert connection.adbc_get_table_types() == ["BASE TABLE"]
        assert connection.adbc_get_info()["vendor_name"] == "msd_sql curator"
        polars = pytest.importorskip("polars")
        assert polars.read_database("SELECT count(*) AS n FROM products", connection)["n"].to_list() == [61]
    by_name = {"username": "ana", "password": held["ana"]}
    with dbapi.connect(server.address, db_kwargs=by_name, autocommit=True) as connection:
        assert rows(connection, "SELECT 42") == [(42,)]


def test_own_tables_features_vectors_and_groups_travel(server: Server, held: dict[str, str]) -> None:
    con = asking(server, held["ana"])
    columns = "i::INTEGER AS thing, [cos(i)::FLOAT, sin(i)::FLOAT] AS place, i % 2 AS half"
    con.execute(f"CREATE TABLE mine AS SELECT {columns} FROM range(30) t(i)")
    found = con.execute(
        "SELECT half, msd_select(thing, 3, 0.01, 0.5, features := place, reach := 'purchases') FROM mine GROUP BY half"
    ).fetchall()
    assert {half: {one % 2 for one in items} for half, items in found} == {0: {0}, 1: {1}}
    chosen = con.execute(
        "FROM msd_topk(mine, 4, 0.01, 0, key := 'thing', reach := 'purchases', quota := half)"
    ).fetchall()
    assert sorted(row[2] for row in chosen) == [0, 0, 1, 1]
    (estimate,) = con.execute("SELECT msd_reach([1, 2, 3], 0.01)").fetchall()[0]
    assert estimate >= 0
    price = dict(con.execute("FROM msd_explain(mine, 4, 0.01, 0, key := 'thing', reach := 'purchases')").fetchall())
    assert price["share before"].startswith("ε ")
    assert not [name for name in price if name.startswith("step")]
    assert {row[0] for row in con.execute("SELECT who FROM msd_ledger()").fetchall()} == {"ana"}


@pytest.mark.parametrize("token", ["", "x", "ana.", "ana.wrong", "nobody.wrong"])
def test_a_wrong_token_is_refused_everywhere(server: Server, token: str) -> None:
    with pytest.raises(Exception, match="unknown, expired or revoked"), connected(server, token) as connection:
        rows(connection, "SELECT 1")
    client = flight.FlightClient(server.address)
    options = flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())])
    for call in (
        lambda: list(client.do_action(flight.Action("health", b""), options)),
        lambda: list(client.list_actions(options)),
        lambda: client.do_get(flight.Ticket(b"x"), options),
        lambda: client.do_exchange(flight.FlightDescriptor.for_command(b"{}"), options)[1].read_chunk(),
    ):
        with pytest.raises(flight.FlightUnauthenticatedError):
            call()
    with pytest.raises(flight.FlightUnauthenticatedError):
        list(client.do_action(flight.Action("health", b"")))
    if token:
        with pytest.raises(msd_sql.errors.InputError, match="does not know this token"):
            asking(server, token)


def test_a_revoked_token_ends_at_once_and_an_analyst_is_no_owner(server: Server, held: dict[str, str]) -> None:
    made = msd(
        "account", server.address, "add", "eve", "--relation", "purchases", "--budget", "0.1", token=held["olga"]
    )
    assert made.returncode == 0, made.stderr
    token = made.stdout.split()[-1]
    with connected(server, token) as connection:
        assert rows(connection, "SELECT 1") == [(1,)]
        refused = msd("account", server.address, "revoke", "olga", token=token)
        assert refused.returncode == 1
        assert "for the owner" in refused.stderr
        for act in ("msd_budget('purchases', 9)", "msd_publish('salaries')", "msd_unprotect('purchases')"):
            with pytest.raises(Exception, match="for the owner"):
                rows(connection, f"SELECT {act}")
            with pytest.raises(duckdb.Error, match="for the owner"):
                asking(server, token).execute(f"SELECT {act}").fetchall()
        assert msd("account", server.address, "revoke", "eve", token=held["olga"]).returncode == 0
        with pytest.raises(Exception, match="revoked"):
            rows(connection, "SELECT 1")
    listed = msd("account", server.address, "list", token=held["olga"]).stdout
    assert "eve  analyst  revoked" in listed


@pytest.mark.parametrize("name", ["purchases", "main.purchases", "shop.main.purchases", "salaries", "msd.accounts"])
def test_no_private_table_is_there_for_any_client(server: Server, held: dict[str, str], name: str) -> None:
    with connected(server, held["olga"]) as connection, pytest.raises(Exception, match=r"not exist|not found"):
        rows(connection, f"SELECT * FROM {name}")
    con = asking(server, held["olga"])
    with pytest.raises(duckdb.Error):
        con.execute(f"SELECT * FROM {name}")
    with pytest.raises(duckdb.Error, match="is not published"):
        con.execute(f"SELECT msd_pull('{name}')").fetchall()


@pytest.mark.slow
def test_odd_messages_neither_end_the_server_nor_charge(server: Server, held: dict[str, str]) -> None:
    con = asking(server, held["gus"])
    before = con.execute("SELECT msd_remaining('purchases')").fetchall()
    seen = Fuzzer(server.address, held["gus"], seed=20).run(1_500)
    assert sum(seen.values()) == 1_500
    assert con.execute("SELECT msd_remaining('purchases')").fetchall() == before
    assert con.execute("SELECT count(*) FROM msd_ledger() WHERE releases > 0").fetchall() == [(0,)]


def test_a_question_that_is_too_large_is_refused(server: Server, held: dict[str, str]) -> None:
    con = asking(server, held["gus"])
    with pytest.raises(duckdb.Error, match="candidates are more than this curator allows"):
        con.execute("SELECT msd_select(range, 3, 0.01, 0, reach := 'purchases') FROM range(200_001)").fetchall()
    with pytest.raises(duckdb.Error, match=r"more than this curator allows|may have"):
        con.execute(
            "SELECT msd_select(range, 3, 0.01, 0.5, features := repeat('x', 3000), reach := 'purchases', "
            "distance := 'hamming') FROM range(30_000)"
        ).fetchall()
    with connected(server, held["gus"]) as connection, pytest.raises(Exception, match="characters"):
        rows(connection, f"SELECT '{'x' * 200_000}'")
    assert con.execute("SELECT count(*) FROM msd_ledger()").fetchall() == [(0,)]


@pytest.mark.slow
def test_eight_clients_with_fifty_questions_each_overdraw_nothing(server: Server, held: dict[str, str]) -> None:
    told: list[str] = []

    def ask(place: int) -> None:
        con = asking(server, held["ben"])
        con.execute("SELECT msd_pull('products')").fetchall()
        for number in range(50):
            asked = (
                f"SELECT msd_select(item_id, 2, 0.02, 0) FROM products WHERE item_id <> {(place * 50 + number) % 55}"
            )
            try:
                con.execute(asked).fetchall()
                told.append("answered")
            except duckdb.Error as error:
                told.append("share" if "share that account ben has" in str(error) else f"other: {error}")

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 400
    assert {one for one in told if one.startswith("other")} == set()
    listed = msd("account", server.address, "list", token=held["olga"]).stdout
    (ben,) = (line for line in listed.splitlines() if line.startswith("ben"))
    answers = int(ben.split("(")[1].split()[0])
    assert 5 <= answers <= 55, "at most the different questions, at least what the sum allows"
    assert answers <= told.count("answered")


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limit")
def test_a_string_that_fills_the_machine_ends_its_statement_and_nothing_else(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.9))
    server = serve(shop, "--process-memory", "2GB")
    try:
        with connected(server, token) as connection:
            for greedy in ("repeat('x', 4000000000)", "list_resize([1], 2000000000)", "range(2000000000)"):
                with pytest.raises(Exception, match="Out of Memory"):
                    rows(connection, f"SELECT {greedy}")
            assert len(rows(connection, SIX)[0][0]) == 6
    finally:
        assert server.stop() == 0


def under_way(server: Server) -> int:
    with urllib.request.urlopen(f"{server.page}/health", timeout=10) as answer:
        found: int = json.loads(answer.read())["under_way"]
    return found


def test_a_client_that_vanishes_leaves_nothing_running(server: Server, held: dict[str, str]) -> None:
    text = (
        "import adbc_driver_flightsql.dbapi as d, sys\n"
        "c = d.connect(sys.argv[1], db_kwargs={'adbc.flight.sql.authorization_header': 'Bearer ' + sys.argv[2]}, "
        "autocommit=True)\n"
        "c.cursor().execute('SELECT count(*) FROM range(100000000000) a WHERE hash(a.range) % 7 = 9').fetchall()\n"
    )
    client = subprocess.Popen([sys.executable, "-c", text, server.address, held["gus"]], stderr=subprocess.DEVNULL)
    wait_for(lambda: under_way(server) > 0)
    client.send_signal(signal.SIGKILL)
    client.wait()
    wait_for(lambda: under_way(server) == 0)
    with connected(server, held["gus"]) as connection:
        assert rows(connection, "SELECT 1") == [(1,)]


def wait_for(holds: Any, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.05)


def test_kill_in_the_middle_keeps_the_charge_and_the_next_start_answers(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.9))
    journals = [path for path in tmp_path.iterdir() if "journal" in path.name]
    assert journals
    before = sum(path.stat().st_size for path in journals)
    server = serve(shop)
    con = asking(server, token)
    con.execute("SELECT msd_pull('products')").fetchall()
    failed: list[str] = []

    def ask() -> None:
        try:  # the paper's local search: thousands of rounds
            con.execute(
                "SELECT msd_select(item_id, 12, 0.25, 0.5, method := 'sls', gamma := 0.003, quota := shelf) "
                "FROM products"
            ).fetchall()
        except duckdb.Error as error:
            failed.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        wait_for(lambda: sum(path.stat().st_size for path in journals) > before)
    finally:
        server.kill()
    thread.join(30)
    assert failed, "it was killed before it had answered"
    eps, answers = spent(shop)
    assert eps == 0.25
    assert answers <= 1  # none where it was killed between the journal's line and the database's
    again = serve(shop)
    try:
        con = asking(again, token)
        con.execute("SELECT msd_pull('products')").fetchall()
        assert len(con.execute(SIX).fetchall()[0][0]) == 6
        assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] <= 0.7
    finally:
        assert again.stop() == 0


@pytest.mark.slow
def test_tls_and_a_stranger_s_certificate(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.5))
    certificate, key = write_certificate(tmp_path)
    other, _ = write_certificate(tmp_path, "stranger")
    refused = msd("serve", str(shop), "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 1
    assert "in the clear" in refused.stderr
    server = serve(shop, "--host", "localhost", "--tls-cert", str(certificate), "--tls-key", str(key))
    try:
        assert server.address.startswith("grpc+tls://")
        con = msd_sql.register(duckdb.connect(), curator=server.address, token=token, tls_roots=certificate)
        con.execute("SELECT msd_pull('products')").fetchall()
        assert len(con.execute(SIX).fetchall()[0][0]) == 6
        roots = {"adbc.flight.sql.client_option.tls_root_certs": certificate.read_text()}
        with connected(server, token, **roots) as connection:
            assert rows(connection, "SELECT 1") == [(1,)]
        with pytest.raises(msd_sql.errors.EngineError, match="did not answer"):
            msd_sql.register(duckdb.connect(), curator=server.address, token=token, tls_roots=other)
        with pytest.raises(msd_sql.errors.InputError, match="in the clear"):
            msd_sql.register(duckdb.connect(), curator="grpc://example.org:8815", token=token)
    finally:
        assert server.stop() == 0


def test_a_client_without_a_certificate_is_not_spoken_with_where_one_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.5))
    certificate, key = write_certificate(tmp_path)
    team, team_key = write_certificate(tmp_path, "team")
    stranger, stranger_key = write_certificate(tmp_path, "stranger")
    refused = msd("serve", str(shop), "--port", "0", "--tls-clients", str(team))
    assert refused.returncode == 1
    assert "--tls-clients needs --tls-cert" in refused.stderr
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key), "--tls-clients", str(team)]
    server = serve(shop, "--host", "localhost", *tls)
    options = {"curator": server.address, "token": token, "tls_roots": certificate}
    try:
        left = "SELECT msd_remaining('purchases')"
        with pytest.raises(msd_sql.errors.EngineError, match="did not answer"):
            msd_sql.register(duckdb.connect(), **options)
        monkeypatch.setenv("MSD_TLS_CERT", str(stranger))
        with pytest.raises(msd_sql.errors.InputError, match="belong together"):
            msd_sql.register(duckdb.connect(), **options)
        monkeypatch.setenv("MSD_TLS_KEY", str(stranger_key))
        with pytest.raises(msd_sql.errors.EngineError, match="did not answer"):
            msd_sql.register(duckdb.connect(), **options)
        monkeypatch.setenv("MSD_TLS_CERT", str(team))
        monkeypatch.setenv("MSD_TLS_KEY", str(team_key))
        assert msd_sql.register(duckdb.connect(), **options).execute(left).fetchall() == [(0.5,)]
        shown = {
            "adbc.flight.sql.client_option.tls_root_certs": certificate.read_text(),
            "adbc.flight.sql.client_option.mtls_cert_chain": team.read_text(),
            "adbc.flight.sql.client_option.mtls_private_key": team_key.read_text(),
        }
        with connected(server, token, **shown) as connection:
            assert rows(connection, "SELECT 1") == [(1,)]
    finally:
        assert server.stop() == 0


def test_the_file_is_the_curator_s_alone(server: Server, place: Path, held: dict[str, str]) -> None:
    text = f"import duckdb; duckdb.connect({str(place)!r}, read_only=True).execute('FROM purchases').fetchall()"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "lock" in done.stderr


def test_fewer_items_than_asked_for_are_told_of_at_the_client(server: Server, held: dict[str, str]) -> None:
    with asking(server, held["ana"]) as con:
        con.execute("SELECT msd_pull('products')").fetchall()
        sql = "SELECT msd_select(item_id, 6, 0.01, 0.5, quota := item_id % 2, quota_cap := 1) FROM products"
        with pytest.warns(UserWarning, match="allows only 2"):
            assert len(con.execute(sql).fetchall()[0][0]) == 2


def test_python_finds_the_key_that_the_owner_declared(server: Server, held: dict[str, str]) -> None:
    with asking(server, held["ana"]) as con:
        con.execute("SELECT msd_pull('products')").fetchall()
        chosen = msd_sql.select(con.table("products"), k=3, eps=0.01, diversity=0.5)
        assert list(chosen.rows["item_id"]) == list(chosen.items)
