"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB."""

from __future__ import annotations

from msd_sql.api import Selection, items, protect, select
from msd_sql.registration import register, unregister

__all__ = ["Selection", "items", "protect", "register", "select", "unregister"]
__version__ = "0.1.0"
