"""Evenings as text files: writer, readers and lock."""
