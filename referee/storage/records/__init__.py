"""Records of past matches: files with an index, reading, keeping, and forgetting a person."""
