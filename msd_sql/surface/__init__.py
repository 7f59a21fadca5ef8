"""The SQL that DuckDB is handed, and its description: the functions, their options, the macros."""
