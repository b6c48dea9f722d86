"""The simulated table: bots that act like people, and contacts that bounce."""
