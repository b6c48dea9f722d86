"""A campaign that breaks a hall of simulated tables, and compares what it holds with the tables' files."""
