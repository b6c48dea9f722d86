"""A child that breaks its line to the device: `python -m tests.device.broken_child LINE`. NOISE says how.

"": it sends and reads nothing. "lines": it sends invalid lines. "line": it sends a line that never ends.
"""

from __future__ import annotations

import os
import signal
import socket
import sys

NOISE = {"lines": b"[" * 5000 + b"\n", "line": bytes(range(11, 256))}

if __name__ == "__main__":
    line, noise = socket.socket(fileno=int(sys.argv[1])), os.environ["NOISE"]
    while noise:
        line.sendall(NOISE[noise])
    signal.pause()
