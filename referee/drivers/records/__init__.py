"""The records of past matches: files with an index, what reads and keeps them, and forgetting a person."""
