"""A selection that takes long shows how far it is to who watches the shell, and nothing in a pipe."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

SLOW = """
CREATE TABLE purchases AS SELECT hash(i) % 5000 AS user_id, hash(i * 7) % 500 AS item_id FROM range(20000) t(i);
CREATE TABLE products AS SELECT i::UBIGINT AS item_id, [i % 5, i % 7] AS tags FROM range(500) t(i);
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 99, delta := 1e-6) IS NULL AS a;
SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases') IS NULL AS b;
SELECT len(msd_select(item_id, 9, 0.5, 0.5, method := 'sls', gamma := 0.015)) AS chosen FROM products;
"""
COMMAND = [sys.executable, "-m", "msd_sql", "-init", "", "-csv", "-c"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
def test_rounds_are_shown_on_a_terminal():
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    with subprocess.Popen([*COMMAND, SLOW], stdin=slave, stdout=slave, stderr=slave, close_fds=True) as shell:
        os.close(slave)
        seen = b""
        while True:
            try:
                seen += os.read(master, 65536)
            except OSError:  # so Linux says that the other end is closed
                break
        os.close(master)
    assert shell.returncode == 0
    assert re.search(rb"\rmsd_select: round [\d,]+ of [\d,]+", seen)
    assert seen.rindex(b"chosen") > seen.rindex(b"msd_select: round")


def test_a_pipe_sees_the_rows_alone():
    done = subprocess.run([*COMMAND, SLOW.replace("0.015", "0.3")], capture_output=True, text=True, check=True)
    assert "msd_select" not in done.stdout + done.stderr
    assert done.stdout.endswith("chosen\n9\n")
