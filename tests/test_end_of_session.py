"""Nothing keeps a session of tests once it has ended: what it collected goes before the interpreter does."""

import os
import subprocess
import sys

TESTS = """
import duckdb
from hypothesis import given, strategies


@given(strategies.booleans())
def test_a_property(value):
    pass


def test_of_a_class_of_duckdb(relation: duckdb.DuckDBPyRelation | None = None):
    pass
"""


def test_duckdb_has_no_leak_to_report_at_exit(root, tmp_path):
    (tmp_path / "test_both.py").write_text(TESTS, "utf-8")
    ran = [sys.executable, "-m", "pytest", "--import-mode=importlib", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}  # not of this session
    env = own | {"PYTHONPATH": str(root)}
    done = subprocess.run([*ran, "test_both.py"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "2 passed" in done.stdout
    assert "leaked" not in done.stderr
