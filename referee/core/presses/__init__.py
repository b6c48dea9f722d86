"""Turn edges (changes of contacts) into presses, and presses into a verdict."""
