"""The whole firmware, unmodified, on an emulated Pico with real MicroPython: `make pod-emulated`."""
