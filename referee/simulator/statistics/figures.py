"""The statistics of many hands as one document: shares and means with their errors.

Every interval contains the true value in 95 of 100 such simulations: of a share by Wilson's score (1927), of a
mean by its standard error. Hands are drawn independently of each other, so both hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any

from referee.core.cards.rules import ENDS
from referee.simulator.statistics.many import Simulation, unfelt
from referee.simulator.statistics.tally import HandTally, Score

Z = 1.96
"""Number of standard errors on each side of the mean that include 95 %."""
DIGITS = 4


def document(simulation: Simulation, tally: HandTally) -> dict[str, Any]:
    """Return the simulation's result as one JSON document.

    Shares are from 0 to 1. A figure is null if there is no data for it.
    """
    called = tally.ends["call"]
    lakes, others_scores = of(tally, "lake", called=True), of(tally, "score", called=False)
    return {
        "preset": simulation.preset,
        "options": dict(simulation.options),
        "players": simulation.players,
        "seed": simulation.seed,
        "company": simulation.company,
        "hands": tally.hands,
        "unfelt": list(unfelt(simulation)),
        "ends": {name: tally.ends[name] for name in ENDS},
        "stuck": share(tally.stuck, tally.hands),
        "ways_out": tally.ways_out,
        "seconds": spread(tally.seconds),
        "second_cards": _round(tally.beaten / tally.hands),
        "calls": {
            "lake": spread(lakes, histogram=True),
            "score": spread(of(tally, "score", called=True), histogram=True),
            "lake_below_20": share(sum(times for lake, times in lakes.items() if lake < 20), called),
            "best_score": share(tally.best, called),
            "second_within_200_ms": share(tally.second_calls, called),
        },
        "others": {
            "reserve_left": spread(of(tally, "left", called=False), histogram=True),
            "score": spread(others_scores, histogram=True),
            "below_zero": below_zero(others_scores),
        },
        "each": [_player(tally, player) for player in range(simulation.players)],
        "matches": {"target": simulation.game.target, "hands": spread(tally.matches, histogram=True)},
    }


def of(tally: HandTally, field: str, *, called: bool | None = None, player: int | None = None) -> Counter[Score]:
    """Count how often each value of the field `field` of `Scored` occurs.

    `called`: True for callers only, False for all others, None for all; `player`: for this player only, None for all.
    """
    found: Counter[Score] = Counter()
    for scored, times in tally.scored.items():
        if called in (None, scored.called) and player in (None, scored.player):
            found[getattr(scored, field)] += times
    return found


def _player(tally: HandTally, player: int) -> dict[str, Any]:
    scores = of(tally, "score", player=player)
    calls = of(tally, "score", player=player, called=True).total()
    return {
        "player": player + 1,
        "score": spread(scores),
        "called": share(calls, tally.hands),
        "below_zero": below_zero(scores),
    }


def below_zero(scores: Mapping[Score, int]) -> dict[str, Any]:
    """Return the share of scores that are below zero. `scores`: score -> how often it occurs."""
    return share(sum(times for score, times in scores.items() if score < 0), sum(scores.values()))


def title_of(result: Mapping[str, Any], most: int = 1000) -> str:
    """Return a title that says what was played, in at most `most` characters if possible.

    Options for which there is no room are replaced by their number.

    >>> asked = {"preset": "nna", "options": {"turn": 1, "stacking": True}, "players": 4, "hands": 1}
    >>> title_of(asked), title_of(asked, 45)
    ('nna, turn 1, stacking true: 4 players, 1 hand', 'nna, turn 1, stacking true: 4 players, 1 hand')
    >>> title_of(asked, 44)
    'nna, turn 1, 1 more: 4 players, 1 hand'
    """
    options = [f", {name} {str(value).lower()}" for name, value in result["options"].items()]
    played = f": {result['players']} players, {result['hands']:,} hand{'s' * (result['hands'] != 1)}"
    for shown in range(len(options), -1, -1):
        more = f", {len(options) - shown} more" if shown < len(options) else ""
        title = f"{result['preset']}{''.join(options[:shown])}{more}{played}"
        if len(title) <= most:
            break
    return title


def share(some: int, of_all: int) -> dict[str, Any]:
    """Return `some` as a share of `of_all`, with its 95 % confidence interval.

    >>> share(5, 10)
    {'count': 5, 'of': 10, 'share': 0.5, 'interval': [0.2366, 0.7634]}
    """
    if not of_all:
        return {"count": 0, "of": 0, "share": None, "interval": None}
    found = some / of_all
    middle, stretch = found + Z * Z / (2 * of_all), 1 + Z * Z / of_all
    half = Z * sqrt(found * (1 - found) / of_all + Z * Z / (4 * of_all * of_all))
    interval = [max((middle - half) / stretch, 0), min((middle + half) / stretch, 1)]
    return {"count": some, "of": of_all, "share": _round(found), "interval": [*map(_round, interval)]}


def spread(values: Mapping[Any, int], *, histogram: bool = False) -> dict[str, Any]:
    """Return statistics: number, mean, its 95 % interval, deviation, least, median, most.

    values: value -> how often it occurs. histogram: include the values themselves.

    >>> spread({2: 1, 4: 1})["mean"], spread({2: 1, 4: 1})["deviation"]
    (3.0, 1.4142)
    """
    number = sum(values.values())
    ordered = sorted(values)
    result: dict[str, Any] = dict.fromkeys(("mean", "interval", "deviation", "least", "median", "most"))
    if number:
        mean = sum(value * times for value, times in sorted(values.items())) / number
        squares = sum((value - mean) ** 2 * times for value, times in sorted(values.items()))
        deviation = sqrt(squares / (number - 1)) if number > 1 else 0.0
        half = Z * deviation / sqrt(number)
        result = {
            "mean": _round(mean),
            "interval": [_round(mean - half), _round(mean + half)] if number > 1 else None,
            "deviation": _round(deviation),
            "least": ordered[0],
            "median": median(values),
            "most": ordered[-1],
        }
    counted = {"histogram": {_text(value): values[value] for value in ordered}} if histogram else {}
    return {"count": number, **result, **counted}


def median(values: Mapping[Any, int]) -> Any:
    """Return the median. If two values are in the middle, return the lower one.

    values: value -> how often it occurs.

    >>> median({1: 3, 5: 2, 9: 1})
    1
    """
    left = (sum(values.values()) + 1) // 2
    for value in sorted(values):
        left -= values[value]
        if left <= 0:
            return value
    return None


def bins(histogram: Mapping[Any, int], least: int, most: int, width: int) -> list[int]:
    """Count values in bins of `width`: the first begins at `least`, the last contains `most`.

    histogram: value -> how often it occurs. Values below `least` or above `most` are counted in the first or last bin.

    >>> bins({0: 1, 4: 2, 5: 1, 99: 7}, 0, 9, 5)
    [3, 8]
    """
    counts = [0] * ((most - least) // width + 1)
    for value, times in histogram.items():
        counts[min(max(int((float(value) - least) // width), 0), len(counts) - 1)] += times
    return counts


def _text(value: Score) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _round(value: float) -> float:
    return round(value, DIGITS)


def percent(result: Mapping[str, Any]) -> str:
    """Format a result of `share` as a percentage with its interval.

    >>> percent(share(5, 10))
    '50.0 % (23.7 to 76.3)'
    """
    if result["share"] is None:
        return "–"
    low, high = result["interval"]
    return f"{100 * result['share']:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def around(result: Mapping[str, Any]) -> str:
    """Format a result of `spread` as mean ± half the interval's width, e.g. "12.30 ± 0.41"."""
    if result["mean"] is None:
        return "–"
    half = f" ± {result['interval'][1] - result['mean']:.2f}" if result["interval"] else ""
    return f"{result['mean']:.2f}{half}"


REAL: Mapping[str, str] = {
    "stuck": "two players 42 to 45 %, three 7 %, four 0.4 %",
    "lake": "4 to 38",
    "best": "90 %",
    "second": "four players 0.9 %, eight 2.2 %",
    "score": "means of players 11.6, 16.1, 21.4",
    "hands": "6 to 14 to a hundred points",
}
"""Statistics of real hands of 52 cards without a bonus, for comparison.

Sources: box scores of 2009 (NNA's blog), and a trial with bots that see what people see. Box scores are of good players
at their usual tables; a caller's number of foundation cards there is its score.
"""


def columns(counts: Iterable[int]) -> list[float]:
    """Return these counts as heights of bars: 1 for the highest count."""
    heights = [*counts]
    most = max(heights, default=0) or 1
    return [height / most for height in heights]
