"""Thin pipes: hardware into edge rows, views into light and sound. No rule, no game state, no driver knows another."""
