"""Several processes and threads on one ledger file (in full: python -m tests.catalog.journal.concurrent)."""

from __future__ import annotations

import subprocess
import sys


def test_several_processes_share_a_ledger_and_exactly_the_affordable_number_succeed():
    command = [sys.executable, "-m", "tests.catalog.journal.concurrent"]
    done = subprocess.run(
        [*command, "--charges", "60", "--processes", "3", "--threads", "6"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "30 charged, 30 refused, 0 failed" in done.stdout
