"""The whole, unmodified firmware on an emulated Pico with real MicroPython: `make pod-emulated`."""
