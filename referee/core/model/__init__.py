"""What a table is: its state, its events, its transitions, its view."""
