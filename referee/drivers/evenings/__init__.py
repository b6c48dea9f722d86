"""Evenings as text files: the writer, the readers and the lock; a journal in memory."""
