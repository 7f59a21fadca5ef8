"""A small synthetic shop in a file, protected, for the shell's tests."""

import io
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.__main__ import run
from msd_sql.demo import shop as synthetic
from msd_sql.demo.story import ITEMS, PROTECT


@pytest.fixture
def empty_shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    con = duckdb.connect(str(path))
    synthetic.write(con, synthetic.shop(products=200, users=2_000))
    con.close()
    return path


@pytest.fixture
def shop(empty_shop: Path) -> Path:
    con = msd_sql.register(duckdb.connect(str(empty_shop)))
    con.execute(PROTECT).fetchall()
    con.execute(ITEMS).fetchall()
    con.close()
    return empty_shop


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "MSD_HISTORY": str(tmp_path / "history"),
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "PYTHONWARNINGS": "",
        "TERM": "xterm-256color",
        "COLUMNS": "120",
    }


@pytest.fixture
def process(environment: dict[str, str]):
    """`python -m msd_sql …` as a process of its own."""

    def run(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "msd_sql", *map(str, arguments)],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def msd(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], environment: dict[str, str]):
    """The same in this process, which starts faster."""

    def call(*arguments: object, text: str = "") -> subprocess.CompletedProcess[str]:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return call
