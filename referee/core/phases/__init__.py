"""The phases (what the table is doing) that all games share, with their transitions."""
