"""What settles a dispute at the table: topics, answers and their sources, as messages."""
