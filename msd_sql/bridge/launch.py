"""Starts the real duckdb shell with our functions loaded (`msd duckdb`), and tells how to load them from one's own rc.

The shell reads our statements with `-cmd`, so that its own ~/.duckdbrc, options, files and pipes are as ever.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from msd_sql.bridge.build import cache, extension, write
from msd_sql.bridge.worker import CURATOR_VARIABLE, LEDGER_VARIABLE, ROOTS_VARIABLE
from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import EngineError, InputError
from msd_sql.surface.macros import TEXT

_NEWEST_OF_1 = 68  # a file says the number of its layout; DuckDB 1.x reads up to this one


def main(arguments: Sequence[str]) -> int:
    """Become the duckdb shell: `msd duckdb [FILE] [--ledger FILE] [--curator ADDRESS] [duckdb's own options]`."""
    given, ours = _ours(list(arguments))
    program = binary()
    for one in given:
        _readable(one, program)
    os.environ.update(ours)
    os.execv(program, [program, *command(), *given])


def command() -> list[str]:
    """The options that load our functions, before the user's own.

    >>> command()[0]
    '-unsigned'
    """
    return ["-unsigned", "-cmd", f".read {_dotted(init())}"]


def rc() -> str:
    """The lines for ~/.duckdbrc.

    >>> rc().splitlines()[1].startswith(".read ")
    True
    """
    path = cache() / "init.sql"
    write(path, init().read_bytes())
    return (
        "-- msd_sql. Start the shell as `duckdb -unsigned`: it is built on this machine and nobody signed it.\n"
        f".read {_dotted(path)}\n"
    )


def init() -> Path:
    """The statements that load the extension and make the macros, in a file beside the extension."""
    made = extension()
    path = made.with_name("init.sql")
    content = f"LOAD {literal(str(made))};\n{TEXT}".encode()
    if not path.exists() or path.read_bytes() != content:
        write(path, content)
    return path


def binary() -> str:
    """The duckdb program: from PATH, or from the duckdb-cli package.

    >>> os.path.basename(binary())
    'duckdb'
    """
    found = shutil.which("duckdb")
    if found is not None and Path(found).read_bytes()[:2] != b"#!":
        return found
    # What is on PATH may be the package's Python script: take its program, or Ctrl-C would reach a third process.
    package = find_spec("duckdb_cli")
    inside = Path(package.origin).with_name("duckdb") if package and package.origin else None
    if inside is not None and inside.exists():
        return str(inside)
    if found is not None:
        return found
    raise EngineError(
        "There is no duckdb program on PATH. Install it from duckdb.org, or with `pip install 'msd-sql[cli]'`; "
        "`msd shell` works without."
    )


_OPTIONS = {
    "--ledger": (LEDGER_VARIABLE, "a file: the DuckDB database that keeps declarations and ledger"),
    "--curator": (
        CURATOR_VARIABLE,
        "the address of a curator, such as grpc+tls://host:8815; its token is in MSD_TOKEN",
    ),
    "--tls-roots": (ROOTS_VARIABLE, "a file of certificates to trust beside the system's"),
}


def _ours(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """Take our options out of duckdb's: what is left, and what the worker's environment is to say.

    >>> _ours(["shop.duckdb", "--curator", "grpc://localhost:8815", "-csv"])
    (['shop.duckdb', '-csv'], {'MSD_CURATOR': 'grpc://localhost:8815'})
    """
    found: dict[str, str] = {}
    for option, (variable, what) in _OPTIONS.items():
        if option not in arguments:
            continue
        at = arguments.index(option)
        if at + 1 == len(arguments):
            raise InputError(f"{option} needs {what}.")
        value = arguments[at + 1]
        found[variable] = value if option == "--curator" else os.path.abspath(value)
        arguments = arguments[:at] + arguments[at + 2 :]
    return arguments, found


def _readable(path: str, program: str) -> None:
    """Say clearly what DuckDB 1.x says of a file that 2.x wrote."""
    if path.startswith("-") or not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        head = file.read(20)
    if head[8:12] != b"DUCK" or len(head) < 20 or int.from_bytes(head[12:20], "little") <= _NEWEST_OF_1:
        return
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.split()
    version = told[0].removeprefix("v") if told else "unknown"
    if version.startswith("1."):
        raise InputError(
            f"{path} was written by DuckDB 2, and the shell {program} is DuckDB {version}, which cannot read it. Use a "
            "newer duckdb program; or copy the database with DuckDB 2 in Python: ATTACH 'older.duckdb' "
            f"(STORAGE_VERSION 'v1.5.0'), then COPY FROM DATABASE {quote(Path(path).stem)} TO older."
        )


def _dotted(path: Path) -> str:
    """A path as an argument of a dot-command."""
    return "'" + str(path).replace("'", "''") + "'"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
