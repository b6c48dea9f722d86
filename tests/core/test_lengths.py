"""The lengths of screens, holds and questions are those of the manual, to the instant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.core.model.events import Linked
from referee.core.model.table import Setup
from referee.core.model.view import (
    CardScreen,
    CountScreen,
    DeclaredScreen,
    LobbyScreen,
    MenuScreen,
    NameScreen,
    PhonesScreen,
    PhotoScreen,
    ReadyScreen,
    RuleScreen,
    StandingsScreen,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
)
from referee.core.phases.common import wink
from referee.core.phases.device import CheckScreen
from referee.core.phases.fixing import FixScreen
from referee.core.presses.signals import KNOB, PRESS_NS
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, HOLD_NS, TAP_NS, Sitting
from tests.core.test_trouble import over

TWO = ("1", "2")
MARGIN_NS = 250 * MS
"""More than a tap with its release, and less than the error of any wrong length."""


def shows(kind: type) -> Callable[[View], bool]:
    """Return a check that a view has that kind of screen."""
    return lambda view: isinstance(view.screen, kind)


def in_lobby(has: Callable[[LobbyScreen], bool]) -> Callable[[View], bool]:
    """Return a check that a view is a lobby for which `has` is true."""
    return lambda view: isinstance(view.screen, LobbyScreen) and has(view.screen)


def lobby() -> Sitting:
    """Return two people at a table of four, after the time for names."""
    return Sitting(Setup(stations=("1", "2", "3", "4"))).tap(*TWO).wait(6 * S)


def listed() -> Sitting:
    """Return a list in which somebody turns after a while."""
    return lobby().push().wait(15 * S).turn(1)


def answered() -> Sitting:
    return lobby().choose("Rulebook").push().push()


def spelling() -> Sitting:
    return Sitting(Setup(stations=TWO)).tap("1").turn(-1).push()


def with_page(table: Sitting) -> Sitting:
    table.engine.intake([Linked(table.now_ns, "page:10.0.0.5:8080", True)], table.now_ns)
    return table


def three_hold() -> Sitting:
    """Return a lobby that says that only two can pair, after three hold."""
    return lobby().tap("3").press("1", "2", "3", ns=HOLD_NS)


def called() -> Sitting:
    return Sitting().playing(*TWO).close("1").wait(MARGIN_NS)


def counted() -> Sitting:
    return Sitting().counting("1", *TWO).count("1", 0, 28, caller=True).count("2", 4, 10)


def asked() -> Sitting:
    return counted().wait(4 * S).choose("More").choose("End match")


def asks_to_knock() -> Sitting:
    return table_of_31(3).dealt().hold("2")


def declared() -> Sitting:
    """Return a declared 31 while the others are asked for theirs."""
    return table_of_31(3).dealt().says("2", 2)


LENGTHS: dict[str, tuple[Callable[[], Sitting], Callable[[View], bool], int]] = {
    "a list": (lambda: lobby().push(), shows(MenuScreen), 20 * S),
    "a list in which somebody turns": (listed, shows(MenuScreen), 20 * S),
    "a list over a verdict": (lambda: called().wait(S).push(), shows(MenuScreen), 60 * S),
    "a list over a count": (lambda: Sitting().counting("1", *TWO).push(), shows(MenuScreen), 60 * S),
    "a list over a count in which somebody turns": (
        lambda: Sitting().counting("1", *TWO).push().wait(59 * S).turn(1),
        shows(MenuScreen),
        60 * S,
    ),
    "a list over a 31": (lambda: declared().push(), shows(MenuScreen), 60 * S),
    "a correction": (lambda: counted().wait(8 * S).choose("Fix counts"), shows(FixScreen), 60 * S),
    "an answer of the rulebook": (answered, shows(RuleScreen), 60 * S),
    "an answer of the rulebook in which somebody turns": (
        lambda: answered().wait(50 * S).turn(1),
        shows(RuleScreen),
        60 * S,
    ),
    "a name that is being spelled": (spelling, shows(NameScreen), 60 * S),
    "a name that the knob turns": (lambda: lobby().tap("3"), in_lobby(lambda shown: shown.naming == 3), 5 * S),
    "a name that was turned": (
        lambda: lobby().tap("3").wait(4 * S).turn(1),
        in_lobby(lambda shown: shown.naming == 3),
        5 * S,
    ),
    "a hint": (three_hold, in_lobby(lambda shown: shown.hint is not None), 3 * S),
    "a verdict": (called, shows(VerdictScreen), 2 * S),
    "a photo finish": (lambda: called().wait(S).turn(1), shows(PhotoScreen), 20 * S),
    "the standings": (counted, shows(StandingsScreen), 4 * S),
    "a count without what tap and hold do": (
        lambda: Sitting().counting("1", *TWO).tap("2"),
        lambda view: isinstance(view.screen, CountScreen) and not view.screen.legend,
        5 * S,
    ),
    "a question to all": (asked, shows(VoteScreen), 15 * S),
    "a check of the device": (lambda: lobby().choose("Device").choose("Check"), shows(CheckScreen), 60 * S),
    "a check of the device in which somebody presses": (
        lambda: lobby().choose("Device").choose("Check").wait(50 * S).tap("1"),
        shows(CheckScreen),
        60 * S,
    ),
    "the phones' code": (lambda: with_page(lobby()).choose("Phones"), shows(PhonesScreen), 120 * S),
    "the code of the match's card": (lambda: with_page(over()).choose("Card to scan"), shows(CardScreen), 120 * S),
    "who is waited for, in the usual size, 2 s after it was asked": (
        lambda: Sitting().seated(*TWO).wait(BREATH_NS).tap("1"),
        lambda view: isinstance(view.screen, ReadyScreen) and not view.screen.emphasis,
        18 * S,
    ),
    "KNOCK?": (asks_to_knock, lambda view: isinstance(view.screen, TurnScreen) and bool(view.screen.questions), 15 * S),
    "whom the knob points at": (
        lambda: table_of_31(3).dealt().turn(1),
        lambda view: isinstance(view.screen, TurnScreen) and view.screen.look is not None,
        20 * S,
    ),
    "a 31 on the table": (declared, shows(DeclaredScreen), 15 * S - BREATH_NS),
    "a sentence over the screen": (
        lambda: Sitting().seated(*TWO).power_cut(),
        lambda view: view.toast is not None,
        2 * S,
    ),
    "a bright display": (lambda: lobby().press(KNOB).push(), lambda view: not view.dim, 60 * S),
}


@pytest.mark.parametrize("what", LENGTHS)
def test_it_stands_as_long_as_the_manual_says(what: str) -> None:
    begin, stands, ns = LENGTHS[what]
    table = begin()
    since_ns = table.now_ns
    assert stands(table.view)
    assert stands(table.until(since_ns + ns - MARGIN_NS).view)
    assert not stands(table.until(since_ns + ns).view)


def paired(table: Sitting) -> bool:
    return any(seat.partner for seat in table.engine.state.table.seats)


def has_left(table: Sitting) -> bool:
    return table.engine.state.table.seats[0].name is None


def letters() -> Sitting:
    return spelling().push()


HOLDS: dict[str, tuple[Callable[[], Sitting], tuple[str, ...], Callable[[Sitting], bool], int]] = {
    "the knob in play: time out": (
        lambda: Sitting().playing(*TWO),
        (KNOB,),
        lambda table: table.phase == "TIMEOUT",
        300 * MS,
    ),
    "two in the lobby: a pair": (lobby, TWO, paired, 800 * MS),
    "two in the lobby, where a hold is set shorter": (
        lambda: Sitting(Setup(stations=TWO, hold_ns=500 * MS)).tap(*TWO),
        TWO,
        paired,
        500 * MS,
    ),
    "one in the lobby: out": (lobby, ("1",), has_left, 2 * S),
    "the knob at a name's letters: the end": (
        letters,
        (KNOB,),
        lambda table: not shows(NameScreen)(table.view),
        800 * MS,
    ),
}


@pytest.mark.parametrize("what", HOLDS)
def test_a_hold_counts_from_its_very_length_on(what: str) -> None:
    begin, stations, has_come, ns = HOLDS[what]
    table = begin()
    since_ns = table.now_ns
    table.close(*stations)
    assert not has_come(table.until(since_ns + ns - 1))
    assert has_come(table.until(since_ns + ns))


def asks(table: Sitting) -> bool:
    return table.view.lamps[0].pattern == "slow"


@pytest.mark.parametrize(("early_ns", "counts"), [(1, False), (0, True)])
def test_an_answer_counts_from_0_7_s_after_the_question_on(early_ns: int, counts: bool) -> None:
    table = asked()
    asked_ns = table.now_ns - TAP_NS - 52 * MS + PRESS_NS  # the push was certain a tap and its release ago
    assert not asks(table.until(asked_ns + 700 * MS - 1))
    assert asks(asked().until(asked_ns + 700 * MS))
    table = asked().until(asked_ns + 700 * MS - early_ns).press("1")
    assert (table.screen(VoteScreen).votes[0][1] is True) is counts


def test_a_question_blinks_for_0_15_s_at_a_press_that_came_too_early() -> None:
    table = asked()
    since_ns = table.now_ns + PRESS_NS
    assert not table.view.invert
    table.close("1")
    assert [table.engine.view(since_ns + ns).invert for ns in (0, 150 * MS - 1, 150 * MS)] == [True, True, False]


def test_a_lamp_says_from_the_tenth_second_on_that_something_lies_on_its_button() -> None:
    table = Sitting().seated(*TWO).wait(BREATH_NS)
    since_ns = table.now_ns
    table.close("2").wait(9 * S)
    before, after = table.engine.view(since_ns + 10 * S - 1), table.engine.view(since_ns + 10 * S)
    assert before.changes_at_ns == since_ns + 10 * S
    assert [shown.lamps[1].pattern == "fault" for shown in (before, after)] == [False, True]
    assert after.lamps[0].pattern != "fault"


def test_a_wink_is_forgotten_when_it_is_over() -> None:
    table = lobby().press(*TWO, ns=HOLD_NS)
    assert {wink.station for wink in table.engine.state.winks} == {*TWO}
    table.wait(30 * S).tap("3").wait(30 * S).tap("4")
    assert [wink.station for wink in table.engine.state.winks] == ["4"]


def test_a_lamp_winks_to_the_end_before_it_winks_again() -> None:
    begun = lobby().wait(30 * S).engine.state
    held = wink(begun, "1", 2)
    two = held.winks[0].at_ns + 680 * MS
    assert [(one.at_ns, one.times) for one in held.winks] == [(begun.now_ns, 2)]
    for at_ns, times, next_ns, merged in ((two - 1, 2, two, 0), (two - 1, 1, begun.now_ns, 1), (two, 2, two, 0)):
        (again,) = wink(replace(held, now_ns=at_ns), "1", times).winks
        assert (again.at_ns, again.times, again.merged, again.follows) == (next_ns, 2, merged, not merged)
    assert len(wink(held, "2", 1).winks) == 2
