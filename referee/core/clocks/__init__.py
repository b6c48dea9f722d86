"""Conversion of the clocks of pods and phones to the host's clock, with error bounds."""
