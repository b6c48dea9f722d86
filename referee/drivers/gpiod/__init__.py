"""A gpiozero pin factory over libgpiod 2, with its fake. It imports nothing of the referee's; README.md has recipes."""
