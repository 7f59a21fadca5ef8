"""Fixtures that every test may use."""

import gc
import os
from pathlib import Path

import duckdb
import pytest
from hypothesis import settings

import msd_sql
from tests.support.shop import declare, fill, kinds

settings.register_profile("untimed", deadline=None)  # no test depends on how busy the machine is
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parent.parent


def pytest_unconfigure() -> None:
    """Let go of the session: hypothesis times the garbage collector with a callback that it never takes back.

    The interpreter keeps the list of callbacks to its very end. From this one a chain leads through the loader of its
    module, which is pytest's, to every collected test, and from there to the classes of duckdb, which then reports them
    on stderr as leaked.
    """
    gc.callbacks[:] = [one for one in gc.callbacks if not getattr(one, "__module__", "").startswith("hypothesis.")]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; CI has it, a user's machine does not."""
    folder = Path(os.environ.get("MSD_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"CI must have the real data in {folder}")
        pytest.skip(f"the real data is not in {folder}: set MSD_SHARED_DATA to a folder that holds it")
    return folder


@pytest.fixture
def empty():
    """A registered database in memory with nothing declared."""
    with duckdb.connect() as con:
        fill(con)
        msd_sql.register(con)
        yield con


@pytest.fixture
def shop(empty):
    """The same with purchases protected and products declared."""
    declare(empty)
    return empty


@pytest.fixture(scope="module")
def empty_of_a_module():
    """One for all tests of a module; asked for through `never_declared`."""
    with duckdb.connect() as con:
        fill(con)
        msd_sql.register(con)
        yield con


@pytest.fixture
def never_declared(empty_of_a_module):
    """What `empty` is, for tests whose statements are refused: the next test has it as it was."""
    yield empty_of_a_module
    assert kinds(empty_of_a_module) == []


@pytest.fixture(scope="module")
def shop_of_a_module():
    """One for all tests of a module; asked for through `never_charged`."""
    with duckdb.connect() as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
        yield con


@pytest.fixture
def never_charged(shop_of_a_module):
    """What `shop` is, for tests whose statements are refused or do not run: the next test has it as it was."""
    yield shop_of_a_module
    assert kinds(shop_of_a_module) == ["protect", "items"]


@pytest.fixture
def file(tmp_path):
    """The path of a database file that holds the tables."""
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
    return path


@pytest.fixture
def settled(tmp_path):
    """A shop in a file that was written long ago, with everything declared; the file."""
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
    os.utime(path, ns=(0, 10**18))
    return path
