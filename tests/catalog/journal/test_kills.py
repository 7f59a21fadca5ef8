"""A charge that is killed wherever it changes a file (all points: python -m tests.catalog.journal.kills)."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="LD_PRELOAD and a C compiler")
@pytest.mark.parametrize("first", [1, 9])
def test_a_charge_killed_anywhere_is_neither_lost_nor_made_twice(first):
    command = [sys.executable, "-m", "tests.catalog.journal.kills", "--kills", "20", "--first", str(first)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert "nothing lost, nothing charged twice" in done.stdout, done.stdout + done.stderr
