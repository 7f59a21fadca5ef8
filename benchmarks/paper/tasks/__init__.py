"""The tasks of the experiments: their data, their candidates, their constraints."""
