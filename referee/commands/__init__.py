"""One module per command: `add(commands)` declares it, `run(args)` returns the exit status."""
