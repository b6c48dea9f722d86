"""Presses to a verdict (docs/timing.md). The live call, a replay and `referee arbitrate` run the same functions.

Theory of operation. Presses count in the order in which their bursts' first rows arrived. The first opens a call; its
deadline D = min(t + e) + W + C + L falls as presses come in, and what had arrived by D as it then stood is *in*. A
call's D being final, its lockout ends at D + K, and each press that is not in belongs to the last call whose
predecessor's lockout had ended at its t: these ends rise from call to call, so a bisection finds it, however late the
press came. There it is *late* (t <= D) or *ignored*; a press after all the lockouts opens the next call.

The verdict compares true times known to lie within t ± e, two of them at a time: between two stamps of one clock only
their own errors r are uncertain, for the clock's offset is the same for both. Partners are not compared. A team is a
caller if one of its presses is; whether it is one is certain, excluded or in doubt, and doubt makes the verdict grey.
What is announced caps the caller's own error at C, so that a bad link never pays.

Where the last press loses (`CallRules.limit_ns`: everybody presses, within so long of the first) all of it is mirrored,
and "callers" are the last ones. A call is open until every armed station has pressed, D being the last of them, or
until the limit is over: D = min(t + e) + limit + C + L. Who has no press within the limit is last, as all such are.
Else p is last when t_p + e_p >= t_q - min(e_q, C) - W for every press q of another team: to be named is what costs, so
a press's own error beyond C names its owner the sooner and nobody else. The promises, mirrored, each a property test:

- A verdict that is not grey names the right last ones for every choice of the true times within their bounds (one
  offset a clock), for stations alone and for pairs, and for whoever was near the limit.
- Swapping two stations swaps their names in the verdict and nothing else. Permuting what arrives by D changes nothing.
- The presses being the same, raising one's e from C upward never takes it out of the last ones, and names no other.
- Every press is in exactly one of `presses`, `late`, `ignored`.
- Pairs farther apart than W plus both errors (on one clock: plus r_p + r_q), and as far from the limit, are always
  clear and not grey.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from referee.core.presses.signals import Contact, Edge, Press, behind_ns, in_burst, next_ns, presses_of, seat_order
from referee.core.units import MS
from referee.core.values import Value, field, replace

LEAST_LOCKOUT_NS = 100 * MS
"""The least lockout K: 100 ms."""


class CallRules(Value, tag="law"):
    """The arbiter's settings, in ns: tie window W, error cap C, source latency L, lockout K.

    L is the most by which a burst's first row may arrive after its *true* press; zero when every station is wired.
    limit_ns: the last press loses of those within so long of the first; None: the first one wins.
    Raises ValueError with one sentence when one is negative or the lockout is below 100 ms.
    """

    tie_ns: int = 20 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 30 * MS
    lockout_ns: int = 2_000 * MS
    limit_ns: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("tie_ns", self.tie_ns), ("max_err_ns", self.max_err_ns), ("latency_ns", self.latency_ns)):
            if value < 0:
                raise ValueError(f"{name} must not be negative, not {value}")
        if self.lockout_ns < LEAST_LOCKOUT_NS:
            raise ValueError(f"lockout_ns must be at least {LEAST_LOCKOUT_NS}, not {self.lockout_ns}")


class CalledPress(Value, tag="called_press"):
    """One press as a verdict names it: which team, through which station, when, how surely.

    clock, rel_err_ns: as in signals.Edge.
    """

    team: str
    station: str
    t_ns: int
    err_ns: int
    clock: str | None = None
    rel_err_ns: int | None = None

    def err_against(self, other: CalledPress) -> int:
        """This press's own error where it is compared with another: the small one if both are of one clock."""
        if self.clock is None or self.rel_err_ns is None or self.clock != other.clock:
            return self.err_ns
        return self.rel_err_ns


class Verdict(Value, tag="verdict"):
    """Who called. All lists are sorted by t, then name; `first` is the caller that comes first so.

    `presses` holds one press a station; `late` came after the deadline, each with whether it would be first, and
    never reverses a verdict; `ignored` is listed, not dropped. `refuted`: teams whose call the table has found false;
    the other presses are judged as if theirs had not been.
    """

    kind: str  # "clear" or "tie"
    grey: bool
    callers: tuple[str, ...]
    first: str
    window_ns: int
    deadline_ns: int
    presses: tuple[CalledPress, ...]
    late: tuple[tuple[CalledPress, bool], ...]
    ignored: tuple[CalledPress, ...]
    refuted: tuple[str, ...] = ()

    @property
    def standing(self) -> tuple[CalledPress, ...]:
        """The presses of those whose call was not found false."""
        return tuple(p for p in self.presses if p.team not in self.refuted)


# -- calls ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Call:
    """Presses sorted into one call, by station where one counts, in order of arrival."""

    deadline_ns: int
    taken: dict[str, Press]
    late: dict[str, Press] = dataclasses.field(default_factory=dict)
    ignored: list[Press] = dataclasses.field(default_factory=list)

    def leave_out(self, press: Press) -> None:
        """Sort a press that is not in, by the final deadline."""
        known = press.station in self.taken or press.station in self.late
        if known or press.t_ns > self.deadline_ns:
            self.ignored.append(press)
        else:
            self.late[press.station] = press


def calls_of(presses: Iterable[Press], rules: CallRules, armed: Collection[str] = ()) -> list[Call]:
    """Every call of these presses, earliest first; each press stands in one list of one call.

    armed: the stations that are to press where the last one loses; without them a call is open for the whole limit.
    """
    waiting = deque(sorted(presses, key=_arrival))
    calls: list[Call] = []
    ends: list[int] = []
    while waiting:
        press = waiting.popleft()
        index = bisect_right(ends, press.t_ns)
        if index < len(calls):
            calls[index].leave_out(press)
        else:
            call = _open_call(press, waiting, ends, rules, armed)
            calls.append(call)
            ends.append(call.deadline_ns + rules.lockout_ns)
    return calls


def _arrival(press: Press) -> tuple[int, int]:
    return press.arrived_ns, press.order


def _open_call(
    first: Press, waiting: deque[Press], ends: Sequence[int], rules: CallRules, armed: Collection[str]
) -> Call:
    """The call that a press opens, with everything that is in taken from those waiting."""
    span = (rules.tie_ns if rules.limit_ns is None else rules.limit_ns) + rules.max_err_ns + rules.latency_ns
    call = Call(first.t_ns + first.err_ns + span, {first.station: first})
    passed = []
    while waiting and waiting[0].arrived_ns <= call.deadline_ns:
        press = waiting.popleft()
        inside = (not ends or ends[-1] <= press.t_ns) and press.t_ns < call.deadline_ns + rules.lockout_ns
        if inside and press.station not in call.taken:
            call.taken[press.station] = press
            call.deadline_ns = min(call.deadline_ns, press.t_ns + press.err_ns + span)
        else:
            passed.append(press)
    waiting.extendleft(reversed(passed))
    if rules.limit_ns is not None and armed and call.taken.keys() >= set(armed):
        call.deadline_ns = min(call.deadline_ns, max(p.t_ns + p.err_ns for p in call.taken.values()))
    return call


def arbitrate(
    rows: Iterable[Edge], rules: CallRules, team_of: Mapping[str, str] = MappingProxyType({})
) -> tuple[Verdict, ...]:
    """The verdicts on every call of a trace: rows in order of arrival, contacts open and armed before them.

    A station that `team_of` does not name is its own team.
    """
    return tuple(judge(call, rules, team_of) for call in calls_of(presses_of(rows), rules, team_of))


# -- live ----------------------------------------------------------------------------------------------------------


class ArmedSpan(Value, tag="court"):
    """The presses of one armed span, in order of arrival. `team_of`: station -> team.

    lag_ns: station -> how late after its true instant a row may arrive; a wired one's never is.
    """

    rules: CallRules = field(name="law")
    team_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    presses: tuple[Press, ...] = ()
    lag_ns: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @staticmethod
    def open_span(
        rules: CallRules, team_of: Mapping[str, str], lag_ns: Mapping[str, int] = MappingProxyType({})
    ) -> ArmedSpan:
        """A span that has heard no press yet."""
        return ArmedSpan(rules, MappingProxyType(dict(team_of)), lag_ns=MappingProxyType(dict(lag_ns)))


def with_press(armed: ArmedSpan, new: Press) -> ArmedSpan:
    """The span with one more press. Presses may become certain in another order than they arrived in."""
    return replace(armed, presses=tuple(sorted((*armed.presses, new), key=_arrival)))


def verdict_due_ns(armed: ArmedSpan, contacts: Iterable[Contact]) -> int | None:
    """When the verdict on the open call can fall, as far as is known now; None while there is none.

    That is D, or later when the burst of a station of the span is not decided that would be in the call as a press:
    in by D as it stood when it arrived, which may be later than the D that the presses after it have made.
    """
    if not armed.presses:
        return None
    due = calls_of(armed.presses, armed.rules, armed.team_of)[0].deadline_ns
    for contact in contacts:
        start, decided = in_burst(contact), next_ns(contact)
        if start is None or decided is None or contact.station not in armed.team_of:
            continue
        if calls_of((*armed.presses, start), armed.rules, armed.team_of)[0].taken.get(start.station) is start:
            due = max(due, decided + behind_ns(contact, armed.lag_ns.get(contact.station, 0)))
    return due


def rule(armed: ArmedSpan, refuted: tuple[str, ...] = ()) -> Verdict:
    """The verdict on the call of the span. Presses heard after it has fallen add to `late` and `ignored` only.

    refuted: teams whose presses are only listed; a press of another team must be among them.
    """
    whole = _rule_on(armed, armed.presses)
    if not refuted:
        return whole
    others = _rule_on(armed, (p for p in armed.presses if armed.team_of.get(p.station, p.station) not in refuted))
    counted = (p for p in whole.presses if p.team in refuted)
    listed = (p for p in (*whole.ignored, *(late for late, _ in whole.late)) if p.team in refuted)
    return replace(
        others,
        presses=tuple(sorted((*others.presses, *counted), key=by_time)),
        ignored=tuple(sorted((*others.ignored, *listed), key=by_time)),
        refuted=refuted,
    )


def _rule_on(armed: ArmedSpan, presses: Iterable[Press]) -> Verdict:
    return judge(calls_of(presses, armed.rules, armed.team_of)[0], armed.rules, armed.team_of)


# -- the verdict ---------------------------------------------------------------------------------------------------


def judge(call: Call, rules: CallRules, team_of: Mapping[str, str]) -> Verdict:
    """Who of a call's presses are callers (where the last one loses: the last ones), and whether that is certain."""
    presses = _with_teams(call.taken.values(), team_of)
    stands = [_standing(p, presses, rules) for p in presses]
    callers = _teams([p for p, stand in zip(presses, stands, strict=True) if stand.calls])
    grey = _is_grey(presses, stands)
    if rules.limit_ns is not None:
        callers, grey = _last_ones(presses, callers[::-1], grey, rules.limit_ns, team_of)
    return Verdict(
        kind="clear" if len(callers) == 1 else "tie",
        grey=grey,
        callers=callers,
        first=callers[0],
        window_ns=rules.tie_ns,
        deadline_ns=call.deadline_ns,
        presses=presses,
        late=tuple((p, _counts(p, presses, rules)) for p in _with_teams(call.late.values(), team_of)),
        ignored=_with_teams(call.ignored, team_of),
    )


def _with_teams(presses: Iterable[Press], team_of: Mapping[str, str]) -> tuple[CalledPress, ...]:
    """The presses with their teams, as evidence has them: the earliest first, then by station."""
    named = (
        CalledPress(team_of.get(p.station, p.station), p.station, p.t_ns, p.err_ns, p.clock, p.rel_err_ns)
        for p in presses
    )
    return tuple(sorted(named, key=by_time))


def by_time(press: CalledPress) -> tuple[int, tuple[bool, int, str]]:
    """Sorts presses by their instants, those of one instant by their seats."""
    return press.t_ns, seat_order(press.station)


def _teams(presses: Iterable[CalledPress]) -> tuple[str, ...]:
    """Each once, by its earliest press and then by name."""
    return tuple(dict.fromkeys(p.team for p in sorted(presses, key=lambda p: (p.t_ns, seat_order(p.team)))))


class _Stand(NamedTuple):
    """One press against those of other teams: whether it is announced, whether it is surely beyond the window of one,
    and of which stations' presses it is not surely within the window."""

    calls: bool
    beyond: bool
    unsure: frozenset[str]


def _standing(p: CalledPress, presses: Iterable[CalledPress], rules: CallRules) -> _Stand:
    """How far a press is behind the window that each other team's press opens (or closes, for the last), how surely."""
    calls, beyond, unsure = True, False, []
    for q in presses:
        if q.team == p.team:
            continue
        own, other = p.err_against(q), q.err_against(p)
        last = rules.limit_ns is not None
        behind = (q.t_ns - p.t_ns if last else p.t_ns - q.t_ns) - rules.tie_ns
        if behind > (own + min(other, rules.max_err_ns) if last else other + min(own, rules.max_err_ns)):
            calls = False
        if behind > other + own:
            beyond = True
        if behind > -other - own:
            unsure.append(q.station)
    return _Stand(calls, beyond, frozenset(unsure))


def _is_grey(presses: Iterable[CalledPress], stands: Iterable[_Stand]) -> bool:
    """Whether some team is, within the stated errors, neither certain to be a caller nor certain not to be.

    It is certain to be one if one of its presses is surely within each window, certain not to be if none can be.
    """
    possible: set[str] = set()
    unsure: dict[str, frozenset[str]] = {}
    for p, stand in zip(presses, stands, strict=True):
        unsure[p.team] = unsure.get(p.team, stand.unsure) & stand.unsure
        if not stand.beyond:
            possible.add(p.team)
    return any(unsure[team] for team in possible)


def _last_ones(
    presses: Sequence[CalledPress], last: tuple[str, ...], grey: bool, limit_ns: int, team_of: Mapping[str, str]
) -> tuple[tuple[str, ...], bool]:
    """The last ones, by `last` among those within the limit or because they are beyond it, and whether it is grey."""
    pressed = {p.station for p in presses}
    absent = {team for station, team in team_of.items() if station not in pressed}
    ends_ns = [min(p.t_ns + off * p.err_ns for p in presses) + limit_ns for off in (-1, 0, 1)]
    beyond = absent | {p.team for p in presses if p.t_ns > ends_ns[1]}
    unsure = {p.team for p in presses if p.t_ns + p.err_ns > ends_ns[0] and p.t_ns - p.err_ns <= ends_ns[2]} - absent
    surely = absent | {p.team for p in presses if p.t_ns - p.err_ns > ends_ns[2]}
    doubt = bool(unsure - surely)
    return (tuple(sorted(beyond)), doubt) if beyond else (last, grey or doubt)


def _counts(late: CalledPress, presses: Sequence[CalledPress], rules: CallRules) -> bool:
    """Whether late evidence would surely tell otherwise: it was first, or it was within the limit after all."""
    if rules.limit_ns is None:
        return _is_first(late, presses)
    return late.t_ns + late.err_ns <= min(p.t_ns - p.err_ns for p in presses) + rules.limit_ns


def _is_first(late: CalledPress, presses: Iterable[CalledPress]) -> bool:
    """Whether a press was surely before every one of the call."""
    return all(late.t_ns + late.err_against(q) < q.t_ns - q.err_against(late) for q in presses)
