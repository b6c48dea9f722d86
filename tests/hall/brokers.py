"""A Mosquitto broker that runs for a test, and can be killed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAM = shutil.which("mosquitto", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def free_port() -> int:
    """Return a TCP port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Mosquitto:
    """A broker on a port of this machine. It keeps nothing on disk, so a killed one has lost everything."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.port = port or free_port()
        self._config = folder / f"mosquitto-{self.port}.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type error\n"
            f"max_queued_messages 10000\n"
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Return the broker's URL."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        assert PROGRAM is not None
        self._process = subprocess.Popen([PROGRAM, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        until_s = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > until_s or self._process.poll() is not None:
                    raise
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill the broker, which loses its memory."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
