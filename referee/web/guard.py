"""Checks of who may read and who may press: Host, Origin, this machine or another one.

Theory of operation. A web page of another site can make a browser send us requests and, by pointing its own *name* at
our address (DNS rebinding), even read the answers. So a request is answered only under one of our names or, if the page
listens on every address, under a bare IP address, which cannot be rebound. A browser also sends the origin of the page
that opened a WebSocket: it must be our own. Pressing needs all of that, and a client on this very machine.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
HOME = frozenset({"localhost", "127.0.0.1", "::1"})
_EVERYWHERE = frozenset({"", "0.0.0.0", "::"})
SAME_NAME = 8
"""Maximum number of cookies of one name that are read.

Other programs on this host may use the name, too.
"""
IsOwn = Callable[[str | None, str | None], bool]
"""Whether a connection (client's address, our address) comes from this machine itself."""


def host_of(header: str | None) -> str | None:
    """Return the name or address in a Host header, without port and brackets.

    None if it is malformed.

    >>> host_of("localhost:8080"), host_of("[::1]:80"), host_of("a b"), host_of(None)
    ('localhost', '::1', None, None)
    """
    found = _HOST.fullmatch(header or "")
    return found[1].strip("[]").rstrip(".").lower() if found else None


class Hosts:
    """The host names under which browsers may ask this server for pages."""

    def __init__(self, listen: str = "127.0.0.1", names: Iterable[str] = ()) -> None:
        """`listen`: the host on which the server listens.

        `names`: further names, such as the device's own.
        """
        listen = listen.strip("[]").lower()
        self._everywhere = listen in _EVERYWHERE
        self.ours = HOME | {name.lower() for name in names} | ({listen} - _EVERYWHERE)

    def may_read(self, header: str | None) -> bool:
        """Return whether to answer requests with this Host header.

        The header must have one of this server's names, or any IP address if the server listens on all addresses.
        """
        host = host_of(header)
        return host is not None and (host in self.ours or (self._everywhere and is_address(host)))

    def may_write(self, header: str | None) -> bool:
        """Return whether a request with this Host header may change the table.

        The header must have one of this server's names.
        """
        return host_of(header) in self.ours


def is_address(host: str) -> bool:
    """Return whether the host is an IP address and not a name.

    >>> is_address("192.168.1.5"), is_address("fe80::1"), is_address("referee.local")
    (True, True, False)
    """
    return _address(host) is not None


def cookies(headers: Mapping[str, str], name: str) -> list[str]:
    """Return the values of the cookies that have this name, at most `SAME_NAME` of them.

    Other cookies are not parsed.

    >>> cookies({"Cookie": 'a b; "x=; phone=S-1; other={"a": 1}'}, "phone")
    ['S-1']
    """
    return re.findall(rf"(?:^|;) *{name}=([\w-]{{1,64}})(?= *(?:;|$))", headers.get("Cookie", ""), re.ASCII)[:SAME_NAME]


def same_origin(origin: str | None, host: str | None) -> bool:
    """Return whether an Origin header names the page that this Host header asks for.

    >>> same_origin("http://localhost:8080", "localhost:8080"), same_origin("http://evil", "localhost:8080")
    (True, False)
    """
    return bool(host) and origin in (f"http://{host}", f"https://{host}")


def same_machine(peer: str | None, here: str | None) -> bool:
    """Return whether a connection from `peer` to the server at `here` comes from this machine.

    >>> same_machine("127.0.0.1", "127.0.0.1"), same_machine("192.168.1.9", "192.168.1.5")
    (True, False)
    """
    far = _address(peer)
    return far is not None and (far.is_loopback or far == _address(here))


def _address(text: str | None) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text or "")
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
