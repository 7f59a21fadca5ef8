"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB."""

from __future__ import annotations

from msd_sql.register import register, unregister
from msd_sql.selection import Selection, items, protect, select

__all__ = ["Selection", "items", "protect", "register", "select", "unregister"]
__version__ = "0.1.0"
