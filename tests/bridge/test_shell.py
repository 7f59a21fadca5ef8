"""The real shell as people use it: a terminal session, options and pipes, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from msd_sql.bridge import build, extension_file, launch
from msd_sql.bridge.worker import LEDGER_VARIABLE
from msd_sql.errors import EngineError, InputError
from tests.bridge import stress
from tests.bridge.conftest import Shell
from tests.support.charge import charge_of

ASK_BOTH = "SELECT mine(), msd_remaining('purchases')"
PROMPT = r"shop\S* D "
asks_one_shop = pytest.mark.xdist_group("shell")  # one process of several makes it


def declare(shell):
    """A shop that is protected, as the shell wrote it: a copied file would be refused."""
    shell.run("shop.duckdb", text=";\n".join(stress.shop()) + ";\n")
    return shell


@pytest.fixture
def declared(shell):
    """A shell's folder with a shop of one's own."""
    return declare(shell)


@pytest.fixture(scope="module")
def never_charged(program, tmp_path_factory):
    """The same for all tests that charge nothing and leave the folder as it is."""
    return declare(Shell(program, tmp_path_factory.mktemp("shop")))


def succeeded(done, said):
    assert said in done.stdout
    assert done.stderr == ""
    assert done.returncode == 0


@asks_one_shop
@pytest.mark.parametrize(
    ("options", "text", "said"),
    [
        (["-json", "-c", "SELECT msd_remaining('purchases') AS n"], None, '[{"n":1000.0}]'),
        (["-csv", "SELECT msd_remaining('purchases') AS n"], None, "n\n1000.0"),
        (["-list", "-noheader"], "SELECT msd_remaining('purchases');\n", "1000.0"),
        (["-csv", "-f", "ask.sql"], None, "n\n1000.0"),
        (["-readonly", "-csv", "-c", "SELECT msd_remaining('purchases') AS n"], None, "n\n1000.0"),
    ],
)
def test_the_shells_own_options_work(never_charged, options, text, said):
    (never_charged.folder / "ask.sql").write_text("SELECT msd_remaining('purchases') AS n;\n")
    succeeded(never_charged.run("shop.duckdb", *options, text=text), said)


def test_the_shells_own_options_work_with_an_answer_that_is_charged(declared):
    asked = "SELECT len(items) AS n FROM (" + stress.ASK + ")"
    succeeded(declared.run("shop.duckdb", "-markdown", "-bail", "-c", asked), "| 3 |")


@asks_one_shop
def test_an_error_of_ours_is_an_error_of_the_shell(never_charged):
    done = never_charged.run("shop.duckdb", "-c", "SELECT msd_select(item_id, 0, 0.1, 0.5) FROM products")
    assert done.returncode == 1
    assert "k must be a whole number" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_read_only_database_keeps_its_ledger_elsewhere(program, tmp_path, shell):
    made = shell.run("shop.duckdb", text=";\n".join(stress.shop()[:2]) + ";\n")
    assert made.returncode == 0
    command = [program, *launch.command(), "shop.duckdb", "-readonly", "-json"]
    text = ";\n".join([*stress.shop()[2:], stress.ASK, "SELECT count(*) AS n FROM msd_ledger()"]) + ";\n"
    told = {**os.environ, LEDGER_VARIABLE: str(tmp_path / "ledger.duckdb")}  # as `msd duckdb --ledger` tells it
    done = subprocess.run(command, cwd=tmp_path, input=text, text=True, capture_output=True, check=False, env=told)
    assert done.stderr == ""
    assert json.loads(done.stdout.splitlines()[-1]) == [{"n": 3}]
    assert (tmp_path / "ledger.duckdb").exists()


@asks_one_shop
def test_the_lines_for_ones_own_rc_load_everything(program, never_charged, tmp_path):
    (tmp_path / ".duckdbrc").write_text(launch.rc())
    done = subprocess.run(
        [program, "-unsigned", "shop.duckdb", "-csv", "-c", "SELECT msd_remaining('purchases') AS n"],
        cwd=never_charged.folder,
        env={**os.environ, "HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.stdout.split() == ["n", "1000.0"]


@asks_one_shop
def test_the_users_own_rc_is_read_as_ever(program, never_charged, tmp_path):
    (tmp_path / ".duckdbrc").write_text("CREATE TEMP MACRO mine() AS 'from my own rc';\n")
    done = subprocess.run(
        [program, *launch.command(), "shop.duckdb", "-csv", "-noheader", "-c", ASK_BOTH],
        cwd=never_charged.folder,
        env={**os.environ, "HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.stdout.strip() == "from my own rc,1000.0"


def test_a_module_of_the_users_folder_is_not_taken_for_ours(declared):
    for name in ("numpy.py", "json.py", "msd_sql.py"):
        (declared.folder / name).write_text("raise SystemExit('the wrong module')\n")
    done = declared.run("shop.duckdb", "-csv", "-c", "SELECT msd_remaining('purchases') AS n")
    assert done.stdout.split() == ["n", "1000.0"]


def test_starting_and_stopping_leaves_nothing_behind():
    stress.cycles(4)


def test_loading_and_leaving_in_every_way_leaves_nothing_behind():
    stress.starts(15)


def test_threads_are_served_one_after_another():
    assert stress.threads(8, 2) >= 8


@pytest.mark.slow
def test_the_extension_touches_no_memory_that_is_not_its_own():
    if subprocess.run(["which", "valgrind"], capture_output=True, check=False).returncode:
        pytest.skip("there is no valgrind")
    assert stress.ours(stress.memory()) == []


def test_a_session_in_a_terminal(program, tmp_path, monkeypatch):
    pexpect = pytest.importorskip("pexpect")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("HOME", str(tmp_path))
    terminal = pexpect.spawn(
        program,
        [*launch.command(), "shop.duckdb"],
        cwd=str(tmp_path),
        encoding="utf-8",
        timeout=120,
        dimensions=(50, 250),
    )

    def say(sql: str, answer: str) -> str:
        terminal.sendline(sql)
        terminal.expect(answer)
        found = terminal.match[0]
        terminal.expect(PROMPT)
        return found

    terminal.expect(PROMPT)
    say(".mode list", "list")
    for sql in stress.shop(2000, 20_000, 200_000)[:2]:
        say(f"{sql}; SELECT 'ma' || 'de';", "made")
    say("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0);", "is protected")
    say("SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases');", "items relation")
    say("SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products;", r"\[\d+, \d+, \d+, \d+\]")
    say("SELECT item_id % 2 AS g, msd_select(item_id, 2, 0.1, 0.5) FROM products GROUP BY g;", r"1\|\[\d+, \d+\]")
    say("SELECT msd_select(item_id, 4, 0.1, 0.5) FROM purchases;", "reads the protected relation purchases")
    say("SELECT msd_select(item_id, 4, 0.9, 0.5) FROM products;", "Remaining: ε 0.7")

    # Ctrl-C during a long local search: back at the prompt at once, and the charge stays.
    charged = charge_of(tmp_path / "shop.duckdb")
    terminal.sendline("SELECT msd_select(item_id, 100, 0.1, 0.5, method := 'sls', gamma := 0.03) FROM products;")
    charged()
    assert terminal.expect([PROMPT, pexpect.TIMEOUT], timeout=1) == 1  # it searches
    started = time.monotonic()
    terminal.sendintr()
    terminal.expect(PROMPT)
    print(f"back at the prompt {time.monotonic() - started:.2f} s after Ctrl-C")
    say("SELECT 'left ' || round(msd_remaining('purchases'), 6);", r"left 0\.6\b")

    # The worker is killed: the next query says so or works, and the one after it works.
    worker = _children(terminal.pid)
    assert len(worker) == 1
    os.kill(worker[0], signal.SIGKILL)
    say("SELECT 'left ' || round(msd_remaining('purchases'), 6);", r"stopped before it answered|left 0\.6\b")
    say("SELECT 'left ' || round(msd_remaining('purchases'), 6);", r"left 0\.6\b")
    assert len(_children(terminal.pid)) == 1
    assert _children(terminal.pid) != worker
    last = _children(terminal.pid)[0]
    terminal.sendline(".exit")
    terminal.expect(pexpect.EOF)
    assert terminal.wait() == 1  # duckdb's own way to say that a statement failed on the way
    terminal.close()
    assert not Path(f"/proc/{last}").exists()
    assert sorted(one.name for one in tmp_path.glob("shop*")) == ["shop.duckdb", "shop.duckdb.msd-journal"]


def _children(pid: int) -> list[int]:
    told = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(one) for one in told.split()]


def test_a_file_of_duckdb_2_is_explained_to_a_shell_of_duckdb_1(tmp_path, monkeypatch):
    newer = tmp_path / "newer.duckdb"
    newer.write_bytes(b"checksum" + b"DUCK" + (999).to_bytes(8, "little") + bytes(100))
    old = tmp_path / "duckdb"
    old.write_text("#!/bin/sh\necho 'v1.5.6 (Variegata) abc'\n")
    old.chmod(0o755)
    with pytest.raises(InputError, match=r"was written by DuckDB 2, and the shell .* is DuckDB 1\.5\.6"):
        launch._readable(str(newer), str(old))
    old.write_text("#!/bin/sh\necho 'v2.0.0 (Later) abc'\n")
    launch._readable(str(newer), str(old))


def test_without_a_compiler_the_error_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    monkeypatch.setattr(build, "EXTENSION_SUFFIXES", [])
    with pytest.raises(EngineError, match="there is no C compiler to build it"):
        build._compiled()


def test_without_a_program_the_error_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr(launch.shutil, "which", lambda name: None)
    monkeypatch.setattr(launch, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=re.escape("pip install 'msd-sql[cli]'")):
        launch.binary()


def test_another_system_is_told_what_works_there(monkeypatch):
    monkeypatch.setattr(extension_file.sys, "platform", "win32")
    with pytest.raises(EngineError, match="msd shell"):
        extension_file.target()


def test_the_ledger_option_needs_a_file():
    with pytest.raises(InputError, match="--ledger needs a file"):
        launch._ours(["shop.duckdb", "--ledger"])
    assert launch._ours(["--ledger", "l.duckdb", "-json"]) == (
        ["-json"],
        {"MSD_LEDGER": os.path.abspath("l.duckdb")},
    )


def test_the_extension_is_built_once_and_named_by_what_it_depends_on(built):
    assert build.extension() == built
    assert build.extension("/another/python") != built
    assert built.read_bytes()[-534 + 1 : -534 + 1 + 3] == bytes([147, 4, 16])
