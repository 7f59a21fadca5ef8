"""Schema msd: what was declared and what was spent."""
