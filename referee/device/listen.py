"""The page's listening sockets, which the device's process binds, and the page's address."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable

BACKLOG = 128
_WAITING = struct.Struct("=24xI")
"""Reads tcpi_unacked from `struct tcp_info`: number of connections waiting to be accepted."""


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of the host.

    Raises OSError if a socket cannot be bound.
    """
    found: list[socket.socket] = []
    flags = socket.AI_PASSIVE
    places = dict.fromkeys(socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=flags))
    try:
        for family, _, _, _, address in places:
            here = (address[0], port, *address[2:])
            found.append(socket.create_server(here, family=family, backlog=BACKLOG))
            port = port or found[0].getsockname()[1]
    except BaseException:
        for one in found:
            one.close()
        raise
    return found


def address_of(port: int, host: str, name: str = "localhost") -> str:
    """Return the page's address for a browser.

    host: where the page listens. name: this machine's name, used if `host` stands for all addresses.
    """
    shown = name if host in ("", "0.0.0.0", "::") else "localhost" if host in ("127.0.0.1", "::1") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def knocking(listeners: Iterable[socket.socket]) -> bool:
    """Return whether a client's connection waits to be accepted.

    A page's process that works accepts each connection at once, even if only to close it.
    """
    return any(_waiting(listener) for listener in listeners)


def _waiting(listener: socket.socket) -> int:
    try:
        told = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size)
        return int(_WAITING.unpack(told)[0])
    except (OSError, AttributeError, struct.error):  # no Linux, or no TCP: then only other messages carry the question
        return 0
