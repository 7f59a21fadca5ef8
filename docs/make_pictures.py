"""Draw the pictures of the README and the docs again, from the program itself.

    python docs/make_pictures.py [pickups.parquet]     (needs the extras shell, plots and test, and pyte)

The map of pickups is only drawn when the file is given. Releases are private, so pictures differ a little every time.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
COLUMNS, LINES = 110, 58
TYPED = (
    "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products\nWHERE category = 'Health Care';",
    "SELECT title, price_bin\nFROM msd_topk(products, 4, 0.2, 0.5, quota := price_bin);",
    "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases;",
    "SELECT msd_select(item_id, 6, 0.9, 0.5) FROM products;",
    ".budget",
)


def msd(*arguments: str) -> None:
    """Run a command of ours."""
    subprocess.run([sys.executable, "-m", "msd_sql", *arguments], check=True, stdout=subprocess.DEVNULL)


def screen(shop: Path, history: Path) -> pyte.Screen:
    """Type a session into the shell, as a person would, and return what stands on the screen at the end."""
    shown = pyte.Screen(COLUMNS, LINES)
    stream = pyte.Stream(shown)
    surroundings = {
        "TERM": "xterm-256color",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "MSD_HISTORY": str(history),
        "MSD_INIT": "-",
    }
    child = pexpect.spawn(
        sys.executable,
        ["-m", "msd_sql", shop.name],
        cwd=str(shop.parent),
        env={**os.environ, **surroundings},
        dimensions=(LINES, COLUMNS),
        encoding="utf-8",
    )

    def read(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                stream.feed(child.read_nonblocking(4_096, timeout=0.2))
            except pexpect.TIMEOUT:
                continue

    read(4.0)
    for line in TYPED:
        child.send(line.replace("\n", "\r") + "\r")
        read(4.0)
    child.close(force=True)
    return shown


def drawn(shown: pyte.Screen, path: Path) -> None:
    """Draw a screen with its colours to an SVG file."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    last = max((row for row in range(LINES) if shown.display[row].strip()), default=0)
    for row in range(last + 1):
        text = Text(no_wrap=True)
        for column in range(COLUMNS):
            cell = shown.buffer[row][column]
            text.append(cell.data, Style(color=_colour(cell), bold=cell.bold))
        text.rstrip()
        console.print(text)
    path.write_text(console.export_svg(title="msd shell shop.duckdb"), "utf-8")


def _colour(cell: Any) -> str | None:
    names = {"default": None, "brown": "yellow"}
    found = names.get(cell.fg, cell.fg)
    if found and found.startswith("bright"):
        found = "bright_" + found.removeprefix("bright").replace("brown", "yellow")
    return f"#{found}" if found and len(found) == 6 and all(letter in "0123456789abcdef" for letter in found) else found


def main(pickups: str | None = None) -> None:
    """Draw them all."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder) / "shop.duckdb"
        msd("demo", "--keep", str(shop), "--svg", str(IMAGES / "demo.svg"))
        drawn(screen(shop, Path(folder) / "history"), IMAGES / "shell.svg")
    msd("frontier", "--plot", str(IMAGES / "frontier.png"))
    msd("forecast", "--plot", str(IMAGES / "forecast.png"))
    if pickups is not None:
        example = HERE.parent / "examples" / "uber_spots.py"
        subprocess.run([sys.executable, str(example), pickups, "--plot", str(IMAGES / "uber_spots.png")], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
