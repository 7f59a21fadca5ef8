"""The command line: help, exit codes, and what the small commands print."""

import getpass
import io
import json
import shutil
import subprocess
import sys

import duckdb
import pytest

import msd_sql
from msd_sql.cli import COMMANDS, PASSING, main
from msd_sql.commands import bench, completion, explain
from msd_sql.demo import shop as synthetic
from msd_sql.demo.story import ITEMS, PROTECT


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.duckdb"
    con = msd_sql.register(duckdb.connect(str(path)))
    synthetic.write(con, synthetic.shop(200, 2_000))
    con.execute(PROTECT).fetchall()
    con.execute(ITEMS).fetchall()
    con.execute("SELECT msd_select(item_id, 3, 0.25, 0.5) FROM products").fetchall()
    con.close()
    return path


def test_help_lists_every_command(said) -> None:
    code, out, _ = said("--help")
    assert code == 0
    assert all(f"\n    {name}" in out for name in COMMANDS)
    assert said() == (0, out, "")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in PASSING])
def test_every_command_explains_itself(said, command: str) -> None:
    code, out, _ = said(command, "--help")
    assert code == 0
    assert out.startswith(f"usage: msd {command}")


def test_help_imports_nothing_heavy() -> None:
    check = "import sys; from msd_sql.cli import main; main(['--help']); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, check=False).returncode == 0


def test_version_and_nonsense(said) -> None:
    assert said("--version") == (0, f"msd_sql {msd_sql.__version__}\n", "")
    assert said("nonsense")[0] == 2


def test_every_command_is_documented(root) -> None:
    pages = "".join(page.read_text() for page in [root / "README.md", *(root / "docs").glob("*.md")])
    assert [name for name in COMMANDS if f"msd {name}" not in pages] == []


def test_the_ledger_is_printed(said, shop) -> None:
    code, out, _ = said("ledger", shop)
    assert code == 0
    assert out.startswith("purchases: spent ε 0.25 of 1 after 1 answer; ")
    assert "more like the last one" in out
    code, out, _ = said("ledger", shop, "--mode", "csv", "--relation", "purchases")
    assert [line.split(",")[2] for line in out.splitlines()] == ["relation", "main.purchases", "main.purchases"]
    assert "parameters" in said("ledger", shop, "--full", "--mode", "line")[1]


@pytest.mark.parametrize("columns", [80, 120])
def test_the_box_of_the_ledger_shows_what_was_asked(said, shop, monkeypatch: pytest.MonkeyPatch, columns) -> None:
    with duckdb.connect(shop) as con:
        msd_sql.register(con)
        con.execute("SELECT msd_select(item_id, 3, 0.123456789, 0.5) FROM products").fetchall()
    monkeypatch.setenv("COLUMNS", str(columns))
    box = said("ledger", shop)[1]
    head = box.splitlines()[2]
    assert max(map(len, box.splitlines()[1:])) <= columns
    assert "what" in head
    assert "delta" not in head
    assert "3 of 200 by" in box
    assert "0.3735" in box
    assert "0.37345" not in box
    assert ("releases" in head) == (columns == 120)
    sums = said("ledger", shop, "--by", "relation")[1]
    assert "0.3735" in sums
    assert "delta" not in sums
    assert json.loads(said("ledger", shop, "--json")[1])[3]["charged_eps"] == 0.123456789


def test_the_ledger_for_programs_by_day_and_by_account(said, shop) -> None:
    lines = json.loads(said("ledger", shop, "--json")[1])
    assert [line["kind"] for line in lines] == ["protect", "items", "select"]
    assert (lines[2]["releases"], lines[2]["charged_eps"], lines[2]["composed_eps"]) == (1, 0.25, 0.25)
    who = getpass.getuser()
    assert {line["who"] for line in lines} == {who}
    (account,) = json.loads(said("ledger", shop, "--by", "who", "--json")[1])
    assert (account["who"], account["statements"], account["releases"], account["eps"]) == (who, 1, 1, 0.25)
    (day,) = json.loads(said("ledger", shop, "--by", "day", "--json")[1])
    assert day["day"] == lines[2]["time"][:10]
    assert day["composed_eps_after"] == 0.25
    assert json.loads(said("ledger", shop, "--who", "nobody at all", "--json")[1]) == []
    (answer,) = json.loads(said("ledger", shop, "--releases", "--json")[1])
    assert (answer["line"], json.loads(answer["receipt"])["eps"]) == (lines[2]["id"], 0.25)


def test_explain_says_what_it_would_cost_and_charges_nothing(said, shop) -> None:
    candidates = "SELECT * FROM products WHERE price < 30"
    for _ in range(2):
        code, out, _ = said("explain", shop, candidates, 5, 0.5, 0.5, "--mode", "csv", "--set", "method='nosg'")
        assert code == 0
        assert "method,nosg" in out
        assert 'budget after,"spent ε 0.75 of 1' in out or "budget after,spent ε 0.75 of 1" in out
    code, _, err = said("explain", shop, "produtcs", 5, 0.5, 0.5)
    assert code == 1
    assert "Did you mean" in err


def test_explain_names_a_table_or_wraps_a_query() -> None:
    assert explain.statement("v", 2, "NULL", 1.0, []) == "FROM msd_explain(v, 2, NULL, 1.0)"
    wrapped = explain.statement("FROM v", 2, "0.1", 0.5, ["quota=bin", "quota_cap = 2"])
    assert wrapped == (
        "WITH candidates AS (FROM v) FROM msd_explain(candidates, 2, 0.1, 0.5, quota := bin, quota_cap := 2)"
    )


def test_functions_are_printed(said) -> None:
    assert "msd_select(items, k, eps, diversity, …)" in said("functions")[1]
    assert said("functions", "msd_reach")[1].startswith("msd_reach(items, eps")
    code, _, err = said("functions", "msd_rech")
    assert (code, "Did you mean 'msd_reach'" in err) == (1, True)


def test_a_file_that_is_no_database_is_one_line(said, tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 1_000)
    code, _, err = said("ledger", path)
    assert code == 1
    assert err.startswith("msd: ")


def test_frontier_and_forecast_print_tables(said, shop, tmp_path) -> None:
    code, out, _ = said("forecast", "--items", 100, "--users", 1_000, "-k", 2, "--eps", 1, "--runs", 1)
    assert code == 0
    assert "No private data was read" in out
    code, out, _ = said("frontier", "-k", 3, "--steps", 2)
    assert code == 0
    assert out.startswith("Synthetic shop")
    code, out, _ = said("frontier", shop, "products", "--score", "price", "-k", 3, "--steps", 2)
    assert (code, "public scores" in out) == (0, True)


def test_a_forecast_takes_what_is_declared_and_leaves_the_file_alone(said, shop) -> None:
    asked = ("forecast", shop, "products", "-k", 2, "--eps", 1, "--runs", 1)
    code, out, _ = said(*asked)
    assert (code, "an item has at most 0.02 " in out) == (0, True)  # nothing declared: what msd forecast always takes
    with duckdb.connect(shop) as con:
        msd_sql.register(con)
        con.execute(
            "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9, "
            "head := 0.11, replace := true)"
        ).fetchall()
        counts = "SELECT (SELECT count(*) FROM products), m, (SELECT count(*) FROM msd.ledger) FROM msd.protected"
        n, m, lines = con.execute(counts).fetchall()[0]
    code, out, _ = said(*asked)
    assert code == 0
    assert f"n = {n:,} items and m = {m:,} users, of whom an item has at most 0.11 " in out
    assert "at most 0.3 " in said(*asked, "--head", 0.3)[1]
    with duckdb.connect(shop) as con:
        assert con.execute("SELECT count(*) FROM msd.ledger").fetchall() == [(lines,)]
    for wrong in (("forecast", shop), ("forecast", "--as-owner"), ("forecast", shop, "purchases")):
        assert said(*wrong)[0] == 1


def test_a_private_frontier_asks_before_it_spends(said, shop, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ("frontier", shop, "products", "--eps", 0.05, "--reach-eps", 0.02, "-k", 3, "--steps", 2)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    code, _, err = said(*ask)
    assert (code, "would spend ε 0.09" in err) == (1, True)
    code, out, _ = said(*ask, "--yes")
    assert (code, "ε 0.09 spent" in out) == (0, True)
    assert said("ledger", shop)[1].startswith("purchases: spent ε 0.34 of 1 after ")
    assert said("frontier", shop)[0] == 1


def test_the_audit_takes_its_own_options(said) -> None:
    code, out, _ = said("audit", "--table")
    assert code == 0
    assert out.startswith("The largest ε0")
    assert "usage: " in said("audit", "--help")[1]


def test_bench_finds_the_checkout_or_says_how(said, root, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bench.checkout() == root
    monkeypatch.setattr(bench, "checkout", lambda: None)
    code, _, err = said("bench")
    assert (code, "dev.py bench" in err) == (1, True)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_completion_scripts_know_every_command(said, shell: str, tmp_path) -> None:
    code, out, _ = said("completion", shell)
    assert code == 0
    assert all(name in out for name in COMMANDS)
    assert "readonly" in out
    if shutil.which(shell) and shell in ("bash", "zsh"):
        script = tmp_path / "script"
        script.write_text(out)
        assert subprocess.run([shell, "-n", str(script)], check=False).returncode == 0


def test_bash_completes_commands_and_options() -> None:
    probe = "\nCOMP_WORDS=(msd {words}); COMP_CWORD={last}; _msd; echo ${{COMPREPLY[@]}}"
    for words, last, expected in (("fro", 1, "frontier"), ("shell -read", 2, "-readonly")):
        script = completion.script("bash") + probe.format(words=words, last=last)
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert done.stdout.strip() == expected


def test_a_file_that_is_not_there_is_not_served(said, tmp_path) -> None:
    code, _, errors = said("serve", str(tmp_path / "shpo.duckdb"))
    assert code != 0
    assert "There is no database" in errors
    assert list(tmp_path.iterdir()) == []
