"""A gpiozero pin factory for libgpiod 2, with a mock, usable on its own; see README.md."""
