"""The pin map: reading, design rules, printing."""
