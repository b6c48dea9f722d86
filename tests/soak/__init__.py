"""A long run of the device at a simulated table, watched from outside (`make soak`)."""
