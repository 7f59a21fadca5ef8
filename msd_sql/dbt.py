"""The plugin for dbt-duckdb, `plugins: [{module: msd_sql.dbt}]` in a profile: dbt's cursors know the functions."""

from __future__ import annotations

from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin

from msd_sql.registration import register


class Plugin(BasePlugin):
    """Registers the connection and the cursors of dbt. Its config may name a file for the `ledger`."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Keep the config of the profile."""
        self._ledger: str | None = plugin_config.get("ledger")

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Register the connection that the cursors are made of, which dbt keeps open."""
        register(conn, ledger=self._ledger)

    def configure_cursor(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Register the cursor of a thread."""
        register(cursor)
