"""Attacks on what stands around the questions: tokens, names, handles, logs, what comes before a token is looked at."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import duckdb
import pytest
from pyarrow import flight

import msd_sql
from msd_sql.catalog.accounts.account import Account
from msd_sql.catalog.accounts.account_book import Known
from msd_sql.curator.core import Curator
from msd_sql.curator.doorkeeper import Doorkeeper
from msd_sql.curator.flight.protobuf import packed, unpacked
from msd_sql.errors import InputError, PrivacyError
from msd_sql.remote.wire import Asked
from tests.curator.shop import add_account, make_shop, serve, share
from tests.curator.test_core import group, left

dbapi = pytest.importorskip("adbc_driver_flightsql.dbapi")


def test_the_log_takes_no_names_from_clients(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    for act in ("x" * 1_000_000, 'a"}\n{"event": "serving"', "select 7654321"):
        with pytest.raises(InputError):
            quiet.answer(quiet_people["ana"], Asked(act))
        assert quiet.log.refused[-1]["act"] == "unknown"
    written = quiet.log._out.getvalue()  # type: ignore[union-attr]
    assert len(written) < 100_000
    assert all(json.loads(line)["event"] in ("refused", "answered", "published") for line in written.splitlines())


def test_exact_answers_are_not_told_over_a_wire_to_anybody(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    for name in ("ana", "olga"):
        with pytest.raises(PrivacyError, match="at the file alone"):
            quiet.answer(quiet_people[name], Asked("select", {}, group(options={"eps": None, "exact": "true"})))
    assert left(quiet, quiet_people["ana"]) == (1.0, 0.3)


def test_who_guesses_tokens_keeps_nobody_out_who_has_one(
    quiet: Curator, quiet_tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quiet.account(f"Bearer {quiet_tokens['ana']}") is not None
    found: list[Account | None] = []

    def guess(number: int) -> None:
        found.append(quiet.account(f"Bearer ana.{number}"))

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(300)]
    for thread in threads:
        thread.start()
    begun = time.monotonic()
    assert quiet.account(f"Bearer {quiet_tokens['ana']}") is not None
    assert time.monotonic() - begun < 2.0, "a token that was right before is not hashed again"
    for thread in threads:
        thread.join()
    assert found == [None] * 300
    fresh = Doorkeeper(quiet.behind.known)
    assert fresh.account(quiet_tokens["ben"]) is not None, "and a new one is let in once they are done"


def test_names_and_times_tell_no_account(quiet: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that there is, one that there is not, and one that has ended take one hash each."""
    from msd_sql.curator import doorkeeper

    hashes: list[str] = []
    hashed = doorkeeper.hashed
    monkeypatch.setattr(doorkeeper, "hashed", lambda token, salt: hashes.append("nobody's") or hashed(token, salt))
    matches = doorkeeper.matches
    monkeypatch.setattr(doorkeeper, "matches", lambda *given: hashes.append("somebody's") or matches(*given))
    keeper = Doorkeeper(quiet.behind.known)
    for token in ("ana.wrong", "nobody.wrong"):
        assert keeper.account(token) is None
    assert hashes == ["somebody's", "nobody's"]


def test_a_token_that_was_known_ends_with_its_account(quiet: Curator, quiet_tokens: dict[str, str]) -> None:
    known = list(quiet.behind.known())
    keeper = Doorkeeper(lambda: known)
    assert keeper.account(quiet_tokens["ana"]) is not None
    ended = [
        Known(Account(one.account.name, one.account.role, revoked_at=one.account.created_at), one.salt, one.token)
        for one in known
    ]
    known[:] = ended
    keeper.refresh()
    assert keeper.account(quiet_tokens["ana"]) is None


def test_handles_values_and_messages_of_clients(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    ana, ben = (add_account(shop, name, shares=share(0.3)) for name in ("ana", "ben"))
    server = serve(shop, "--rate", "100000")
    try:
        client = flight.FlightClient(server.address)
        mine, other, nobody = (
            flight.FlightCallOptions(headers=[(b"authorization", f"Bearer {token}".encode())]) if token else None
            for token in (ana, ben, "")
        )
        # A statement that ana prepared is ana's alone.
        prepare = flight.Action(
            "CreatePreparedStatement", packed("ActionCreatePreparedStatementRequest", {1: b"SELECT 42"})
        )
        (made,) = client.do_action(prepare, mine)
        handle = unpacked(made.body.to_pybytes())[1][1][0]
        assert isinstance(handle, bytes)
        ticket = flight.Ticket(packed("CommandPreparedStatementQuery", {1: handle}))
        assert client.do_get(ticket, mine).read_all().num_rows == 1
        with pytest.raises(flight.FlightServerError, match="not prepared"):
            client.do_get(ticket, other).read_all()
        list(client.do_action(flight.Action("ClosePreparedStatement", packed("x", {1: handle})), other))
        assert client.do_get(ticket, mine).read_all().num_rows == 1, "nor can another one close it"
        # Values are kept, and so are bounded.
        options = {"adbc.flight.sql.authorization_header": f"Bearer {ana}"}
        with (
            dbapi.connect(server.address, db_kwargs=options, autocommit=True) as connection,
            connection.cursor() as cursor,
            pytest.raises(dbapi.Error, match="1,048,576 bytes"),
        ):
            cursor.execute("SELECT length(?)", ("x" * 3_000_000,))
        # A large message of somebody without a token is read by gRPC, refused, and let go of.
        before = resident(server.process.pid)
        for call in (
            lambda: list(client.do_action(flight.Action("health", b"x" * 100_000_000), nobody)),
            lambda: client.get_flight_info(flight.FlightDescriptor.for_command(b"x" * 100_000_000), nobody),
            lambda: client.do_get(flight.Ticket(b"x" * 100_000_000), nobody).read_all(),
        ):
            with pytest.raises(flight.FlightUnauthenticatedError):
                call()
        deadline = time.monotonic() + 20
        while resident(server.process.pid) > before + 150 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert resident(server.process.pid) <= before + 150
        con = msd_sql.register(duckdb.connect(), curator=server.address, token=ana)
        assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] == pytest.approx(0.3)
        refusals = [line for line in server.log if line["event"] == "unauthenticated"]
        assert len(refusals) >= 3
    finally:
        assert server.stop() == 0


def resident(process: int) -> float:
    """Megabytes."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / 1e6
