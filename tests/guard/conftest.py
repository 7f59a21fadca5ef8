"""The corpus's database and its files, one for all cases of a module."""

import pytest

from tests.guard.corpus import shop, write_files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def database(files):
    with shop(files) as con:
        yield con
