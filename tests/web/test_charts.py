"""Charts: each figure is in the table next to the drawing, names are text, colours are distinguishable."""

from __future__ import annotations

import io
import itertools
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from referee.page.request import macro
from referee.web import drawing
from referee.web.charts import TITLE, Bar, Chart, Series, apart, bars, curve, png, svg
from referee.web.drawing import SCALE, Lettering, Marker, Rectangle, Stroke


def figure(chart: Chart, summary: str, kept: Sequence[tuple[str, str]] = ()) -> str:
    """Return the chart as pages have it."""
    return str(macro("figure.html", "figure", chart, summary, "h2", kept))


NAMES = st.text(min_size=1, max_size=40)
CURVE = curve(
    "Score by hand",
    [Series("Anna", (0, 28, 102), 0), Series('<script>"&', (None, 7, 31), 1)],
    ["0", "1", "2"],
    below="hand",
    target=100,
    target_text="target 100",
)
SVG = "{http://www.w3.org/2000/svg}"


class _Tags(HTMLParser):
    """The elements that a page opens, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> _Tags:
    tags = _Tags()
    tags.feed(html)
    return tags


def texts(chart: Chart) -> list[str]:
    return [shape.text for shape in chart.shapes if isinstance(shape, Lettering)]


def test_a_curve_draws_every_total_and_has_each_in_its_table() -> None:
    """Two lines of three and two points make five marks, three strokes and five figures in the table."""
    marks = [shape for shape in CURVE.shapes if isinstance(shape, Marker)]
    assert [mark.form for mark in marks] == ["circle"] * 3 + ["square"] * 2 + ["circle", "square"]
    thick = [shape for shape in CURVE.shapes if isinstance(shape, Stroke) and shape.width == 2.5]
    assert len(thick) == 3
    assert CURVE.columns == ("hand", "Anna", '<script>"&')
    assert CURVE.rows == (("0", "0", ""), ("1", "28", "7"), ("2", "102", "31"))
    assert "target 100" in texts(CURVE)


def test_a_higher_total_stands_higher_and_a_later_hand_to_the_right() -> None:
    first, second, third = [s for s in CURVE.shapes if isinstance(s, Marker)][:3]
    assert first.x < second.x < third.x
    assert third.x - second.x == pytest.approx(second.x - first.x)
    assert (first.y - second.y) / (first.y - third.y) == pytest.approx(28 / 102)


@settings(max_examples=8, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8), NAMES)
def test_names_are_text_in_every_form_of_a_chart(names: list[str], title: str) -> None:
    """The page has the same elements as for "Anna", and a file is well-formed."""
    found = figure(curve(title, [Series(n, (0, 1), i) for i, n in enumerate(names)], ["0", "1"], below=title), title)
    usual = figure(curve("t", [Series("Anna", (0, 1), i) for i in range(len(names))], ["0", "1"], below="t"), "t")
    assert [element for element in parsed(found).opened if element != "bdi"] == parsed(usual).opened
    drawn = curve(title, [Series(names[0], (0, 1))], ["0", "1"], below=title)
    ET.fromstring(svg(drawn).decode())


def test_a_figure_has_a_label_for_its_drawing_and_a_table_with_heads() -> None:
    html = figure(CURVE, "As a table", kept=[("/a.svg?x=1&y=2", "SVG")])
    assert 'role="img" aria-label="Score by hand"' in html
    assert html.count('scope="col"') == 3
    assert html.count('scope="row"') == 3
    assert 'href="/a.svg?x=1&amp;y=2" download>SVG</a>' in html
    assert "style=" not in html  # the content security policy forbids it
    assert "102" in parsed(html).text


def test_bars_are_as_long_as_their_figures_and_lie_on_their_own_side_of_zero() -> None:
    """Twelve is twice as long as six; minus six extends from zero in the other direction."""
    found = bars("Average", [Bar("Anna", 12, "12"), Bar("Ben", 6, "6"), Bar("Max", -6, "-6")], columns=("who", "n"))
    long, short, below = [shape for shape in found.shapes if isinstance(shape, Rectangle)]
    assert long.width == pytest.approx(2 * short.width)
    assert below.width == pytest.approx(short.width)
    assert below.x + below.width == pytest.approx(short.x)
    assert found.rows == (("Anna", "12"), ("Ben", "6"), ("Max", "-6"))


def test_nothing_to_show_is_an_empty_chart() -> None:
    assert not [s for s in curve("t", [], [], below="hand").shapes if isinstance(s, Marker)]
    assert not [s for s in curve("t", [Series("A", ())], [], below="hand").shapes if isinstance(s, Marker)]
    assert bars("t", [], columns=("a", "b")).rows == ()


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8))
def test_names_at_the_ends_of_lines_stand_apart(places: list[int]) -> None:
    """Names of equal totals stay readable: at least 16 apart, in the order of the totals."""
    found = apart(places, 16, 300)
    ranked = [found[at] for at in sorted(range(len(places)), key=lambda at: places[at])]
    assert all(later - before >= 16 for before, later in itertools.pairwise(ranked))
    assert max(found) <= 300


def test_files_are_the_drawing_with_its_title() -> None:
    root = ET.fromstring(svg(CURVE).decode())
    assert next(e.text for e in root.iter(f"{SVG}text")) == "Score by hand"
    assert '<script>"&' in [e.text for e in root.iter(f"{SVG}text")]
    picture = Image.open(io.BytesIO(png(CURVE)))
    assert picture.size == (CURVE.width * SCALE, (CURVE.height + TITLE) * SCALE)
    assert int(root.get("height", "0")) == CURVE.height + TITLE


def test_a_picture_without_the_systems_font_still_names_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no font has an umlaut, its base letter is drawn instead of an empty box."""
    monkeypatch.setattr(drawing, "TYPEFACES", ("no-such-font.ttf", "no-such-font.ttf"))
    accented, bare = (drawing.png([Lettering(5, 20, name)], 60, 30) for name in ("Zoë", "Zoe"))
    assert accented == bare
