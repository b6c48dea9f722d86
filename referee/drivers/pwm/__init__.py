"""The kernel's PWM: a channel, its fake, and finding its chip."""
