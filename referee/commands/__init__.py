"""One file a command: `add(commands)` declares it, `run(args)` does it and gives the exit status."""
