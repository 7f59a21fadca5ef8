"""Benchmarks: each module prints one table; `python -m benchmarks.<name>`."""
