"""For SQLAlchemy: every connection of an engine over DuckDB knows the functions."""

from __future__ import annotations

from typing import Any

import duckdb
from sqlalchemy import event

from msd_sql.registration import register


def listen(engine: Any, *, ledger: str | None = None) -> Any:
    """Register every connection that an engine (of duckdb-engine) makes from now on; the engine itself.

    Args:
        engine: of `sqlalchemy.create_engine("duckdb:///shop.duckdb")`.
        ledger: a DuckDB file that keeps declarations and ledger instead of the data's own file.

    Returns:
        The engine.

    """

    def connected(connection: Any, record: object) -> None:
        own = [one for one in vars(connection).values() if isinstance(one, duckdb.DuckDBPyConnection)]
        register(own[0] if own else connection, ledger=ledger)  # duckdb-engine wraps DuckDB's own

    event.listen(engine, "connect", connected)
    return engine
