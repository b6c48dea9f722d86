"""`referee doctor --fixture`: compare the device's timestamps with presses at known times.

Theory of operation. In a volley (a series of presses), the fixture closes every station's contact, one `gap` after the
other, in random order. The resulting rows go through the core's debouncing, and each press is compared with its time in
the volley. The two clocks are unrelated, so only differences within one volley count: the station with the earliest
timestamp relative to the plan counts as not late, and the lateness of the others is measured against it. A kernel
timestamp is never early, so the result is a lower bound of the lateness; the stated error (`[arbiter] gpio_err_us`)
must not be below it.

The command offers to write the result to the configuration file, doubled as a safety margin.

First, each contact is closed alone. This finds swapped and dead cables before the measurement; dead stations are left
out of it.
"""

from __future__ import annotations

import queue
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from referee.core.presses.signals import KNOB, Edge, presses_of
from referee.core.units import US
from referee.core.values import Value
from referee.drivers.buttons import Buttons
from referee.drivers.pins.pinmap import Profile
from referee.drivers.pods.lines import found_lines
from referee.simulator.table.contacts import bounce
from referee.storage.files import rewrite

PROTOCOL = 1
PATIENCE_S = 1.0
"""How long the fixture may take to answer, in s, in addition to the length of a volley."""


class FixtureError(RuntimeError):
    """The fixture is missing or does not work."""


class VolleyChange(Value):
    """A contact opens or closes `at_us` after the start of a volley (a series of changes)."""

    at_us: int
    contact: str
    closed: bool


class Fixture:
    """A connected test fixture: a Pico that closes contacts in place of people."""

    def __init__(self, line: Any, where: str) -> None:
        """`line`: pyserial's `Serial`; `where`: the port's name. Raises FixtureError."""
        self._line, self._where = line, where
        said = self._ask("hello").split()
        facts = dict(zip(said[2::2], said[3::2], strict=False))
        if said[:1] != ["fixture"] or not {"contacts", "step_ns"} <= facts.keys():
            raise FixtureError(
                f"{where} answers {' '.join(said)[:40]!r}, which no fixture does: copy firmware/fixture to the Pico"
            )
        if said[1] != str(PROTOCOL):
            raise FixtureError(
                f"the fixture on {where} speaks protocol {said[1]}, needed is {PROTOCOL}: copy firmware/fixture again"
            )
        self.contacts, self.step_ns = int(facts["contacts"]), int(facts["step_ns"])

    def play(self, moves: Iterable[VolleyChange]) -> None:
        """Open and close the contacts, and return after the last change. Raises FixtureError."""
        volley = sorted(moves, key=lambda move: (move.at_us, move.contact))
        words = " ".join(f"{m.at_us}:{m.contact}{'+' if m.closed else '-'}" for m in volley)
        said = self._ask(f"play {words}", volley[-1].at_us / 1e6)
        if said != f"played {len(volley)}":
            raise FixtureError(f"the fixture on {self._where} was to play {len(volley)} moves and says {said[:80]!r}")

    def close(self) -> None:
        """Close the port."""
        self._line.close()

    def _ask(self, line: str, longer_s: float = 0.0) -> str:
        try:
            self._line.reset_input_buffer()
            self._line.timeout = PATIENCE_S + longer_s
            self._line.write(f"{line}\n".encode())
            said: bytes = self._line.readline()
        except OSError as exc:  # pyserial's errors are subclasses of OSError
            raise FixtureError(f"the line to the fixture on {self._where} is broken ({exc})") from exc
        if not said.endswith(b"\n"):
            raise FixtureError(f"nothing answers on {self._where}: is the fixture's LED on?")
        return said.decode(errors="replace").strip()


def fixture(port: str = "") -> Fixture:
    """Open the fixture on this port, or on the only connected Pico. Raises FixtureError."""
    import serial

    where = port or _only_pico()
    try:
        line: Any = serial.Serial(where, timeout=PATIENCE_S)
    except (OSError, ValueError) as exc:
        raise FixtureError(f"{where} cannot be opened ({exc})") from exc
    try:
        return Fixture(line, where)
    except FixtureError:
        line.close()
        raise


def _only_pico() -> str:
    picos = found_lines()
    if len(picos) == 1:
        return picos[0]
    found = f"{len(picos)} are ({', '.join(picos)}): name one" if picos else "none is: plug it in, or name its port"
    raise FixtureError(f"one Pico must be plugged in, {found} with --fixture PORT")


LEAD_US = 60_000
"""Time without changes before a volley, in µs. A gesture ends after 40 ms."""
HOLD_US = 20_000
"""How long a contact stays closed, in µs.

It is longer than a burst's window of 10 ms, which confirms a press.
"""
GAPS_US = (2, 10, 50, 200, 1000)
"""Gaps in µs, from the delay of a cable's resistor and capacitor to what a camera can show."""
ROUNDS = 12
FAST_GAP_US = (20, 80)
FAST_EDGES = 7
STYLES = ("clean", "bouncing", "fast")
"""How contacts close: cleanly, bouncing like a worn button (simulator/table/contacts.py), or in bursts.

The bursts are as fast as a kernel's interrupt thread, which can overwrite a timestamp.
"""


class Volley(Value):
    """A series of changes of contacts that the test fixture plays.

    gap_us: time from one station's press to the next station's. touches: for each press, the station and the time in µs
    from the start of the series until the station's contact first closes.
    """

    gap_us: int
    moves: tuple[VolleyChange, ...]
    touches: tuple[tuple[str, int], ...]


class Trial(Value):
    """A volley, and the device's timestamp of each station's press, in ns.

    The timestamp is None if no press or several presses of the station were found.
    """

    volley: Volley
    stamps: tuple[tuple[str, int | None], ...]

    def lateness(self) -> dict[str, int]:
        """Return each press's delay (stamp minus planned time), minus the smallest delay, in ns."""
        planned = dict(self.volley.touches)
        late = {name: t_ns - planned[name] * US for name, t_ns in self.stamps if t_ns is not None}
        return {name: ns - min(late.values()) for name, ns in late.items()}

    def neighbours(self) -> tuple[int, int]:
        """Return the number of successive pairs in the wrong order, and the number of all pairs.

        A pair is in the wrong order if its second press is not stamped later than its first.
        """
        known = [t_ns for _, t_ns in self.stamps if t_ns is not None]
        return sum(later <= earlier for earlier, later in pairwise(known)), max(len(known) - 1, 0)


def volley(rng: Random, stations: Sequence[str], gap_us: int, style: str) -> Volley:
    """Return a volley of all stations in random order, one station every `gap_us`.

    style: one of STYLES.
    """
    order = rng.sample(list(stations), len(stations))
    touches = tuple((name, LEAD_US + n * gap_us) for n, name in enumerate(order))
    moves = [move for name, at_us in touches for move in _press(rng, name, at_us, style)]
    return Volley(gap_us, tuple(moves), touches)


def _press(rng: Random, name: str, at_us: int, style: str) -> list[VolleyChange]:
    return _touch(rng, name, at_us, True, style) + _touch(rng, name, at_us + HOLD_US, False, style)


def _touch(rng: Random, name: str, at_us: int, closed: bool, style: str) -> list[VolleyChange]:
    if style == "bouncing":
        return [VolleyChange(m.t_ns // US, name, m.closed) for m in bounce(rng, name, at_us * US, closed)]
    times = [at_us]
    while style == "fast" and len(times) < FAST_EDGES:
        times.append(times[-1] + rng.randint(*FAST_GAP_US))
    return [VolleyChange(t_us, name, closed == (n % 2 == 0)) for n, t_us in enumerate(times)]


def judge_volley(shot: Volley, rows: Iterable[Edge]) -> Trial:
    """Return the volley with the stamps of the presses that the core finds in its rows."""
    seen: dict[str, list[int]] = {name: [] for name, _ in shot.touches}
    for press in presses_of(rows):
        seen.setdefault(press.station, []).append(press.t_ns)
    return Trial(shot, tuple((name, seen[name][0] if len(seen[name]) == 1 else None) for name, _ in shot.touches))


def against(
    fixture: Fixture, factory: Any, wiring: Profile, err_ns: int, rounds: int
) -> tuple[list[tuple[bool, str]], dict[str, Any] | None]:
    """Test each contact, then measure the order of presses, with the device's pins.

    Return (passed, sentence) pairs, and the figures, or None if fewer than two stations work. Raises FixtureError.
    """
    heard: queue.SimpleQueue[Edge] = queue.SimpleQueue()

    def take_in(rows: Sequence[Any]) -> None:
        for row in rows:
            if isinstance(row, Edge) and row.station != KNOB:
                heard.put(row)

    def fire(shot: Volley) -> list[Edge]:
        buttons.drain()
        _drain(heard)
        fixture.play(shot.moves)
        buttons.drain()
        return _drain(heard)

    stations = tuple(wiring.stations())[: fixture.contacts]
    buttons = Buttons(factory, wiring, take_in, err_ns=err_ns)
    buttons.start()
    try:
        sound, faults = roll_call(fire, stations)
        told = [(False, fault) for fault in faults]
        if len(sound) < 2:
            return [*told, (False, "Order needs two stations that answer; nothing was measured.")], None
        found = figures(trials(fire, sound, Random(len(sound)), rounds), err_ns)
    finally:
        buttons.close()
    return told + sentences(found), found


def _drain(heard: queue.SimpleQueue[Edge]) -> list[Edge]:
    rows = []
    while not heard.empty():
        rows.append(heard.get())
    return rows


# -- the two rounds ------------------------------------------------------------------------------------------------

Fire = Callable[[Volley], Sequence[Edge]]
"""A function that plays a volley and returns the resulting rows."""


def roll_call(fire: Fire, stations: Sequence[str]) -> tuple[list[str], list[str]]:
    """Close each contact alone. Return the stations that react only to their own contact.

    Also return a sentence on each other station.
    """
    sound, faults = [], []
    for name in stations:
        alone = Volley(0, tuple(_press(Random(0), name, LEAD_US, "clean")), ((name, LEAD_US),))
        answering = sorted({press.station for press in presses_of(fire(alone))})
        if answering == [name]:
            sound.append(name)
        elif not answering:
            faults.append(f"{name}: its contact closed and nothing came; check its cable and the fixture's.")
        else:
            faults.append(f"{name}: its contact closed and {', '.join(answering)} answered; cables are exchanged.")
    return sound, faults


def trials(fire: Fire, stations: Sequence[str], rng: Random, rounds: int) -> list[Trial]:
    """Play volleys of every gap and style, in random order, each combination `rounds` times."""
    plan = [(gap_us, style) for gap_us in GAPS_US for style in STYLES] * rounds
    rng.shuffle(plan)
    done = []
    for gap_us, style in plan:
        shot = volley(rng, stations, gap_us, style)
        done.append(judge_volley(shot, fire(shot)))
    return done


# -- the figures ---------------------------------------------------------------------------------------------------


def figures(done: Sequence[Trial], err_ns: int) -> dict[str, Any]:
    """Return the figures for `--json`, such as wrong orders for each gap, each station's delay."""
    gaps = {gap: [trial.neighbours() for trial in done if trial.volley.gap_us == gap] for gap in GAPS_US}
    late = [trial.lateness() for trial in done]
    stations = sorted({name for trial in done for name, _ in trial.stamps})
    everything = [ns for each in late for ns in each.values()]
    return {
        "volleys": len(done),
        "stated_err_ns": err_ns,
        "worst_late_ns": max(everything, default=0),
        "median_late_ns": int(median(everything)) if everything else 0,
        "order": [
            {"gap_us": gap, "wrong": sum(w for w, _ in counts), "pairs": sum(n for _, n in counts)}
            for gap, counts in gaps.items()
        ],
        "station_late_ns": {
            name: int(median(known)) for name in stations if (known := [each[name] for each in late if name in each])
        },
        "lost": {name: lost for name in stations if (lost := sum(dict(t.stamps)[name] is None for t in done))},
    }


def sentences(found: dict[str, Any]) -> list[tuple[bool, str]]:
    """Return (passed, sentence) pairs that report the figures."""
    order = "; ".join(f"{o['gap_us']} µs apart {o['wrong']} of {o['pairs']}" for o in found["order"])
    worst, stated = found["worst_late_ns"], found["stated_err_ns"]
    said = f"Stamps late by {worst / 1000:.1f} µs at worst, {found['median_late_ns'] / 1000:.1f} µs in the median; "
    said += f"the configuration states {stated // US} µs"
    out = [
        (True, f"{found['volleys']} volleys; neighbours in the wrong order: {order}."),
        (True, f"{said}.")
        if worst <= stated
        else (False, f"{said}: set gpio_err_us in [arbiter] to {_safe_bound(worst)}."),
    ]
    for name, lost in found["lost"].items():
        out.append((False, f"{name}: {lost} of {found['volleys']} presses were missed or doubled; check its cable."))
    return out


# -- keeping the bound ---------------------------------------------------------------------------------------------


def offer(path: Path, found: dict[str, Any], ask: Callable[[str], str | None]) -> tuple[bool | None, str] | None:
    """Offer to write the measured bound of stamps' errors to the configuration file.

    Return (True, what was written), (None, why not) or (False, the error). Return None without asking if the file has
    this bound already, or if presses of a station were lost, because the figures are then unreliable.
    """
    stated, measured = found["stated_err_ns"] // US, _safe_bound(found["worst_late_ns"])
    if found["lost"] or stated == measured:
        return None
    answer = ask(f"Write gpio_err_us = {measured} into {path} (it states {stated} now)? y/n")
    if (answer or "").lower() not in ("y", "yes"):
        return None, f"{path} was left as it is: gpio_err_us stays {stated}."
    try:
        rewrite(path, with_bound(path.read_text(encoding="utf-8"), measured).encode())
    except (OSError, ValueError) as exc:
        return False, f"{path} could not be changed ({exc}): write gpio_err_us = {measured} under [arbiter] by hand."
    return True, f"gpio_err_us = {measured} stands in {path}; it holds from the referee's next start."


def with_bound(text: str, bound_us: int) -> str:
    """Return the configuration's text with this bound. All other lines and comments are kept.

    Raises ValueError for a text that cannot be edited.

    >>> print(with_bound("[arbiter]  # ours\\ngpio_err_us = 300  # found\\n", 150), end="")
    [arbiter]  # ours
    gpio_err_us = 150  # found
    """
    section = re.search(r"^\[arbiter\][^\n]*\n(?:(?!\[)[^\n]*(?:\n|$))*", text, re.MULTILINE)
    line = f"gpio_err_us = {bound_us}"
    if section is None:
        changed = text + ("" if text.endswith("\n") or not text else "\n") + f"\n[arbiter]\n{line}\n"
    else:
        body, known = re.subn(r"^gpio_err_us\s*=\s*[\d_]+", line, section[0], flags=re.MULTILINE)
        head, _, rest = body.partition("\n")
        changed = text[: section.start()] + (body if known else f"{head}\n{line}\n{rest}") + text[section.end() :]
    if tomllib.loads(changed) != _with(tomllib.loads(text), bound_us):
        raise ValueError("its section [arbiter] is written in a way that only a person can change: edit the file")
    return changed


def _with(document: dict[str, Any], bound_us: int) -> dict[str, Any]:
    return document | {"arbiter": document.get("arbiter", {}) | {"gpio_err_us": bound_us}}


def _safe_bound(worst_ns: int) -> int:
    """Return a safe error bound in µs: twice the greatest measured delay, rounded up to 50 µs."""
    return max(-(-2 * worst_ns // (50 * US)), 1) * 50
