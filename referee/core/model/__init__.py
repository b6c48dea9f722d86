"""The model of a table: its state, events, phases and transitions, and the view for outputs."""
