"""The real duckdb shell as a client of a curator: no private row is in its database, and its worker asks elsewhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from msd_sql.bridge import launch
from tests.curator.shop import add_account, make_shop, serve, share

pytest.importorskip("pyarrow.flight")


def test_the_duckdb_shell_asks_a_curator(program: str, tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.duckdb")
    token = add_account(shop, "ana", shares=share(0.2))
    server = serve(shop)
    try:
        text = (
            "SELECT msd_pull('products');\n"
            "SELECT len(msd_select(item_id, 6, 0.05, 0.5)) AS chosen FROM products;\n"
            "SELECT msd_rank, title FROM msd_topk(products, 2, 0.05, 0.5);\n"
            "SELECT msd_reach([1, 2], 0.02, among := 'user_id < 30') AS estimate;\n"
            "SELECT msd_reach_interval([1, 2], 0.02, 0.9, among := 'r.user_id<30').estimate AS same;\n"
            "SELECT len(msd_select(item_id, 2, 0.03, 0, among := 'user_id < 30', users := 30)) AS part FROM products;\n"
            "SELECT msd_remaining('purchases') AS remaining;\n"
        )
        done = subprocess.run(
            [program, *launch.command(), "-csv"], input=text, text=True, capture_output=True, timeout=300, check=False,
            env={**os.environ, "MSD_CURATOR": server.address, "MSD_TOKEN": token},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "61 rows" in done.stdout
        lines = done.stdout.split()
        assert lines[lines.index("chosen") + 1] == "6"
        assert lines[lines.index("same") + 1] == lines[lines.index("estimate") + 1]
        assert lines[lines.index("part") + 1] == "2"
        assert float(lines[lines.index("remaining") + 1]) == pytest.approx(0.05)
    finally:
        assert server.stop() == 0
