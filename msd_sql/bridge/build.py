"""Builds the extension: compiles `bridge.c` (or takes what the installation compiled), adds our text and the footer.

The result is kept in the user's cache, named by everything that it depends on, so that it is made once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from msd_sql import __version__
from msd_sql.bridge.extension_file import behind, footer, target
from msd_sql.entry_points import functions
from msd_sql.errors import EngineError
from msd_sql.runtime.instance import Instance

SOURCE = Path(__file__).with_name("bridge.c")
NAME = "msd.duckdb_extension"  # DuckDB calls msd_init_c_api, by the file's name
_FLAGS = ("-O2", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden")


def extension(python: str = sys.executable) -> Path:
    """The extension for this machine, built if it is not there yet.

    >>> extension().name
    'msd.duckdb_extension'
    """
    listed = listing()
    parts = (SOURCE.read_bytes(), listed.encode(), python.encode(), target().encode(), __version__.encode())
    folder = cache() / hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    made = folder / NAME
    if not made.exists():
        whole = _compiled() + behind(python, listed) + footer(target(), __version__)
        folder.mkdir(parents=True, exist_ok=True)
        write(made, whole)
    return made


def listing() -> str:
    """Every function: its name, a tab, and a query whose columns have the types of its answer and its parameters.

    A column that is named `any` stands for every type.

    >>> listing().splitlines()[0].split()
    ['_msd_instance', 'SELECT', 'CAST(NULL', 'AS', 'VARCHAR)']
    """
    lines = []
    for function in functions(Instance("listing")):
        types = ", ".join(
            'NULL AS "any"' if kind == "ANY" else f"CAST(NULL AS {kind})"
            for kind in (function.returns, *function.parameters)
        )
        lines.append(f"{function.name}\tSELECT {types}")
    return "\n".join(lines)


def cache() -> Path:
    """The folder for what is built."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("MSD_CACHE") or os.path.join(base, "msd_sql"))


def write(path: Path, content: bytes) -> None:
    """Write a file in one step: another shell may be reading it."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def _compiled() -> bytes:
    for suffix in EXTENSION_SUFFIXES:
        ready = SOURCE.with_name(f"_native{suffix}")
        # An installation writes both at about the same time; in a checkout the source may have been changed since.
        if ready.exists() and ready.stat().st_mtime >= SOURCE.stat().st_mtime - 60:
            return ready.read_bytes()
    compiler = os.environ.get("CC") or (sysconfig.get_config_var("CC") or "cc").split()[0]
    found = shutil.which(compiler) or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        raise EngineError(
            "The bridge to the duckdb shell is one C file, and there is no C compiler to build it. Install one (Debian "
            "and Ubuntu: apt install gcc; macOS: xcode-select --install) and run `python -m msd_sql.bridge build`. "
            "Everything else works without: msd shell, and msd_sql.register(con) in Python."
        )
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "msd.so"
        run = subprocess.run([found, *_FLAGS, str(SOURCE), "-o", str(made), "-ldl"], capture_output=True, text=True)
        if run.returncode:
            raise EngineError(f"{found} could not build the bridge to the duckdb shell:\n{run.stderr.strip()}")
        return made.read_bytes()
