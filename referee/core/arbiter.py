"""Presses to a verdict, by ARBITER.md. The live call, a replay and `referee arbitrate` run the same functions.

Theory of operation. A court holds the presses of one armed span (or of a whole trace) in the order in which their
bursts' first rows arrived. They are sorted into calls: the first press to arrive opens one, its deadline
D = min(t + e) + W + C + L falls as presses come in, and what had arrived by D as it then stood is *in*. What belongs to
the call and is not in is *late* (t <= D) or *ignored*; what happened a lockout later opens the next call. The verdict
on a call compares its presses with their stated errors, capped for their owner's benefit and uncapped for the doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from referee.core.signals import Contact, Press, in_burst, next_ns
from referee.core.units import MS

LEAST_LOCKOUT_NS = 100 * MS


@dataclass(frozen=True, slots=True)
class Law:
    """The arbiter's settings, in ns: tie window W, error cap C, source latency L, lockout K.

    Raises ValueError with one sentence when one is negative or the lockout is below 100 ms.
    """

    tie_ns: int = 20 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 30 * MS
    lockout_ns: int = 2_000 * MS

    def __post_init__(self) -> None:
        for name in ("tie_ns", "max_err_ns", "latency_ns"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        if self.lockout_ns < LEAST_LOCKOUT_NS:
            raise ValueError(f"lockout_ns must be at least {LEAST_LOCKOUT_NS}, not {self.lockout_ns}")


@dataclass(frozen=True, slots=True)
class Called:
    """One press as a verdict names it: which team, through which station, when, how surely."""

    team: str
    station: str
    t_ns: int
    err_ns: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who called. All lists are sorted by t, then name; `first` is the caller that comes first so.

    `presses` holds one press a station; `late` came after the deadline, each with whether it would be first, and
    never reverses a verdict; `ignored` is listed, not dropped.
    """

    kind: str  # "clear" or "tie"
    grey: bool
    callers: tuple[str, ...]
    first: str
    window_ns: int
    deadline_ns: int
    presses: tuple[Called, ...]
    late: tuple[tuple[Called, bool], ...]
    ignored: tuple[Called, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """Presses sorted into one call, with its deadline D."""

    deadline_ns: int
    taken: tuple[Press, ...]
    late: tuple[Press, ...]
    ignored: tuple[Press, ...]


@dataclass(frozen=True, slots=True)
class Court:
    """The presses of one armed span. `team_of`: station -> team; stations it does not know cannot call."""

    law: Law
    team_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    presses: tuple[Press, ...] = ()

    @staticmethod
    def opened(law: Law, team_of: Mapping[str, str]) -> Court:
        """An empty court."""
        return Court(law, MappingProxyType(dict(team_of)))


def press(court: Court, new: Press) -> Court:
    """The court with one more press, in the order of the first rows' arrival."""
    presses = tuple(sorted((*court.presses, new), key=_arrival))
    return replace(court, presses=presses)


def _arrival(press: Press) -> tuple[int, int]:
    return press.arrived_ns, press.order


def first_call(presses: Sequence[Press], law: Law) -> tuple[Call, tuple[Press, ...]]:
    """The earliest call of presses in order of arrival, and those that belong to later calls."""
    span = law.tie_ns + law.max_err_ns + law.latency_ns
    deadline = presses[0].t_ns + presses[0].err_ns + span
    taken = {presses[0].station: presses[0]}
    rest = []
    for candidate in presses[1:]:
        member = candidate.t_ns < deadline + law.lockout_ns
        if member and candidate.station not in taken and candidate.arrived_ns <= deadline:
            taken[candidate.station] = candidate
            deadline = min(deadline, candidate.t_ns + candidate.err_ns + span)
        else:
            rest.append(candidate)
    return _sorted(deadline, taken, rest, law)


def _sorted(
    deadline: int, taken: Mapping[str, Press], rest: Iterable[Press], law: Law
) -> tuple[Call, tuple[Press, ...]]:
    """By the final deadline, what is not in is late, ignored, or a later call's."""
    late: dict[str, Press] = {}
    ignored, later = [], []
    for candidate in rest:
        if candidate.t_ns >= deadline + law.lockout_ns:
            later.append(candidate)
        elif candidate.t_ns <= deadline and candidate.station not in taken and candidate.station not in late:
            late[candidate.station] = candidate
        else:
            ignored.append(candidate)
    return Call(deadline, tuple(taken.values()), tuple(late.values()), tuple(ignored)), tuple(later)


def verdict_due_ns(court: Court, contacts: Iterable[Contact]) -> int:
    """When the verdict on the open call can fall: D, or the end of a burst that was in by D and is not decided yet."""
    call, _ = first_call(court.presses, court.law)
    due = call.deadline_ns
    for contact in contacts:
        start = in_burst(contact)
        if start is not None and start.station in court.team_of and start.arrived_ns <= call.deadline_ns:
            due = max(due, next_ns(contact) or 0)
    return due


def rule(court: Court) -> Verdict:
    """The verdict on the court's first call."""
    call, _ = first_call(court.presses, court.law)
    return judge(call, court.law, court.team_of)


def judge(call: Call, law: Law, team_of: Mapping[str, str]) -> Verdict:
    """Who of a call's presses are callers, and whether that is certain."""
    named = [_named(p, team_of) for p in call.taken]
    teams = _earliest(named)
    earliest = min(p.t_ns + p.err_ns for p in teams)
    callers = tuple(p for p in teams if p.t_ns - min(p.err_ns, law.max_err_ns) <= earliest + law.tie_ns)
    surest = min(p.t_ns - p.err_ns for p in named)
    late = tuple((p, p.t_ns + p.err_ns < surest) for p in _in_time(_named(q, team_of) for q in call.late))
    return Verdict(
        kind="clear" if len(callers) == 1 else "tie",
        grey=any(_doubtful(p, teams, law.tie_ns) for p in teams),
        callers=tuple(p.team for p in callers),
        first=callers[0].team,
        window_ns=law.tie_ns,
        deadline_ns=call.deadline_ns,
        presses=_in_time(named),
        late=late,
        ignored=_in_time(_named(p, team_of) for p in call.ignored),
    )


def _named(press: Press, team_of: Mapping[str, str]) -> Called:
    return Called(team_of.get(press.station, press.station), press.station, press.t_ns, press.err_ns)


def _in_time(presses: Iterable[Called]) -> tuple[Called, ...]:
    return tuple(sorted(presses, key=lambda p: (p.t_ns, p.station)))


def _earliest(presses: Iterable[Called]) -> tuple[Called, ...]:
    """A team counts by its earliest station, so partners never tie each other; sorted by t, then team."""
    teams: dict[str, Called] = {}
    for called in _in_time(presses):
        teams.setdefault(called.team, called)
    return tuple(sorted(teams.values(), key=lambda p: (p.t_ns, p.team)))


def _doubtful(one: Called, teams: Sequence[Called], tie_ns: int) -> bool:
    """Neither certain to be a caller nor certain not to be, whatever the true times within the stated errors."""
    others = [p for p in teams if p is not one]
    if not others:
        return False
    certain = one.t_ns + one.err_ns <= min(p.t_ns - p.err_ns for p in others) + tie_ns
    excluded = one.t_ns - one.err_ns > min(p.t_ns + p.err_ns for p in others) + tie_ns
    return not certain and not excluded
