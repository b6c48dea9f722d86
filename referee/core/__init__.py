"""The rules and the referee: a pure function of what happened. Standard library only, no clock, no input or output."""
