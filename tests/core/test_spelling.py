"""A name entered letter by letter at the knob, in the lobby and between hands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.match.engine import Engine
from referee.core.model.events import KnownName, Named
from referee.core.model.table import Setup
from referee.core.model.view import LobbyScreen, NameScreen, ReadyScreen
from referee.core.names import MOST_LETTERS, name_of
from referee.core.phases.seating import DELETE, SPELLING_NS, remember_names, signs
from referee.core.presses.signals import KNOB
from referee.core.stored import state_from_document, state_to_document
from referee.core.units import S
from referee.core.values import replace
from tests.core.sitting import BREATH_NS, HOLD_NS, Sitting
from tests.english import en

FOUR = ("1", "2", "3", "4")


def lobby(*stations: str, language: str = "en", **more: object) -> Sitting:
    """Return a lobby of these people. The last one's name is open."""
    setup = Setup(stations=FOUR, language=language, **more)  # type: ignore[arg-type]
    return Sitting(setup).tap(*stations)


def at_new(table: Sitting) -> Sitting:
    """Turn the knob to the new name."""
    for _ in range(20):
        if table.screen(LobbyScreen).fresh:
            return table
        table.turn(-1)
    raise AssertionError("no place for a new name")


def entered(table: Sitting, text: str) -> Sitting:
    """Turn to each letter and take it."""
    for letter in text:
        screen = table.screen(NameScreen)
        table.turn(screen.signs.index(letter) - screen.at).push()
    return table


def spelled(table: Sitting, text: str) -> Sitting:
    """Enter the whole name, and end with a long push."""
    return entered(table, text).press(KNOB, ns=HOLD_NS)


def names(table: Sitting) -> list[str | None]:
    return [seat.name for seat in table.engine.state.table.seats]


def test_a_name_is_entered_in_the_lobby() -> None:
    assert at_new(lobby("1")).push().screen(NameScreen).at == 0
    table = spelled(at_new(lobby("1", "3")).push(), "Christopher")
    assert names(table) == ["Red", None, "Christopher", None]
    assert table.screen(LobbyScreen).naming == 3
    assert [event.name for event in table.decisions(Named)][-1] == "Christopher"


@pytest.mark.parametrize(("language", "own"), [("en", ""), ("de", "ÄÖÜß"), ("it", "ÀÈÉÌÒÙ")])
def test_the_wheel_goes_through_these_signs(language: str, own: str) -> None:
    letters_ = f"ABCDEFGHIJKLMNOPQRSTUVWXYZ{own}"
    assert signs(language, "") == f"{letters_}0123456789 -'{DELETE}"
    assert signs(language, "A") == f"{letters_.lower()}0123456789 -'{DELETE}"


def test_the_first_letter_of_a_word_is_a_capital_and_only_it() -> None:
    for text, begins in (("", True), ("A", False), ("Al ", True), ("O'", True), ("Jo-", True), ("An2", False)):
        assert ("A" in signs("en", text)) is begins
        assert ("a" in signs("en", text)) is not begins
        assert len(signs("de", text)) == len(signs("de", ""))


def test_back_takes_a_letter_away_and_leaves_where_there_is_none() -> None:
    table = entered(at_new(lobby("1")).push(), f"Bx{DELETE}")
    assert table.screen(NameScreen).text == "B"
    entered(table, DELETE * 2)
    assert isinstance(table.view.screen, LobbyScreen)
    assert names(table)[0] == "Red"
    assert table.view.toast is None
    assert not table.decisions(Named)[1:]


def test_the_push_that_opens_the_letters_takes_none_however_long_it_is() -> None:
    table = at_new(lobby("1")).press(KNOB, ns=3 * S)
    assert table.screen(NameScreen).text == ""


def test_letters_that_nobody_touches_close_and_it_is_told() -> None:
    table = entered(at_new(lobby("1")).push(), "Ch").wait(SPELLING_NS)
    assert names(table)[0] == "Red"
    assert en(table.view.toast) == "NAME NOT KEPT"


def test_no_name_gets_longer_than_64_letters() -> None:
    table = entered(at_new(lobby("1")).push(), "A" + "a" * 63)
    table.heard()
    entered(table, "a")
    assert table.heard() == ["refused"]
    assert en(table.view.toast) == f"{MOST_LETTERS} LETTERS AT MOST"
    assert names(table.press(KNOB, ns=HOLD_NS))[0] == "A" + "a" * 63


def test_a_name_is_given_between_hands() -> None:
    table = lobby("1", "2").choose("Start").wait(BREATH_NS)
    table.choose("Players").choose("Name").choose("2:").turn(1).push()
    entered(table, "An").tap("1")
    assert names(spelled(table, "na"))[1] == "Anna"
    assert [label.numbers for label in table.screen(ReadyScreen).waiting] == [(2,)]


def test_cards_that_are_dealt_close_the_letters_and_it_is_told() -> None:
    table = lobby("1", "2").choose("Start").wait(BREATH_NS)
    table.choose("Players").choose("Name").choose("2:").turn(1).push()
    entered(table, "An").tap("1", "2")
    assert table.phase == "STARTING"
    assert en(table.view.toast) == "NAME NOT KEPT"


def test_what_was_played_under_comes_up_again() -> None:
    table = lobby("1", "2", names=(("1", "Anna"), ("2", "anna ")))
    spelled(at_new(table).push(), "Ben")
    table.choose("Start").wait(BREATH_NS)
    assert table.engine.state.known == (KnownName("1", "Anna"), KnownName("2", "Ben"))
    again = remember_names(replace(table.engine.state, known=(KnownName("3", "ANNA"), KnownName("4", "Lea"))))
    assert again.known == (KnownName("1", "Anna"), KnownName("2", "Ben"), KnownName("4", "Lea"))


def test_names_outlive_a_journal_that_begins_anew_and_forgotten_ones_do_not() -> None:
    """A placeholder is dropped with the old journal."""
    table = spelled(at_new(lobby("2", "1")).push(), "Ben").choose("Start").wait(BREATH_NS)
    engine = table.engine
    engine.state = replace(engine.state, known=(*engine.state.known, KnownName("4", "Player 4")))
    engine.reopen()
    assert engine.state.known == (KnownName("1", "Ben"),)
    assert state_from_document(state_to_document(engine.state)).known == engine.state.known


@given(st.lists(st.integers(-50, 50), max_size=12), st.sampled_from(["en", "de", "it"]))
def test_whatever_is_turned_and_taken_ends_as_a_name_or_says_so(steps: list[int], language: str) -> None:
    table = at_new(lobby("1", "2", language=language)).push()
    for step in steps:
        if isinstance(table.view.screen, NameScreen):
            table.turn(step).push()
    if isinstance(table.view.screen, NameScreen):
        table.press(KNOB, ns=HOLD_NS)
    name = names(table)[1]
    assert name is not None
    assert name_of(name) == name
    assert Engine.derived(table.rows).state.table == table.engine.state.table
