#!/usr/bin/env python3
"""Everything one does in this repository, from a machine that has nothing but Python 3.11 or later.

    python3 dev.py demo      set up, then run the demo on the embedded synthetic shop
    python3 dev.py test      set up, then run the tests on all cores   (further arguments go to pytest: -m slow …)
    python3 dev.py check     lint, contracts, types and examples: what CI asks besides the tests
    python3 dev.py lint      ruff: rules and formatting
    python3 dev.py contracts import-linter: who may import whom
    python3 dev.py types     mypy --strict on both packages
    python3 dev.py examples  the examples in docstrings
    python3 dev.py shell     the msd shell                (further arguments go to it)
    python3 dev.py bench     the benchmarks               (further arguments go to them)
    python3 dev.py integrations   the tests of other tools, each in a virtual environment of its own (or those named)
    python3 dev.py site      the documentation site, in site/
    python3 dev.py setup     only set up; add extras by name:  python3 dev.py setup spark cli

The virtual environment is .venv beside this file, or the folder that MSD_VENV names. It is made once and renewed
when pyproject.toml changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = Path(os.environ.get("MSD_VENV", HERE / ".venv"))
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


CHECKS = {
    "lint": [["-m", "ruff", "check", "."], ["-m", "ruff", "format", "--check", "."]],
    "contracts": [["-c", "from importlinter.cli import lint_imports_command as check; check()"]],
    "types": [["-m", "mypy", "-p", "msd_sql"]],
    "examples": [["-m", "pytest", "-q", "--doctest-modules", "msd_sql"]],
}


# A virtual environment for each: some tools want versions that exclude each other.
INTEGRATIONS = {
    "dbt": (["dbt-duckdb", "dbt-core<1.11"], ["test_dbt.py"]),  # later cores fetch a program while they are installed
    "harlequin": (["harlequin"], ["test_harlequin.py"]),
    "notebooks": (["jupysql", "marimo", "ipykernel", "nbclient", "nbformat", "polars"], ["test_notebooks.py"]),
    "retrieval": (["langchain-core", "llama-index-core", "haystack-ai"], ["test_retrieval.py"]),
    "mcp": (["mcp"], ["test_mcp.py"]),
    "frames": (
        ["ibis-framework[duckdb]", "duckdb-engine", "sqlalchemy", "fastapi", "httpx", "great_tables", "streamlit"],
        ["test_frames.py", "test_pytest_plugin.py"],
    ),
    "sqlmesh": (["sqlmesh"], ["test_sqlmesh.py"]),
    "flight": (["flightsql-dbapi", "pandas"], ["test_flight_clients.py"]),
    "node": ([], ["test_flight_node.py"]),  # needs node and npm, which are not Python's to install
}


def integrations(*names: str) -> None:
    """Install each tool in an environment of its own and run its tests there; leave with 1 if any fails."""
    failed = []
    for name in names or INTEGRATIONS:
        packages, files = INTEGRATIONS[name]
        place = VENV.parent / f"{VENV.name}-{name}"
        python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if not python.exists():
            venv.create(place, with_pip=True)
        quiet = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*quiet, "--editable", str(HERE), "pytest", "hypothesis", *packages], check=True)
        # Warnings of other people's packages are theirs; a tool that is missing here is a failure, and not skipped.
        tests = [str(HERE / "tests" / "integrations" / file) for file in files]
        command = [
            str(python),
            "-m",
            "pytest",
            "-q",
            "-rfEs",
            "-p",
            "no:cacheprovider",
            "-o",
            "filterwarnings=",
            *tests,
        ]
        done = subprocess.run(command, cwd=HERE, check=False, capture_output=True, text=True)
        shown = done.stdout.strip().splitlines()
        print(f"{name}: {shown[-1] if shown else done.stderr}; {_versions(python, packages)}", flush=True)
        if done.returncode or "skipped" in shown[-1]:
            print(done.stdout, done.stderr)
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


_TOLD = """
import platform, sys
from importlib.metadata import version
print(", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in sys.argv[1:])]))
"""


def _versions(python: Path, packages: list[str]) -> str:
    """What was tried, for the table in docs/integrations.md."""
    names = ["duckdb", "sqlglot", *(re.split(r"[\[<>=!~]", package)[0] for package in packages)]
    told = subprocess.run([str(python), "-c", _TOLD, *names], capture_output=True, text=True, check=True)
    return told.stdout.strip()


def site(*arguments: str) -> None:
    """Build the documentation site, with every warning an error."""
    place = VENV.parent / f"{VENV.name}-site"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(place, with_pip=True)
        quiet = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*quiet, "mkdocs-material>=9.5"], check=True)
    done = subprocess.run([str(python), "-m", "mkdocs", "build", "--strict", *arguments], cwd=HERE, check=False)
    sys.exit(done.returncode)


def setup(*extras: str) -> None:
    """Make the virtual environment and install the checkout into it with `extras`, unless that is done already."""
    stamp = VENV / "msd_sql.stamp"
    done = stamp.read_text().split() if stamp.exists() else []
    recipe = hashlib.sha256((HERE / "pyproject.toml").read_bytes()).hexdigest()
    installed = set(done[1:]) if done[:1] == [recipe] else set()
    if set(extras) <= installed and PYTHON.exists():
        return
    if not PYTHON.exists():
        print(f"Making a virtual environment in {VENV} …", flush=True)
        venv.create(VENV, with_pip=True)
    wanted = sorted(installed | set(extras))
    print(
        f"Installing msd_sql with {', '.join(wanted)} … (once; it downloads what is needed, a minute or two)",
        flush=True,
    )
    quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*quiet, "--editable", f"{HERE}[{','.join(wanted)}]")
    stamp.write_text(" ".join([recipe, *wanted]))


def run(*arguments: str, cwd: Path | None = None) -> None:
    """Run the virtual environment's Python and leave with its exit code when it fails."""
    # The tests start hundreds of processes: what one of them has compiled, the others need not, as with an installed
    # package. (Empty is the same as not set.)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([str(PYTHON), *arguments], cwd=cwd, check=False, env=environment)
    if done.returncode != 0:
        sys.exit(done.returncode)


def main() -> None:
    """Read the task from the command line and do it."""
    task, rest = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("help", [])
    if task == "demo":
        setup("shell")
        run("-m", "msd_sql.cli", "demo", *rest)
    elif task == "shell":
        setup("shell")
        run("-m", "msd_sql.cli", "shell", *rest)
    elif task == "test":
        setup("test")
        cores = [] if "-n" in rest else ["-n", "auto", "--dist", "loadgroup"]
        quick = [] if "-m" in rest else ["-m", "not slow"]
        run("-m", "pytest", *cores, *quick, *rest, cwd=HERE)
        if quick:
            print("Slow tests were left out; CI runs them, and so does: python3 dev.py test -m slow", flush=True)
    elif task == "integrations":
        integrations(*rest)
    elif task == "site":
        site(*rest)
    elif task in CHECKS or task == "check":
        setup("test")
        for command in [CHECKS[task]] if task in CHECKS else CHECKS.values():
            for arguments in command:
                run(*arguments, cwd=HERE)
    elif task == "bench":
        setup("bench")
        run("-m", "benchmarks", *rest, cwd=HERE)
    elif task == "setup":
        setup(*(rest or ["test"]))
    else:
        print(__doc__)
        sys.exit(0 if task in ("help", "-h", "--help") else 2)


if __name__ == "__main__":
    main()
