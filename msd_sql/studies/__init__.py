"""Studies before paying: what a selection would be worth, on made or public data."""
