"""The Python face: declare, ask, and answers that show themselves (docs/python.md)."""
