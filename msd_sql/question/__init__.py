"""From the arguments of a statement to a checked, public question."""
