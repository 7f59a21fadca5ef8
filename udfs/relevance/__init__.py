"""What private rows contribute: exact integer marginals, kept up to date pick by pick."""
