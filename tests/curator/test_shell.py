"""`msd shell --curator` as a process: it knows whose account it has, what is left of it and what is published."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.errors import EngineError, InputError
from tests.curator.shop import Server, add_account, add_accounts, make_shop, serve, share

NOBODY = "grpc://localhost:1"  # nothing listens there
PULL = "SELECT msd_pull('products');"
ASK = "SELECT msd_select(item_id, 6, {eps}, 0.5) AS items FROM products;"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shelled") / "shop.duckdb")


@pytest.fixture(scope="module")
def held(place: Path) -> dict[str, str]:
    people = {name: {"shares": share(0.4)} for name in ("ana", "ben", "eva")}
    return {**add_accounts(place, {**people, "cleo": {}, "olga": {"role": "owner"}})}


@pytest.fixture(scope="module")
def server(place: Path, held: dict[str, str]) -> Iterator[Server]:
    found = serve(place)
    yield found
    assert found.stop() == 0


def shell(address: str, token: str, *script: str) -> subprocess.CompletedProcess[str]:
    commands = [part for text in script for part in ("-c", text)]
    return subprocess.run(
        [sys.executable, "-m", "msd_sql.cli", "shell", "--curator", address, "--init", "", "-csv", *commands],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env={**os.environ, "MSD_TOKEN": token},
    )  # fmt: skip


@pytest.mark.parametrize("token", ["ana.wrong", "nobody.wrong"])
def test_a_wrong_token_is_told_at_the_start(server: Server, token: str) -> None:
    done = shell(server.address, token, "SELECT 1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "does not know this token" in done.stderr
    with pytest.raises(InputError, match="does not know this token"):
        msd_sql.register(duckdb.connect(), curator=server.address, token=token)


def test_where_nothing_listens_it_is_told_at_the_start() -> None:
    done = shell(NOBODY, "ana.any", "SELECT 1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.search(r"curator at grpc://localhost:1 did not answer: .* Is `msd serve` running there", done.stderr)
    assert "Traceback" not in done.stderr
    con = duckdb.connect()
    with pytest.raises(EngineError, match="did not answer"):
        msd_sql.register(con, curator=NOBODY, token="ana.any")
    msd_sql.register(con)  # nothing of the failed one is left


def test_the_budget_and_the_cost_line_are_the_curator_s(server: Server, held: dict[str, str]) -> None:
    done = shell(server.address, held["ana"], ".budget", PULL, ASK.format(eps=0.1), ASK.format(eps=0.1), ".budget")
    assert done.returncode == 0, done.stderr
    assert "purchases: ε 0.4 left of your share of 0.4, ε 1 left of the whole budget of 1" in done.stdout
    assert "Published: products. SELECT msd_pull('products'); brings a copy here." in done.stdout
    state = "ε 0.3 left of your share of 0.4, ε 0.9 left of the whole budget of 1"
    assert done.stderr.splitlines() == [
        f"purchases: charged ε 0.1 · {state}",
        "The recorded answer again, nothing charged",
    ]
    assert f"purchases: {state}" in done.stdout
    other = shell(server.address, held["ben"], PULL, ASK.format(eps=0.1))
    assert f"purchases: charged ε 0.1 · {state}" in other.stderr, "what another account was told costs the share"
    owner = shell(server.address, held["olga"], PULL, ASK.format(eps=0.2), ".budget")
    assert "purchases: ε 0.2 less than before · ε 0.7 left of the whole budget of 1" in owner.stderr
    assert "share" not in owner.stdout


def test_an_account_without_a_share_is_told_so(server: Server, held: dict[str, str]) -> None:
    done = shell(server.address, held["cleo"], ".budget")
    assert done.returncode == 0
    assert "This account has no share of any relation" in done.stdout
    assert "purchases" not in done.stdout


@pytest.mark.parametrize("sql", ["FROM products", "FROM main.products", "FROM msd_topk(products, 3, 0.01, 0)"])
def test_a_published_table_that_is_not_here_yet_can_be_pulled(server: Server, held: dict[str, str], sql: str) -> None:
    done = shell(server.address, held["eva"], sql)
    assert done.returncode == 1
    assert "products is published: SELECT msd_pull('products');" in done.stderr
    assert "published" not in shell(server.address, held["eva"], "FROM purchases").stderr


def test_a_person_sees_account_shares_and_prompt(server: Server, held: dict[str, str], tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect", reason="a pseudo-terminal session needs pexpect (extra: test)")
    environment = {
        **os.environ, "MSD_TOKEN": held["eva"], "MSD_HISTORY": str(tmp_path / "history"), "COLUMNS": "200",
        "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm-256color",
    }  # fmt: skip
    arguments = ["-m", "msd_sql.cli", "shell", "--curator", server.address, "--init", ""]
    child = pexpect.spawn(
        sys.executable, arguments, env=environment, dimensions=(50, 200), encoding="utf-8", timeout=60
    )
    try:
        child.expect_exact(f"curator {server.address}, account eva (analyst)")
        child.expect_exact("ε 0.4 left of your share of 0.4")
        child.expect_exact("[purchases ε 0.4 left] msd>")
        child.send(PULL + "\r")
        child.expect_exact("61 rows")
        child.expect_exact("msd>")
        child.send("SELECT msd_select(item_id, 4, 0.05, 0) FROM products;\r")
        child.expect_exact("charged ε 0.05")
        child.expect_exact("[purchases ε 0.35 left] msd>")
        child.sendeof()
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)


def test_a_shell_whose_curator_goes_says_so_and_goes_on(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.4))
    going = serve(shop)
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        [sys.executable, "-m", "msd_sql.cli", "shell", "--curator", going.address, "--init", "", "-csv",
         "-c", ".bail off", "-c", PULL, "-c", f".read {tmp_path / 'pipe'}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "MSD_TOKEN": token},
    )  # fmt: skip
    with (tmp_path / "pipe").open("w") as pipe:  # opens once the shell reads it
        assert going.stop() == 0
        pipe.write(f"{ASK.format(eps=0.1)}\n.budget\nSELECT 40 + 2 AS n;\n")
    told, said = process.communicate(timeout=120)
    assert told.endswith("n\n42\n")
    assert said.count("did not answer") == 2, said
    assert "Traceback" not in said
