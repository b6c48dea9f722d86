"""Evenings as text files: the writer, the readers, the records of matches, and forgetting a person."""
