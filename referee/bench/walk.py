"""`referee doctor --walk`: test the device's parts one by one together with a person.

Contacts and the knob are measured. Lamps, SPI displays and the piezo cannot answer, so the person is asked, with
questions that cannot all be answered by yes: the display shows a number and the piezo beeps a number of times. Every
part yields findings, which the sheet lists. Tests can replace time and keyboard: rows come through `Bench.take`,
answers through `Tester`.
"""

from __future__ import annotations

import queue
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from referee.bench.findings import Finding, fault, fine, open_
from referee.core.model.events import Turned
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.drivers.pins.pinmap import Profile
from referee.language.numbers import decimal_text
from referee.language.words import text_at, word

if TYPE_CHECKING:
    from PIL import Image

    from referee.drivers.lamps import Lamps
    from referee.drivers.oled.panel import OledPanel
    from referee.drivers.pwm import Pwm

PATIENCE_S = 15.0
"""How long to wait for a press, in s."""
QUIET_S = 0.3
"""Time without edges after which a released contact counts as quiet, in s.

It is longer than the bounces of a slow release.
"""
HELD_S = 10.0
BURST_NS = 20 * MS
"""Edges closer than this belong to one closing or opening, in ns; a person is slower."""
MOST_BOUNCE_MS = 5
"""Longest acceptable bounce in ms.

Switch makers allow 5 ms; the core waits 10 ms for a contact to settle.
"""
CLICKS = 4
BEEP_HZ, BEEP_S, PAUSE_S = 1000, 0.15, 0.35
TRIES = 3
YES, NO = {"y", "yes", "j", "ja", "s", "si", "sì"}, {"n", "no", "nein"}

MARKS = {True: "pass", False: "fault", None: "open"}

InputRow = Edge | Turned


def text_of(key: str, /, **values: object) -> str:
    """Return a text for the person who tests, in the table's language."""
    return text_at("walk", key, **values)


class Tester(Protocol):
    """The person who tests the device, or a test's replacement for that person."""

    def tell(self, text: str) -> None:
        """Tell the person what to do next, without waiting for an answer."""
        ...

    def ask(self, question: str) -> str | None:
        """Ask the person. Return the typed answer, or None after the end of input."""
        ...


class Typist:
    """A person at the terminal. Questions go to standard error, results to standard output."""

    def tell(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def ask(self, question: str) -> str | None:
        print(question, end=" ", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        return line.strip() if line else None


@dataclass
class Bench:
    """The device's parts, claimed for the test. A missing part is None.

    `take(timeout=s)` returns the next row or raises queue.Empty. `down`: contacts that were closed at the start.
    """

    wiring: Profile
    lamps: Lamps | None
    connect: Callable[[], OledPanel] | None
    size: tuple[int, int]
    tone: Pwm | None
    take: Callable[..., InputRow]
    down: Sequence[str]
    clock: Callable[[], int]
    sleep: Callable[[float], None]


def walk(bench: Bench, person: Tester, dice: random.Random) -> Iterator[Finding]:
    """Test every part and yield its findings."""
    person.tell(text_of("head"))
    yield from lamps(bench, person)
    yield from display(bench, person, dice)
    yield tone(bench, person, dice)
    if bench.wiring.find("ENC_A"):
        yield knob(bench, person)
    yield from buttons(bench, person)
    if bench.wiring.find("PWR_BTN"):
        yield open_("power", text_of("power"))


def _fresh(bench: Bench) -> None:
    """Drop the rows that are waiting, because they came before the person was asked."""
    try:
        while True:
            bench.take(timeout=0)
    except queue.Empty:
        return


def yes(person: Tester, question: str) -> bool | None:
    """Ask a yes-or-no question. Return True, False, or None without a clear answer."""
    for _ in range(TRIES):
        said = person.ask(question)
        if said is None:
            return None
        if said.lower() in YES | NO:
            return said.lower() in YES
        person.tell(text_of("again"))
    return None


def number(person: Tester, question: str) -> int | None:
    """Ask for a number. Return -1 for an empty line, None without a clear answer."""
    for _ in range(TRIES):
        said = person.ask(question)
        if said is None:
            return None
        if not said or said.isdecimal():
            return int(said or -1)
        person.tell(text_of("again_number"))
    return None


def _finding(part: str, ok: bool | None, well: str, fault: str) -> Finding:
    return Finding(part, ok, text_of("unanswered") if ok is None else well if ok else fault)


# -- questions -----------------------------------------------------------------------------------------------------


def lamps(bench: Bench, person: Tester) -> Iterator[Finding]:
    """Test the lamps: the person says whether each one lights alone, then all, then none."""
    if bench.lamps is None:
        yield open_("lamps", text_of("left_out"))
        return
    stations = tuple(bench.wiring.stations())
    try:
        for station in stations:
            if not _light(bench, {station}):
                yield fault("lamps", text_of("lamps_mute"))
                return
            right = yes(person, text_of("lamp", station=station))
            yield _finding("lamps", right, text_of("lamp_ok", station=station), text_of("lamp_wrong", station=station))
        _light(bench, set(stations))
        together = yes(person, text_of("lamps_all"))
        _light(bench, set())
        dark = yes(person, text_of("lamps_none"))
        yield _finding(
            "lamps", _both(together, dark), text_of("lamps_ok"), text_of("lamps_stay" if together else "lamps_weak")
        )
    finally:
        _light(bench, set())


def _light(bench: Bench, stations: set[str]) -> bool:
    """Light the lamps of exactly these stations; return whether the lamps work."""
    if bench.lamps is None:
        return False
    bench.lamps.show(stations, bench.clock())
    return bench.lamps.next_ns is None


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def display(bench: Bench, person: Tester, dice: random.Random) -> Iterator[Finding]:
    """Test the display: the person reads a number and says whether all four edges are visible."""
    if bench.connect is None:
        yield open_("display", text_of("left_out"))
        return
    shown = dice.randrange(10, 100)
    try:
        panel = bench.connect()
        panel.write(picture(shown, bench.size))
    except Exception as exc:  # luma, smbus and spidev raise different errors
        yield fault("display", text_of("display_mute", reason=str(exc)))
        return
    try:
        read = number(person, text_of("display"))
        if read != shown:
            yield _finding("display", None if read is None else False, "", text_of("display_dark"))
        else:
            yield _finding("display", yes(person, text_of("frame")), text_of("display_ok"), text_of("display_cut"))
    finally:
        panel.close(True)


def picture(shown: int, size: tuple[int, int]) -> Image.Image:
    """Draw the test picture: a line along every edge, TOP, and a two-digit number."""
    from PIL import ImageDraw

    from referee.screens.canvas import LARGE, MIDDLE, Canvas
    from referee.screens.fonts import font

    canvas = Canvas(size)
    ImageDraw.Draw(canvas.image).rectangle((0, 0, size[0] - 1, size[1] - 1), outline=1)
    title, digits = font(MIDDLE), font(LARGE)
    head, text = word("walk_top"), str(shown)
    canvas.text((size[0] - len(head) * title.width) // 2, 3, head, title)
    canvas.text((size[0] - len(text) * digits.width) // 2, 24, text, digits)
    return canvas.image


def tone(bench: Bench, person: Tester, dice: random.Random) -> Finding:
    """Test the piezo: the person counts the beeps."""
    if bench.tone is None:
        return open_("sound", text_of("left_out"))
    beeps, period_ns = dice.randrange(2, 6), S // BEEP_HZ
    try:
        try:
            for _ in range(beeps):
                bench.tone.set(period_ns, period_ns // 2)
                bench.sleep(BEEP_S)
                bench.tone.off()
                bench.sleep(PAUSE_S)
        finally:
            bench.tone.off()
    except OSError as exc:
        return fault("sound", text_of("tone_mute", reason=str(exc)))
    heard = number(person, text_of("tone"))
    return _finding("sound", None if heard is None else heard == beeps, text_of("tone_ok"), text_of("tone_silent"))


# -- measurements --------------------------------------------------------------------------------------------------


def knob(bench: Bench, person: Tester) -> Finding:
    """Test the knob: the person turns it CLICKS detents each way, and pushes it after each way."""
    for sign, request in ((1, "knob_right"), (-1, "knob_left")):
        _fresh(bench)
        person.tell(text_of(request, clicks=CLICKS))
        counted = _clicks(bench)
        if counted is None:
            return fault("knob", text_of("knob_unpushed", seconds=round(PATIENCE_S)))
        if counted == 0:
            return fault("knob", text_of("knob_still"))
        if counted == -sign * CLICKS:
            return fault("knob", text_of("knob_round"))
        if counted != sign * CLICKS:
            return fault("knob", text_of("knob_counts", clicks=sign * CLICKS, counted=counted))
    return fine("knob", text_of("knob_ok"))


def _clicks(bench: Bench) -> int | None:
    """Count detents until the person pushes the knob and releases it; None without a push."""
    counted, pushed = 0, False
    while True:
        try:
            row = bench.take(timeout=QUIET_S if pushed else PATIENCE_S)
        except queue.Empty:
            return counted if pushed else None
        if isinstance(row, Turned):
            counted += row.steps
        elif row.station == KNOB:
            pushed = pushed or row.closed


def buttons(bench: Bench, person: Tester) -> Iterator[Finding]:
    """Report contacts that are closed before any press. Then test each button with its lamp lit."""
    for station in bench.down:
        yield fault("buttons", text_of("stuck", station=station))
    if not bench.wiring.stations():
        yield open_("buttons", text_of("left_out"))
    for station in bench.wiring.stations():
        _light(bench, {station})
        _fresh(bench)
        person.tell(text_of("press", station=station))
        yield check_press(station, bench.take)
    _light(bench, set())


def check_press(station: str, take: Callable[..., InputRow]) -> Finding:
    """Wait for one press of this button, and look for faults of the contact and the cables.

    Such faults are many bounces, a contact that stays closed, and another button that reacts.
    """
    try:
        rows = list(_press(take))
    except queue.Empty:
        return fault("buttons", text_of("no_press", station=station, seconds=round(PATIENCE_S)))
    mine = [row for row in rows if row.station == station]
    others = sorted({row.station for row in rows} - {station})
    if not mine:
        return fault("buttons", text_of("exchanged", station=station, other=others[0]))
    if others:
        return fault("buttons", text_of("crosstalk", station=station, other=", ".join(others)))
    if mine[-1].closed:
        return fault("buttons", text_of("held", station=station, seconds=round(HELD_S)))
    settled_ns = max(last - first for first, last in _bursts(mine))
    figures = {"station": station, "edges": len(mine), "ms": decimal_text(f"{settled_ns / MS:.1f}")}
    if settled_ns > MOST_BOUNCE_MS * MS:
        return fault("buttons", text_of("bounces", **figures, most=MOST_BOUNCE_MS))
    return fine("buttons", text_of("pressed", **figures))


def _press(take: Callable[..., InputRow]) -> Iterator[Edge]:
    """Yield the edges of a press, from the first closing until all contacts are quiet.

    A contact that is closed for HELD_S counts as stuck, and ends the press. Raises queue.Empty if no contact closes.
    """
    last: dict[str, bool] = {}
    first_ns: int | None = None
    waited_s = 0.0
    while first_ns is None:
        row = take(timeout=PATIENCE_S)
        if isinstance(row, Edge) and row.closed:
            first_ns, last[row.station] = row.t_ns, True
            yield row
    while waited_s < HELD_S:
        try:
            row = take(timeout=QUIET_S)
        except queue.Empty:
            if not any(last.values()):
                return
            waited_s += QUIET_S
            continue
        if isinstance(row, Edge):
            last[row.station] = row.closed
            yield row
            if row.t_ns - first_ns > HELD_S * S:
                return


def _bursts(rows: Sequence[Edge]) -> list[tuple[int, int]]:
    """Return the first and last time of each group of edges that are close to each other, in ns."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and row.t_ns - found[-1][1] <= BURST_NS:
            found[-1] = found[-1][0], row.t_ns
        else:
            found.append((row.t_ns, row.t_ns))
    return found


# -- the sheet -----------------------------------------------------------------------------------------------------


def sheet(found: Sequence[Finding], name: str, day: str) -> str:
    """Format the findings as a sheet: a heading that counts them, and a line for each."""
    counts = {ok: sum(finding.ok is ok for finding in found) for ok in (True, False, None)}
    head = text_of("sheet", name=name, day=day, passed=counts[True], faults=counts[False], open=counts[None])
    lines = (f"{text_of(MARKS[finding.ok]):>7}  {finding.part:<8}  {finding.sentence}" for finding in found)
    return "\n".join((head, "-" * len(head), *lines))
