"""The tree shows the architecture: small rooms, short files, pages that name them, nothing that is not here."""

import re
import subprocess
import sys
from collections import Counter

import pytest

MOST_MODULES = 15
MOST_LINES = 300


@pytest.fixture(scope="module")
def tracked(root):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: what belongs to the tree is not known")
    return [name for name in listed.stdout.splitlines() if (root / name).is_file()]


@pytest.fixture(scope="module")
def modules(tracked):
    return [name for name in tracked if re.match(r"(msd_sql|udfs|benchmarks)/.*\.py$", name)]


def test_no_folder_is_crowded(modules):
    rooms = Counter(name.rpartition("/")[0] for name in modules if not name.endswith("__init__.py"))
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def test_no_module_is_long(root, modules):
    lengths = {name: len((root / name).read_text("utf-8").splitlines()) for name in modules}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_every_package_and_module_is_in_the_architecture(root):
    done = subprocess.run(
        [sys.executable, "docs/make_architecture.py", "--check"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_file_cites_a_document_that_is_not_here(root, tracked):
    elsewhere = re.compile(r"\b(DES" + r"IGN|THE" + r"ORY|LAY" + r"OUT)( \d|\.md)")
    texts = [name for name in tracked if name.endswith((".py", ".sql", ".md", ".toml", ".c", ".v", ".sh"))]
    assert [name for name in texts if elsewhere.search((root / name).read_text("utf-8"))] == []


def test_the_kernel_is_a_link_and_not_a_copy(root):
    link = root / "msd_sql" / "udfs"
    assert link.is_symlink()
    assert link.resolve() == (root / "udfs").resolve()


@pytest.mark.xdist_group("kept")
def test_a_group_of_tests_is_kept_in_one_process(request):
    """Groups that are not kept would start Spark twice and share no fixture, and nothing else would say so."""
    if getattr(request.config.option, "loadgroup", False):  # where tests are spread over processes
        assert request.node.nodeid.endswith("@kept"), "this pytest and this pytest-xdist do not fit: see pyproject.toml"
