"""Run the daemon and report each frame that reaches its panel: `python -m tests.benchmarks.counted run --simulate ...`.

Each frame is a datagram to NOTIFY_SOCKET, in addition to systemd's messages, so that nothing is written to a disk.
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
    """Report each `OledPanel.write` of this process from now on."""
    write = OledPanel.write
    way = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def told(self: OledPanel, image: Image) -> None:
        way.sendto(FRAME, address)
        write(self, image)

    OledPanel.write = told  # type: ignore[method-assign]


if __name__ == "__main__":
    tell_frames(os.environ["NOTIFY_SOCKET"])
    sys.exit(main())
