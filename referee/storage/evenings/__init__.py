"""Evenings (journals of all events) as text files: writer, readers and lock."""
