"""The statistics of a simulation on one sheet: bars start at zero, axes are labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.core.values import Value
from referee.simulator.statistics.figures import bins, percent, title_of
from referee.web.drawing import FAINT, GRID, INK, Lettering, Rectangle, Shape, Stroke, ticks

WIDTH, HEIGHT = 1080, 800
MOST_OF_TITLE = 84
"""Maximum characters of the title, which is as wide as the sheet."""
CALLER, OTHER, PLAIN = "#c2410c", "#93b4d8", "#2563a8"
LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT, ACROSS, DOWN = 70, 130, 430, 230, 530, 340


class ChartPlace(Value):
    """Where a chart is on the sheet, and its texts.

    x, y: the bottom left corner of its axes. below: what the horizontal axis shows; beside: what the vertical axis
    shows.
    """

    x: float
    y: float
    title: str
    below: str
    beside: str


class Bars(Value):
    """The bars of one colour in a chart; `heights` has one value for each bar.

    whiskers: for each bar, the lower and upper end of its error line; empty for no error lines.
    """

    heights: Sequence[float]
    colour: str
    whiskers: Sequence[tuple[float, float]] = ()


def sheet(result: Mapping[str, Any]) -> list[Shape]:
    """Draw charts of a simulation's result (figures.py). Return the shapes on one sheet.

    The sheet is WIDTH by HEIGHT.
    """
    places = [(LEFT + ACROSS * column, TOP + PANEL_HEIGHT + DOWN * row) for row in range(2) for column in range(2)]
    drawn = (_players, _lakes, _scores, _matches)
    return [
        *_heading(result),
        *(shape for place, draw in zip(places, drawn, strict=True) for shape in draw(result, *place)),
    ]


def _heading(result: Mapping[str, Any]) -> Iterator[Shape]:
    yield Lettering(30, 40, title_of(result, MOST_OF_TITLE), 20)
    ends = ", ".join(f"{_ENDS[name]} {count:,}" for name, count in result["ends"].items() if count)
    yield Lettering(
        30, 64, f"Ended {ends}. Nobody could move meanwhile in {percent(result['stuck'])}.", 13, colour=FAINT
    )
    share = result["calls"]["best_score"]
    best = f"The caller had the best score in {percent(share)} of the calls" if share["of"] else "Nobody called"
    yield Lettering(30, 84, f"{best}; company {result['company']}, seed {result['seed']}.", 13, colour=FAINT)


_ENDS = {"call": "by a call:", "stuck": "by the table, stuck:", "abandoned": "without a score:"}


def _players(result: Mapping[str, Any], x: float, y: float) -> Iterator[Shape]:
    scores = [player["score"] for player in result["each"]]
    whiskers = [tuple(score["interval"] or (score["mean"], score["mean"])) for score in scores]
    panel = ChartPlace(x, y, "Mean score of each player", "player", "points a hand, 95 % intervals")
    names = [str(player["player"]) for player in result["each"]]
    yield from _chart(panel, [Bars([score["mean"] for score in scores], PLAIN, whiskers)], names, 1)


def _lakes(result: Mapping[str, Any], x: float, y: float) -> Iterator[Shape]:
    panel = ChartPlace(x, y, "Callers' cards in the Lake", "cards", "share of calls, %")
    yield from _histogram(panel, [(result["calls"]["lake"], CALLER)], 1)


def _scores(result: Mapping[str, Any], x: float, y: float) -> Iterator[Shape]:
    panel = ChartPlace(x, y, "Scores of a hand", "points", "share of each, %")
    yield from _histogram(panel, [(result["others"]["score"], OTHER), (result["calls"]["score"], CALLER)], 3)
    for number, (name, colour) in enumerate((("callers", CALLER), ("others", OTHER))):
        at_x = x + PANEL_WIDTH - 90
        yield Rectangle(at_x, y - PANEL_HEIGHT + 18 * number, 11, 11, colour)
        yield Lettering(at_x + 17, y - PANEL_HEIGHT + 10 + 18 * number, name)


def _matches(result: Mapping[str, Any], x: float, y: float) -> Iterator[Shape]:
    target, hands = result["matches"]["target"], result["matches"]["hands"]
    title = f"Hands to {target} points" if target else "Hands to a target"
    panel = ChartPlace(x, y, title, "hands", "share of matches, %")
    none = "no match was finished" if target else "none: each hand is settled alone"
    yield from _histogram(panel, [(hands, PLAIN)], 1, none)


def _histogram(
    panel: ChartPlace, found: Sequence[tuple[Mapping[str, Any], str]], width: int, none: str = "none"
) -> Iterator[Shape]:
    """Draw how often values occur, in percent. Each bin begins at a multiple of `width`.

    found: for each colour, the counted values (figures.spread) and the colour. none: the text to show if nothing was
    counted.
    """
    there = [(spread, colour) for spread, colour in found if spread["count"]]
    if not there:
        yield from _frame(panel)
        yield Lettering(panel.x + PANEL_WIDTH / 2, panel.y - PANEL_HEIGHT / 2, none, 13, "middle", FAINT)
        return
    least = min(int(spread["least"] // width * width) for spread, _ in there)
    most = max(int(spread["most"]) for spread, _ in there)
    series = []
    for spread, colour in there:
        counts = bins(spread["histogram"], least, most, width)
        series.append(Bars([100 * count / spread["count"] for count in counts], colour))
    starts = range(least, least + width * len(series[0].heights), width)
    names = [str(start) if width == 1 else f"{start} to {start + width - 1}" for start in starts]
    yield from _chart(panel, series, names, width)


def _frame(panel: ChartPlace) -> Iterator[Shape]:
    yield Lettering(panel.x - 40, panel.y - PANEL_HEIGHT - 18, panel.title, 14)
    yield Stroke(panel.x, panel.y, panel.x + PANEL_WIDTH, panel.y)
    yield Lettering(panel.x + PANEL_WIDTH, panel.y + 36, panel.below, 12, "end", FAINT)
    yield Lettering(panel.x + PANEL_WIDTH, panel.y - PANEL_HEIGHT - 18, panel.beside, 12, "end", FAINT)


def _chart(panel: ChartPlace, series: Sequence[Bars], names: Sequence[str], width: int) -> Iterator[Shape]:
    """Draw groups of bars, and each group's name below it. The scale includes zero.

    width: the width of a bin of a histogram; 1 for other bars.
    """
    ends = [end for bars in series for whisker in bars.whiskers for end in whisker]
    values = [0.0, *ends, *(height for bars in series for height in bars.heights)]
    scale = ticks(min(values), max(values))
    span = scale[-1] - scale[0]

    def level(value: float) -> float:
        return panel.y - (value - scale[0]) / span * PANEL_HEIGHT

    for tick in scale:
        yield Stroke(panel.x, level(tick), panel.x + PANEL_WIDTH, level(tick), GRID)
        yield Lettering(panel.x - 8, level(tick) + 4, f"{tick:g}", 11, "end", FAINT)
    yield from _frame(panel)
    group = PANEL_WIDTH / len(names)
    for number, name in enumerate(names):
        middle = panel.x + group * (number + 0.5)
        if number % _every(names) == 0:
            yield Lettering(middle, panel.y + 17, name, 11, "middle", FAINT)
        yield from _group(series, number, panel.x + group * number, group, level)
    if scale[0] < 0:
        yield Stroke(panel.x, level(0), panel.x + PANEL_WIDTH, level(0), INK)


def _every(names: Sequence[str]) -> int:
    """Return n so that every n-th of these names has room below the bars: 1, 2, 5, …"""
    room = PANEL_WIDTH / (max(map(len, names)) * 6.5 + 8)
    return next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if len(names) / step <= room)


def _group(series: Sequence[Bars], number: int, start: float, group: float, level: Any) -> Iterator[Shape]:
    """Draw the bars of one group side by side. A fifth of the group's width stays free."""
    width = min(group * 0.8, 60) / len(series)
    start += (group - width * len(series)) / 2
    for place, bars in enumerate(series):
        x, height = start + width * place, bars.heights[number]
        top, bottom = sorted((level(height), level(0)))
        yield Rectangle(x, top, width, bottom - top, bars.colour)
        if bars.whiskers:
            (low, high), middle = bars.whiskers[number], x + width / 2
            yield Stroke(middle, level(low), middle, level(high), INK, 1.5)
            yield from (Stroke(middle - 5, level(end), middle + 5, level(end), INK, 1.5) for end in (low, high))
