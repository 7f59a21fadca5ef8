"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB."""

from __future__ import annotations

from msd_sql.register import register, unregister

__all__ = ["register", "unregister"]
__version__ = "0.1.0"
