"""The sheet of charts: bar lengths, complete files, the same content in SVG and PNG."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.simulator.statistics.charts import CALLER, HEIGHT, PANEL_HEIGHT, PLAIN, WIDTH, sheet
from referee.simulator.statistics.figures import share, spread
from referee.web.drawing import Lettering, Rectangle, Stroke, ticks


def told(**changes: Any) -> dict[str, Any]:
    """A small result made by hand."""
    found: dict[str, Any] = {
        "preset": "nna",
        "options": {"turn": 1},
        "players": 2,
        "seed": 1,
        "company": "even",
        "hands": 10,
        "ends": {"call": 8, "stuck": 2, "abandoned": 0},
        "stuck": share(2, 10),
        "calls": {
            "lake": spread({20: 6, 30: 2}, histogram=True),
            "score": spread({20: 6, 30: 2}, histogram=True),
            "best_score": share(7, 8),
        },
        "others": {"score": spread({-6: 4, 9: 8}, histogram=True)},
        "each": [{"player": 1, "score": spread({20: 6, 30: 4})}, {"player": 2, "score": spread({-6: 5, -2: 5})}],
        "matches": {"target": 100, "hands": spread({5: 1, 6: 1}, histogram=True)},
    }
    return found | changes


def bars(colour: str, shapes: list[Any]) -> list[Rectangle]:
    """Return the bars of one colour, without the legend."""
    return [shape for shape in shapes if isinstance(shape, Rectangle) and shape.colour == colour and shape.width != 11]


def test_bars_are_as_long_as_their_figures() -> None:
    """Means of 24 and -4 on a scale from -10 to 30.

    Three calls of four had 20 cards, on a scale to 80 %.
    """
    shapes = sheet(told())
    first, second = bars(PLAIN, shapes)[:2]
    assert (first.height, second.height) == pytest.approx((PANEL_HEIGHT * 24 / 40, PANEL_HEIGHT * 4 / 40))
    assert first.y + first.height == pytest.approx(second.y)
    lakes = bars(CALLER, shapes)[:11]
    assert [round(bar.height / PANEL_HEIGHT * 80, 6) for bar in lakes] == [75, *([0] * 9), 25]


def test_every_chart_says_what_it_counts() -> None:
    texts = {shape.text for shape in sheet(told()) if isinstance(shape, Lettering)}
    assert {"player", "cards", "points", "hands", "share of calls, %", "share of matches, %", "callers"} <= texts
    assert "nna, turn 1: 2 players, 10 hands" in texts


def test_nothing_to_show_is_said() -> None:
    none = spread({}, histogram=True)
    calls = {"lake": none, "score": none, "best_score": share(0, 0)}
    shapes = sheet(told(calls=calls, matches={"target": None, "hands": none}))
    texts = [shape.text for shape in shapes if isinstance(shape, Lettering)]
    assert texts.count("none") == 1
    assert "none: each hand is settled alone" in texts
    assert "Nobody called; company even, seed 1." in texts
    unfinished = sheet(told(matches={"target": 75, "hands": none}))
    assert {"Hands to 75 points", "no match was finished"} <= {
        shape.text for shape in unfinished if isinstance(shape, Lettering)
    }


def test_all_shapes_stay_on_the_sheet() -> None:
    for shape in sheet(told()):
        assert 0 <= shape.x <= WIDTH
        assert 0 <= shape.y <= HEIGHT
        if isinstance(shape, Stroke):
            assert 0 <= shape.to_x <= WIDTH
        if isinstance(shape, Rectangle):
            assert shape.height >= 0
            assert shape.y + shape.height <= HEIGHT


@given(st.floats(-1e6, 1e6), st.floats(0.001, 1e6))
def test_ticks_are_round_and_hold_everything(least: float, span: float) -> None:
    found = ticks(least, least + span)
    slack = span * 1e-6 + abs(least) * 1e-6
    assert found[0] <= least + slack
    assert found[-1] >= least + span - slack
    assert 2 <= len(found) <= 13


def test_a_sheet_has_room_for_its_title_whatever_options_there_are() -> None:
    options = {"turn": 1, "stacking": True, "river_transfer": False, "reserve": 48, "stuck": "score"}
    long = told(options=options, hands=1, ends={"call": 0, "stuck": 1, "abandoned": 0})
    title, ends = [shape.text for shape in sheet(long) if isinstance(shape, Lettering)][:2]
    assert title == "nna, turn 1, stacking true, river_transfer false, 2 more: 2 players, 1 hand"
    assert ends.startswith("Ended by the table, stuck: 1. ")
