"""The preset of a device that nobody has configured: the registry's own word, which the values of a table need, too."""

PRESET = "nna"
