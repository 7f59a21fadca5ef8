"""The shell: DuckDB with our functions registered, for a person at a terminal and for a pipe."""
