"""The demo: a synthetic shop and the story told of it."""
