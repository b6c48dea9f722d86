"""The rules and the referee: a pure function of events, without a clock, input or output."""
