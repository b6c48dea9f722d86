"""The page of a device: where it listens; its process is separate.

In the simulation, the page's buttons drive mock pins.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.config import Config, ConfigError, address
from referee.core.model.view import View
from referee.device.assembly import glass
from referee.device.children.page import PageProcess, address_of, bind_sockets
from referee.device.guard import Clock
from referee.device.page_output import PageOutput
from referee.device.phones.desk import Desk, LiveTable
from referee.device.phones.pairing import HouseBook, PhoneBook
from referee.device.simulated import Fingers
from referee.device.updates import program_of
from referee.drivers.network import interfaces, reachable, routed_address
from referee.drivers.oled.display import Display, Panel
from referee.drivers.pins.pinmap import Profile
from referee.protocol.page import Served
from referee.web.mdns import given_name

if TYPE_CHECKING:
    from PIL.Image import Image


LOG = logging.getLogger("referee")
PAGE = "127.0.0.1:8080"
MORE_PORTS = 20
"""How many ports after that of `PAGE` a simulated table tries."""
EVERYWHERE = ("", "0.0.0.0", "::")
MOST_ADDRESSES = 4
"""Maximum number of addresses to show; guests need no more."""


def _on_thread(draw: Callable[[View], Image], shown: Callable[[View, int], None]) -> Display[View]:
    """Return a virtual display that draws on its own thread."""
    return Display(_Glass, draw, LOG, on_shown=shown)


class _Glass(Panel):
    """The panel of a virtual display, whose pictures are shown elsewhere."""

    def answers(self) -> bool:
        return True


def own_names() -> tuple[str, ...]:
    """Return this machine's network names: the mDNS name, the short name, the full name."""
    full = socket.gethostname().lower()
    short = full.partition(".")[0]
    return tuple(dict.fromkeys((f"{short}.local", short, full)))


def link_of(addresses: str, code: str) -> str:
    """Return the link for a QR code: in capitals, because these need less room in the code.

    >>> link_of("http://[::1]:8080/ http://den.local:8080/", "K7Q4XM")
    'HTTP://[::1]:8080/J/K7Q4XM'
    """
    return f"{addresses.split()[0]}j/{code}".upper()


def page_addresses(host: str, port: int, name: str) -> str:
    """Return the page's current addresses, best first, separated by spaces.

    `host`: where the page listens. `name`: this machine's name. A numeric address comes first, because every phone can
    reach it; then the name.
    """
    if host not in EVERYWHERE:
        return address_of(port, host)
    routed = routed_address()
    numbers = reachable(interfaces(), routed) or ((routed,) if routed else ())
    family = {"0.0.0.0": ".", "::": ":"}.get(host, "")
    best, *others = [number for number in numbers if family in number][:MOST_ADDRESSES] or [name]
    return " ".join(address_of(port, one) for one in dict.fromkeys((best, name, *others)))


def past_of(state: Path | None) -> tuple[str, ...]:
    """Return the command that answers requests about past matches; empty without a directory."""
    return (sys.executable, "-m", "referee.storage.records.reader", str(state.absolute())) if state else ()


def _desk(book: Path, table: LiveTable, clock: Clock) -> Desk:
    return Desk(PhoneBook(book), table, link_of, clock, HouseBook(book.with_name("houses.json")))


def _bind(host: str, port: int, last: int) -> list[socket.socket]:
    """Return listening sockets at the first port from `port` to `last` that is free.

    Raises ConfigError if there is none, or if the host has no such address.
    """
    try:
        return bind_sockets(host, port)
    except OSError as exc:
        if exc.errno == errno.EADDRINUSE and port < last:
            LOG.warning("port %d is in use by another program, the page takes the next free one", port)
            return _bind(host, port + 1, last)
        where, why = f"the page cannot listen on {host}:{port}", exc.strerror or exc
        raise ConfigError(f"{where}: {why}; choose another place with --listen HOST:PORT") from exc


async def page(
    listen: str,
    wiring: Profile,
    controls: Fingers | None,
    clock: Clock,
    config: Config,
    phones: tuple[Path, LiveTable] | None = None,
    state: Path | None = None,
) -> Any:
    """Open the page: return (page, output, address function, close function, desk).

    The page's process starts in the background. `controls`: the simulated contacts, None on the device. `phones`: the
    path of the list of paired phones, and the live match. `state`: the directory of past matches.

    Returned: the page's process; an `Output`; a function that returns the page's addresses; a function that closes the
    page; the `Desk` that answers phones, None without `phones`. Raises ConfigError if the page cannot listen.
    """
    host, port = address(listen or PAGE) or ("", 0)  # an invalid address was rejected before
    sockets = _bind(host, port, port + MORE_PORTS if controls is not None and not listen else port)
    seats = config.setup(tuple(wiring.stations())).stations
    desk = _desk(*phones, clock) if phones is not None else None
    closed = config.web.read == "paired"
    names = (*own_names(), *config.web.names)
    told = Served(seats, controls is not None, host, names, closed, past_of(state), program_of(state))
    served = PageProcess(told, sockets, controls, desk)
    output = PageOutput(served, glass(config), _on_thread)

    async def close() -> None:
        output.close()
        await asyncio.to_thread(served.stop)

    name = (await given_name() if host in EVERYWHERE else "") or own_names()[0]
    addresses = partial(page_addresses, host, sockets[0].getsockname()[1], name)
    return served, output, addresses, close, desk
