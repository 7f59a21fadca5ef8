"""The owner at the file itself, while no curator runs: who can write the file can change its accounts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msd_sql.catalog.accounts.account import Account
from msd_sql.catalog.records.who import system_user
from msd_sql.curator.behind import Behind
from msd_sql.curator.owner_acts import ACCOUNT_ACTS
from msd_sql.remote.wire import Asked, Door, Told


class _AtFile:
    """A door that does an owner's acts at the file."""

    def __init__(self, behind: Behind) -> None:
        self._behind = behind

    def ask(self, asked: Asked) -> Told:
        """Do it."""
        with self._behind.call(Account(system_user().name, "owner"), {}) as call, self._behind.book() as book:
            return ACCOUNT_ACTS[asked.act](call, book, asked.given)

    def close(self) -> None:
        """The file is closed by `local_owner`."""


@contextmanager
def local_owner(path: str) -> Iterator[Door]:
    """A door to the accounts in a file.

    >>> with local_owner(str(folder / "shop.duckdb")) as door:
    ...     door.ask(Asked("accounts")).values["accounts"]
    []
    """
    behind = Behind(path)
    try:
        yield _AtFile(behind)
    finally:
        behind.close()
