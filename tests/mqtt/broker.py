"""A real Mosquitto, and a small hall that listens to it. Tests skip without `mosquitto` or paho-mqtt."""

from __future__ import annotations

import contextlib
import queue
import shutil
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.core.documents.delivery import Received, Row, hall_topic
from referee.protocol.mqtt import Settings

PATIENCE_S = 60.0
MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
TABLE = "t1"


class Mosquitto:
    """A broker on a free port, without memory of its own. `lines`: more lines of its configuration."""

    def __init__(self, folder: Path, lines: str = "allow_anonymous true") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._file = folder / f"mosquitto-{self.port}.conf"
        self._file.write_text(f"listener {self.port} 127.0.0.1\nuser root\n{lines}\n")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen([str(MOSQUITTO), "-c", self._file], stdout=quiet, stderr=quiet)
        begun_s = time.monotonic()
        while time.monotonic() - begun_s < PATIENCE_S:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise TimeoutError("mosquitto does not start")

    def kill(self) -> None:
        """Kill it; all that it knew is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def settings(self, state: Path, **more: Any) -> Settings:
        """Return the settings of a table that publishes here."""
        return Settings(host="127.0.0.1", port=self.port, tls=False, name=TABLE, state=str(state), **more)


@contextmanager
def mosquitto(folder: Path, lines: str = "allow_anonymous true") -> Iterator[Mosquitto]:
    """Run a broker."""
    if MOSQUITTO is None:
        pytest.skip("needs mosquitto: apt-get install mosquitto")
    pytest.importorskip("paho.mqtt", reason="needs paho-mqtt: the extra mqtt")
    broker = Mosquitto(folder, lines)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


@contextmanager
def refusing() -> Iterator[int]:
    """Run a broker that accepts connections and refuses subscriptions, and yield its port."""

    class Session(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(b"\x20\x02\x00\x00")  # CONNACK: accepted
            while data := self.request.recv(1000):
                if data[0] == 0x82:  # SUBSCRIBE; its answer has the same packet ID
                    topics = data.count(b"referee/")
                    self.request.sendall(bytes([0x90, 2 + topics, *data[2:4], *[0x80] * topics]))

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def deaf(echoes: int, confirms: int = 1 << 30, heard: list[bytes] | None = None) -> Iterator[int]:
    """Run a broker that sends back only the first few messages, and yield its port.

    confirms: number of messages with QoS 1 that it confirms. heard: gets the messages.
    """

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            sent = confirmed = 0
            while head := self.rfile.read(2):
                kind, length = head[0] >> 4, head[1]
                if length >= 0x80:  # at most two bytes
                    length += 0x80 * (self.rfile.read(1)[0] - 1)
                body = self.rfile.read(length)
                if kind == 1:  # CONNECT
                    self.wfile.write(b"\x20\x02\x00\x00")
                elif kind == 8:  # SUBSCRIBE
                    topics = body.count(b"referee/")
                    self.wfile.write(bytes([0x90, 2 + topics, *body[:2], *bytes(topics)]))
                elif kind == 14:  # DISCONNECT
                    return
                elif kind == 3:  # PUBLISH
                    end = 2 + int.from_bytes(body[:2], "big")
                    if head[0] & 2 and (confirmed := confirmed + 1) <= confirms:  # QoS 1
                        self.wfile.write(bytes([0x40, 2, *body[end : end + 2]]))
                    content = body[:end] + body[end + 2 :] if head[0] & 2 else body
                    if heard is not None:
                        heard.append(content)
                    if sent < echoes:
                        self.wfile.write(bytes([0x30, len(content)]) + content)
                    sent += 1

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class Hall:
    """A client that hears everything, and publishes what a hall would."""

    def __init__(self, broker: Mosquitto, prefix: str = "referee") -> None:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        self._messages: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.heard: list[tuple[str, bytes]] = []
        self.rows: dict[str, Row] = {}
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("#", 1)
        self._client.on_message = lambda _, __, message: self._messages.put((message.topic, bytes(message.payload)))
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, content: bytes, *, retain: bool = True) -> None:
        """Publish a message."""
        self._client.publish(topic, content, 1, retain)

    def receive(self, rows: dict[str, Row] | None = None, forgotten: int = 0) -> None:
        """Say which rows it holds."""
        self.rows = self.rows if rows is None else rows
        content = msgspec.json.encode(Received("h1", self.rows, forgotten))
        self.publish(hall_topic("referee", TABLE, "received"), content)

    def taken(self) -> list[tuple[str, bytes]]:
        """Return all messages so far, without waiting."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.heard.append(self._messages.get_nowait())
        return self.heard

    def until(self, part: str, wanted: Callable[[Any], object] = lambda document: True) -> Any:
        """Wait for a message on a topic that ends with `part`, and return its document."""
        end_s = time.monotonic() + PATIENCE_S
        while (left_s := end_s - time.monotonic()) > 0:
            topic, content = self._messages.get(timeout=left_s)
            self.heard.append((topic, content))
            if topic.endswith(f"/{part}"):
                document = msgspec.json.decode(content) if content[:1] in b"{[" else content.decode()
                if wanted(document):
                    return document
        raise TimeoutError(f"no such message: {part}")


@contextmanager
def hall(broker: Mosquitto) -> Iterator[Hall]:
    """Run a hall."""
    one = Hall(broker)
    try:
        yield one
    finally:
        one.close()
