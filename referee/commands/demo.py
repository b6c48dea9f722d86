"""`referee demo`: bots play a whole match through the real engine in fast time."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line is built at every start, so nothing heavy is imported before `run`
    from referee.core.match.engine import JournalRow
    from referee.core.model.view import Label, TeamLine, VerdictScreen, View
    from referee.table.transcript import HandTranscript, MatchRecord

NAMES = ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom")
LEAST, MOST = 2, 8
A_HAND = 3
"""Whoever holds three cards and no reserve plays a game of turns, alone."""
NAMED, USUAL = ("calm", "friends", "family", "wild"), "friends"
"""As in table/manners.py, which is not imported for every command's help."""


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser(
        "demo",
        help="bots play a match in fast time",
        description="Bots play a whole match through the real engine in fast time; the transcript is printed.",
    )
    parser.add_argument("--players", type=_players, default=4, metavar="N", help="how many seats play, 2 to 8 (4)")
    parser.add_argument("--preset", default="nna", metavar="P", help="the rule set (nna)")
    parser.add_argument("--seed", type=_seed, default=1, metavar="S", help="another seed is another evening (1)")
    parser.add_argument("--company", default=USUAL, metavar="C", help=f"how they behave: {', '.join(NAMED)} ({USUAL})")
    told = f"how many pairs of buttons hang on a pod, 0 to {MOST // 2} (0)"
    parser.add_argument("--pods", type=_pods, default=0, metavar="N", help=told)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--screens", type=Path, metavar="DIR", help="write every distinct screen there as PNG")


def _players(text: str) -> int:
    if not text.isdecimal() or not LEAST <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"must be a whole number from {LEAST} to {MOST}, not {text!r}")
    return int(text)


def _pods(text: str) -> int:
    if not text.isdecimal() or int(text) > MOST // 2:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {MOST // 2}, not {text!r}")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"must be a whole number of at most 18 digits, not {text!r}")
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Play and print."""
    screens = _Screens(args.screens) if args.screens else None
    match, told = _played(args.players, args.preset, args.seed, args.company, args.pods, screens)
    if args.json:
        import json

        print(json.dumps(document(match, told, args.preset, args.seed), ensure_ascii=False))
    else:
        print("\n".join(transcript(match, args.seed)))
        if screens:
            print(f"{screens.count} screens in {args.screens}")
    return 0


def _played(
    players: int, preset: str, seed: int, company: str, pods: int, watch: Callable[[View], object] | None
) -> tuple[MatchRecord, Mapping[str, object]]:
    from referee.cli import UsageError
    from referee.core.documents.chronicle import records
    from referee.core.model.registry import presets
    from referee.core.model.state import Setup
    from referee.core.presses.arbiter import Law
    from referee.core.values import replace
    from referee.table.bots import Bots
    from referee.table.evening import Evening
    from referee.table.manners import COMPANIES
    from referee.table.pods import BUTTONS

    if company not in COMPANIES:
        raise UsageError(f"referee demo: --company {company!r} is not one of {', '.join(COMPANIES)}")
    known = presets()
    if preset not in known:
        raise UsageError(f"referee demo: --preset {preset!r} is not one of {', '.join(known)}")
    setup = Setup(preset, names=tuple((str(n), name) for n, name in enumerate(NAMES, 1)))
    if pods:
        setup = replace(setup, remote=setup.stations[: BUTTONS * pods], latency_ns=Law().latency_ns)
    manners = COMPANIES[company]
    if known[preset].cards(preset, {})[1] <= A_HAND:
        manners = replace(manners, pairs=False)
    bots = Bots(setup.stations[:players], seed, hold_ns=setup.hold_ns, manners=manners)
    rows: list[JournalRow] = []
    match = Evening(setup, bots, journal=rows.extend, watch=watch).play()[0]
    record = records(rows, {})[0]
    assert record is not None
    return match, record.match


class _Screens:
    """Writes each picture that differs from all before it, numbered in order of appearance."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._seen: set[bytes] = set()

    @property
    def count(self) -> int:
        """How many pictures there are."""
        return len(self._seen)

    def __call__(self, view: View) -> None:
        from referee.screens import draw

        image = draw(view)
        pixels = image.tobytes()
        if pixels not in self._seen:
            self._seen.add(pixels)
            path = self._folder / f"{self.count:04}-{view.phase.lower()}.png"
            try:
                image.save(path)
            except OSError as exc:  # a write that fails does not say of which file
                raise OSError(exc.errno, exc.strerror, str(path)) from exc


# -- one JSON document ---------------------------------------------------------------------------------------------


def document(match: MatchRecord, told: Mapping[str, object], preset: str, seed: int) -> dict[str, Any]:
    """The whole match; `told`, its "match", is a document that `referee score` reads."""
    names = {line.label.numbers[0]: line.label.name for line in match.lines}
    return {
        "preset": preset,
        "seed": seed,
        "teams": [{"seats": list(numbers), "name": name} for numbers, name in sorted(_teams(match))],
        "hands": [_hand_document(hand, names) for hand in match.hands],
        "totals": {line.label.name: _number(line.total) for line in match.lines},
        "winners": [label.name for label in match.winners],
        "seconds": dict(_seconds(match)),
        "pace": list(_pace_document(match)),
        "match": told,
    }


def _teams(match: MatchRecord) -> Iterator[tuple[tuple[int, ...], str]]:
    return ((line.label.numbers, line.label.name) for line in match.lines)


def _hand_document(hand: HandTranscript, names: dict[int, str]) -> dict[str, Any]:
    return {
        "hand": hand.number,
        "played_ms": hand.played_ns // 1_000_000,
        "false_calls": [names[team] for team in hand.false_calls],
        "stopped_by": [[label.name for label in stop] for stop in hand.stops],
        "verdict": _verdict_document(hand.verdict),
        "ended": {"how": hand.ended, "by": [label.name for label in hand.by]} if hand.ended else None,
        "counts": {names[n]: _count(hand, values) for n, values in hand.counts.items()},
        "miscounts": {names[n]: _count(hand, hand.truth[n]) for n in hand.miscounts},
        "scores": {line.label.name: _number(line.delta or Fraction(0)) for line in hand.lines},
        "totals": {line.label.name: _number(line.total) for line in hand.lines},
    }


def _verdict_document(verdict: VerdictScreen | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "kind": verdict.kind,
        "grey": verdict.grey,
        "callers": [label.name for label in verdict.callers],
        "gap_ns": verdict.gap_ns,
        "later": [{"name": label.name, "after_ns": after_ns} for label, after_ns in verdict.later],
    }


def _count(hand: HandTranscript, values: tuple[int, ...]) -> list[int] | float:
    """What was entered, as CONTRACT.md has it: foundation cards and reserve cards, or the value of a hand."""
    if hand.fields[0].startswith("VALUE"):
        tens, ones, *half = values
        return 10 * tens + ones + sum(half) / 2 if sum(half) else 10 * tens + ones
    left, tens, ones = values
    return [tens * 10 + ones, left]


def _number(score: Fraction) -> int | float:
    return int(score) if score.denominator == 1 else float(score)


# -- for people ----------------------------------------------------------------------------------------------------


def transcript(match: MatchRecord, seed: int) -> Iterator[str]:
    """The match as lines of text."""
    target = f" to {match.target}" if match.target else ""
    yield f"{match.preset}{target}, seed {seed}"
    yield "At the table: " + ", ".join(f"{seat.number} {seat.name}" for seat in match.seats if seat.name)
    for hand in match.hands:
        yield ""
        yield from _hand_lines(hand)
    yield ""
    yield f"Match over after {len(match.hands)} hands: {_names(match.winners)} {_wins(match.winners)}"
    yield "  " + " : ".join(line.told or _score(line.total) for line in match.lines)
    yield ""
    yield "Seconds (median of the hands)"
    yield from (f"  {name:<18}{median:>7.1f}" for name, median in _seconds(match))
    yield from _pace_lines(match)


def _pace_lines(match: MatchRecord) -> Iterator[str]:
    """From each call to the next Go, beside the budget of INTERACTION.md 7."""
    rows = list(_pace_document(match))
    if rows:
        yield ""
        yield f"{'Between two hands, s':<27}{'median':>8}{'p90':>8}   {'budget':>7}{'p90':>7}"
    for row in rows:
        measured = f"{row['median']:>8.2f}{row['p90']:>8.2f}"
        budget = (row["budget_median"], row["budget_p90"])
        allowed = "".join(f"{'–' if seconds is None else format(seconds, 'g'):>7}" for seconds in budget)
        yield f"  {row['what']:<25}{measured}   {allowed}"


def _pace_document(match: MatchRecord) -> Iterator[dict[str, Any]]:
    from referee.table.pace import SPANS, seconds

    measured, teams = seconds(match.laps), len(match.lines)
    for span in SPANS if measured else ():
        (median, p90), (budget_median, budget_p90) = measured[span.key], span.budget(teams) or (None, None)
        yield {
            "what": span.name,
            "median": median,
            "p90": p90,
            "budget_median": budget_median,
            "budget_p90": budget_p90,
        }


def _wins(winners: tuple[Label, ...]) -> str:
    return "wins" if len(winners) == 1 else "share the win"


def _hand_lines(hand: HandTranscript) -> Iterator[str]:
    from referee.core.units import clock_text

    for stop in hand.stops:
        yield f"  start stopped by {_names(stop)}"
    for number in hand.false_calls:
        yield f"  a false call: seat {number}"
    yield f"Hand {hand.number}   {clock_text(hand.played_ns)}   {_ended_text(hand) or _verdict_text(hand.verdict)}"
    for line in hand.lines:
        yield _team_line(hand, line)
    for number in hand.miscounts:
        yield f"  a slip that nobody noticed: seat {number} had {_slip(hand, hand.truth[number])}"


def _slip(hand: HandTranscript, values: tuple[int, ...]) -> str:
    count = _count(hand, values)
    return f"{count[1]} left, {count[0]} in the Lake" if isinstance(count, list) else f"{count}"


def _team_line(hand: HandTranscript, line: TeamLine) -> str:
    values = hand.counts.get(line.label.numbers[0])
    count = _count(hand, values) if values else ""
    counted = (
        f"{count[0]:>3} in the Lake {count[1]:>3} left"
        if isinstance(count, list)
        else f"{count:>{4 if hand.ended else 24}}"
    )
    scores = f"{_score(line.delta or Fraction(0), '+'):>6}{line.told or _score(line.total):>12}"
    return f"  {line.place}.  {_name(line.label):<10}{counted}  {scores}"


def _ended_text(hand: HandTranscript) -> str:
    """How the hand ended, where it was no call."""
    turns = {"knock": f"{_names(hand.by)} knocks", "31": f"31! {_names(hand.by)}"}
    return (turns | {"stuck": "nobody can move", "abandoned": "abandoned"}).get(hand.ended, "")


def _verdict_text(verdict: VerdictScreen | None) -> str:
    from referee.core.units import ms_text, s_text

    if verdict is None:
        return "no call"
    grey = ", too close to measure" if verdict.grey else ""
    gap = "" if verdict.gap_ns is None else f"{ms_text(verdict.gap_ns, 2)} ms"
    if verdict.kind == "tie":
        text = f"tie, {_names(verdict.callers)} within {gap}{grey}"
    else:
        text = f"{_names(verdict.callers)} calls{grey}"
    later = ", ".join(f"{_name(label)} +{s_text(after_ns)} s" for label, after_ns in verdict.later)
    return f"{text}; then {later}" if later else text


def _names(labels: tuple[Label, ...]) -> str:
    return " = ".join(_name(label) for label in labels)


def _name(label: Label) -> str:
    return f"{'+'.join(str(n) for n in label.numbers)} {label.name}"


def _score(score: Fraction, plus: str = "") -> str:
    """A score with its half as a sign."""
    sign = "-" if score < 0 else plus
    whole, half = divmod(abs(score), 1)
    return f"{sign}{whole or '' if half else whole}{'½' if half else ''}"


# -- how long it took ----------------------------------------------------------------------------------------------


def _seconds(match: MatchRecord) -> Iterator[tuple[str, float]]:
    """Phase -> median seconds over the hands; "call to next Go" is what INTERACTION.md 7 budgets."""
    from statistics import median

    spent = [hand.spent_ns for hand in match.hands]
    for phase in dict.fromkeys(phase for hand in spent for phase in hand):
        yield phase, _s(median(hand.get(phase, 0) for hand in spent))
    between = [_after(one) + _before(other) for one, other in pairwise(spent)]
    if between:
        yield "call to next Go", _s(median(between))


def _after(spent: dict[str, int]) -> int:
    return sum(spent.get(phase, 0) for phase in ("CALLED", "VERDICT", "COUNTING"))


def _before(spent: dict[str, int]) -> int:
    return sum(spent.get(phase, 0) for phase in ("READY", "STARTING", "STOPPED"))


def _s(ns: float) -> float:
    return round(ns / 1_000_000_000, 1)
