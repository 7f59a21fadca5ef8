"""Draw the picture of docs/duckdb_shell.md again: a session typed into the real duckdb shell.

python docs/make_duckdb_picture.py     (needs the extras cli, shell and test, and pyte)
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import duckdb
import pexpect
import pyte
from make_pictures import COLUMNS, IMAGES, LINES, drawn

from msd_sql.bridge import launch
from msd_sql.demo.shop import shop, write

TYPED = (
    ".maxwidth 108",
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9) AS said;",
    "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases') AS said;",
    "SELECT category, msd_select(item_id, 4, 0.1, 0.5) AS chosen FROM products GROUP BY category LIMIT 4;",
    "SELECT title, msd_rank FROM msd_topk(products, 4, 0.1, 0.5);",
    "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM purchases;",
)


def made(folder: Path) -> None:
    """Write the synthetic shop in a layout that every shell since 1.5 reads."""
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{folder / 'shop.duckdb'}' AS shop (STORAGE_VERSION 'v1.5.0')")
        con.execute("USE shop")
        write(con, shop(products=300, users=20_000))


def typed(folder: Path) -> pyte.Screen:
    """Type the session and return what stands on the screen at the end."""
    shown = pyte.Screen(COLUMNS, LINES)
    stream = pyte.Stream(shown)
    surroundings = {**os.environ, "TERM": "xterm-256color", "HOME": str(folder), "MSD_CACHE": str(folder / "cache")}
    os.environ["MSD_CACHE"] = surroundings["MSD_CACHE"]
    child = pexpect.spawn(
        launch.binary(), [*launch.command(), "shop.duckdb", "-dark-mode"],
        cwd=str(folder), env=surroundings, dimensions=(LINES, COLUMNS), encoding="utf-8",
    )  # fmt: skip

    def read(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                stream.feed(child.read_nonblocking(4_096, timeout=0.2))
            except pexpect.TIMEOUT:
                continue

    read(3.0)
    for line in TYPED:
        child.send(line + "\r")
        read(6.0)
    child.close(force=True)
    return shown


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        made(Path(place))
        drawn(typed(Path(place)), IMAGES / "duckdb_shell.svg")
    picture = IMAGES / "duckdb_shell.svg"
    picture.write_text(picture.read_text("utf-8").replace("msd&#160;shell", "msd&#160;duckdb"), "utf-8")
