"""The corpus: blocks of `-- title`, `-- verdict[: words of the message]`, `-- before: …` (other statements) and SQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

import msd_sql

FOLDER = Path(__file__).parent
FILES = ("zones", "pickups/2025", "pickups/2026")


@dataclass(frozen=True)
class Case:
    """One statement and what the guard has to say of it: allowed, or refused with these words."""

    title: str
    verdict: str
    words: str
    before: tuple[str, ...]
    sql: str


def cases(file: Path) -> list[Case]:
    """The cases of one file."""
    found = []
    for block in file.read_text().strip().split("\n\n"):
        lines = block.split("\n")
        verdict, _, words = lines[1].removeprefix("-- ").partition(":")
        before = [line.removeprefix("-- before: ") for line in lines[2:] if line.startswith("-- before: ")]
        sql = "\n".join(line for line in lines[2:] if not line.startswith("-- before: "))
        found.append(Case(lines[0].removeprefix("-- "), verdict, words.strip(), tuple(before), sql))
    return found


def every() -> list[tuple[str, Case]]:
    """All cases, each with the name of its file."""
    files = [file for file in sorted(FOLDER.glob("*.sql")) if file.stem != "schema"]
    return [(file.stem, case) for file in files for case in cases(file)]


def write_files(folder: Path) -> None:
    """The files that some relations of the schema read."""
    (folder / "pickups").mkdir()
    (folder / "zones").mkdir()
    for name in FILES:
        rows = duckdb.sql("SELECT i AS user_id, i % 9 AS item_id FROM range(30) t(i)")
        rows.write_parquet(str(folder / f"{name}.parquet"))
    (folder / "link.parquet").symlink_to(folder / "pickups" / "2026.parquet")


def shop(folder: Path) -> duckdb.DuckDBPyConnection:
    """A registered connection to the schema, with everything protected and declared."""
    con = msd_sql.register(duckdb.connect())
    con.execute((FOLDER / "schema.sql").read_text().replace("$files", str(folder)))
    for name in ("purchases", "pickups", "lake.raw.visits", "orders_seen"):
        con.execute(
            f"SELECT msd_protect('{name}', unit := 'user_id', item := 'item_id', budget := 1000, delta := 1e-3)"
        ).fetchall()
    con.execute("SELECT msd_items('products', key := 'item_id', reach := 'purchases')").fetchall()
    return con
