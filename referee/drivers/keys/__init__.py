"""Keys of keyboards, number pads, foot switches and quiz sets as buttons."""
