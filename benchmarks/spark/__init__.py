"""Spark: the scale study on clusters of this machine; `python -m benchmarks.spark`."""
