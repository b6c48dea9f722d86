"""The kernel's PWM: a channel, with its fake, and which chip it belongs to."""
