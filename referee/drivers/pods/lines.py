"""Button pods on serial lines: find them, and convert their reports to core rows.

Theory of operation. A watcher looks for Picos once a second, opens each new line, and lets a `Port` talk on it; one
thread serves all lines (linethread.py). A pod identifies itself by its chip's serial number. On any line, its stations
are those that the configuration gives to that number. A pod keeps its `Link` when it is unplugged, so its presses in
between arrive later, with the right time. If a second pod has the same number, it is reported and ignored. Memory for
unknown devices is limited: one link per configuration entry and line.

Rows carry their timestamp, its error bound, and the host's time of arrival. `Linked` rows report which stations have no
link, and their levels when the link is back. The public methods neither raise nor block.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from glob import glob
from typing import Any

from referee.core.model.events import Linked, RowsKnown, Turned
from referee.core.pods.link import Link, News, Odd, Old, Refused, Seen, Silent, Up
from referee.core.pods.wire import Hello
from referee.core.presses.signals import TURNS, Edge
from referee.core.units import S
from referee.core.values import Value
from referee.drivers.buttons import Quadrature
from referee.drivers.pods.linethread import LineThread
from referee.drivers.pods.port import PAUSE_NS, Port, Pulses, Tries, open_line
from referee.drivers.pods.sync_wire import Steered

LOG = logging.getLogger("referee")
SCAN_S = 1.0
AGAIN_NS = 30 * S
"""Pause before a line without a pod is tried again, in ns."""
SENTENCES = 64
"""Number of messages remembered, so that none is repeated: several for each pod and line."""
LINES = ("/dev/ttyACM*", "/dev/cu.usbmodem*")
RASPBERRY_PI = 0x2E8A
"""The USB vendor ID of the Pico and of MicroPython on it."""

PodRow = Edge | Linked | RowsKnown | Turned
PodSink = Callable[[Sequence[PodRow]], object]


def found_lines() -> tuple[str, ...]:
    """Return the serial lines of USB devices that have the vendor ID of a Pico."""
    if os.name == "posix" and not any(map(glob, LINES)):
        return ()  # this is cheaper than asking for the vendors
    from serial.tools.list_ports import comports

    return tuple(sorted(port.device for port in comports() if port.vid == RASPBERRY_PI))


class PodStatus(Value):
    """A pod's state, for `referee doctor` and the page.

    bound_ns: the error bound of the pod's clock; None if the pod is unplugged or its clock not known yet.
    """

    ident: str
    stations: tuple[str, ...]
    line: str
    up: bool
    bound_ns: int | None
    drift_ppm: float
    exchanges: int
    lost: int


class Pods:
    """All pods of the table. Opens and reads their lines, and reopens them after an unplug."""

    def __init__(
        self,
        stations: Mapping[str, tuple[str, ...]],
        sink: PodSink,
        *,
        lines: Sequence[str] = (),
        find: Callable[[], Sequence[str]] | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        report: Callable[[str], object] = LOG.warning,
        scan_s: float = SCAN_S,
        pulses: Pulses = tuple,
        steered: Callable[[], int] | None = None,
        looked: Callable[[Sequence[PodStatus]], object] = lambda statuses: None,
        pause_ns: int = PAUSE_NS,
    ) -> None:
        """`stations`: last digits of a pod's number -> the station of each contact, "" for none.

        `lines`: serial lines to open besides those that `find` returns. `report`: called with a sentence when a pod
        comes or goes. `pulses`: returns the newest pulses on the sync wire. `steered`: returns how often the host's
        clock has been steered. `looked`: called with all pods' states after each search for lines. `pause_ns`: maximum
        delay of rows from a pod that sends a flood of reports (see `Moderation`).
        """
        self._stations = dict(stations)
        self._looked, self._pause_ns = looked, pause_ns
        self._sink, self._lines, self._clock, self._report = sink, tuple(lines), clock, report
        self._find = find or found_lines
        self._scan_s, self._pulses, self._steered = scan_s, pulses, steered or Steered()
        self._began_ns = clock()
        self._gate = threading.RLock()
        self._served = LineThread(clock)
        self._ports: dict[str, Port] = {}
        self._links: dict[str, Link] = {}  # pod's number -> its link; kept while it is unplugged
        self._owners: dict[str, str] = {}  # line -> the pod's number
        self._named: dict[str, tuple[str, ...]] = {}  # line -> its pod's stations, by contact
        self._tries: dict[str, Tries] = {}  # line -> when to try it again
        self._said: dict[str, str] = {}
        self._knob = Quadrature(1, 1)
        self._lit: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="pods", daemon=True)

    def start(self) -> None:
        """Start the thread that looks for pods."""
        self._watcher.start()

    def close(self) -> None:
        """Stop looking for pods, and close all lines."""
        self._stop.set()
        if self._watcher.is_alive():
            self._watcher.join(2)
        for port in list(self._ports.values()):
            port.close()
        self._served.close()

    def light(self, lit: frozenset[str]) -> None:
        """Light the lamps of exactly these stations, on their pods."""
        with self._gate:
            self._lit = lit
            for line, ident in self._owners.items():
                self._order_lamps(self._ports.get(line), ident)

    def status(self) -> tuple[PodStatus, ...]:
        """Return the state of each known pod, and of each configured pod that was not seen yet."""
        with self._gate:
            lines = {ident: line for line, ident in self._owners.items()}
            known = [self._status(ident, link, lines.get(ident, "")) for ident, link in self._links.items()]
            unseen = [n for n in self._stations if not any(ident.endswith(n) for ident in self._links)]
            return tuple(known + [PodStatus(n, _real(self._stations[n]), "", False, None, 0.0, 0, 0) for n in unseen])

    def _status(self, ident: str, link: Link, line: str) -> PodStatus:
        quality = link.quality(self._clock())
        bound_ns = quality.bound_ns if line and quality.exchanges else None
        lost = link.beat.lost if link.beat else 0
        named = _real(self._of(ident))
        return PodStatus(ident, named, line, bool(line), bound_ns, quality.drift_ppm, quality.exchanges, lost)

    # -- lines -----------------------------------------------------------------------------------------------------

    def _watch(self) -> None:
        while True:
            try:
                self._look()
                self._looked(self.status())
            except Exception as exc:  # another driver's files in sysfs may contain anything
                self._once("scan", f"looking for pods failed: {str(exc) or type(exc).__name__}")
            if self._stop.wait(self._scan_s):
                return

    def _look(self) -> None:
        self._steered()  # also without pods: reports that a pod has stored are converted with the clock's earlier state
        found = (*self._find(), *self._lines)
        with self._gate:
            for line in [line for line in self._tries if line not in found]:
                del self._tries[line]  # unplugged: the next device on this line is tried at once
            free = [line for line in found if line not in self._ports]
        for line in free:
            if self._try(line).due(self._clock()):
                self._open(line)

    def _try(self, line: str) -> Tries:
        """Return the `Tries` of a line. Create them for a line that is new or was unplugged."""
        with self._gate:
            return self._tries.setdefault(line, Tries())

    def _open(self, line: str) -> None:
        try:
            opened = open_line(line)
        except (OSError, ValueError) as exc:
            self._once(line, f"{line} cannot be opened: {_reason(exc)}")
            return
        self._try(line).note_open(self._clock())
        link = Link(self._began_ns)
        port = Port(
            line,
            opened,
            link,
            clock=self._clock,
            news=self._take_news,
            ended=self._note_end,
            pulses=self._pulses,
            steered=self._steered,
            pause_ns=self._pause_ns,
        )
        with self._gate:
            self._ports[line] = port
        self._served.serve(port)

    def _note_end(self, port: Port, why: str) -> None:
        """Remove a port whose line has ended. Called on the port's thread."""
        with self._gate:
            self._ports.pop(port.url, None)
            ident = self._owners.pop(port.url, None)
            self._named.pop(port.url, None)
            self._try(port.url).note_end(self._clock())
            if ident is not None and not self._of(ident):
                self._links.pop(ident, None)  # it has no station, so there are no presses to keep
        if ident is not None:
            self._tell_gone(ident, why)

    def _tell_gone(self, ident: str, why: str) -> None:
        name, stations = _name(ident), _real(self._of(ident))
        if stations and not self._stop.is_set():
            self._sink([Linked(self._clock(), f"pod:{ident}", False, stations)])
        if not self._stop.is_set():
            self._say(name, f"{name} is lost{f' ({why})' if why else ''}")

    # -- news ------------------------------------------------------------------------------------------------------

    def _take_news(self, port: Port, now_ns: int, news: Sequence[News]) -> None:
        """Convert a pod's reports to rows with station names. Called on the port's thread."""
        rows: list[PodRow] = []
        named = self._named.get(port.url, ())
        if isinstance(news[0], Up):
            with self._gate:
                known = self._links.get(news[0].hello.ident, port.link)
                if known is not port.link and self._other_line(port, news[0].hello) is None:
                    port.link = known
                    news = known.resume_line(news[0].hello, now_ns)
        for item in news:
            starts = isinstance(item, Old) or (isinstance(item, Up) and item.restarted)
            if starts and self._try(port.url).starts_too_often(now_ns):
                self._refuse(port, "starts again and again")
                break
            if isinstance(item, Seen):
                station = named[item.contact] if item.contact < len(named) else ""
                if station in TURNS:
                    steps = self._knob.change(**{station[-1]: int(not item.closed)})
                    if steps:
                        rows.append(Turned(now_ns, steps))
                elif station:
                    rows += rows_of(item, station, now_ns)
            elif isinstance(item, Up):
                with self._gate:
                    if self._is_somebody_else(port, item.hello):
                        break
                    rows += self._up(port, now_ns, item)
                named = self._named.get(port.url, ())
            elif isinstance(item, Old):
                rows += self._old(port, now_ns, item)
            elif isinstance(item, Odd):
                self._once(port.url, f"{_name(self._owners.get(port.url, ''))} on {port.url} {item.what}")
            elif isinstance(item, Refused):
                self._refuse(port, item.reason, item.sample)
            elif isinstance(item, Silent):
                port.order(lambda link: _end("it says nothing any more"))
        if rows:
            self._sink(rows)

    def _other_line(self, port: Port, hello: Hello) -> str | None:
        """Return another line whose pod has the same configuration entry as this one, or None.

        A pod without an entry is compared by its whole number.
        """
        entry = self._entry(hello.ident)
        taken = ((line, ident) for line, ident in self._owners.items() if line != port.url)
        return next((line for line, ident in taken if self._entry(ident) == entry), None)

    def _is_somebody_else(self, port: Port, hello: Hello) -> bool:
        """Return whether this line had another pod before, or another line has this pod's number.

        If so, end this line's port.
        """
        other = self._other_line(port, hello)
        if other is None and self._owners.get(port.url, hello.ident) == hello.ident:
            return False
        port.order(lambda link: _end("another pod"))
        if other is None:
            self._links.pop(self._owners[port.url], None)  # it belongs to the other line now
        elif self._try(port.url).shun_taken(self._clock(), AGAIN_NS):
            self._once(port.url, f"{_name(hello.ident)} on {port.url} has the number of the one on {other}: {ONE_EACH}")
        return True

    def _up(self, port: Port, now_ns: int, up: Up) -> list[PodRow]:
        ident = up.hello.ident
        named = self._of(ident)
        self._owners[port.url], self._named[port.url] = ident, named
        self._links = {n: link for n, link in self._links.items() if self._entry(n) != self._entry(ident)}
        self._links[ident] = port.link
        self._try(port.url).is_free()
        self._order_lamps(port, ident)
        name = _name(ident)
        if not named:
            self._once(name, f"{name} on {port.url} is not in the configuration: {_advice(up.hello)}")
            return []
        self._say(name, f"{name} is there: stations {', '.join(_real(named))}{', restarted' if up.restarted else ''}")
        return [Linked(now_ns, f"pod:{ident}", True, _real(named), _closed_stations(named, up.closed))]

    def _old(self, port: Port, now_ns: int, old: Old) -> list[PodRow]:
        ident = self._owners.get(port.url, "")
        named = self._of(ident)
        self._report(f"{_name(ident)} kept {old.count} edges of before this start; they are nobody's press any more")
        return [Linked(now_ns, f"pod:{ident}", True, _real(named), _closed_stations(named, old.closed))]

    def _refuse(self, port: Port, reason: str, sample: bytes | None = None) -> None:
        """Report the device and close its line: a stranger's for `AGAIN_NS`, a silent one's for a shorter time.

        A line that had a pod stays open, so that the pod is back at its first answer.
        """
        self._once(port.url, f"{port.url} {reason}")
        tries = self._try(port.url)
        if sample is not None and tries.had_pod:
            return
        if sample != b"":
            tries.shun(self._clock() + AGAIN_NS)
        port.order(lambda link: _end(reason))

    # -- helpers ---------------------------------------------------------------------------------------------------

    def _of(self, ident: str) -> tuple[str, ...]:
        """Return the stations of a pod's contacts; () if the configuration does not name the pod."""
        return next((named for end, named in self._stations.items() if ident and ident.endswith(end)), ())

    def _entry(self, ident: str) -> str:
        """Return the last digits by which the configuration names the pod.

        If the configuration does not name the pod, return its whole number.
        """
        return next((end for end in self._stations if ident.endswith(end)), ident)

    def _order_lamps(self, port: Port | None, ident: str) -> None:
        mask = sum(1 << n for n, station in enumerate(self._of(ident)) if station in self._lit)
        if port is not None:
            port.order(lambda link: link.light(mask))

    def _once(self, about: str, sentence: str) -> None:
        """Report the sentence, unless it was the last one with the same `about` (a pod or a line)."""
        if self._said.get(about) != sentence:
            self._say(about, sentence)

    def _say(self, about: str, sentence: str) -> None:
        self._said.pop(about, None)
        self._said[about] = sentence
        for oldest in list(self._said)[:-SENTENCES]:
            del self._said[oldest]
        self._report(sentence)


def rows_of(seen: Seen, station: str, now_ns: int) -> list[PodRow]:
    """Return a change of a pod's contact as rows. A change that the pod has denied before is late for a call."""
    edge = Edge(station, seen.closed, seen.t_ns, seen.err_ns, now_ns, seen.clock, seen.rel_err_ns)
    return [RowsKnown(now_ns, station, seen.t_ns - seen.err_ns + 1), edge] if seen.late else [edge]


ONE_EACH = "it is left alone; [pods.contacts] takes as much of each pod's number as tells them apart"


def _end(why: str) -> None:
    raise OSError(why)


def _name(ident: str) -> str:
    return f"pod {ident[-4:]}"


def _real(named: Sequence[str]) -> tuple[str, ...]:
    return tuple(station for station in named if station and station not in TURNS)


def _closed_stations(named: Sequence[str], mask: int) -> tuple[str, ...]:
    return tuple(station for n, station in enumerate(named) if station in _real(named) and mask >> n & 1)


def _advice(hello: Hello) -> str:
    return f'[pods.contacts] takes a line such as {hello.ident} = ["1", "2"]'


def _reason(exc: BaseException) -> str:
    said: Any = getattr(exc, "strerror", None)
    return said or str(exc) or type(exc).__name__
