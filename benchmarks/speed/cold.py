"""Cold starts, each in a process of its own: the import, the command line and the shell beside DuckDB's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.speed.measure import Figure, against, race, said

CONNECT = "import duckdb; duckdb.connect().execute('SELECT 1').fetchall()"
REGISTER = "import duckdb, msd_sql; con = duckdb.connect(); msd_sql.register(con); con.execute('SELECT 1').fetchall()"
MSD = "from msd_sql.cli import main; import sys; sys.exit(main({arguments!r}))"


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure what somebody waits for who starts a process."""
    ways = {
        "import + register": REGISTER,
        "`msd --help`": MSD.format(arguments=["--help"]),
        "`msd shell -c 'SELECT 1'`": MSD.format(arguments=["shell", "-c", "SELECT 1"]),
    }
    with said("cold starts"):
        found = race(
            {"duckdb": _started(CONNECT), **{name: _started(text) for name, text in ways.items()}}, 3 if quick else 9
        )
    for name in ways:
        what = "import duckdb + connect + SELECT 1"
        goal = 1.3 if name.startswith("import") else 1.2
        figure = against(f"{name}, cold ÷ {what}", found[name], found["duckdb"], 2.0, goal)
        yield Figure(figure.name, figure.value, figure.now, figure.goal, detail=figure.detail.partition("; of the")[0])


def _started(text: str):
    # The first turn compiles our modules and keeps that, as pip does with those of DuckDB where it installs them.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}

    def start() -> None:
        command = [sys.executable, "-c", text]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"{text} failed:\n{done.stderr[-2000:]}")

    return start
