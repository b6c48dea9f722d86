"""A slow, stateless model of the arbiter of docs/timing.md, for comparison with the product.

It follows the text alone. Every function looks at all rows of a contact, or all presses of a call, at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.core.presses.arbiter import CallRules
from referee.core.presses.signals import Edge

MS = 1_000_000


@dataclass(frozen=True)
class Burst:
    """Rows after an armed contact's first row, and whether they are a press.

    Certain since `sure_ns`. known_at_ns: when the last row arrived that the press needs. t_ns: when it counts.
    """

    row: Edge
    order: int
    is_press: bool
    sure_ns: int
    known_at_ns: int
    t_ns: int
    old: bool = False


@dataclass(frozen=True)
class Sorted:
    """One call's bursts."""

    deadline_ns: int
    presses: list[Burst]
    late: list[Burst]
    ignored: list[Burst]


# -- rows to presses -----------------------------------------------------------------------------------------------


def by_station(rows: Sequence[Edge]) -> dict[str, list[tuple[int, Edge]]]:
    """Return each station's rows with their place in the trace."""
    return {s: [(i, r) for i, r in enumerate(rows) if r.station == s] for s in sorted({r.station for r in rows})}


def bursts(numbered: Sequence[tuple[int, Edge]]) -> Iterator[Burst]:
    """Yield the bursts of one contact by rules 1 to 3.

    The contact is open and armed at the start.
    """
    rows = [row for _, row in numbered]
    index = 0
    while index < len(rows):
        end = rows[index].t_ns + 10 * MS
        sure = closed_for_1_ms(rows[index:], end)
        order = numbered[index][0]
        sure_ns = end if sure is None else sure
        yield Burst(rows[index], order, sure is not None, sure_ns, needed(rows[index:], sure_ns), rows[index].t_ns)
        index = after_spike(rows, index, end) if sure is None else after_press(rows, sure)


def closed_for_1_ms(rows: Sequence[Edge], end: int) -> int | None:
    """Return when a contact has been closed for 1 ms in all before `end`."""
    left = MS
    for row, until in zip(rows, [*(r.t_ns for r in rows[1:]), end], strict=True):
        length = min(until, end) - row.t_ns
        if row.closed and length >= left:
            return row.t_ns + left
        if row.closed and length > 0:
            left -= length
    return None


def needed(rows: Sequence[Edge], sure: int) -> int:
    """Return when the last change of level before `sure` arrived, or the first row."""
    changes = [
        row for row, before in zip(rows[1:], rows, strict=False) if row.t_ns < sure and row.closed != before.closed
    ]
    return max(row.arrived_ns for row in [rows[0], *changes])


def after_spike(rows: Sequence[Edge], index: int, end: int) -> int:
    """Return the next burst's first row.

    It is the last change to closed if the window ends closed, else the first row after the window.
    """
    last = max(i for i, row in enumerate(rows) if row.t_ns < end)
    if not rows[last].closed:
        return last + 1
    return max(i for i in range(index + 1, last + 1) if rows[i].closed and not rows[i - 1].closed)


def after_press(rows: Sequence[Edge], sure: int) -> int:
    """Return the first row at or after 10 ms open without a break."""
    opened: int | None = None
    for index, row in enumerate(rows):
        if row.t_ns < sure:
            continue
        if opened is not None and row.t_ns >= opened + 10 * MS:
            return index
        if row.closed:
            opened = None
        elif opened is None:
            opened = row.t_ns
    return len(rows)


def opening(rows: Sequence[Edge], sure: int) -> int | None:
    """Return the first change to open after `sure` that no closed row follows within 40 ms."""
    later = [row for row in rows if row.t_ns >= sure]
    for index, row in enumerate(later):
        changed = not row.closed and (index == 0 or later[index - 1].closed)
        if changed and not any(r.closed and r.t_ns < row.t_ns + 40 * MS for r in later[index:]):
            return row.t_ns
    return None


def gestures(numbered: Sequence[tuple[int, Edge]]) -> tuple[list[bool], list[tuple[int, int]]]:
    """Return for each press whether it begins a gesture, and the releases (opened, certain at)."""
    found = list(bursts(numbered))
    presses = [b for b in found if b.is_press]
    fresh, releases = [True] * len(presses), []
    for index, press in enumerate(presses):
        opened = opening([row for _, row in numbered], press.sure_ns)
        if opened is None:
            fresh[index + 1 :] = [False] * len(fresh[index + 1 :])
            break
        over = opened + 40 * MS
        if index + 1 < len(presses) and presses[index + 1].row.t_ns < over:
            fresh[index + 1] = False
        else:
            open_bursts = [b.sure_ns for b in found if not b.is_press and b.row.t_ns < over <= b.sure_ns]
            releases.append((opened, max([over, *open_bursts])))
    return fresh, releases


# -- presses to calls ----------------------------------------------------------------------------------------------


def calls(rows: Sequence[Edge], rules: CallRules) -> list[Sorted]:
    presses = [b for numbered in by_station(rows).values() for b in bursts(numbered) if b.is_press]
    return sorted_calls(sorted(counted(presses, rules), key=lambda b: (b.row.arrived_ns, b.order)), rules)


def counted(presses: Sequence[Burst], rules: CallRules) -> list[Burst]:
    """Return the presses with the time at which each counts.

    A press whose claim is older than A counts at its arrival; presses of its clock that came with it move with it.
    """
    age_ns = 10**30 if rules.age_ns is None else rules.age_ns
    aged = [replace(b, old=b.known_at_ns - (b.row.t_ns - b.row.err_ns) > age_ns) for b in presses]

    def together(b: Burst) -> list[Burst]:
        return [o for o in aged if o.known_at_ns == b.known_at_ns and origin(o.row) == origin(b.row)]

    return [
        replace(b, t_ns=b.row.t_ns + b.known_at_ns - min(o.row.t_ns for o in together(b)))
        if any(o.old for o in together(b))
        else b
        for b in aged
    ]


def origin(row: Edge) -> str:
    return row.station if row.clock is None else row.clock


def sorted_calls(presses: list[Burst], rules: CallRules) -> list[Sorted]:
    """Return the first call of these presses, then the calls after its lockout."""
    if not presses:
        return []
    inside = presses[:1]
    for press in presses[1:]:
        deadline = deadline_of(inside, rules)
        belongs = press.row.t_ns < deadline + rules.lockout_ns and press.row.arrived_ns <= deadline
        if belongs and press.row.station not in [b.row.station for b in inside]:
            inside.append(press)
    deadline = deadline_of(inside, rules)
    others = [b for b in presses if b not in inside]
    later = [b for b in others if b.row.t_ns >= deadline + rules.lockout_ns]
    late: list[Burst] = []
    for press in others:
        stations = [b.row.station for b in inside + late]
        if press not in later and press.row.t_ns <= deadline and press.row.station not in stations:
            late.append(press)
    ignored = [b for b in others if b not in later and b not in late]
    return [Sorted(deadline, inside, late, ignored), *sorted_calls(later, rules)]


def deadline_of(presses: Sequence[Burst], rules: CallRules) -> int:
    """Return D, from the presses that are in."""
    return min(b.t_ns + b.row.err_ns for b in presses) + rules.tie_ns + rules.max_err_ns + rules.latency_ns


# -- calls as documents --------------------------------------------------------------------------------------------


def document(rows: Sequence[Edge], rules: CallRules, team_of: Mapping[str, str]) -> dict[str, object]:
    """Return what `referee arbitrate --json` must print.

    Each station is its own team by default.
    """
    return {"calls": [call_document(call, rules, team_of) for call in calls(rows, rules)]}


def call_document(call: Sorted, rules: CallRules, team_of: Mapping[str, str]) -> dict[str, object]:
    """Return one call in the form of the verdict document."""
    presses = sorted(call.presses, key=lambda b: (b.t_ns, b.row.t_ns, b.row.station))
    late, ignored = (
        sorted((b.row for b in listed), key=lambda r: (r.t_ns, r.station)) for listed in (call.late, call.ignored)
    )
    calling = [
        p for p in presses if all(announced_apart(p, q, rules) <= rules.tie_ns for q in rivals(p, presses, team_of))
    ]
    callers = by_time(calling, team_of)
    return {
        "verdict": "clear" if len(callers) == 1 else "tie",
        "grey": any(is_doubtful(team, presses, rules, team_of) for team in by_time(presses, team_of)),
        "callers": callers,
        "first": callers[0],
        "window_ns": rules.tie_ns,
        "deadline_ns": call.deadline_ns,
        "presses": [
            {**stamped(p.row), "gap_ns": p.t_ns - presses[0].t_ns, **({"old": True} if p.old else {})} for p in presses
        ],
        "late": [{**stamped(p), "would_be_first": all(surely_before(p, q.row) for q in presses)} for p in late],
        "ignored": [{"station": p.station, "t_ns": p.t_ns} for p in ignored],
    }


def stamped(row: Edge) -> dict[str, object]:
    """Return a press in the form of the document."""
    return {"station": row.station, "t_ns": row.t_ns, "err_ns": row.err_ns}


def by_time(presses: Sequence[Burst], team_of: Mapping[str, str]) -> list[str]:
    """Return the teams of these presses, by the time at which they count, then by claim and name."""
    first: dict[str, tuple[int, int]] = {}
    for p in presses:
        team, key = team_of[p.row.station], (p.t_ns, p.row.t_ns)
        first[team] = min(first.get(team, key), key)
    return sorted(first, key=lambda team: (first[team], team))


def own_error(p: Edge, q: Edge) -> int:
    """Return the error bound of p against q."""
    if p.clock is not None and q.clock is not None and p.clock == q.clock:
        return p.err_ns if p.rel_err_ns is None else p.rel_err_ns
    return p.err_ns


def surely_before(p: Edge, q: Edge) -> bool:
    return p.t_ns + own_error(p, q) < q.t_ns - own_error(q, p)


def low(p: Burst, q: Burst) -> int:
    """Return the earliest time of p, compared with q."""
    return p.row.t_ns - own_error(p.row, q.row)


def high(p: Burst, q: Burst) -> int:
    """Return the latest time of p, compared with q."""
    return max(p.t_ns + own_error(p.row, q.row), low(p, q))


def announced_apart(p: Burst, q: Burst, rules: CallRules) -> int:
    """Return the least time by which p counts after q, with p's own error limited to C."""
    return p.t_ns - min(own_error(p.row, q.row), rules.max_err_ns) - q.t_ns - own_error(q.row, p.row)


def rivals(p: Burst, presses: Sequence[Burst], team_of: Mapping[str, str]) -> list[Burst]:
    """Return the call's presses of other teams."""
    return [q for q in presses if team_of[q.row.station] != team_of[p.row.station]]


def is_doubtful(team: str, presses: Sequence[Burst], rules: CallRules, team_of: Mapping[str, str]) -> bool:
    """Return whether the team is grey: neither certain to be a caller nor certain not to be."""
    own = [p for p in presses if team_of[p.row.station] == team]
    others = [q for q in presses if team_of[q.row.station] != team]
    certain = all(min(high(p, q) - low(q, p) for p in own) <= rules.tie_ns for q in others)
    excluded = all(max((low(p, q) - high(q, p) for q in others), default=rules.tie_ns) > rules.tie_ns for p in own)
    return not certain and not excluded
