"""Charts as drawings, each with a table of the same figures: curves, bars, photo finishes.

Theory of operation. A chart is shapes on a sheet (`referee/web/drawing.py`) and the same figures as a table. The caller
supplies the texts, in its language. The macro `figure` makes HTML of both: the SVG has a label and takes its colours
from the page's style; screen readers read the table. `svg` and `png` are for files. No code here reads a clock or a
file.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from unicodedata import east_asian_width

from markupsafe import Markup

from referee.core.letters import letters
from referee.core.names import cut
from referee.core.values import Value, replace
from referee.language.numbers import decimal_text
from referee.web import drawing
from referee.web.drawing import FAINT, GRID, INK, MARKS, SERIES, Lettering, Marker, Rectangle, Shape, Stroke, ticks

Place = Callable[[float], float]
"""A function from a value to its coordinate in px."""
LETTER = 0.62
"""Average width of a letter as a share of its font size."""
NAME_LETTERS = 16
"""Maximum letters of a name in a drawing; the table has the whole name."""
PAGE_WIDTH, KEPT_WIDTH = 360, 480
"""Width in px of a chart on a page, with letters readable on a phone, and in a file."""
PAGE_NAME_LETTERS = 10
"""Maximum letters of a name in a drawing as narrow as a phone."""
FIGURE = 13
"""Font size in px of the figures at the edges of a drawing."""


class Chart(Value):
    """A drawing, and a table of its figures.

    columns: the table's headings. rows: the table's rows; the first cell names the row. data: (name, value) pairs for a
    page's script.
    """

    title: str
    width: int
    height: int
    shapes: tuple[Shape, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    data: tuple[tuple[str, str], ...] = ()


class Series(Value):
    """One line of a chart: its name, its values, and the index of its colour and mark.

    points: a value for each place on the x axis; None where the line has no point.
    """

    name: str
    points: tuple[float | None, ...]
    look: int = 0


class Bar(Value):
    """One bar: its name, its length, the text at its end.

    look: index of colour and mark, None if all bars look the same. first: highlight this bar.
    """

    name: str
    length: float
    told: str
    look: int | None = None
    first: bool = False


def with_data(chart: Chart, *data: tuple[str, str]) -> Chart:
    """Return the chart with more data for a page's script."""
    return replace(chart, data=(*chart.data, *data))


def svg(chart: Chart) -> bytes:
    """Return the chart as an SVG file, with its title."""
    return drawing.svg(_title_shapes(chart), chart.width, chart.height + TITLE)


def png(chart: Chart) -> bytes:
    """Return the chart as a PNG, with its title."""
    return drawing.png(_title_shapes(chart), chart.width, chart.height + TITLE)


def png_alone(chart: Chart) -> bytes:
    """Return the chart as a PNG without its title."""
    return drawing.png(chart.shapes, chart.width, chart.height)


TITLE = 44


def mark_corners(look: int) -> str:
    """Return the corners of a team's mark, centred at (0, 0), as an SVG polygon's "x,y x,y"."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in drawing.outline(Marker(0, 0, MARKS[look % len(MARKS)], size=5)))


def drawn(chart: Chart) -> Markup:
    """Return the drawing as an SVG element for a page, without the table."""
    return Markup(drawing.inline(chart.shapes, chart.width, chart.height, chart.title, chart.data))


def _title_shapes(chart: Chart) -> list[Shape]:
    return [Lettering(16, 28, chart.title, 17, bold=True), *(move_shape(shape, 0, TITLE) for shape in chart.shapes)]


def move_shape(shape: Shape, x: float, y: float) -> Shape:
    """Return the shape moved by `x` px to the right and `y` px down."""
    moved: Shape = replace(shape, x=shape.x + x, y=shape.y + y)
    return replace(moved, to_x=moved.to_x + x, to_y=moved.to_y + y) if isinstance(moved, Stroke) else moved


# -- shared parts ---------------------------------------------------------------------------------------------------


def shorten_name(name: str, most: int = NAME_LETTERS) -> str:
    """Shorten a name to at most `most` letters.

    >>> shorten_name("Anna"), shorten_name("Maximiliane of Habsburg")
    ('Anna', 'Maximiliane of…')
    """
    return name if len(letters(name)) <= most else f"{cut(name, most - 1)}…"


def number_text(value: float) -> str:
    """Format a number for a chart.

    >>> number_text(2.5), number_text(-3.0)
    ('2.5', '−3')
    """
    return decimal_text(f"{value:g}".replace("-", "\N{MINUS SIGN}"))


def width_of(text: str, size: int) -> float:
    """Return the approximate width of a text in px; Chinese letters and emoji count double."""
    return sum(2 if east_asian_width(letter[0]) in "WF" else 1 for letter in letters(text)) * size * LETTER


def _rule(y: float, left: float, right: float, text: str, colour: str = GRID) -> Iterator[Shape]:
    yield Stroke(left, y, right, y, colour)
    yield Lettering(left - 8, y + 4, text, FIGURE, "end", FAINT)


def apart(places: Sequence[float], least: float, most: float) -> list[float]:
    """Move values until they are at least `least` apart and none is above `most`.

    >>> apart([50, 52, 10], 14, 100), apart([98, 99], 10, 100)
    ([50, 64, 10], [90, 100])
    """
    found = list(places)
    order = sorted(range(len(places)), key=lambda at: places[at])
    for before, at in itertools.pairwise(order):
        found[at] = max(found[at], found[before] + least)
    limit = most
    for at in reversed(order):
        found[at] = min(found[at], limit)
        limit = found[at] - least
    return found


# -- curves ----------------------------------------------------------------------------------------------------------


def curve(
    title: str,
    series: Sequence[Series],
    names: Sequence[str],
    *,
    below: str,
    target: float | None = None,
    target_text: str = "",
    columns: Sequence[str] = (),
    width: int = 720,
    height: int = 340,
) -> Chart:
    """Return a chart of lines, each labelled at its end.

    names: the names of the points on the x axis. below: the axis's title, such as "hand". target: a y value to mark
    with `target_text`. columns: the table's headings; by default, `below` and the series' names.
    """
    most = NAME_LETTERS if width > PAGE_WIDTH else PAGE_NAME_LETTERS
    left, right, top, bottom = 46, width - 30 - _room(series, most), 18, height - 40
    values = [value for line in series for value in line.points if value is not None]
    scale = ticks(min([0.0, *values]), max([1.0, *values, *([] if target is None else [target])]))
    span, steps = scale[-1] - scale[0], max(len(names) - 1, 1)

    def level(value: float) -> float:
        return bottom - (value - scale[0]) / span * (bottom - top)

    def place(step: float) -> float:
        return left + (right - left) * step / steps

    shapes: list[Shape] = []
    for tick in scale:
        shapes += _rule(level(tick), left, right, number_text(tick))
    every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 1000) if len(names) / n * 34 <= right - left or n == 1000)
    for step, name in enumerate(names):
        if step % every == 0:
            shapes.append(Lettering(place(step), bottom + 20, name, FIGURE, "middle", FAINT))
    shapes.append(Lettering(right, height - 4, below, FIGURE, "end", FAINT))
    if scale[0] < 0:
        shapes.append(Stroke(left, level(0), right, level(0), FAINT))
    if target is not None:
        shapes.append(Stroke(left, level(target), right, level(target), INK, 1.5))
        shapes.append(Lettering(left + 4, level(target) - 5, target_text, FIGURE))
    shapes += _lines(series, place, level, right, bottom, most)
    heads = tuple(columns) or (below, *(line.name for line in series))
    rows = tuple(
        (name, *("" if (value := line.points[step]) is None else number_text(value) for line in series))
        for step, name in enumerate(names)
    )
    return Chart(title, width, height, tuple(shapes), heads, rows)


def _room(series: Sequence[Series], most: int) -> int:
    """Return the width in px for the labels at the lines' ends, each cut to `most` letters."""
    return int(max((width_of(shorten_name(line.name, most), 13) for line in series), default=0)) + 16


def _lines(
    series: Sequence[Series], place: Place, level: Place, right: float, lowest: float, most: int
) -> Iterator[Shape]:
    ends: list[tuple[float, Series]] = []
    for line in series:
        points = [(place(step), level(value)) for step, value in enumerate(line.points) if value is not None]
        colour, form = SERIES[line.look % len(SERIES)], MARKS[line.look % len(MARKS)]
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            yield Stroke(x, y, to_x, to_y, colour, 2.5)
        for x, y in points:
            yield Marker(x, y, form, colour, 4)
        if points:
            ends.append((points[-1][1], line))
    if not ends:
        return
    for y, (_, line) in zip(apart([end for end, _ in ends], 16, lowest), ends, strict=True):
        colour, form = SERIES[line.look % len(SERIES)], MARKS[line.look % len(MARKS)]
        yield Marker(right + 14, y, form, colour, 4)
        yield Lettering(right + 24, y + 5, shorten_name(line.name, most), 13, colour=colour, bold=True)


# -- bars ------------------------------------------------------------------------------------------------------------


def bars(title: str, found: Sequence[Bar], *, columns: tuple[str, str], width: int = 720) -> Chart:
    """Return a chart of horizontal bars from zero: names at the left, figures at the ends.

    columns: the headings of the chart's table.
    """
    row, top = 30, 10
    height = top * 2 + row * max(len(found), 1)
    marks = 18 if any(bar.look is not None for bar in found) else 0
    name_room = 20 + marks + max((width_of(shorten_name(bar.name), 14) for bar in found), default=0)
    told_room = 16 + max((width_of(bar.told, 13) for bar in found), default=0)
    least, most = min([0.0, *(bar.length for bar in found)]), max([0.0, *(bar.length for bar in found)])
    left, right = name_room + (told_room if least < 0 else 0), width - told_room
    span = (most - least) or 1.0

    def place(value: float) -> float:
        return left + (value - least) / span * (right - left)

    shapes: list[Shape] = []
    for number, bar in enumerate(found):
        y = top + row * number
        start, end = sorted((place(0), place(bar.length)))
        colour = SERIES[1 if bar.look is None else bar.look % len(SERIES)]
        if bar.look is not None:
            shapes.append(Marker(15, y + 15, MARKS[bar.look % len(MARKS)], colour, 6))
        shapes.append(Lettering(8 + marks, y + 20, shorten_name(bar.name), 14, bold=bar.first))
        shapes.append(Rectangle(start, y + 5, max(end - start, 1), row - 10, colour))
        where = Lettering(end + 6, y + 20, bar.told, 13, bold=bar.first)
        if bar.length < 0:
            where = Lettering(start - 6, y + 20, bar.told, 13, "end")
        shapes.append(where)
    shapes.append(Stroke(place(0), top, place(0), height - top, FAINT, 1.5))
    return Chart(title, width, height, tuple(shapes), columns, tuple((bar.name, bar.told) for bar in found))
