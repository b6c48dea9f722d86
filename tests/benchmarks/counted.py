"""`python -m tests.benchmarks.counted run --simulate ...`: the daemon, telling each frame that reaches its panel.

It tells by one datagram to NOTIFY_SOCKET, beside what it says to systemd, so that nothing is written to a disk.
"""

from __future__ import annotations

import os
import socket
import sys

from PIL.Image import Image

from referee.cli import main
from referee.drivers.oled.panel import OledPanel

FRAME = b"X_FRAME=1"


def tell_frames(address: str) -> None:
    """From now on each `OledPanel.write` of this process is told there."""
    write = OledPanel.write
    way = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def told(self: OledPanel, image: Image) -> None:
        way.sendto(FRAME, address)
        write(self, image)

    OledPanel.write = told  # type: ignore[method-assign]


if __name__ == "__main__":
    tell_frames(os.environ["NOTIFY_SOCKET"])
    sys.exit(main())
