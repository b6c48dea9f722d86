"""Simulation of many hands, card by card: the players, the statistics, and charts."""
