"""The child processes of the device, and what it says to each."""
