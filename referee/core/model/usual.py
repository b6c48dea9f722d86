"""The preset that a device without configuration uses.

It has its own module because the default values of `Setup` need it too.
"""

PRESET = "nna"
