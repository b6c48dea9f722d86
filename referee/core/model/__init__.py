"""The model of a table: state, events, transitions, view."""
