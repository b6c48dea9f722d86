"""What the device says to people, in the table's language: one catalogue a language for all that is shown and read."""
