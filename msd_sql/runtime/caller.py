"""Caller: who asks, and what only the asking connection sees (its statement, search path and TEMP objects)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msd_sql.database.sql_text import SearchPath, search_path
from msd_sql.guard.connection_view import Session

FIELDS = ("statement", "database", "schema", "path", "session", "connection", "query")


@dataclass(frozen=True)
class Context:
    """What the macro `_msd_context()` tells of the caller."""

    statement: str
    path: SearchPath
    session: Session
    connection: int  # current_connection_id()
    query: int  # current_query_id(): the same for all groups of a statement

    @classmethod
    def read(cls, told: Mapping[str, str | None]) -> Context:
        """The context from the macro's record of texts."""
        path = search_path(told["database"] or "", told["schema"] or "main", told["path"] or "")
        return cls(
            told["statement"] or "",
            path,
            Session.read(told["session"]),
            int(told["connection"] or 0),
            int(told["query"] or 0),
        )

    @property
    def temporary(self) -> frozenset[str]:
        """The names of the caller's TEMP tables and views."""
        return self.session.tables | frozenset(self.session.views)
