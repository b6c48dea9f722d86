"""The kernel's PWM: a channel, and finding its chip."""
