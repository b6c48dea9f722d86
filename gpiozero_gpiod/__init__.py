"""A gpiozero pin factory for libgpiod 2, with a mock; for any program (see README.md)."""
