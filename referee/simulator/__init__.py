"""What plays instead of people: the simulated table, and statistics of many hands."""
