"""After a false call the other presses are judged again, at any gap from it; compared with a slow model of the rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.match.advance import advance
from referee.core.match.engine import Engine
from referee.core.model.events import Fact, Linked, Overruled
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.phases.verdict import Judged
from referee.core.phases.vote import Vote
from referee.core.presses.arbiter import AGE_NS
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from tests.core.sitting import BREATH_NS, ERR_NS, HOLD_NS, Sitting
from tests.core.test_phone_buttons import touched

STATIONS = ("1", "2", "3", "4")
PHONE_ERR_NS, W_NS, C_NS = 5 * MS, 20 * MS, 10 * MS
GAPS_MS = (0, 1, 5, 19, 20, 21, 22, 30, 60, 100, 200, 290, 299, 310, 330, 500, 900, 1_200, 1_900)
DELAYS_MS = (0, 0, 5, 40, 90, 99, 130, 250, 390)
POLICIES = ("play-on", "points:5", "zero")


@dataclass(frozen=True)
class Pressed:
    """A press of a station: its time, and how much later a phone's row arrives (wired: 0)."""

    station: str
    t_ns: int
    delay_ns: int = 0

    @property
    def err_ns(self) -> int:
        return PHONE_ERR_NS if self.delay_ns else ERR_NS

    @property
    def counts_ns(self) -> int:
        """Return when it counts: at its arrival, if its claim is too old then."""
        return self.t_ns + (self.delay_ns if self.delay_ns + self.err_ns > AGE_NS else 0)


@cache
def race(policy: str, paired: bool) -> tuple[Engine, int]:
    """Return a race of four wired players, of whom two have a phone as button; perhaps two pairs."""
    setup = Setup(stations=STATIONS, options=(("false_call", policy),))
    sitting = Sitting(setup).tap(*STATIONS)
    if paired:
        sitting.close("1", "3").wait(HOLD_NS).open("1", "3").close("2", "4").wait(HOLD_NS).open("2", "4")
    sitting.choose("Start").wait(BREATH_NS)
    for phone in ("3", "4"):
        sitting.engine.intake([Linked(sitting.now_ns, f"seat:{phone}", True, (phone,))], sitting.now_ns)
    sitting.wait(BREATH_NS).tap("1", "2")
    for phone in ("3", "4"):
        touched(sitting, phone, 20 * MS, False, False, False, False)
    sitting.wait(9 * S)
    assert sitting.phase == "PLAYING"
    return sitting.engine, sitting.now_ns


def team(station: str, paired: bool) -> str:
    return {"3": "1", "4": "2"}.get(station, station) if paired else station


def played(presses: Sequence[Pressed], policy: str, paired: bool) -> State:
    """Return the table 1.95 s after the first press, before anybody has answered."""
    engine, now_ns = copy(race(policy, paired)[0]), race(policy, paired)[1] + S
    facts: list[Fact] = []
    for p in presses:
        for closed, ms in ((True, 0), (False, 50)):
            t_ns, clock = now_ns + p.t_ns + ms * MS, f"phone:{p.station}" if p.delay_ns else None
            facts.append(Edge(p.station, closed, t_ns, p.err_ns, t_ns + p.delay_ns, clock, None))
    for fact in sorted(facts, key=lambda fact: fact.arrived_ns):  # type: ignore[union-attr]
        engine.intake([fact], fact.arrived_ns)  # type: ignore[union-attr]
    engine.intake([], now_ns + 1_950 * MS)
    return engine.state


Outcome = tuple[str, frozenset[str]]


def outcome(state: State) -> Outcome:
    phase = state.phase
    if isinstance(phase, Vote):
        return "asked", frozenset(phase.subject)
    return ("judged", frozenset(phase.ruling.callers)) if isinstance(phase, Judged) else (phase.name, frozenset())


def by_the_rule(presses: Sequence[Pressed], false: str, stop_ns: int, paired: bool) -> Outcome:
    """Return what follows after the false call of a team, straight from the rule."""
    first: dict[str, Pressed] = {}
    for p in sorted(presses, key=lambda p: p.counts_ns):
        if team(p.station, paired) != false:
            first.setdefault(p.station, p)
    calls = [p for p in first.values() if p.counts_ns <= stop_ns + 300 * MS]
    if calls:
        return "judged", frozenset(team(p.station, paired) for p in calls if is_caller(p, calls, paired))
    later = sorted(first.values(), key=lambda p: (p.counts_ns, p.t_ns, p.station))
    return ("asked", frozenset({team(later[0].station, paired)})) if later else ("RESUMING", frozenset())


def is_caller(p: Pressed, calls: Sequence[Pressed], paired: bool) -> bool:
    others = (q for q in calls if team(q.station, paired) != team(p.station, paired))
    return all(p.counts_ns - min(p.err_ns, C_NS) <= q.counts_ns + q.err_ns + W_NS for q in others)


@st.composite
def evenings(draw: st.DrawFn) -> list[Pressed]:
    """Draw presses of two to four stations; the first is at 0."""
    stations = draw(st.permutations(STATIONS))[: draw(st.integers(2, 4))]
    times = [0, *(draw(st.sampled_from(GAPS_MS)) * MS + draw(st.integers(-1, 1)) * 300_000 for _ in stations[1:])]
    delays = [draw(st.sampled_from(DELAYS_MS)) * MS if station in ("3", "4") else 0 for station in stations]
    apart = (int(station) * 10_000 for station in stations)  # no two rows arrive at the same instant
    return [Pressed(s, max(t, 0) + n, d) for s, t, d, n in zip(stations, times, delays, apart, strict=True)]


def differs(presses: Sequence[Pressed], policy: str, paired: bool, accused: int) -> Mapping[str, object] | None:
    """Return how the table differs from the rule; None if it does not."""
    state = played(presses, policy, paired)
    assert isinstance(state.phase, Judged), state.phase
    callers = state.phase.ruling.callers
    false, begun_ns = callers[accused % len(callers)], race(policy, paired)[1] + S
    taken = [p for p in presses if begun_ns + p.t_ns + p.delay_ns + 30 * MS < state.now_ns]
    step = advance(state, Overruled(state.now_ns, "false_call", (false,), admitted=True))
    right = by_the_rule(taken, false, state.phase.stop_ns - begun_ns, paired)
    found = outcome(step.state)
    return None if found == right else {"found": found, "right": right, "callers": callers, "false": false}


@given(evenings(), st.sampled_from(POLICIES), st.booleans(), st.integers(0, 3))
@settings(max_examples=400, deadline=None)
def test_what_follows_a_false_call_is_as_the_rule_says(
    presses: list[Pressed], policy: str, paired: bool, accused: int
) -> None:
    assert differs(presses, policy, paired, accused) is None
