"""The pin map: read, held against its design rules, printed."""
