"""The commands of `msd`, one module each: `arguments(parser)` declares, `run(args)` does."""
