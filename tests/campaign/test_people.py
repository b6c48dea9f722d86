"""Whoever helps at a campaign's table; and whose light touch would be a press's first bounce."""

from __future__ import annotations

from random import Random

from referee.core.messages import Msg, msg
from referee.core.model.view import Label, MenuScreen, NameScreen, ReadyScreen, Screen, View
from referee.core.presses.signals import KNOB
from referee.core.units import S
from referee.table.contact import Move
from tests.campaign.people import NAMED_NS, Helper
from tests.campaign.taped import _pressed_soon
from tests.tapes.tape import parse


def seen(phase: str, screen: Screen) -> View:
    """A table in that phase, with that picture."""
    return View(0, 0, phase, screen, ())


def helped(helper: Helper, view: View, at_ns: int, *, held: bool = False) -> dict[str, int]:
    """Which contacts are pressed, after the table has stood for too long, and for how long each, ns."""
    helper.look(view, at_ns, waits=True, held=held)
    moves = [move for move in helper.moves(at_ns + 10 * S) if isinstance(move, Move)]
    contacts = {move.contact for move in moves}
    return {one: moves[-1].t_ns - next(m for m in moves if m.contact == one).t_ns for one in contacts}


def listed(*lines: str) -> MenuScreen:
    """A list of the knob with these lines."""
    return MenuScreen(msg("title.time_out"), tuple(Msg(line) for line in lines), 0)


def test_a_name_that_a_child_spells_is_ended_by_a_long_push() -> None:
    """A short one would take another letter, for ever."""
    pushed = helped(Helper(Random(1)), seen("LOBBY", NameScreen(5, "Aaa", "ABC", 0)), 0)
    assert pushed.keys() == {KNOB}
    assert pushed[KNOB] >= NAMED_NS


def test_under_something_that_lies_on_a_button_nobody_goes_on() -> None:
    """Whoever sees it waits until it is gone; then the list's line is chosen."""
    view, helper = seen("TIMEOUT", listed("item.go_on")), Helper(Random(1))
    assert helped(helper, view, 0, held=True) == {}
    assert helped(helper, view, 30 * S).keys() == {KNOB}
    assert helper.helped == {"TIMEOUT: Go on": 1}


def test_where_the_list_has_nothing_that_helps_whoever_is_waited_for_taps() -> None:
    """At once, and not after as many pushes as a list gets that could help."""
    ready = seen("READY", ReadyScreen(1, 100, (Label((3,), "Max"),), ()))
    for line, pressed in (("item.back", {"3"}), ("item.go_on", {KNOB})):
        helper = Helper(Random(1))
        helped(helper, seen("READY", listed(line)), 0)
        assert helped(helper, ready, 30 * S).keys() == pressed


def test_a_touch_is_a_press_s_first_bounce_where_the_press_comes_within_the_window() -> None:
    """Gestures at an instant of their own, or after a wait, are not so soon."""

    def soon(*rows: str) -> frozenset[str]:
        tape = parse("soon", "\n".join(("table nna stations=3", "names Anna Ben Max", *rows)))
        return _pressed_soon([line for line in tape.lines if not line.told])

    assert soon("+0.001  1 tap", "+0.001  2 tap", "+1  3 tap") == {"1", "2"}
    assert soon("+1  1 tap", "+0.001  2 tap") == frozenset()
