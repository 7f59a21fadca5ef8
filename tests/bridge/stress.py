"""The bridge under stress, for minutes: the suite runs the same checks in their short form.

python tests/bridge/stress.py cycles 1000      start and stop the real shell, leaving nothing behind
python tests/bridge/stress.py starts 1000      the same of the extension alone, with a worker that loads nothing
python tests/bridge/stress.py threads 8 60     eight threads ask for a minute, in one process
python tests/bridge/stress.py memory           the extension under valgrind: no invalid access, no lost memory
python tests/bridge/stress.py timing 10        the first call, and one with a prepared index, against in-process
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb

import msd_sql
from msd_sql.bridge import build, launch
from msd_sql.bridge.extension_file import behind, footer, target
from msd_sql.surface.macros import TEXT

LIGHT = Path(__file__).resolve().with_name("light_worker.py")
SHOP = [
    "CREATE TABLE products AS SELECT i AS item_id, ['t' || (i % 7), 't' || (i % 3)] AS tags FROM range({n}) t(i)",
    "CREATE TABLE purchases AS SELECT i % {users} AS user_id, (i * i) % {n} AS item_id FROM range({rows}) t(i)",
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1000, delta := 1e-6)",
    "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')",
]
ASK = "SELECT msd_select(item_id, 3, 0.001, 0.5, fresh := true) AS items FROM products"

PUBLIC = "SELECT item_id % 20 AS g, msd_select(item_id, 2, NULL, 0, score := item_id) FROM products GROUP BY g"
CHARGED = "SELECT count(*), round(sum(charged_eps), 6) FROM msd_ledger() WHERE kind = 'select'"


def shop(n: int = 100, users: int = 500, rows: int = 5000) -> list[str]:
    """The statements that make a shop."""
    return [sql.format(n=n, users=users, rows=rows) for sql in SHOP]


def workers(token: str) -> set[int]:
    """The workers that live now, of shells that were started with this token in their environment."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"msd_sql.bridge.worker" in told[0] and f"MSD_STRESS={token}".encode() in told[1]:
            found.add(int(folder.name))
    return found


def cycles(times: int) -> None:
    """Start the shell, ask, leave; by the end of the input, `.exit`, an error and kill -9 in turn."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "shop.duckdb")
        command = [launch.binary(), *launch.command(), path, "-csv"]
        token = os.environ["MSD_STRESS"] = os.path.basename(folder)
        _run(command, ";\n".join(shop()) + ";\n")
        for number in range(times):
            text = [f"{ASK};\n", f"{ASK};\n.exit\n", f"{ASK};\nSELECT msd_remaining('nothing');\n"][number % 3]
            if number % 10 == 9:
                _killed(command)
            else:
                said = _run(command, text)
                assert said.count("[") == 1, said
        deadline = time.monotonic() + 20
        while workers(token) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not workers(token), "a worker is left"
        charged = _run(command, "SELECT count(*) AS n FROM msd_ledger() WHERE kind = 'select';\n").split()[-1]
        assert int(charged) >= times - times // 10
        assert not Path(path + ".wal").exists(), "a .wal is left"
        assert sorted(os.listdir(folder)) == ["shop.duckdb", "shop.duckdb.msd-journal"]


def starts(times: int) -> None:
    """Load the extension, call, leave: by the end of the input, kill -9 of the shell, and of the worker, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        script = place / "python"
        script.write_text(f'#!/bin/sh\necho $$ > "{place}/pid"\nexec "{sys.executable}" -S -E "{LIGHT}" "$@"\n')
        (place / "kill").write_text(f'#!/bin/sh\nkill -9 $(cat "{place}/pid")\n')
        for one in (script, place / "kill"):
            one.chmod(0o755)
        told = behind(str(script), "called\tSELECT CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR)")
        (place / build.NAME).write_bytes(build._compiled() + told + footer(target(), "0.0.1"))
        path = place / "calls.duckdb"
        command = [launch.binary(), "-unsigned", "-no-init", str(path), "-csv", "-noheader"]
        loaded = f"LOAD '{place / build.NAME}';\nSELECT called('x') IS NULL;\n"
        _run(command, "CREATE TABLE calls(n INTEGER);\n")
        for number in range(times):
            if number % 5 == 3:
                _killed(command, loaded)
            elif number % 5 == 4:
                # The call after the kill is an error, the shell goes on.
                again = "SELECT called('x') IS NULL;\n"
                said = _run(command, f"{loaded}.shell {place}/kill\n{again}{again}")
                assert said == "true\ntrue\n", said
            else:
                assert _run(command, loaded) == "true\n"
        deadline = time.monotonic() + 20
        while _mentioning(folder) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not _mentioning(folder), "a process is left"
        counted = _run(command, "SELECT count(*) FROM calls;\n")
        assert int(counted) >= times, counted
        assert sorted(os.listdir(folder)) == ["calls.duckdb", "kill", build.NAME, "pid", "python"]


def _mentioning(text: str) -> list[str]:
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            told = (one / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if text in told and int(one.name) != os.getpid():
            found.append(told)
    return found


def _run(command: list[str], text: str) -> str:
    return subprocess.run(command, input=text, text=True, capture_output=True, timeout=300, check=False).stdout


def _killed(command: list[str], text: str = f"{ASK};\n") -> None:
    """Kill the shell while its worker lives: the worker leaves because its line is cut."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        shell.stdin.write(text.encode())
        shell.stdin.flush()
        shell.stdout.readline()
        shell.kill()


def threads(count: int, seconds: float) -> int:
    """Ask from several threads of one process, each with a connection of its own; how many answers there were."""
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{build.extension()}'")
    con.execute(TEXT)
    for sql in shop():
        con.execute(sql).fetchall()
    end = time.monotonic() + seconds
    answers, failures = [0] * count, []

    def ask(number: int) -> None:
        own = con.cursor()
        own.execute(TEXT)
        try:
            while not answers[number] or time.monotonic() < end:
                assert len(own.execute(ASK).fetchall()[0][0]) == 3
                assert len(own.execute(PUBLIC).fetchall()) == 20
                answers[number] += 1
        except Exception as error:
            failures.append(error)

    running = [threading.Thread(target=ask, args=(number,)) for number in range(count)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert not failures, failures[0]
    spent = con.execute(
        "SELECT count(*), round(sum(charged_eps), 6) FROM msd_ledger() WHERE kind = 'select'"
    ).fetchall()
    assert spent == [(sum(answers), round(0.001 * sum(answers), 6))]
    con.close()
    return sum(answers)


def memory() -> str:
    """A session of the real shell under valgrind; its report on the extension."""
    report = tempfile.NamedTemporaryFile(suffix=".txt", delete=False)  # noqa: SIM115 - read after valgrind closed it
    big = "SELECT len(msd_select(i::VARCHAR, 5, NULL, 0, score := i)) AS n FROM range(5000) t(i)"
    text = ";\n".join([*shop(), ASK, big, "SELECT count(*) FROM msd_ledger()", "SELECT msd_remaining('nothing')"])
    options = ["--trace-children=no", "--leak-check=full", "--show-leak-kinds=definite", f"--log-file={report.name}"]
    command = ["valgrind", *options, launch.binary(), *launch.command(), ":memory:", "-csv"]
    done = subprocess.run(command, input=f"{text};\n", text=True, capture_output=True, timeout=1800, check=False)
    assert done.stdout.count("is protected") == 1, done.stderr
    assert "Unknown relation" in done.stderr, done.stderr
    return Path(report.name).read_text()


def ours(report: str) -> list[str]:
    """The paragraphs of valgrind's report that have the extension's own code in them."""
    blocks = re.split(r"^==\d+== *\n", report, flags=re.MULTILINE)
    return [block for block in blocks if "msd.duckdb_extension" in block]


def timing(times: int) -> dict[str, list[float]]:
    """Seconds of the first call and of calls with a prepared index: in process, through the bridge, in the shell.

    The first two run in the same DuckDB, so that their ratio is the bridge's own; the shell may be another version.
    """
    asked = [ASK] * (times + 1)
    made = shop(3000, 1_200_000, 2_600_000)
    found = {}
    for where in ("in process", "through the bridge"):
        with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
            if where == "in process":
                msd_sql.register(con)
            else:
                con.execute(f"LOAD '{build.extension()}'")
                con.execute(TEXT)
                found["the worker's start"] = [_timed(con, "FROM msd_ledger()")]
            for sql in made:
                con.execute(sql).fetchall()
            found[where] = [_timed(con, sql) for sql in asked]
    text = ";\n".join(made) + ";\n.timer on\n" + ";\n".join(asked) + ";\n"
    said = _run([launch.binary(), *launch.command(), ":memory:", "-csv"], text)
    found["in the shell"] = [float(one) for one in re.findall(r"real ([0-9.]+)", said)]
    return found


def _timed(con: duckdb.DuckDBPyConnection, sql: str) -> float:
    started = time.perf_counter()
    con.execute(sql).fetchall()
    return time.perf_counter() - started


def main(arguments: list[str]) -> None:
    """Run one check."""
    if arguments[:1] == ["cycles"]:
        cycles(int(arguments[1]))
        print(f"{arguments[1]} cycles: no process, no .wal, no file is left.")
    elif arguments[:1] == ["starts"]:
        starts(int(arguments[1]))
        print(f"{arguments[1]} starts: no process, no .wal, no file is left.")
    elif arguments[:1] == ["threads"]:
        print(f"{threads(int(arguments[1]), float(arguments[2]))} answers, none lost, none charged twice.")
    elif arguments[:1] == ["memory"]:
        if shutil.which("valgrind") is None:
            sys.exit("There is no valgrind.")
        print("\n".join(ours(memory())) or "valgrind found nothing in the extension.")
    elif arguments[:1] == ["timing"]:
        for where, seconds in timing(int(arguments[1])).items():
            later = f", then {statistics.median(seconds[1:]):.3f} s" if seconds[1:] else ""
            print(f"{where}: {seconds[0]:.3f} s{later}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
