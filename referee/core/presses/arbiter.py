"""Decide from the presses of a call who called first (docs/timing.md).

Live calls, replays and `referee arbitrate` share this code.

Each press has a stamp t and an error e: it truly happened within t ± e. The rules are W, the tie window: presses this
close are a tie; C, the cap on an error; L, how late a row can arrive; K, the lockout after a call.

Theory of operation. Presses are ordered by the arrival of their bursts' first rows. The first press opens a call. Its
deadline D = min(t + e) + W + C + L falls as presses come in. A press that arrived by D, as D was then, is *in*. Once D
is final, the lockout ends at D + K. A press that is not in belongs to the last call that was possible at its t: the
lockout of the call before that one had ended. The lockouts' ends rise from call to call, so a bisection finds the
call, however late the press arrived. In that call the press is *late* (t <= D) or *ignored*. A press after all lockouts
opens the next call.

A claim about the past is believed for A. A press whose claim is older when the host has the rows that make it a press
is *old*: it counts at that arrival, t', in D and in every comparison. It is sorted into calls by its claim t. Its claim
can only make the verdict grey: there the press lies anywhere from t - e to t' + e.

Phones have a long L, but can prove that no row with an earlier instant is still on its way (`Contact.known_ns`). A
press that is certainly later than q + W, for the q with the smallest t + e, changes neither the callers nor the doubt.
So once every phone that has not pressed has proved its time beyond min(t + e) + W, the verdict does not wait for the
phones' L. The span is *settled*: its D is that instant, and presses that arrive later are never in. The verdict still
waits C plus the lag of the stations without a phone.

The verdict compares pairs of true times that lie within t ± e. Between two stamps of one clock only their own errors r
count, because both share the clock's offset. Partners are not compared. A team is a caller if one of its presses is.
Each team's status is certain, excluded or in doubt; doubt makes the verdict grey. For the announced callers, a press's
own error counts only up to C, so that a bad link is never an advantage.

If the last press loses (`CallRules.limit_ns`: everybody must press within this time of the first), all of this is
mirrored, and "callers" are the last ones. A call is open until every armed station has pressed, with D at the last
press, or until the limit is over: D = min(t + e) + limit + C + L. All stations without a press within the limit are
last. Otherwise p is last if t_p + e_p >= t_q - min(e_q, C) - W for every press q of another team. Here being named is
the penalty: an error beyond C makes it more likely that the press's own team is named, and never another team.

The mirrored guarantees, each with a property test:
- A verdict that is not grey names the right last ones for every choice of the true times within their bounds (one
  offset per clock), for single stations, for pairs, and near the limit.
- Swapping two stations swaps their names in the verdict and nothing else. The order of arrival by D has no effect.
- If the presses stay the same, raising one's e above C never removes it from the last ones, and names no other.
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

from referee.core.presses.signals import (
    Contact,
    Edge,
    Press,
    certain_at_ns,
    next_ns,
    presses_of,
    seat_order,
)
from referee.core.units import MS
from referee.core.values import Value, field, replace

AGE_NS = 100 * MS
"""The device's A: a claim about the past is believed for this long.

Honest touches that are older: none on a LAN or with 0 to 40 ms each way, 1 of 100 on Wi-Fi.
"""
LEAST_LOCKOUT_NS = 100 * MS
"""Minimum lockout K (the time after a call in which presses open no new call): 100 ms."""


class CallRules(Value, tag="law"):
    """The arbiter's settings W, C, L and K, in ns.

    tie_ns (W), max_err_ns (C), lockout_ns (K): see the head of this module. latency_ns (L): the maximum delay of a
    burst's first row after its *true* press; zero if every station is wired.
    limit_ns: everybody must press within this time of the first press, and the last press loses; None: the first press
    wins. age_ns (A): how far back the claim of a row is believed; None: without limit (evenings of older releases).
    Raises ValueError if a value is negative or the lockout is below 100 ms.
    """

    tie_ns: int = 20 * MS
    max_err_ns: int = 10 * MS
    latency_ns: int = 30 * MS
    lockout_ns: int = 2_000 * MS
    limit_ns: int | None = None
    age_ns: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("tie_ns", self.tie_ns), ("max_err_ns", self.max_err_ns), ("latency_ns", self.latency_ns)):
            if value < 0:
                raise ValueError(f"{name} must not be negative, not {value}")
        if self.lockout_ns < LEAST_LOCKOUT_NS:
            raise ValueError(f"lockout_ns must be at least {LEAST_LOCKOUT_NS}, not {self.lockout_ns}")

    def is_old(self, press: Press) -> bool:
        """Return whether the press claims to be longer ago than `age_ns`."""
        return self.age_ns is not None and press.age_ns > self.age_ns


class CalledPress(Value, tag="called_press"):
    """One press in a verdict: its team, station, time and error.

    clock, rel_err_ns: as in signals.Edge. shift_ns: how much later than t_ns it counts. old: its claim was too old.
    """

    team: str
    station: str
    t_ns: int
    err_ns: int
    clock: str | None = None
    rel_err_ns: int | None = None
    shift_ns: int = 0
    old: bool = False

    @property
    def counts_ns(self) -> int:
        """Return the time at which the press counts (t')."""
        return self.t_ns + self.shift_ns

    def err_against(self, other: CalledPress) -> int:
        """Return the error of this press's time against another press.

        If both presses have stamps of one clock, that is the smaller error `rel_err_ns`.
        """
        if self.clock is None or self.rel_err_ns is None or self.clock != other.clock:
            return self.err_ns
        return self.rel_err_ns

    def span_against(self, other: CalledPress) -> tuple[int, int]:
        """Return the earliest and the latest time that this press may have had, in a comparison with another."""
        err_ns = self.err_against(other)
        return self.t_ns - err_ns, max(self.counts_ns + err_ns, self.t_ns - err_ns)


class Verdict(Value, tag="verdict"):
    """The result of a call: who called.

    `presses`: one press per station, sorted by t', t and station; `first` is the first caller in this order. The other
    lists are sorted by t, then by station.
    `late`: presses after the deadline, each with whether it would change the result; they never reverse a verdict.
    `ignored`: presses that are listed but do not count. `refuted`: teams whose call the table has found false; the
    verdict is computed without their presses.
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
    def claimed_ns(self) -> int:
        """Return the earliest time that a press claims."""
        return min(p.t_ns for p in self.presses)

    @property
    def listed(self) -> tuple[CalledPress, ...]:
        """Return all presses of the call."""
        return *self.presses, *(press for press, _ in self.late), *self.ignored

    @property
    def standing(self) -> tuple[CalledPress, ...]:
        """Return the presses of teams whose call was not found false."""
        return tuple(p for p in self.presses if p.team not in self.refuted)


# -- calls ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Call:
    """The presses of one call: counted (one per station), late, or ignored."""

    deadline_ns: int
    taken: dict[str, Press]
    late: dict[str, Press] = dataclasses.field(default_factory=dict)
    ignored: list[Press] = dataclasses.field(default_factory=list)

    def leave_out(self, press: Press) -> None:
        """Add a press that did not arrive by the deadline: as late, or as ignored."""
        press = replace(press, shift_ns=0)
        known = press.station in self.taken or press.station in self.late
        if known or press.t_ns > self.deadline_ns:
            self.ignored.append(press)
        else:
            self.late[press.station] = press


def calls_of(
    presses: Iterable[Press], rules: CallRules, armed: Collection[str] = (), *, settled: bool = False
) -> list[Call]:
    """Group presses into calls, earliest first; each press is in one list of one call.

    armed: the stations that must press if the last press loses. If empty, a call is open for the whole limit.
    settled: every press that is not `late` has arrived in time.
    """
    waiting = deque(sorted(with_shifts(presses, rules), key=_arrival))
    calls: list[Call] = []
    ends: list[int] = []
    while waiting:
        press = waiting.popleft()
        index = bisect_right(ends, press.t_ns)
        if index < len(calls):
            calls[index].leave_out(press)
        else:
            call = _open_call(press, waiting, ends, rules, armed, settled=settled)
            calls.append(call)
            ends.append(call.deadline_ns + rules.lockout_ns)
    return calls


def with_shifts(presses: Iterable[Press], rules: CallRules) -> Iterable[Press]:
    """Return the presses; old ones count at their arrival.

    Presses of one clock that arrived together are shifted together, so that their order stays.
    """
    presses = tuple(presses)
    old = {_batch(press) for press in presses if rules.is_old(press)}
    if not old:
        return presses
    earliest: dict[tuple[str, int], int] = {}
    for press in presses:
        earliest[_batch(press)] = min(earliest.get(_batch(press), press.t_ns), press.t_ns)
    shifts = (p.known_at_ns - earliest[_batch(p)] if _batch(p) in old else 0 for p in presses)
    return tuple(replace(p, shift_ns=shift_ns) for p, shift_ns in zip(presses, shifts, strict=True))


def _batch(press: Press) -> tuple[str, int]:
    return press.clock or press.station, press.known_at_ns


def _arrival(press: Press) -> tuple[bool, int, int]:
    return press.late, press.arrived_ns, press.order


def _open_call(
    first: Press, waiting: deque[Press], ends: Sequence[int], rules: CallRules, armed: Collection[str], *, settled: bool
) -> Call:
    """Open a call with its first press. Move the presses that belong to it out of `waiting`."""
    span = rules.tie_ns if rules.limit_ns is None else rules.limit_ns
    span += 0 if settled else rules.max_err_ns + rules.latency_ns
    call = Call(first.counts_ns + first.err_ns + span, {first.station: first})
    passed = []
    while waiting and not waiting[0].late and (settled or waiting[0].arrived_ns <= call.deadline_ns):
        press = waiting.popleft()
        inside = (not ends or ends[-1] <= press.t_ns) and press.t_ns < call.deadline_ns + rules.lockout_ns
        if inside and press.station not in call.taken:
            call.taken[press.station] = press
            call.deadline_ns = min(call.deadline_ns, press.counts_ns + press.err_ns + span)
        else:
            passed.append(press)
    waiting.extendleft(reversed(passed))
    if rules.limit_ns is not None and armed and call.taken.keys() >= set(armed):
        call.deadline_ns = min(call.deadline_ns, max(p.counts_ns + p.err_ns for p in call.taken.values()))
    return call


def arbitrate(
    rows: Iterable[Edge], rules: CallRules, team_of: Mapping[str, str] = MappingProxyType({})
) -> tuple[Verdict, ...]:
    """Return the verdict on every call of a trace. All contacts start open and armed.

    rows: in order of arrival. A station that is not in `team_of` is a team by itself.
    """
    return tuple(judge(call, rules, team_of) for call in calls_of(presses_of(rows), rules, team_of))


# -- live ----------------------------------------------------------------------------------------------------------


class ArmedSpan(Value, tag="court"):
    """A time in which a press is a call, and its presses in order of arrival.

    `team_of`: station -> team. lag_ns: station -> maximum delay of a row after its true instant; 0 for wired stations.
    own_go_ns: station -> the Go of a player who starts after the others; a press stamped before it is no call.
    phones: the stations whose phone can prove that all its rows have arrived. settled: see the head of this module.
    """

    rules: CallRules = field(default=CallRules(), name="law")
    team_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    presses: tuple[Press, ...] = ()
    lag_ns: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    own_go_ns: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    phones: tuple[str, ...] = ()
    settled: bool = False

    @property
    def calls(self) -> list[Call]:
        """Return the calls that its presses form."""
        return self.calls_with()

    def calls_with(self, *more: Press) -> list[Call]:
        """Return the calls that its presses and these form."""
        return calls_of((*self.presses, *more), self.rules, self.team_of, settled=self.settled)

    def team(self, press: Press) -> str:
        """Return the team of a press; a station without a team is one by itself."""
        return self.team_of.get(press.station, press.station)

    def is_before_go(self, press: Press) -> bool:
        """Return whether a press is stamped before its player's own Go."""
        return press.t_ns < self.own_go_ns.get(press.station, press.t_ns)


def with_press(armed: ArmedSpan, new: Press) -> ArmedSpan:
    """Return the span with one more press, unless it came before its player's own Go.

    Presses can become certain in another order than their arrival, so they are sorted again.
    """
    if armed.is_before_go(new):
        return armed
    if armed.settled:
        new = replace(new, late=True)
    return replace(armed, presses=tuple(sorted((*armed.presses, new), key=_arrival)))


def proof_wanted(armed: ArmedSpan) -> tuple[frozenset[str], int]:
    """Return the phones whose proof an early verdict still needs, and the proof's instant.

    Each of these phones must prove that all its rows up to the instant have arrived. No phones if there is no call.
    No phones either if the last press loses: then all must press, or the limit must be over.
    """
    if not armed.presses or not armed.phones or armed.rules.limit_ns is not None:
        return frozenset(), 0
    call = _settled(armed).calls[0]
    return frozenset(armed.phones) - call.taken.keys(), call.deadline_ns


def _settled(armed: ArmedSpan) -> ArmedSpan:
    return replace(armed, settled=True)


def settled_by(armed: ArmedSpan, contacts: Iterable[Contact]) -> ArmedSpan:
    """Return the span, settled if the proofs of its phones allow it."""
    phones, until_ns = proof_wanted(armed)
    if not until_ns:
        return armed
    proved = {contact.station for contact in contacts if contact.known_ns > until_ns}
    return armed if phones - proved else _settled(armed)


def verdict_due_ns(armed: ArmedSpan, contacts: Iterable[Contact]) -> int | None:
    """Return the earliest time at which the open call can have its verdict, as known now.

    None without a call. The verdict is due at the deadline D; if the span is settled, later by C and the largest
    `lag_ns` of the stations without a phone. The verdict also waits for each undecided burst that would belong to the
    call as a press: one that arrived by D as D was then, which may be later than D is now.
    """
    if not armed.presses:
        return None
    contacts = tuple(contacts)
    armed = settled_by(armed, contacts)
    deadline_ns = due = armed.calls[0].deadline_ns
    if armed.settled:
        lags_ns = (lag_ns for station, lag_ns in armed.lag_ns.items() if station not in armed.phones)
        due += armed.rules.max_err_ns + max(lags_ns, default=0)
    for contact in contacts:
        start, decided = contact.start, next_ns(contact)
        if start is None or decided is None or contact.station not in armed.team_of or armed.is_before_go(start):
            continue
        if armed.settled and start.t_ns - start.err_ns > deadline_ns:
            continue
        taken = armed.calls_with(start)[0].taken.get(start.station)
        if taken is not None and taken.order == start.order:
            due = max(due, certain_at_ns(contact, decided, armed.lag_ns.get(contact.station, 0)))
    return due


def rule(armed: ArmedSpan) -> Verdict:
    """Return the verdict on the span's call.

    Presses that arrive later are only added to `late` and `ignored`.
    """
    return judge(armed.calls[0], armed.rules, armed.team_of)


def rule_again(armed: ArmedSpan, refuted: tuple[str, ...], until_ns: int) -> Verdict | None:
    """Return the verdict without the refuted teams, on all presses that count by `until_ns`; None without any.

    It does not matter when the presses arrived and how long after a refuted one they were. The refuted teams' presses
    of the call are listed, but do not count.
    """
    taken: dict[str, Press] = {}
    for press in sorted(with_shifts(armed.presses, armed.rules), key=lambda press: press.counts_ns):
        if armed.team(press) not in refuted and press.counts_ns <= until_ns:
            taken.setdefault(press.station, press)
    if not taken:
        return None
    whole = rule(armed)
    again = judge(Call(whole.deadline_ns, taken), armed.rules, armed.team_of)
    presses = (*again.presses, *(p for p in whole.presses if p.team in refuted))
    known = {(p.station, p.t_ns) for p in presses}
    others = (p for p in whole.listed if (p.station, p.t_ns) not in known)
    ignored = tuple(sorted(others, key=lambda p: (p.t_ns, seat_order(p.station))))
    return replace(again, presses=tuple(sorted(presses, key=by_time)), ignored=ignored, refuted=refuted)


# -- the verdict ---------------------------------------------------------------------------------------------------


def judge(call: Call, rules: CallRules, team_of: Mapping[str, str]) -> Verdict:
    """Return the verdict on a call: its callers, and whether they are certain.

    If the last press loses, the callers are the teams that were last.
    """
    presses = tuple(sorted(_with_teams(call.taken.values(), team_of, rules), key=by_time))
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
        late=tuple((p, _counts(p, presses, rules)) for p in _with_teams(call.late.values(), team_of, rules)),
        ignored=tuple(_with_teams(call.ignored, team_of, rules)),
    )


def _with_teams(presses: Iterable[Press], team_of: Mapping[str, str], rules: CallRules) -> list[CalledPress]:
    """Return the presses with their teams, sorted by t, then by station."""
    named: list[CalledPress] = []
    for p in sorted(presses, key=lambda p: (p.t_ns, seat_order(p.station))):
        team, own = team_of.get(p.station, p.station), (p.clock, p.rel_err_ns, p.shift_ns, rules.is_old(p))
        named.append(CalledPress(team, p.station, p.t_ns, p.err_ns, *own))
    return named


def by_time(press: CalledPress) -> tuple[int, int, tuple[bool, int, str]]:
    """Return the sort key of a press: the time at which it counts, its claim, its seat."""
    return press.counts_ns, press.t_ns, seat_order(press.station)


def _teams(presses: Iterable[CalledPress]) -> tuple[str, ...]:
    """Return each team once, sorted by its earliest press, then by name."""
    return tuple(dict.fromkeys(p.team for p in sorted(presses, key=lambda p: (*by_time(p)[:2], seat_order(p.team)))))


class _Stand(NamedTuple):
    """How one press compares with the presses of other teams.

    calls: the press makes its team a caller. beyond: the press is certainly too late for that. unsure: stations of
    other teams' presses that may be earlier by more than the tie window. If the last press loses, "too late"
    becomes "too early", and "earlier" becomes "later".
    """

    calls: bool
    beyond: bool
    unsure: frozenset[str]


def _standing(p: CalledPress, presses: Iterable[CalledPress], rules: CallRules) -> _Stand:
    """Compare a press with those of other teams: is it among the first, within the tie window?

    If the last press loses: is it among the last?
    """
    calls, beyond, unsure = True, False, []
    for q in presses:
        if q.team == p.team:
            continue
        before, after = (q, p) if rules.limit_ns is None else (p, q)
        errs_ns = before.err_against(after) + min(after.err_against(before), rules.max_err_ns)
        if after.counts_ns - before.counts_ns > rules.tie_ns + errs_ns:
            calls = False
        (least_before, most_before), (least_after, most_after) = before.span_against(after), after.span_against(before)
        if least_after - most_before > rules.tie_ns:
            beyond = True
        if most_after - least_before > rules.tie_ns:
            unsure.append(q.station)
    return _Stand(calls, beyond, frozenset(unsure))


def _is_grey(presses: Iterable[CalledPress], stands: Iterable[_Stand]) -> bool:
    """Return whether the status of at least one team, caller or not, is in doubt.

    A team certainly is a caller if one of its presses is within the window of each press of other teams, for all
    possible true times. It certainly is no caller if no press of the team can be within these windows.
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
    """Return the teams that were last, and whether that is in doubt.

    They are the teams without a press within the limit; if there are none, `last`.
    """
    pressed = {p.station for p in presses}
    absent = {team for station, team in team_of.items() if station not in pressed}
    least_ns = min(p.t_ns - p.err_ns for p in presses) + limit_ns
    most_ns = min(p.counts_ns + p.err_ns for p in presses) + limit_ns
    beyond = absent | {p.team for p in presses if p.counts_ns > min(q.counts_ns for q in presses) + limit_ns}
    surely = absent | {p.team for p in presses if p.t_ns - p.err_ns > most_ns}
    unsure = {p.team for p in presses if p.counts_ns + p.err_ns > least_ns and p.t_ns - p.err_ns <= most_ns} - absent
    doubt = bool(unsure - surely)
    return (tuple(sorted(beyond)), doubt) if beyond else (last, grey or doubt)


def _counts(late: CalledPress, presses: Sequence[CalledPress], rules: CallRules) -> bool:
    """Return whether a late press would certainly change the result.

    It would if it was certainly before every press of the call or, if the last loses, certainly within the limit.
    """
    if rules.limit_ns is None:
        return all(late.t_ns + late.err_against(q) < q.t_ns - q.err_against(late) for q in presses)
    return late.t_ns + late.err_ns <= min(p.t_ns - p.err_ns for p in presses) + rules.limit_ns
