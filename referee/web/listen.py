"""The page's listening sockets, which the device's own process binds, and its address."""

from __future__ import annotations

import socket

BACKLOG = 128


def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen on every address of the host.

    Raises OSError if one cannot be bound.
    """
    found: list[socket.socket] = []
    flags = socket.AI_PASSIVE
    places = dict.fromkeys(socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=flags))
    try:
        for family, kind, protocol, _, address in places:
            found.append(_listening(family, kind, protocol, (address[0], port, *address[2:])))
            port = port or found[0].getsockname()[1]
    except BaseException:
        for one in found:
            one.close()
        raise
    return found


def _listening(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except BaseException:
        made.close()
        raise
    return made


def address_of(port: int, host: str, name: str = "localhost") -> str:
    """The page's address for a person's browser.

    name: of this machine, for a page that listens everywhere.
    """
    shown = name if host in ("", "0.0.0.0", "::") else "localhost" if host in ("127.0.0.1", "::1") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
