"""Evenings as text files: writer, readers, lock, and a journal in memory."""
