"""Marginals in DuckDB: nothing leaves the database."""
