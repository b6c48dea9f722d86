"""At which addresses other machines reach this one: of each network that it is in, the best first.

The kernel is asked each time, by a few cheap calls: a hotspot that comes up later is found, whether or not it leads
anywhere else. Where the kernel is not Linux there is no list, but `routed_address` works.
"""

from __future__ import annotations

import fcntl
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from referee.core.values import Value

UP, LOOPBACK, POINT_TO_POINT, RUNNING = 0x1, 0x8, 0x10, 0x40
"""IFF_... of <linux/if.h>."""
_FLAGS, _ADDRESS = 0x8913, 0x8915
"""SIOCGIFFLAGS, SIOCGIFADDR of <linux/sockios.h>."""
_UNUSABLE = 0x01 | 0x08 | 0x20 | 0x40
"""IFA_F_ of <linux/if_addr.h>: temporary, failed, deprecated, tentative."""
_INET6 = Path("/proc/net/if_inet6")
_DEVICES = Path("/sys/class/net")


class Interface(Value):
    """A network interface. flags: IFF_...; hardware: a device, and no bridge, tunnel or the like."""

    name: str
    flags: int
    hardware: bool
    addresses: tuple[str, ...]


def reachable(interfaces: Iterable[Interface], routed: str = "") -> tuple[str, ...]:
    """The addresses that another machine can reach, the best first. `routed`: of the default route.

    IPv4 comes before IPv6, and what software makes (a container's bridge, a tunnel) last, unless the route leads there.
    """
    found = []
    for one in interfaces:
        if one.flags & (UP | RUNNING | LOOPBACK) != UP | RUNNING:
            continue
        for text in one.addresses:
            address = ip_address(text)
            if _usable(address):
                inner = one.flags & POINT_TO_POINT or not (one.hardware or text == routed)
                found.append((address.is_link_local, bool(inner), address.version, text != routed, text))
    return tuple(text for *_, text in sorted(found, key=lambda one: one[:-1]))


def _usable(address: IPv4Address | IPv6Address) -> bool:
    near = address.version == 6 and address.is_link_local  # needs the name of an interface, which differs on a phone
    return not (near or address.is_loopback or address.is_unspecified or address.is_multicast)


def interfaces() -> tuple[Interface, ...]:
    """Those that the kernel has now, each with its first IPv4 address and its lasting IPv6 addresses."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        six = _addresses6()
        return tuple(_interface(asking, name, six.get(name, ())) for _, name in socket.if_nameindex())
    return ()


def _interface(asking: socket.socket, name: str, six: tuple[str, ...]) -> Interface:
    request = struct.pack("16s24x", name.encode())
    flags, four = 0, tuple[str, ...]()
    with suppress(OSError):  # it has gone, or has none
        (flags,) = struct.unpack_from("H", fcntl.ioctl(asking, _FLAGS, request), 16)
        four = (socket.inet_ntoa(fcntl.ioctl(asking, _ADDRESS, request)[20:24]),)
    return Interface(name, flags, (_DEVICES / name / "device").exists(), (*four, *six))


def _addresses6() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    with suppress(OSError):
        for line in _INET6.read_text("ascii").splitlines():
            digits, _, _, _, flags, name = line.split()
            if not int(flags, 16) & _UNUSABLE:
                found[name] = (*found.get(name, ()), str(IPv6Address(int(digits, 16))))
    return found


def routed_address() -> str:
    """This machine's number on the network of its default route; "" without one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1 of RFC 5737: nobody's
        except OSError:
            return ""
        found: str = probe.getsockname()[0]
        return found
