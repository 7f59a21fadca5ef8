"""A file that another process has open, as a curator has it: the commands say whom to ask."""

import subprocess
import sys

import duckdb
import pytest

import msd_sql
from msd_sql.cli import main

HOLD = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def held(tmp_path):
    path = str(tmp_path / "shop.duckdb")
    duckdb.connect(path).close()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "open\n"
        yield path
        process.stdin.close()


@pytest.mark.parametrize(
    "command",
    [
        ["account", "{}", "list"],
        ["shell", "{}", "-c", "SELECT 1"],
        ["ledger", "{}"],
        ["ledger", "{}", "--check"],
    ],
    ids=" ".join,
)
def test_a_command_says_that_another_process_has_the_file(held, capsys, command) -> None:
    assert main([part.format(held) for part in command]) == 1
    said = capsys.readouterr().err
    assert "Another process has the file open: if a curator serves it, ask that one" in said
    assert "msd account grpc://host:8815" in said
    assert "--curator" in said


def test_so_does_python_and_another_error_is_left_as_it_is(held, tmp_path) -> None:
    with pytest.raises(duckdb.IOException, match="Another process has the file open"):
        msd_sql.connect(held)
    with pytest.raises(duckdb.IOException) as error:
        msd_sql.connect(str(tmp_path / "no folder" / "shop.duckdb"))
    assert "Another process" not in str(error.value)
