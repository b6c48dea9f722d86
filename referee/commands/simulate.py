"""Play many hands card by card with simple players, and print statistics with their errors."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from referee.commands.files import check_place, write_whole
from referee.commands.score import plain
from referee.commands.terminal import (
    Terminal,
    UsageError,
    add_options,
    given_options,
    given_preset,
    picture_file,
    seed,
    terminal,
    whole,
)
from referee.core.model.options import RuleError
from referee.core.model.registry import presets
from referee.core.model.table import PRESET
from referee.simulator.statistics.profiles import COMPANIES

if TYPE_CHECKING:  # for type checkers only: a fast start needs no heavy imports before `run`
    from referee.simulator.statistics.many import Simulation

LEAST, MOST = 2, 12
"""Number of seats at a table: up to eight are wired, the others are on pods."""
MOST_HANDS, MOST_JOBS = 1_000_000_000, 64
USUAL = "even"
CELLS = 24
"""Width of the longest bar, in characters. The others are in proportion."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hands", type=whole(1, MOST_HANDS), default=1000, metavar="N", help="number of hands (default: 1000)"
    )
    parser.add_argument(
        "--players", type=whole(LEAST, MOST), default=4, metavar="N", help="number of players, 2 to 12 (default: 4)"
    )
    parser.add_argument("--preset", default=PRESET, metavar="P", help=f"preset (default: {PRESET})")
    add_options(parser)
    parser.add_argument("--company", choices=COMPANIES, default=USUAL, help=f"skills of the players (default: {USUAL})")
    parser.add_argument("--seed", type=seed, default=1, metavar="S", help="random seed (default: 1)")
    told = "number of processes (default: 1); does not change the result"
    parser.add_argument("--jobs", type=whole(1, MOST_JOBS), default=1, metavar="J", help=told)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--plot", type=picture_file, metavar="FILE", help="draw the statistics (.svg or .png)")


def run(args: argparse.Namespace) -> int:
    """Simulate the hands, print the statistics, and draw them if asked. Return the exit status."""
    from referee.simulator.statistics.figures import document
    from referee.simulator.statistics.many import simulate

    simulation = _simulation(args)
    if args.plot:
        check_place("referee simulate: --plot", args.plot)
    told = document(simulation, simulate(simulation, args.jobs, _progress(args.hands)))
    if args.plot:
        from referee.simulator.statistics.charts import HEIGHT, WIDTH, sheet
        from referee.web.drawing import WRITERS

        picture = WRITERS[args.plot.suffix.lower()](sheet(told), WIDTH, HEIGHT)
        write_whole("referee simulate: --plot", args.plot, picture)
    if args.json:
        print(json.dumps(told))
    else:
        print(plain("\n".join(lines(told, terminal()))))
    return 0


def _simulation(args: argparse.Namespace) -> Simulation:
    """Return the simulation that the arguments ask for. Raises UsageError."""
    from referee.simulator.statistics.many import Simulation

    preset = given_preset("simulate", args.preset)
    options = tuple(given_options("simulate", preset, args.option).items())
    simulation = Simulation(preset, options, args.players, args.seed, args.hands, args.company)
    try:
        _ = simulation.game
    except RuleError as exc:
        raise UsageError(f"referee simulate: --option {exc.option}: {exc.problem}") from None
    except ValueError as exc:
        modelled = [name for name, game in presets().items() if game.card_game(name, {}, args.players)]
        raise UsageError(f"referee simulate: --preset: {exc}, allowed is one of {', '.join(modelled)}") from None
    return simulation


def _progress(hands: int) -> Callable[[int], object]:
    """Return a function that shows the progress; it shows nothing without a terminal."""
    if not sys.stderr.isatty():
        return lambda played: None
    bar = Terminal(True).bar

    def show(played: int) -> None:
        line = f"\r{bar(played / hands, CELLS)} {played:,} of {hands:,} hands"
        print(line if played < hands else "\r\x1b[K", end="", file=sys.stderr, flush=True)

    return show


# -- text -----------------------------------------------------------------------------------------------------------


def lines(told: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    """Yield the statistics as lines of text: how hands ended, calls, each player, matches."""
    from referee.simulator.statistics.figures import title_of

    yield terminal.paint(title_of(told), "strong")
    yield terminal.paint(f"company {told['company']}, seed {told['seed']}", "weak")
    for name in told["unfelt"]:
        yield f"{name} changes nothing here: the preset has this value, or it concerns a table or several hands."
    yield ""
    yield from _ends(told, terminal)
    yield ""
    yield from _calls(told, terminal)
    yield ""
    yield from _players(told, terminal)
    yield ""
    yield from _matches(told, terminal)
    yield ""
    yield from _comparison(terminal)


def _comparison(terminal: Terminal) -> Iterator[str]:
    """Yield the statistics of real hands, for comparison."""
    from referee.simulator.statistics.figures import REAL

    yield terminal.paint("To hold them against: box scores of 2009, and a probe; 52 cards, no bonus", "weak")
    names = ("nobody could move meanwhile", "caller's Lake", "caller has the best score", "another call within 0.2 s")
    for name, figure in zip((*names, "points a hand", "hands"), REAL.values(), strict=True):
        yield _row(name, figure)


def _row(name: str, figure: str, note: str = "") -> str:
    return f"  {name:<34}{figure:<26}{note}".rstrip()


def _ends(told: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    from referee.simulator.statistics.figures import around, percent, share

    yield terminal.paint("How hands end", "weak")
    for name, count in told["ends"].items():
        if count:
            ended = share(count, told["hands"])
            yield _row(f"by {_ENDS[name]}", percent(ended), terminal.paint(terminal.bar(ended["share"], CELLS), "bar"))
    yield _row("nobody could move meanwhile", percent(told["stuck"]))
    yield _row("seconds", around(told["seconds"]))
    yield _row("cards that came second, a hand", f"{told['second_cards']:.2f}")


_ENDS = {"call": "a call", "stuck": "the table, stuck", "abandoned": "the table, without a score"}


def _calls(told: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    from referee.simulator.statistics.figures import around, percent

    calls, others = told["calls"], told["others"]
    yield terminal.paint("Calls, and the others", "weak")
    yield _row("caller's Lake", around(calls["lake"]), _curve(calls["lake"], terminal))
    yield _row("caller's Lake under 20", percent(calls["lake_below_20"]))
    yield _row("caller has the best score", percent(calls["best_score"]))
    yield _row("another call within 0.2 s", percent(calls["second_within_200_ms"]))
    yield _row("others' reserve cards left", around(others["reserve_left"]), _curve(others["reserve_left"], terminal))
    yield _row("others' score", around(others["score"]), _curve(others["score"], terminal))
    yield _row("others below zero", percent(others["below_zero"]))


def _curve(spread: Mapping[str, Any], terminal: Terminal) -> str:
    """Return a histogram as text: its least value, a curve of characters, its greatest value.

    spread: the statistics with the histogram. Return "" on a plain terminal, or without data.
    """
    from referee.simulator.statistics.figures import bins, columns

    if spread["mean"] is None or not terminal.rich:
        return ""
    least, most = int(spread["least"]), int(spread["most"])
    width = (most - least) // CELLS + 1
    curve = terminal.curve(columns(bins(spread["histogram"], least, most, width)), 0, 1)
    return f"{least:>4} {terminal.paint(curve, 'bar')} {most}"


def _players(told: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    from referee.simulator.statistics.figures import around

    yield terminal.paint(f"  {'player':<8}{'points a hand':<18}{'deviation':>10}{'calls':>9}{'below zero':>12}", "weak")
    best = max((player["score"]["mean"] for player in told["each"]), default=0)
    for player in told["each"]:
        score = player["score"]
        shares = f"{100 * player['called']['share']:>7.1f} %{100 * player['below_zero']['share']:>10.1f} %"
        bar = terminal.bar(score["mean"] / best, CELLS) if best > 0 else ""
        numbers = f"  {player['player']:<8}{around(score):<18}{score['deviation']:>10.2f}{shares}"
        yield f"{numbers}  {terminal.paint(bar, 'bar')}".rstrip()


def _matches(told: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    from referee.simulator.statistics.figures import around

    target, hands = told["matches"]["target"], told["matches"]["hands"]
    if target is None:
        yield "Each hand is settled alone: no match has a target."
    elif not hands["count"]:
        yield f"No match to {target} was finished."
    else:
        yield terminal.paint(f"Matches to {target}: {hands['count']:,}", "weak")
        yield _row("hands", around(hands), _curve(hands, terminal))
