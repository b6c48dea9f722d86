"""The simulated table: bots with human hands and contacts that bounce."""
