"""Button pods: their serial lines, the sync wire, the host's clock beside theirs, and putting the program onto one."""
