"""Play a whole match with bots in fast time and print what happens."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from referee.commands.score import plain
from referee.commands.terminal import add_options, given_options, given_preset, seed, terminal, whole
from referee.core.model.registry import presets
from referee.core.model.table import PRESET, SEATS, Setup
from referee.core.model.view import VerdictScreen, View
from referee.core.presses.arbiter import CallRules
from referee.core.values import replace
from referee.simulator.table.skill import COMPANIES, USUAL

if TYPE_CHECKING:  # for type checkers only: a fast start needs no heavy imports before `run`
    from referee.core.match.engine import JournalRow
    from referee.simulator.table.transcript import HandTranscript, MatchRecord

Options = tuple[tuple[str, object], ...]
NAMES = ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom", "Emma", "Paul", "Nina", "Finn")
LEAST, MOST = 2, 12
A_HAND = 3
"""Maximum cards per player in games of turns. These are played without pairs."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--players", type=whole(LEAST, MOST), default=4, metavar="N", help="number of players, 2 to 12 (default: 4)"
    )
    parser.add_argument("--preset", default=PRESET, metavar="P", help=f"preset (default: {PRESET})")
    add_options(parser)
    parser.add_argument("--seed", type=seed, default=1, metavar="S", help="random seed (default: 1)")
    parser.add_argument("--company", choices=COMPANIES, default=USUAL, help=f"how bots behave (default: {USUAL})")
    told = f"number of pods with two buttons each, 0 to {MOST // 2} (default: 0)"
    parser.add_argument("--pods", type=whole(0, MOST // 2), default=0, metavar="N", help=told)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--screens", type=Path, metavar="DIR", help="write every distinct screen as PNG, and one picture of all"
    )
    parser.add_argument("--pace", action="store_true", help="print how long each step took, next to its limit")


def run(args: argparse.Namespace) -> int:
    """Play a match with bots, print its story, and return the exit status."""
    from referee.commands.pictures import Pictures
    from referee.commands.story import story

    preset = given_preset("demo", args.preset)
    options = tuple(given_options("demo", preset, args.option).items())
    screens = Pictures(args.screens) if args.screens else None
    match, told = _play_match(args, preset, options, screens)
    if args.json:
        print(json.dumps(document(match, told, preset, options, args.seed), ensure_ascii=False))
    else:
        lines = [*story(match, args.seed, terminal(), options), *(pace_lines(match) if args.pace else ())]
        print(plain("\n".join(lines)))
    if screens:
        together = screens.contact_sheet()
        if not args.json:
            print(f"{screens.count} screens in {args.screens}, all of them in one: {together}")
    return 0


def _play_match(
    args: argparse.Namespace, preset: str, options: Options, watch: Callable[[View], object] | None
) -> tuple[MatchRecord, Mapping[str, object]]:
    """Let bots play a match. Return the match and its match document for `referee score`."""
    from referee.core.documents.chronicle import records
    from referee.simulator.table.bots import Bots
    from referee.simulator.table.evening import Evening
    from referee.simulator.table.pods import BUTTONS

    names = tuple((str(n), name) for n, name in enumerate(NAMES, 1))
    setup = Setup(preset, options, names=names, agreement=True)
    if args.players > len(setup.stations):
        setup = replace(setup, stations=SEATS[: args.players])
    if args.pods:
        setup = replace(setup, remote=setup.stations[: BUTTONS * args.pods], latency_ns=CallRules().latency_ns)
    manners = COMPANIES[args.company]
    if presets()[preset].cards(preset, dict(options))[1] <= A_HAND:
        manners = replace(manners, pairs=False)
    bots = Bots(setup.stations[: args.players], args.seed, hold_ns=setup.hold_ns, manners=manners)
    rows: list[JournalRow] = []
    match = Evening(setup, bots, journal=rows.extend, watch=watch).play()[0]
    return match, records(rows, {})[0].match


# -- JSON ----------------------------------------------------------------------------------------------------------


def document(
    match: MatchRecord, scored: Mapping[str, object], preset: str, options: Options, seed: int
) -> dict[str, Any]:
    """Return the match as a JSON document. `scored`: the match document for `referee score`."""
    names = {line.label.numbers[0]: line.label.name for line in match.lines}
    return {
        "preset": preset,
        "options": dict(options),
        "seed": seed,
        "teams": [{"seats": list(numbers), "name": name} for numbers, name in sorted(_teams(match))],
        "hands": [_hand_document(hand, names) for hand in match.hands],
        "totals": {line.label.name: _number(line.total) for line in match.lines},
        "winners": [label.name for label in match.winners],
        "seconds": dict(_seconds(match)),
        "pace": list(_pace_document(match)),
        "match": scored,
    }


def _teams(match: MatchRecord) -> Iterator[tuple[tuple[int, ...], str]]:
    return ((line.label.numbers, line.label.name) for line in match.lines)


def _hand_document(hand: HandTranscript, names: dict[int, str]) -> dict[str, Any]:
    from referee.commands.story import count_of

    return {
        "hand": hand.number,
        "played_ms": hand.played_ns // 1_000_000,
        "false_calls": [names[team] for team in hand.false_calls],
        "stopped_by": [[label.name for label in stop] for stop in hand.stops],
        "verdict": _verdict_document(hand.verdict),
        "ended": {"how": hand.ended, "by": [label.name for label in hand.by]} if hand.ended else None,
        "counts": {names[n]: count_of(hand, values) for n, values in hand.counts.items()},
        "miscounts": {names[n]: count_of(hand, hand.truth[n]) for n in hand.miscounts},
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


def _pace_document(match: MatchRecord) -> Iterator[dict[str, Any]]:
    from referee.simulator.table.stopwatch import SPANS, seconds

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


def _number(score: Fraction) -> int | float:
    return int(score) if score.denominator == 1 else float(score)


# -- durations -----------------------------------------------------------------------------------------------------


def pace_lines(match: MatchRecord) -> Iterator[str]:
    """Yield two tables: the seconds in each phase, and the steps from a call to the next GO.

    The second table also shows the time allowed for each step (its budget, simulator/table/stopwatch.py).
    """
    yield ""
    yield "Seconds (median of the hands)"
    yield from (f"  {name:<18}{median:>7.1f}" for name, median in _seconds(match))
    rows = list(_pace_document(match))
    if rows:
        yield ""
        yield f"{'Between two hands, s':<27}{'median':>8}{'p90':>8}   {'budget':>7}{'p90':>7}"
    for row in rows:
        measured = f"{row['median']:>8.2f}{row['p90']:>8.2f}"
        budget = (row["budget_median"], row["budget_p90"])
        allowed = "".join(f"{'–' if seconds is None else format(seconds, 'g'):>7}" for seconds in budget)
        yield f"  {row['what']:<25}{measured}   {allowed}"


def _seconds(match: MatchRecord) -> Iterator[tuple[str, float]]:
    """Yield each phase, and how many seconds it lasts in a hand (the median).

    The last pair is "call to next Go" and the seconds from a call to the next GO.
    """

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
