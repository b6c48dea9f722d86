"""The preset of a device without configuration, in its own module because table values need it, too."""

PRESET = "nna"
