"""Harlequin: its command line, and the app itself driven by its own pilot."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integrations.conftest import TOPK, left

pytest.importorskip("harlequin", reason="harlequin is not installed: python3 dev.py integrations")


def hsql(file, *more):
    command = [str(Path(sys.executable).with_name("hsql")), "-a", "msd", str(file), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_its_command_line_asks(file):
    told = hsql(file, "--csv", "-c", TOPK)
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.split()) == 4
    assert left(file) == 0.9
    refused = hsql(file, "-c", "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases")
    assert refused.returncode != 0
    assert "LeakError" in refused.stderr


def test_the_app_asks(file):
    from harlequin import Harlequin

    from msd_sql.integrations.harlequin_adapter import MsdAdapter

    async def drive():
        app = Harlequin(MsdAdapter([str(file)], no_init=True))
        async with app.run_test(size=(120, 36)) as pilot:
            for _ in range(200):
                await pilot.pause(0.05)
                if app.editor is not None and app.connection is not None:
                    break
            app.editor.text = TOPK
            await pilot.press("ctrl+j")
            for _ in range(400):
                await pilot.pause(0.05)
                tables = list(app.query("ResultsTable"))
                if tables:
                    asked = app.connection.conn.cursor().execute("SELECT msd_sql.msd_remaining('purchases')")
                    return tables[0].row_count, round(asked.fetchall()[0][0], 6)
        return None

    assert asyncio.run(drive()) == (3, 0.9)


def test_its_splitter_reads_the_file_that_loads_our_macros():
    from harlequin_duckdb.adapter import DuckDbAdapter

    from msd_sql.surface.macros import TEXT

    assert "--" not in TEXT
    script = DuckDbAdapter._split_script(TEXT)
    commands = [one for part in script for one in part.split(";") if one.strip()]  # as its connect() does
    assert all(one.lstrip().startswith("CREATE OR REPLACE TEMP MACRO") for one in commands)
    assert len(commands) == TEXT.count("CREATE OR REPLACE TEMP MACRO")
