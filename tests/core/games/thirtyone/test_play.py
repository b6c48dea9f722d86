"""How 31 answers the shared phases: value fields, refusals, the deal and the book."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from referee.core.games.thirtyone.phases import Declared, Turn
from referee.core.games.thirtyone.play import GAME
from referee.core.games.thirtyone.scoring import ThirtyOneHand
from referee.core.model.events import Played, Sealed, Taught, Voided
from referee.core.model.labels import label_of
from referee.core.model.registry import adjusts
from referee.core.model.state import Count
from referee.core.model.table import Adjustment, Table
from referee.core.model.transitions import BookedHand, Past
from referee.core.phases.counting import Counting
from referee.core.values import replace
from tests.core.games.thirtyone.table import table as seated
from tests.english import en

THREE = ("1", "2", "3")


def table(preset: str = "31", *hands: ThirtyOneHand, **options: object) -> Table:
    """Return three players and the hands in their book."""
    return replace(seated(3, preset, **options).engine.state.table, hands=hands)


def knocked(knocker: str = "2", dealer: str = "1", **values: float) -> ThirtyOneHand:
    """Return a hand that a knock ended. v1=20 is the first player's value."""
    held = {name[1:]: Fraction(value) for name, value in values.items()}
    return ThirtyOneHand(tuple(held), knocker, held, dealer=dealer)


# -- a value -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "options", "key"),
    [
        (knocked(v1=20, v2=19, v3=21), {}, "note.two_lowest"),
        (knocked(v1=20, v2=20, v3=21), {"knocker_tied": "loses-two"}, "note.two_tied"),
        (knocked(v1=20, v2=20, v3=21), {"knocker_tied": "loses-one"}, None),
        (knocked(v1=20, v2=21, v3=21), {"knocker_not_highest": "loses-one"}, None),
        (ThirtyOneHand(THREE, "2", {}, ("1",), dealer="1"), {"knocker_after_31": "two"}, "note.two_31"),
        (ThirtyOneHand(THREE, "2", {}, ("1",), dealer="1"), {}, None),
        (ThirtyOneHand(THREE, "2", {}, ("2",), dealer="1"), {"knocker_after_31": "two"}, None),
    ],
)
def test_a_knocker_who_loses_two_is_given_the_reason(
    hand: ThirtyOneHand, options: dict[str, Any], key: str | None
) -> None:
    after = table("31", hand, **options)
    notes = GAME.gain_notes(after)
    assert [note.key for note in notes] == ([key] if key else [])
    assert [label_of(after, "2")] * len(notes) == [dict(note.values)["who"] for note in notes]
    assert GAME.gain_notes(table("31")) == ()


def refused(value: float, *others: float, caller: str = "1", **options: Any) -> str | None:
    """Return why the first player's value is refused, next to finished values of the others."""

    def count(team: str, worth: float, *, done: bool) -> Count:
        fields = (int(worth) // 10, int(worth) % 10, *((1,) if worth != int(worth) else ()))
        return Count(team, fields, (True,) * len(fields), None if done else 0)

    done = tuple(count(str(n), worth, done=True) for n, worth in enumerate(others, 2))
    told = GAME.refusal(table(**options), count("1", value, done=False), (caller,), done)
    return None if told is None else en(told)


REFUSED: list[tuple[float, dict[str, Any], str | None]] = [
    (0, {}, "0 < 2"),
    (1, {}, "1 < 2"),
    (2, {}, None),
    (30, {}, None),
    (31, {}, "31: PUSH THE KNOB"),
    (32, {}, "32 > 30"),
    (39, {}, "39 > 30"),
    (30.5, {}, "30 > 30"),
    (30.5, {"three_of_a_kind": "30.5"}, None),
    (29.5, {"three_of_a_kind": "30.5"}, "ONLY 30½ HAS A HALF"),
    (31.5, {"three_of_a_kind": "30.5"}, "ONLY 30½ HAS A HALF"),
    (32, {"three_of_a_kind": "30.5"}, "32 > 30"),
    (16, {"minimum_knock": 17}, "16 < 17: PUSH, UNDO"),
    (17, {"minimum_knock": 17}, None),
    (16, {"minimum_knock": 17, "caller": "2"}, None),
]


@pytest.mark.parametrize(("value", "options", "why"), REFUSED)
def test_a_value_that_cannot_be_is_refused_and_every_other_one_stands(
    value: float, options: dict[str, Any], why: str | None
) -> None:
    assert refused(value, **options) == why


def test_the_last_of_hands_that_one_pack_cannot_deal_is_refused() -> None:
    assert refused(2, 20, 20) is None
    assert refused(2, 2) == "2 NEED MORE CARDS"
    open_ = Count("2", (0, 2), (True, True), 0)
    assert GAME.refusal(table(), Count("1", (0, 2), (True, True), 0), (), (open_,)) is None


# -- what a match is about -----------------------------------------------------------------------------------------


def test_points_by_the_table_s_will_are_for_a_game_of_points() -> None:
    assert [adjusts(table(preset)) for preset in ("31", "ride-the-bus", "31-quebec")] == [False, False, True]
    given = replace(table("31-quebec"), adjustments=(Adjustment(0, "2", Fraction(3)),))
    assert [place.total for place in GAME.standings(given)] == [0, 3, 0]
    assert len(GAME.notes(given, THREE)) == 2


# -- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "playing", "deals"),
    [
        (None, THREE, "1"),
        (None, ("2", "3"), "2"),
        ("1", THREE, "2"),
        ("2", THREE, "3"),
        ("3", THREE, "1"),
        ("1", ("1", "3"), "3"),
        ("3", ("2", "3"), "2"),
        ("2", ("1", "2"), "1"),
        ("2", ("2",), "2"),
    ],
)
def test_the_deal_goes_round_those_who_play(last: str | None, playing: tuple[str, ...], deals: str) -> None:
    state = seated(3).engine.state
    hands = () if last is None else (knocked(v1=20, v2=25, v3=27, dealer=last),)
    state = replace(state, table=replace(state.table, hands=hands))
    play = GAME.begin(state, playing, 5, 7)
    assert isinstance(play, Turn)
    assert (play.dealer, play.turn, play.go_at_ns, play.asked_at_ns) == (deals, play.after(deals), 5, 7)
    (note,) = GAME.notes(state.table, playing)
    assert en(note).startswith(deals)
    lesson = [line.key for line in GAME.lesson(state.table, "deal", playing)]
    assert lesson[:3] == ["teach.deal_three", "note.deals", "teach.rest_open"]
    assert "note.deals" not in [line.key for line in GAME.lesson(state.table, "play", playing)]
    assert GAME.notes(state.table, ()) == ()


# -- the book ------------------------------------------------------------------------------------------------------


def test_a_hand_is_booked_as_a_knock_or_as_a_31() -> None:
    plain = replace(knocked(v1=20, v2=25, v3=27), corrected=("3",))
    shown = ThirtyOneHand(("1", "3"), "1", {}, ("3",))
    of = table("31", plain, shown, ThirtyOneHand(THREE, None, {}, ("1", "2")))
    assert [GAME.booked_hand(of, n) for n in range(3)] == [
        BookedHand("knock", ("2",), THREE, ("3",)),
        BookedHand("declared", ("3",), ("1", "3")),
        BookedHand("declared", ("1", "2"), THREE),
    ]


def test_a_hand_that_a_knock_ended_can_be_counted_again_and_one_that_a_31_ended_cannot() -> None:
    first, second = knocked(v1=20, v2=9, v3=30), knocked(v1=20, v2=25, v3=27)
    of = table("31", first, second, ThirtyOneHand(THREE, "1", {"2": Fraction(20)}, ("3",)))
    past = GAME.past(of, 1)
    assert past == Past(replace(of, hands=(first,)), ("2",), (("1", (2, 0)), ("2", (2, 5)), ("3", (2, 7))))
    assert GAME.past(of, 2) is None
    right = GAME.with_correction(of, 0, (("1", (2, 0)), ("2", (1, 9)), ("3", (3, 0))))
    assert (right.hands[0].values, right.hands[0].corrected) == ({"1": 20, "2": 19, "3": 30}, ("2",))
    assert right.hands[1:] == of.hands[1:]
    again = GAME.with_correction(right, 0, (("1", (2, 1)), ("2", (1, 9)), ("3", (3, 0))))
    assert again.hands[0].corrected == ("1", "2")


def test_a_decision_is_taken_where_it_was_once_taken() -> None:
    """A journal may hold decisions that today's rules do not derive."""
    sitting = seated(3).dealt().knocks()
    state, play = sitting.engine.state, sitting.engine.state.phase
    assert isinstance(play, Turn)
    counted = GAME.taken_in(state, play, Sealed(9, (("1", (2, 0)),)))
    assert isinstance(counted, Counting)
    assert counted.callers == ("2",)
    assert isinstance(GAME.taken_in(state, replace(play, knocker=None), Sealed(9, (("1", (2, 0)),))), Counting)
    shown = GAME.taken_in(state, play, Sealed(9, ()))
    assert isinstance(shown, Declared)
    assert (shown.asked_at_ns, shown.playing) == (9, THREE)
    assert GAME.taken_in(state, play, Played(9, "knock", ("1",))) is play
    assert GAME.taken_in(state, play, Voided(9)) is play
    assert GAME.taken_in(state, play, Taught(9, True)) is None
