"""The rules and the referee: a pure function of its events. No clock, no input or output."""
