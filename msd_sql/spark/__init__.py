"""Spark: the engine and host for relations that live in a cluster (DESIGN 6, docs/spark.md); pyspark is an extra."""
