"""Marginals in memory: one pass over the candidates' rows, then an index."""
