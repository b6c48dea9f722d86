"""Button pods: serial lines, sync wire, the host's clock, and installing the program."""
