"""Statements in, rows out: hosts, names and values as text, what is stored where."""
