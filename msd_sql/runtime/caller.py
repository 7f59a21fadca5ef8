"""Caller: who asks, and what only the asking connection sees (its statement, search path and TEMP objects)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from msd_sql.database.sql_text import SearchPath
from msd_sql.guard.connection_view import ConnectionView

if TYPE_CHECKING:  # they load a parser, which a registration does not need
    from msd_sql.catalog.accounts.account import Account
    from msd_sql.guard.examine import Sources


@dataclass(frozen=True)
class Outside:
    """A caller from where no private row is: the account that asks, and the published relations its rows come from."""

    account: Account
    sources: Sources


@dataclass(frozen=True)
class Context:
    """What a statement told of itself and of its connection (`_msd_ask`, surface/caller.sql)."""

    view: ConnectionView
    outside: Outside | None = None  # None: the caller has the database itself

    @property
    def statement(self) -> str:
        """The text of the statement."""
        return self.view.statement

    @property
    def path(self) -> SearchPath:
        """Where the connection looks for unqualified names."""
        return self.view.path

    @property
    def connection(self) -> int:
        """The number of the connection."""
        return self.view.connection

    @property
    def query(self) -> int:
        """The number of the statement: the same for all of its groups."""
        return self.view.query

    @property
    def temporary(self) -> frozenset[str]:
        """The names of the caller's TEMP tables and views."""
        return self.view.temporary

    def saying(self, statement: str) -> Context:
        """The same caller with another text, for the ledger: what Python called."""
        return replace(self, view=replace(self.view, statement=statement))
