"""Kill a charge at every point where it changes a file, and look whether anything was lost or charged twice.

python -m tests.catalog.journal.kills --kills 1000

Every child opens a shop, charges once and closes it, and is killed at the next of its points (before a write, sync,
truncation, rename or removal, or in the middle of a write); then a new process opens the shop again. A killed process
loses nothing that it has written: what a power cut does to a disk's memory is not shown here.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.homes import databases
from msd_sql.catalog.journal.check import examine
from msd_sql.catalog.journal.file import journal_path
from tests.support.shop_file import charge, open_shop

SOURCE = Path(__file__).with_name("kill_points.c")
KINDS = ("write", "sync", "truncate", "rename", "remove")
EPS = "0.01"


def build(folder: Path) -> Path:
    """Compile the library that kills."""
    library = folder / "kill_points.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


def main(arguments: list[str] | None = None) -> int:
    """Run the kills in a process that has the library loaded; the exit code tells whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1, help="the first point to die at")
    args = parser.parse_args(arguments)
    library = os.environ.get("KILL_POINTS")
    with tempfile.TemporaryDirectory() as folder:
        if library is None:
            made = build(Path(folder))
            settings = {**os.environ, "LD_PRELOAD": str(made), "KILL_POINTS": str(made)}
            command = [sys.executable, "-m", "tests.catalog.journal.kills", *(arguments or sys.argv[1:])]
            return subprocess.run(command, env=settings, check=False).returncode
        return Kills(Path(folder), ctypes.CDLL(library)).run(args.kills, args.first)


class Kills:
    """One shop that goes through all of it: what an earlier kill left behind is what the next one finds."""

    def __init__(self, folder: Path, library: ctypes.CDLL) -> None:
        self.file = folder / "shop.duckdb"
        self.library = library
        self.folder = str(folder).encode()

    def run(self, kills: int, first: int = 1) -> int:
        """Kill so often, at each point in turn; print what was seen."""
        in_child(self._declare)
        print(f"one charge, from opening to closing the file, has these points: {in_child(self._whole)}")
        spent, outcomes, at, torn, done, opened = self._spent(), Counter[str](), first, 0, 0, 0
        while done < kills:
            told = in_child(partial(self._charge, at, torn), killed=True)
            if "survived" not in told:
                done += 1
                # The one that opens it next is killed as well, so that mending is killed at each of its points too.
                opened += 1
                if "survived" not in in_child(partial(self._open, 1 + opened % 9, torn), killed=True):
                    done += 1
                    outcomes["killed while opening again"] += 1
            now = self._spent()
            if now is None or spent is None:
                print(f"point {at}: the shop cannot be used again")
                return 1
            charged = now - spent
            if charged not in (0, Decimal(EPS)) or ("charged" in told and not charged):
                print(f"point {at}, {'within' if torn else 'before'}: spent {spent} -> {now}, the child said '{told}'")
                return 1
            spent = now
            if "survived" in told:  # past the last point: begin again, in the other way
                at, torn = 1, 1 - torn
                continue
            outcomes["answered" if "charged" in told else "charged, not answered" if charged else "not charged"] += 1
            at += 1
        print(f"{done} kills: {dict(sorted(outcomes.items()))}; nothing lost, nothing charged twice, ε {spent:f} spent")
        return 0

    def _declare(self) -> str:
        with open_shop(self.file, declare=True, budget=1_000_000) as host:
            return str(Catalog(host).need("purchases").spent)

    def _whole(self) -> str:
        self.library.arm(self.folder, 1 << 40, 0)
        self._once(lambda text: None)
        kinds = [f"{self.library.counted(at)} {kind}" for at, kind in enumerate(KINDS)]
        return f"{self.library.counted(-1)} ({', '.join(kinds)})"

    def _charge(self, at: int, torn: int) -> str:
        self.library.arm(self.folder, at, torn)
        self._once(lambda text: os.write(_OUT, text.encode()))
        return "survived"

    def _once(self, say: Callable[[str], object]) -> None:
        with open_shop(self.file) as host:
            charge(host, Catalog(host).need("purchases"), EPS)
            say("charged ")

    def _open(self, at: int, torn: int) -> str:
        self.library.arm(self.folder, at, torn)
        self._look()
        return "survived"

    def _spent(self) -> Decimal | None:
        told = in_child(self._look)
        return Decimal(told) if told else None

    def _look(self) -> str:
        with open_shop(self.file) as host:
            spent = Catalog(host).need("purchases").spent
            home = databases(host)["shop"]
            wrong = [one.text for one in examine(host, "shop", str(home.path)) if not one.holds]
            if wrong or not Path(journal_path(str(self.file))).exists():
                raise AssertionError(wrong)
            return str(spent)


_OUT = -1


def in_child(act: Callable[[], str], *, killed: bool = False) -> str:
    """What a forked process says; this one never opens a database, so that every child is like a new process."""
    global _OUT
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _OUT = write
        try:
            os.write(write, act().encode())
            os._exit(0)
        except BaseException as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        told = file.read().decode()
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        return told
    return told if killed and os.WIFSIGNALED(status) else ""


if __name__ == "__main__":
    sys.exit(main())
