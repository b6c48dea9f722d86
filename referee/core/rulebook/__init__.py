"""The rulebook for disputes: topics, answers and their sources, as messages."""
