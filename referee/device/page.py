"""The page as an output: what it shows and where it listens; its process is separate.

In the simulation, the page's buttons drive mock pins.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.config import Config, ConfigError, address
from referee.core.model.events import Cue
from referee.core.model.view import Lamp, View
from referee.core.values import replace
from referee.device.assembly import draw, glass
from referee.device.children.page import PageProcess, address_of, bind_sockets
from referee.device.guard import Clock, Output
from referee.device.phones.desk import Desk, LiveTable
from referee.device.phones.pairing import HouseBook, PhoneBook
from referee.device.simulated import Fingers
from referee.device.updates import program_of
from referee.drivers.network import interfaces, reachable, routed_address
from referee.drivers.oled.display import Display
from referee.drivers.pins.pinmap import Profile
from referee.drivers.sound.motifs import BEFORE_WORDS, MOTIFS
from referee.language.voice import Voice
from referee.protocol.page import Served
from referee.protocol.snapshot import Snapshot
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


class _Glass:
    """A virtual display, which keeps the picture that it shows."""

    def __init__(self) -> None:
        self.pixels = b""

    def write(self, image: Image) -> None:
        self.pixels = image.tobytes()

    def contrast(self, level: int) -> None:
        return

    def answers(self) -> bool:
        return True

    def refresh(self) -> None:
        return

    def close(self, blank: bool) -> None:
        return


class PageOutput(Output):
    """Sends the picture, the lamps and the sounds to the page."""

    def __init__(self, feed: Any, clock: Clock, config: Config) -> None:
        self._feed, self._clock = feed, clock
        self._size = glass(config)
        self._glass = _Glass()
        self._view: View | None = None
        self._lamps: tuple[Lamp, ...] = ()
        self._voice = Voice()
        drawing = partial(draw, size=self._size)
        self._display: Display[View] = Display(lambda: self._glass, drawing, LOG, on_shown=self._note_shown)

    def _note_shown(self, view: View, at_ns: int) -> None:
        dimmed = self._view is not None and _only_dimmed(self._view, view)
        self._view = view
        self._publish(blinks=dimmed)
        if view.speaks and (said := self._voice.hear(view)):
            self._feed.speak(said.words, said.language, follows=said.follows)

    def _publish(self, *, blinks: bool = False) -> None:
        if self._view is not None:
            view = replace(self._view, lamps=self._lamps)
            self._feed.publish(Snapshot(view, self._glass.pixels, *self._size), blinks=blinks)

    def show(self, view: View) -> None:
        """Draw the view on the virtual display. Its picture is then sent to the page."""
        self._lamps = self._lamps or view.lamps
        self._display.show(view)

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Send the lamps to the page."""
        before, self._lamps = self._lamps, tuple(lamps)
        self._publish(blinks=_patterns(before) == _patterns(self._lamps))

    def sound(self, cue: Cue) -> None:
        """Send the notes and their time to the page."""
        speaks = self._view is not None and self._view.speaks
        motif = MOTIFS.get(BEFORE_WORDS.get(cue.name, cue.name) if speaks else cue.name)
        heard = motif is not None and (self._view is None or self._view.volume_percent > 0)
        notes, priority = (motif.notes, motif.priority) if motif and heard else ((), 2)
        self._feed.sound(cue.name, notes, cue.at_ns, priority=priority, cancels=cue.cancels)

    def close(self) -> None:
        """Stop the virtual display and its thread."""
        self._display.close()


def _only_dimmed(before: View, after: View) -> bool:
    """Return whether only the brightness differs. It drops a minute after the last input."""
    if before.dim == after.dim:
        return False
    seq, now_ns, changes_at_ns = (
        before.seq,
        before.now_ns,
        before.changes_at_ns,
    )  # rows that do not change the picture are not sent
    same = replace(after, seq=seq, now_ns=now_ns, changes_at_ns=changes_at_ns, lamps=before.lamps, dim=before.dim)
    return same == before


def _patterns(lamps: Sequence[Lamp]) -> list[tuple[str, str]]:
    """Return each lamp's station and blink pattern, whether or not the lamp is lit now."""
    return [(lamp.station, lamp.pattern) for lamp in lamps]


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
    output = PageOutput(served, clock, config)

    async def close() -> None:
        output.close()
        await asyncio.to_thread(served.stop)

    name = (await given_name() if host in EVERYWHERE else "") or own_names()[0]
    addresses = partial(page_addresses, host, sockets[0].getsockname()[1], name)
    return served, output, addresses, close, desk
