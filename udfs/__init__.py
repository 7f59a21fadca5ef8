"""What runs inside the UDF: numpy and scipy only, usable on its own, never imports duckdb."""
