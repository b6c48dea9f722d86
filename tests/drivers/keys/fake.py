"""A keyboard whose device file is a pipe with the kernel's real event structures."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Sequence

from referee.drivers.keys.nodes import Device, Node

A, B, C, ENTER = 30, 48, 46, 28
MS = 1_000_000


class PipeKeyboard:
    """The keys that are down, and a pipe that is read as if it were the device file."""

    def __init__(self, *held: int) -> None:
        self.fd, self._writing = os.pipe2(os.O_NONBLOCK)
        self.held = set(held)

    def active_keys(self) -> list[int]:
        """Return the keys that are down."""
        return sorted(self.held)

    def close(self) -> None:
        """Close both ends."""
        os.close(self.fd)
        self.unplug()

    def unplug(self) -> None:
        """End the events."""
        writing, self._writing = self._writing, -1
        if writing >= 0:
            os.close(writing)

    def report(self, t_ns: int, *changes: tuple[int, int]) -> None:
        """Report these (code, value) pairs with one stamp."""
        for code, value in changes:
            if value < 2:
                (self.held.add if value else self.held.discard)(code)
        self.events(t_ns, *((1, code, value) for code, value in changes), (0, 0, 0))

    def events(self, t_ns: int, *events: tuple[int, int, int]) -> None:
        """Write raw (type, code, value) events."""
        seconds, rest = divmod(t_ns, 10**9)
        os.write(self._writing, b"".join(struct.pack("@llHHi", seconds, rest // 1000, *one) for one in events))


class Plugged:
    """The machine's keyboards: what is plugged in, and the kernel's announcements."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.devices: dict[str, PipeKeyboard] = {}
        self.grabbed: list[str] = []
        self.refused: set[str] = set()
        self._news, self._kernel = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._news.setblocking(False)

    def find(self) -> Sequence[Node]:
        """Return what is plugged in."""
        return tuple(self.nodes)

    def open(self, node: Node, grab: bool) -> Device:
        """Open a keyboard's pipe."""
        if node.path in self.refused:
            raise PermissionError(13, "Permission denied")
        self.grabbed += [node.path] if grab else []
        return self.devices[node.path]

    def news(self) -> socket.socket:
        """Return the socket with the announcements."""
        return self._news

    def plug(self, node: Node, *held: int) -> PipeKeyboard:
        """Plug a keyboard in, with these keys down, and announce it."""
        self.nodes.append(node)
        self.devices[node.path] = PipeKeyboard(*held)
        self.announce()
        return self.devices[node.path]

    def unplug(self, node: Node) -> None:
        """Pull a keyboard out."""
        self.nodes.remove(node)
        self.devices[node.path].unplug()

    def announce(self, text: bytes = b"add@/devices/x\0ACTION=add\0SUBSYSTEM=input\0") -> None:
        """Announce a device as the kernel does."""
        self._kernel.send(text)

    def close(self) -> None:
        """Close both ends of the announcements."""
        self._kernel.close()
        self._news.close()
