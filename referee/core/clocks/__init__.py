"""Foreign clocks on the host's, each with a bound."""
