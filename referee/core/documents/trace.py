"""The trace document: recorded edge rows are read, verdicts are written (docs/commands.md).

A trace is JSON Lines in order of arrival, one row per line. Empty lines are skipped, but counted in line numbers.
Missing fields are filled in from the row and the row before. Impossible rows are refused with one sentence, because a
verdict on mistyped rows would be worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from referee.core.presses.arbiter import CalledPress, Verdict
from referee.core.presses.signals import Edge
from referee.core.reading import quoted_value
from referee.core.units import ms_text

MOST_NS = 2**63 - 1
"""Maximum time: that of a 64-bit kernel stamp, and of the journal."""
NEEDED = ("station", "closed", "t_ns")


class TraceError(ValueError):
    """An invalid trace. The message is one sentence that begins with the line's number."""


# -- rows ----------------------------------------------------------------------------------------------------------


def rows_of(lines: Iterable[str]) -> Iterator[Edge]:
    """Yield the rows of a trace in order. Raises TraceError at the first error.

    >>> [edge.arrived_ns for edge in rows_of(['{"station": "red", "closed": true, "t_ns": 7}'])]
    [7]
    """
    before: Edge | None = None
    latest: dict[str, Edge] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = _row(_object(line), before)
            _check(row, before, latest.get(row.station))
        except TraceError as exc:
            raise TraceError(f"line {number}: {exc}") from None
        before = latest[row.station] = row
        yield row


def _object(line: str) -> dict[str, object]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as exc:
        raise TraceError(f"no JSON at column {exc.colno} ({exc.msg}), allowed is one JSON object a line") from None
    except (ValueError, RecursionError):
        raise TraceError("the row cannot be read: a number is too long or a value is nested too deep") from None
    if not isinstance(value, dict):
        raise TraceError(f"{quoted_value(value)} is given, allowed is a JSON object")
    return value


def _row(given: dict[str, object], before: Edge | None) -> Edge:
    """Return the row of this JSON object, with missing fields filled in. `before`: the last row."""
    for key in NEEDED:
        if key not in given:
            raise TraceError(f"the key {key} is missing, needed are {', '.join(NEEDED)}")
    station, closed = _name(given, "station"), given["closed"]
    if not isinstance(closed, bool):
        raise TraceError(f"closed is {quoted_value(closed)}, allowed is true or false")
    t_ns, err_ns = _ns(given, "t_ns", 0), _ns(given, "err_ns", 0)
    arrived_ns = _ns(given, "arrived_ns", t_ns if before is None else max(t_ns, before.arrived_ns))
    rel_err_ns = _ns(given, "rel_err_ns", 0) if "rel_err_ns" in given else None
    clock = _name(given, "clock") if "clock" in given else None
    return Edge(station, closed, t_ns, err_ns, arrived_ns, clock, rel_err_ns)


def _name(given: dict[str, object], key: str) -> str:
    """Return the text at this key. Refuse half a surrogate pair, which a terminal cannot show."""
    name = given[key]
    if not isinstance(name, str) or not name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise TraceError(f"{key} is {quoted_value(name)}, allowed is a name (a text that is not empty)")
    return name


def _ns(given: dict[str, object], key: str, left_out: int) -> int:
    value = given.get(key, left_out)
    if type(value) is not int:
        raise TraceError(f"{key} is {quoted_value(value)}, allowed is a whole number of nanoseconds")
    if not -MOST_NS <= value <= MOST_NS:
        raise TraceError(f"{key} is {quoted_value(value)}, allowed is -{MOST_NS} to {MOST_NS}")
    return value


def _check(row: Edge, before: Edge | None, latest: Edge | None) -> None:
    """Raise TraceError if the row has an impossible error or is out of order.

    before: the last row of the trace. latest: the last row of the same station. The arbiter relies on this order.
    """
    if row.err_ns < 0:
        raise TraceError(f"err_ns is {row.err_ns}, allowed is 0 or more")
    if row.rel_err_ns is not None and not 0 <= row.rel_err_ns <= row.err_ns:
        raise TraceError(f"rel_err_ns is {row.rel_err_ns}, allowed is 0 to err_ns, {row.err_ns}")
    if row.t_ns - row.err_ns > row.arrived_ns:
        raise TraceError(f"t_ns - err_ns is {row.t_ns - row.err_ns}, allowed is at most arrived_ns, {row.arrived_ns}")
    if before is not None and row.arrived_ns < before.arrived_ns:
        raise TraceError(f"arrived_ns is {row.arrived_ns}, allowed is the row before's {before.arrived_ns} or more")
    if latest is not None and row.t_ns < latest.t_ns:
        allowed = f"{latest.t_ns} or more, as in the row before of station {quoted_value(row.station)}"
        raise TraceError(f"t_ns is {row.t_ns}, allowed is {allowed}")


# -- verdicts ------------------------------------------------------------------------------------------------------


def document(verdicts: Iterable[Verdict]) -> dict[str, object]:
    """Return the verdicts as `referee arbitrate --json` prints them."""
    return {"calls": [_call(verdict) for verdict in verdicts]}


def _call(verdict: Verdict) -> dict[str, object]:
    start_ns = verdict.presses[0].counts_ns
    return {
        "verdict": verdict.kind,
        "grey": verdict.grey,
        "callers": list(verdict.callers),
        "first": verdict.first,
        "window_ns": verdict.window_ns,
        "deadline_ns": verdict.deadline_ns,
        "presses": [_press(p) | {"gap_ns": p.counts_ns - start_ns} | _age(p) for p in verdict.presses],
        "late": [{**_press(p), "would_be_first": would} for p, would in verdict.late],
        "ignored": [{"station": p.station, "t_ns": p.t_ns} for p in verdict.ignored],
    }


def _press(called: CalledPress) -> dict[str, object]:
    return {"station": called.station, "t_ns": called.t_ns, "err_ns": called.err_ns}


def _age(called: CalledPress) -> dict[str, object]:
    return {"old": True} if called.old else {}


def story(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as text for people."""
    calls = (_verdict_lines(number, verdict) for number, verdict in enumerate(verdicts, 1))
    return "\n".join(chain.from_iterable(calls)) if verdicts else "No call."


def _verdict_lines(number: int, verdict: Verdict) -> Iterator[str]:
    grey = ", grey: within the stated errors it could be otherwise" if verdict.grey else ""
    yield f"Call {number}: {_headline(verdict)}{grey}"
    width = max(len(p.station) for p in (*verdict.presses, *(p for p, _ in verdict.late), *verdict.ignored))
    start_ns = verdict.presses[0].counts_ns
    for p in verdict.presses:
        old = f"  old: counts at {ms_text(p.counts_ns - start_ns, 3)} ms" if p.old else ""
        yield f"  {_press_text(p, width, start_ns)}{'  caller' if p.team in verdict.callers else ''}{old}"
    for p, would in verdict.late:
        yield f"  {_press_text(p, width, start_ns)}  late{', would be first' if would else ''}"
    for p in verdict.ignored:
        yield f"  {_press_text(p, width, start_ns)}  ignored"


def _headline(verdict: Verdict) -> str:
    if verdict.kind == "clear":
        return f"{verdict.first}, clear"
    return f"tie of {' and '.join(verdict.callers)} within {ms_text(verdict.window_ns, 3)} ms"


def _press_text(p: CalledPress, width: int, start_ns: int) -> str:
    within = "" if p.clock is None else f" (± {ms_text(p.err_against(p), 4)} ms on {p.clock})"
    return f"{p.station:<{width}} {ms_text(p.t_ns - start_ns, 3):>12} ms ± {ms_text(p.err_ns, 3)} ms{within}"
