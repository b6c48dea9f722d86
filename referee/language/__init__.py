"""The device's texts in the table's language, from one catalogue per language."""
