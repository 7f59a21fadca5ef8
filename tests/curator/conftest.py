from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.limits import Limits
from msd_sql.curator.log import Log
from tests.curator.shop import add_accounts, make_shop, share

pytest.importorskip("pyarrow.flight")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.duckdb")


def add_people(shop: Path) -> dict[str, str]:
    people = {"ana": {"shares": share(0.3)}, "ben": {"shares": share(0.5)}, "olga": {"role": "owner"}}
    return add_accounts(shop, people)


@pytest.fixture
def tokens(shop: Path) -> dict[str, str]:
    return add_people(shop)


@pytest.fixture
def curator(shop: Path, tokens: dict[str, str]) -> Iterator[Curator]:
    made = Curator(str(shop), log=Log(io.StringIO()))
    yield made
    made.close()


@pytest.fixture
def people(curator: Curator, tokens: dict[str, str]) -> dict[str, Account]:
    return accounts(curator, tokens)


def accounts(curator: Curator, tokens: dict[str, str]) -> dict[str, Account]:
    found = {name: curator.account(f"Bearer {token}") for name, token in tokens.items()}
    return {name: account for name, account in found.items() if account is not None}


@pytest.fixture(scope="module")
def quiet_tokens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A shop for tests that charge and change nothing, and see to that."""
    path = make_shop(tmp_path_factory.mktemp("quiet") / "shop.duckdb")
    return {**add_people(path), "file": str(path)}


@pytest.fixture(scope="module")
def quiet(quiet_tokens: dict[str, str]) -> Iterator[Curator]:
    made = Curator(quiet_tokens["file"], Limits(rate=10_000), log=Log(io.StringIO()))
    yield made
    made.close()


@pytest.fixture(scope="module")
def quiet_people(quiet: Curator, quiet_tokens: dict[str, str]) -> dict[str, Account]:
    return accounts(quiet, {name: token for name, token in quiet_tokens.items() if name != "file"})
