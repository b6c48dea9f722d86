"""What is written of events and states, and how older writings are read."""
