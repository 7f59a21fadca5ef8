"""The shell as a pipe: what a script and another program see."""

import csv
import io
import json
import re
from pathlib import Path


def test_statements_come_from_standard_input(process) -> None:
    done = process("-csv", text="SELECT 1 AS a;\nSELECT 2 AS b\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\n1\nb\n2\n", "")


def test_commands_and_files_run_in_the_order_given(msd, tmp_path: Path) -> None:
    script = tmp_path / "two.sql"
    script.write_text("CREATE TABLE t AS SELECT 2 AS b;\n.mode list\nFROM t")
    done = msd("-csv", "-c", "SELECT 1 AS a", "-f", script, "-c", "SELECT b + 1 AS c FROM t")
    assert (done.returncode, done.stdout) == (0, "a\n1\nb\n2\nc\n3\n")


def test_every_output_mode_is_an_option(msd) -> None:
    assert json.loads(msd("-json", "-c", "SELECT [1] AS a").stdout) == [{"a": [1]}]
    assert msd("-markdown", "-c", "SELECT 1 AS a").stdout.startswith("| a ")
    assert msd("-line", "-c", "SELECT 1 AS a").stdout == "a = 1\n"
    assert "┌" in msd("-box", "-c", "SELECT 1 AS a").stdout


def test_the_first_error_ends_a_script_with_1(process) -> None:
    done = process("-csv", "-c", "SELECT 1 AS a; SELECT oops; SELECT 2 AS b")
    assert done.returncode == 1
    assert done.stdout == "a\n1\n"
    assert "LINE 1: SELECT oops" in done.stderr
    assert "^" in done.stderr


def test_bail_off_goes_on_and_still_exits_with_1(msd) -> None:
    done = msd("-csv", text=".bail off\nSELECT oops;\nSELECT 2 AS b;\n")
    assert (done.returncode, done.stdout) == (1, "b\n2\n")


def test_an_unknown_option_exits_with_2(msd) -> None:
    assert msd("shell", "-nonsense").returncode == 2


def test_quit_leaves(msd) -> None:
    done = msd("-csv", text="SELECT 1 AS a;\n.quit\nSELECT 2 AS b;\n")
    assert (done.returncode, done.stdout) == (0, "a\n1\n")


def test_a_database_can_be_opened_for_reading_only(msd, shop: Path) -> None:
    done = msd(
        shop, "-readonly", "-csv", "-c", "SELECT count(*) AS n FROM products", "-c", "CREATE TABLE t (a INTEGER)"
    )
    assert done.returncode == 1
    assert done.stdout == "n\n200\n"
    assert "read-only" in done.stderr


def test_a_missing_database_for_reading_is_one_line_of_error(msd, tmp_path: Path) -> None:
    done = msd(tmp_path / "none.duckdb", "-readonly")
    assert done.returncode == 1
    assert done.stderr.startswith("msd: ")
    assert "Traceback" not in done.stderr


def test_a_release_says_what_it_cost_apart_from_the_result(process, shop: Path) -> None:
    ask = "SELECT unnest(msd_select(item_id, 3, 0.25, 0.5)) AS item_id FROM products"
    done = process(shop, "-csv", "-c", ask, "-c", ask)
    assert done.returncode == 0
    answers = list(csv.reader(io.StringIO(done.stdout)))
    assert answers[:4] == answers[4:]
    first, again = done.stderr.splitlines()
    assert re.fullmatch(
        r"purchases: charged ε 0\.25, δ ≈\S+e-\d+; noise .* · spent ε 0\.25 of 1 after 1 answer; \d+ more .*", first
    )
    assert again.startswith(
        "purchases: the recorded answer again, nothing charged · spent ε 0.25 of 1 after 1 answer; "
    )


def test_part_of_the_people_is_asked_about_as_anywhere_else(process, shop: Path) -> None:
    ask = "SELECT msd_select(item_id, 3, 0.1, 0.5, among := 'user_id < 200', users := 200) AS items FROM products"
    same = ask.replace("user_id < 200", "r.user_id<200")
    reach = "SELECT {}([1, 2], 0.05{}, among := 'user_id < 200') AS reached"
    asked = [ask, same, reach.format("msd_reach_interval", ", 0.9"), reach.format("msd_reach", "")]
    lines = "SELECT what FROM msd_ledger() WHERE releases > 0 ORDER BY time"
    done = process(shop, "-jsonlines", *(part for sql in [*asked, lines] for part in ("-c", sql)))
    assert done.returncode == 0, done.stderr
    first, again, interval, estimate, *ledger = (json.loads(part) for part in done.stdout.strip().splitlines())
    assert first == again
    assert len(first["items"]) == 3
    assert interval["reached"]["estimate"] == estimate["reached"]
    assert [line["what"].partition(", among ")[2] for line in ledger] == ["user_id < 200", "user_id < 200"]
    told = done.stderr.splitlines()
    assert [line.partition(" · ")[0].partition(",")[0] for line in told] == [
        "purchases: charged ε 0.1", "purchases: the recorded answer again",
        "purchases: charged ε 0.05", "purchases: the recorded answer again",
    ]  # fmt: skip
    refused = process(shop, "-c", ask.replace("user_id < 200", "user_id IN (SELECT 1)"))
    assert refused.returncode == 1
    assert "among" in refused.stderr
    assert "Nothing was charged" in refused.stderr


def test_a_selection_is_charged_once_however_it_is_shown(msd, shop: Path) -> None:
    modes = ["-box", "-csv", "-json", "-jsonlines", "-line", "-list", "-markdown"]
    for mode in modes:
        assert msd(shop, mode, "-c", "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM products").returncode == 0
    left = msd(shop, "-csv", "-c", "SELECT msd_remaining('purchases') AS eps").stdout
    assert left == "eps\n0.9\n"  # each process was told what the first one had paid


def test_the_ledger_keeps_the_statement_as_it_was_typed(msd, shop: Path) -> None:
    ask = "SELECT msd_select(item_id, 3, 0.1, 0.5) -- why not\nFROM products"
    msd(shop, "-c", ask)
    kept = json.loads(msd(shop, "-json", "-c", "SELECT statement FROM msd_ledger() WHERE kind = 'select'").stdout)
    assert kept == [{"statement": ask}]


def test_a_release_behind_a_view_or_a_prepared_statement_is_told_too(msd, shop: Path) -> None:
    make = "CREATE VIEW three AS SELECT msd_select(item_id, 3, 0.1, 0.5) AS items FROM products"
    prepare = "PREPARE two AS SELECT msd_select(item_id, 2, 0.1, $1) FROM products"
    done = msd(
        shop,
        "-csv",
        "-c",
        make,
        "-c",
        "FROM three",
        "-c",
        prepare,
        "-c",
        "EXECUTE two(0.5)",
        "-c",
        "FROM products LIMIT 0",
    )
    assert [line.split(",")[0] for line in done.stderr.splitlines()] == ["purchases: charged ε 0.1"] * 2


def test_a_leak_is_refused_without_wrapping(msd, shop: Path) -> None:
    done = msd(shop, "-c", "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases")
    assert done.returncode == 1
    assert done.stderr.startswith("LeakError: ")
    assert "Python exception" not in done.stderr


def test_the_budget_is_told(msd, empty_shop: Path) -> None:
    assert "Nothing is protected" in msd(empty_shop, "-c", ".budget").stdout
    msd(
        empty_shop,
        "-c",
        "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 2, delta := 1e-6)",
    )
    told = msd(empty_shop, "-c", ".budget").stdout
    assert told == "purchases: spent ε 0 of 2 (δ 1e-6, 2,000 users, order α = 12)\n"


def test_too_few_candidates_is_a_note(msd, shop: Path) -> None:
    done = msd(shop, "-csv", "-c", "SELECT len(msd_select(item_id, 5, 0.1, 0.5)) AS n FROM products WHERE item_id < 4")
    assert (done.returncode, done.stdout) == (0, "n\n3\n")
    assert done.stderr.startswith("Note: k = 5 was asked for")
    assert "charged ε" not in done.stderr


def test_an_init_file_runs_first(msd, tmp_path: Path, environment: dict[str, str]) -> None:
    init = tmp_path / "init.sql"
    init.write_text(".mode csv\nCREATE TEMP TABLE mine AS SELECT 7 AS a;")
    assert msd("-init", init, "-c", "FROM mine").stdout == "a\n7\n"
    environment["MSD_INIT"] = str(init)
    assert msd("-c", "FROM mine").stdout == "a\n7\n"
    assert msd("-init", "", "-c", "FROM mine").returncode == 1


def test_output_goes_to_a_file_and_back(msd, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    done = msd("-csv", text=f".output {target}\nSELECT 1 AS a;\n.output\nSELECT 2 AS b;\n")
    assert (done.stdout, target.read_text()) == ("b\n2\n", "a\n1\n")


def test_read_runs_a_file_and_refuses_a_circle(msd, tmp_path: Path) -> None:
    script = tmp_path / "again.sql"
    script.write_text(f"SELECT 1 AS a;\n.read {script}\n")
    done = msd("-csv", text=f".read {script}\n")
    assert done.returncode == 1
    assert done.stdout == "a\n1\n"
    assert "reads itself" in done.stderr


def test_dot_commands(msd, shop: Path) -> None:
    assert "products" in msd(shop, "-c", ".tables").stdout
    assert msd(shop, "-c", ".tables pur%").stdout.count("purchases") == 1
    assert "CREATE TABLE products" in msd(shop, "-c", ".schema products").stdout
    assert "Run time" in msd("-c", ".timer on\nSELECT 1;").stdout
    assert ".budget" in msd("-c", ".help").stdout
    assert "msd_topk(tbl" in msd("-c", ".functions msd_topk").stdout
    assert "box" in msd("-c", ".mode").stdout
    assert "(2 shown)" in msd("-c", ".maxrows 2\nFROM range(100);").stdout


def test_a_wrong_dot_command_says_what_was_meant(msd) -> None:
    assert "Did you mean '.tables'?" in msd("-c", ".tabels").stderr
    assert "Usage: .read FILE" in msd("-c", ".read").stderr
    assert "Did you mean 'off'?" in msd("-c", ".timer of").stderr
    assert ".maxrows takes a whole number" in msd("-c", ".maxrows many").stderr
    assert msd("-c", ".read nothing.sql").returncode == 1


def test_declarations_can_live_in_another_file(msd, empty_shop: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.duckdb"
    owner = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9)"
    assert msd(empty_shop, "-readonly", "-ledger", ledger, "-c", owner).returncode == 0
    told = msd(empty_shop, "-readonly", "-ledger", ledger, "-c", ".budget").stdout
    assert told.startswith("purchases: spent ε 0 of 1 (")
