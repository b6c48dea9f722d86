"""The match: applying events, undo, restoring, the view."""
