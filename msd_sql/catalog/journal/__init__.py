"""The journal: a second, append-only record of every charge, beside the database file (docs/guide_owner.md)."""
