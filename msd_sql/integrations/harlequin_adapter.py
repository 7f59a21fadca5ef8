"""The adapter for Harlequin: its own DuckDB adapter, with the functions registered (`harlequin -a msd shop.duckdb`)."""

from __future__ import annotations

from harlequin_duckdb.adapter import DuckDbAdapter, DuckDbConnection

from msd_sql.registration import register


class MsdAdapter(DuckDbAdapter):
    """Harlequin's DuckDB adapter whose connections know the functions; so does `hsql -a msd`."""

    ADAPTER_DETAILS = "DuckDB with msd_select and its family. What it asks is charged to the budget of the ledger."

    def connect(self) -> DuckDbConnection:
        """Open the database as Harlequin does, and register."""
        made = super().connect()
        register(made.conn)
        return made
