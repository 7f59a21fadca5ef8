"""The paper's experiments (section 7 and appendix), redone: `python -m benchmarks.paper` writes docs/experiments.md."""
