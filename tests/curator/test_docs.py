"""A person who follows docs/curator.md: its bash and py blocks, in order, in one shell, on other ports."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(bash|py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WAIT = """
for try in $(seq 200); do
    MSD_TOKEN=$(cat olga.token) msd account grpc://localhost:8815 list > /dev/null 2>&1 && break; sleep 0.3
done
"""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_what_must_be_installed_is_named_before_it_is_used() -> None:
    page = (ROOT / "docs" / "curator.md").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = re.findall(r"pip install '(?:msd-sql|\.)\[([\w,]+)\]'", page)
    assert {name for names in asked for name in names.split(",")} <= extras.keys()
    for needed, used in (
        ("pip install '.[shell,server]'", "\nmsd "),
        ("python3 dev.py setup shell server", "\nmsd "),
        ("pip install adbc-driver-flightsql", "import adbc_driver_flightsql"),
    ):
        assert 0 < page.index(needed) < page.index(used)


@pytest.mark.slow
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    pytest.importorskip("adbc_driver_flightsql")
    pytest.importorskip("uvicorn")
    blocks = BLOCK.findall((ROOT / "docs" / "curator.md").read_text())
    script = ["set -eu", "trap 'kill %1; wait %1' EXIT", f'msd() {{ {sys.executable} -m msd_sql.cli "$@"; }}']
    python = "import duckdb, msd_sql\n"
    for language, text in blocks:
        if language == "py":
            script.append(f"{sys.executable} - <<'PY'\n{python}{text}PY")
        else:
            script.append(text.replace("msd serve", f"{sys.executable} -m msd_sql.cli serve"))
            script += [WAIT] if "msd serve" in text else []
    ports = {"8815": str(free_port()), "8080": str(free_port())}
    whole = re.sub("8815|8080", lambda found: ports[found.group()], "\n".join(script))
    done = subprocess.run(
        ["bash", "-c", whole], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("msd_rank") >= 2, "topk in Python, and over ADBC"
    assert "The share that account ben has of shop.main.purchases does not allow this answer" in done.stdout
    assert '"event": "stopped"' in done.stderr
    assert len([line for line in done.stdout.splitlines() if line.startswith("ana  analyst  active")]) >= 2
