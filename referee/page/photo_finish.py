"""The photo finish of a call as a chart: edges to scale, errors, tie window, a table.

Its texts are in the current language. Bars are the spans in which a button was closed. A dark line through a press is
the error of that stamp alone; a grey one below it is the error that all stamps of one pod share.

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.documents.record import CallRecord, Record
from referee.core.messages import Label
from referee.core.model.labels import coarse_ns
from referee.core.model.view import PhotoLine, PhotoScreen
from referee.core.units import MS, ms_text
from referee.core.values import replace
from referee.language.numbers import decimal_text, span_ms_text
from referee.language.say import list_speech
from referee.language.words import label, reader_name
from referee.web.charts import FIGURE, PAGE_WIDTH, Chart, Place, number_text, shorten_name, width_of
from referee.web.drawing import FAINT, GRID, INK, SERIES, Lettering, Rectangle, Shape, Stroke, ticks

ROW, TOP, BOTTOM, EDGE = 70, 34, 42, 14
LINE = 19
"""Extra height in px if a press's time does not fit on the line of the name."""


def name_of(label: Label) -> str:
    """Return a team's name for charts and tables.

    Seat numbers come first if the team has two partners, or the name has no letters (an emoji).

    >>> name_of(Label((1, 3), "Anna")), name_of(Label((2,), "Ben")), name_of(Label((4,), "🎉"))
    ('1+3 Anna', 'Ben', '4 🎉')
    """
    if len(label.numbers) > 1:
        return f"{'+'.join(map(str, label.numbers))} {reader_name(label.name)}"
    return reader_name(label.name, label.numbers[0])


def look_of(label: Label) -> int:
    """Return the index of the team's colour and mark on every page: its first seat number - 1."""
    return label.numbers[0] - 1


def finish(photo: PhotoScreen, title: str, width: int = PAGE_WIDTH) -> Chart:
    """Return the chart of a photo finish.

    Time 0 is the first press. In games in which the last press loses, time 0 is the last press.
    """
    photo = _from_the_last(photo) if photo.last else photo
    left, right = EDGE, width - EDGE
    below = 0 if all(_line_width(line) <= right - left for line in photo.lines) else LINE
    row = ROW + below
    height = TOP + row * len(photo.lines) + BOTTOM
    low_ns, high_ns = _span(photo)

    def place(ns: float) -> float:
        return left + (min(max(ns, low_ns), high_ns) - low_ns) / (high_ns - low_ns) * (right - left)

    shapes: list[Shape] = []
    start_ns, end_ns = _window(photo)
    bottom = height - BOTTOM
    shapes.append(Rectangle(place(start_ns), TOP - 6, max(place(end_ns) - place(start_ns), 1), bottom - TOP + 6, GRID))
    window = label("photo.window", ms=span_ms_text(photo.tie_window_ns))
    shapes.append(Lettering(place(start_ns), TOP - 14, window, 13, colour=FAINT))
    for tick in ticks(low_ns / MS, high_ns / MS, 6):
        if low_ns <= tick * MS <= high_ns:
            shapes.append(Stroke(place(tick * MS), bottom, place(tick * MS), bottom + 6, FAINT))
            shapes.append(Lettering(place(tick * MS), bottom + 22, number_text(tick), FIGURE, "middle", FAINT))
    shapes.append(Stroke(left, bottom, right, bottom, FAINT))
    shapes.append(Lettering(right, bottom + 38, "ms", FIGURE, "end", FAINT))
    for number, line in enumerate(photo.lines):
        shapes += _press(line, TOP + row * number, below, place, left, right)
    data = (("left", f"{left:.0f}"), ("right", f"{right:.0f}"), ("bottom", f"{bottom:.0f}"))
    return Chart(title, width, height, tuple(shapes), _columns(), tuple(map(_row, photo.lines)), data)


def _from_the_last(photo: PhotoScreen) -> PhotoScreen:
    """Return the same photo finish with times relative to the last press."""
    zero_ns = max(line.press_ns for line in photo.lines)
    return replace(
        photo,
        span_ns=photo.span_ns - zero_ns,
        lines=tuple(
            replace(
                line,
                press_ns=line.press_ns - zero_ns,
                closed=tuple((since - zero_ns, until - zero_ns) for since, until in line.closed),
            )
            for line in photo.lines
        ),
    )


def recorded_photo(record: Record, call: CallRecord) -> PhotoScreen:
    """Return the photo finish of a recorded call."""
    names = {player.seat: team.name for team in record.teams for player in team.players}
    lines = tuple(
        PhotoLine(
            Label((press.seat,), names.get(press.seat, str(press.seat))),
            press.press_ns,
            press.err_ns,
            press.closed,
            press.caller,
            press.late,
            press.common_ns,
        )
        for press in call.presses
    )
    return PhotoScreen(call.window_ns, call.span_ns, lines, len({line.label for line in lines}) == 1, call.last)


def _span(photo: PhotoScreen) -> tuple[int, int]:
    """Return the start and end in ns of the chart: it contains all presses and the tie window."""
    start_ns, end_ns = _window(photo)
    first = min(line.press_ns - line.err_ns - line.common_ns for line in photo.lines)
    last = max(line.press_ns + line.err_ns + line.common_ns for line in photo.lines)
    low, high = min(first, start_ns), max(last, end_ns, 10 * MS)
    room = max((high - low) // 8, MS)
    return low - room, min(high + 2 * room, max(photo.span_ns, high + room))


def _window(photo: PhotoScreen) -> tuple[int, int]:
    """Return the start and end in ns of the tie window. It starts with the first press.

    In games in which the last press loses, it ends with the last press.
    """
    if not photo.last:
        return 0, photo.tie_window_ns
    end_ns = max(line.press_ns for line in photo.lines)
    return end_ns - photo.tie_window_ns, end_ns


def _line_width(line: PhotoLine) -> float:
    """Return the width in px of a press's name and time if both are on one line."""
    return width_of(shorten_name(name_of(line.label)), 15) + width_of(_press_text(line), 14)


def _press_text(line: PhotoLine) -> str:
    return " · ".join(filter(None, (_what(line), _when(line))))


def _press(line: PhotoLine, y: float, below: int, place: Place, left: float, right: float) -> Iterator[Shape]:
    """Draw one contact's row: name, time, spans of closed contact, press, error bars.

    below: by how many px the time is lower than the name.
    """
    colour = SERIES[look_of(line.label) % len(SERIES)]
    yield Lettering(left, y + 16, shorten_name(name_of(line.label)), 15, bold=line.caller)
    if below:
        yield Lettering(left, y + 16 + below, _press_text(line), 14, bold=line.caller)
    else:
        yield Lettering(right, y + 16, _press_text(line), 14, "end", bold=line.caller)
    y += 22 + below
    for since_ns, until_ns in line.closed:
        start = place(since_ns)
        yield Rectangle(start, y + 2, max(place(until_ns) - start, 1.5), 20, colour)
    yield from _whisker(place, line.press_ns, line.err_ns, y + 29, INK)
    if line.common_ns:
        yield from _whisker(place, line.press_ns, line.common_ns, y + 39, FAINT)
    yield Stroke(place(line.press_ns), y, place(line.press_ns), y + 29, INK, 1.5)


def _whisker(place: Place, at_ns: int, err_ns: int, y: float, colour: str) -> Iterator[Shape]:
    ends = place(at_ns - err_ns), place(at_ns + err_ns)
    yield Stroke(ends[0], y, ends[1], y, colour, 2)
    yield from (Stroke(end, y - 4, end, y + 4, colour, 2) for end in ends)


def _ms(ns: int) -> str:
    return decimal_text(f"{ns / MS:+.1f} ms".replace("-", "\N{MINUS SIGN}"))


def bound_text(ns: int) -> str:
    """Format an error bound in ms, rounded up.

    >>> bound_text(312_000)
    '±0.4 ms'
    """
    return f"±{decimal_text(ms_text(coarse_ns(ns)))} ms"


def _when(line: PhotoLine) -> str:
    return f"{_ms(line.press_ns)} {bound_text(line.err_ns)}"


def _what(line: PhotoLine) -> str:
    return label("photo.caller") if line.caller else label("photo.late") if line.late else ""


def _tenths(ns: int) -> str:
    return decimal_text(f"{ns / MS:.1f}")


def _columns() -> tuple[str, ...]:
    heads = ("board.team", "photo.press", "photo.own", "photo.common", "photo.closed", "photo.what")
    return tuple(map(label, heads))


def _row(line: PhotoLine) -> tuple[str, ...]:
    spans = list_speech([f"{_tenths(since)}\N{EN DASH}{_tenths(until)} ms" for since, until in line.closed])
    common = bound_text(line.common_ns) if line.common_ns else ""
    return name_of(line.label), _ms(line.press_ns), bound_text(line.err_ns), common, spans, _what(line)
