"""One module per command: `add(parser)` declares it, `run(args)` returns the exit status."""
