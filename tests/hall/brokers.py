"""Brokers that run for a test, and can be killed: Mosquitto, and a cluster of NATS servers."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROGRAM = shutil.which("mosquitto", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")

CLUSTER_PROGRAM = shutil.which("nats-server", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")


def exit_on_signals() -> None:
    """Let SIGTERM and SIGHUP end this program with SystemExit, so that it ends the processes that it has started."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))


def free_port() -> int:
    """Return a TCP port that is free now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Broker:
    """A broker on a port of this machine. `command`: starts it."""

    def __init__(self, port: int, command: Sequence[str]) -> None:
        self.port, self._command = port, command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return the broker's URL."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def number(self) -> int:
        """Return the process's ID."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the broker and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


class Mosquitto(Broker):
    """A running broker that keeps nothing on disk, so a killed one has lost everything."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        port = port or free_port()
        config = folder / f"mosquitto-{port}.conf"
        config.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type error\n"
            f"max_queued_messages 10000\n"
        )
        assert PROGRAM is not None
        super().__init__(port, [PROGRAM, "-c", str(config)])
        self.start()


def cluster(folder: Path) -> list[Broker]:
    """Start three servers that keep each message on the disks of all three, so one may be away at any time."""
    assert CLUSTER_PROGRAM is not None
    routes = [free_port() for _ in range(3)]
    servers = []
    for number, route in enumerate(routes, 1):
        port, config = free_port(), folder / f"server-{number}.conf"
        urls = ", ".join(f'"nats://127.0.0.1:{other}"' for other in routes if other != route)
        config.write_text(
            f"server_name: server-{number}\nlisten: 127.0.0.1:{free_port()}\nmax_payload: 2MB\n"
            f'jetstream {{ store_dir: "{folder / f"server-{number}"}" }}\n'
            f"cluster {{ name: hall, listen: 127.0.0.1:{route}, routes: [{urls}] }}\n"
            f"mqtt {{ listen: 127.0.0.1:{port}, stream_replicas: 3 }}\n"
        )
        servers.append(Broker(port, [CLUSTER_PROGRAM, "-c", str(config), "-l", str(folder / f"server-{number}.log")]))
    for server in servers:
        server.start()
    return servers
