"""The real duckdb program with the extension, for the tests of the bridge; CI must have both."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from msd_sql.bridge import build, launch
from msd_sql.errors import EngineError


def _missing(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"CI must have it: {why}")
    pytest.skip(why)


@pytest.fixture(scope="session", autouse=True)
def built(tmp_path_factory):
    """The extension, built for these tests in a cache of their own."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        _missing("there is no C compiler")
    before = os.environ.get("MSD_CACHE")
    os.environ["MSD_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    try:
        yield build.extension()
    finally:
        if before is None:
            del os.environ["MSD_CACHE"]
        else:
            os.environ["MSD_CACHE"] = before


@pytest.fixture(scope="session")
def program() -> str:
    """The duckdb program."""
    try:
        return launch.binary()
    except EngineError as error:
        _missing(str(error))
        raise


class Shell:
    """Runs the real shell as a user's script would."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder

    def run(self, *options: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [self.program, *launch.command(), *options]
        return subprocess.run(
            command, cwd=self.folder, input=text, text=True, capture_output=True, timeout=300, check=False
        )


@pytest.fixture
def shell(program, tmp_path) -> Shell:
    """A shell in a folder of its own."""
    return Shell(program, tmp_path)
