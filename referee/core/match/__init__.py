"""The match as a state machine: applying events, undo, restoring after a restart, the view."""
