"""A database that asks elsewhere: the same SQL functions, answered by a curator (docs/curator.md)."""
