"""The machine: one event after the other, undo, coming back, what is shown."""
