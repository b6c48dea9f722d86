"""The preset of a device without configuration.

In its own module because table values need it, too.
"""

PRESET = "nna"
