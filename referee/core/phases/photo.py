"""The photo finish of a call: the recorded changes of contacts around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.core.model.labels import label_of
from referee.core.model.registry import claim_game
from referee.core.model.table import CallEvidence, Table
from referee.core.model.view import PhotoLine, PhotoScreen
from referee.core.presses.arbiter import CalledPress, Verdict, by_time
from referee.core.presses.signals import Edge
from referee.core.units import MS


def _photo_frame(table: Table, verdict: Verdict) -> tuple[int, int, list[CalledPress]]:
    """Return the instant of a photo finish's left edge, its length in ns, and its presses."""
    start = verdict.presses[0].counts_ns
    if claim_game(table).limit_ns(table) is not None:
        start = verdict.presses[-1].counts_ns - verdict.window_ns  # the tie window ends at the last press
    late = [called for called, _ in verdict.late]
    shown = sorted((*verdict.presses, *late), key=by_time)
    last = max(p.counts_ns - start for p in shown)
    return start, max(100 * MS, last * 5 // 4), shown


def photo_of(table: Table, verdict: Verdict, evidence: tuple[Edge, ...]) -> PhotoScreen:
    """Return a call's photo finish: a line per press, with times in ns from its left edge."""
    start, span, shown = _photo_frame(table, verdict)
    late = [called for called, _ in verdict.late]
    lines = tuple(
        PhotoLine(
            label_of(table, p.team),
            p.counts_ns - start,
            own_ns,
            _closed_spans(evidence, p.station, start - p.shift_ns, span),
            p.team in verdict.callers,
            p in late,
            common_ns,
        )
        for p, (own_ns, common_ns) in zip(shown, _errors(shown), strict=True)
    )
    pressed = {p.team for p in (*verdict.presses, *verdict.ignored, *late)}
    of_last = claim_game(table).limit_ns(table) is not None
    return PhotoScreen(verdict.window_ns, span, lines, len(pressed) == 1, of_last)


def _errors(shown: Sequence[CalledPress]) -> Iterator[tuple[int, int]]:
    """Yield for each press its `err_ns` and `common_ns`, as `PhotoLine` describes them."""
    told: set[str] = set()
    for p in shown:
        mates = [q for q in shown if q.clock is not None and q.clock == p.clock]
        if p.clock is None or len(mates) < 2:
            yield p.err_ns, 0
            continue
        own_ns = p.err_against(p)
        common_ns = 0 if p.clock in told else max(q.err_ns - q.err_against(q) for q in mates)
        told.add(p.clock)
        yield own_ns, common_ns


def _closed_spans(evidence: tuple[Edge, ...], station: str, start_ns: int, span_ns: int) -> tuple[tuple[int, int], ...]:
    """Return the spans in which the contact was closed, in ns from `start_ns`.

    They end at `span_ns` at the latest.
    """
    spans: list[tuple[int, int]] = []
    since: int | None = None
    for edge in (e for e in evidence if e.station == station):
        at = edge.t_ns - start_ns
        if edge.closed and since is None:
            since = at
        elif not edge.closed and since is not None:
            spans.append((since, at))
            since = None
    if since is not None:
        spans.append((since, span_ns))
    return tuple((a, min(b, span_ns)) for a, b in spans if a < span_ns)


def evidence_of(table: Table, hand: int, verdict: Verdict, edges: tuple[Edge, ...]) -> CallEvidence:
    """Return the edges that the photo finish of this call shows. `hand`: from 0."""
    start, span_ns, shown = _photo_frame(table, verdict)
    stations = {press.station for press in shown}
    return CallEvidence(hand, verdict, tuple(e for e in edges if e.station in stations and e.t_ns < start + span_ns))
