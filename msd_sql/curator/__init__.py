"""The curator: a process that alone opens the private database and answers for it (docs/curator.md)."""
