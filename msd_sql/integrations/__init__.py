"""Glue for other tools, each imported by the tool alone: see docs/integrations.md."""
