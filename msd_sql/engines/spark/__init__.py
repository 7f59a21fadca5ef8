"""Marginals in a Spark cluster (docs/spark.md); pyspark is an extra."""
