"""A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB."""

__version__ = "0.1.0"
