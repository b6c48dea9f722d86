"""Messages are parsed strictly, and a contact follows the hands on it."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.page.simulated import Hands
from referee.protocol.gestures import STEPS_MOST, AskError, MoveCard, Touch, TurnKnob, Visitors, apply, read
from referee.protocol.page import Awake, Watched, read_any
from tests.page.lines import Recorder

CONTACTS = ("1", "2", "3", "knob")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NEARLY = st.fixed_dictionaries(
    {}, optional={"contact": VALUES | st.sampled_from(CONTACTS), "closed": VALUES, "turn": VALUES, "x": VALUES}
)


@given(st.sampled_from(CONTACTS), st.booleans())
def test_a_press_is_read(contact: str, closed: bool) -> None:
    assert read(json.dumps({"contact": contact, "closed": closed}), CONTACTS) == Touch(contact, closed)


@given(st.integers(1, STEPS_MOST), st.sampled_from([1, -1]))
def test_a_turn_is_read(steps: int, way: int) -> None:
    assert read(json.dumps({"turn": steps * way}), CONTACTS) == TurnKnob(steps * way)


@given(st.text() | st.binary() | (VALUES | NEARLY).map(json.dumps))
def test_anything_else_is_one_sentence(text: str | bytes) -> None:
    try:
        asked = read(text, CONTACTS)
    except AskError as error:
        sentence = str(error)
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert len(sentence) < 140
    else:
        assert not isinstance(asked, Touch) or (asked.contact in CONTACTS and type(asked.closed) is bool)
        assert not isinstance(asked, MoveCard) or 1 <= asked.seat <= 8


SHAPES = (
    'A message is {"contact": NAME, "closed": true or false}, {"turn": STEPS}, {"seat": N, "move": MOVE} '
    'or {"speed": TIMES}.'
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "The message is not JSON."),
        ("[" * 100_000, "The message is not JSON."),
        ("{}", SHAPES),
        ('{"seat": 9, "move": "turn"}', '"seat" must be a whole number of 1 to 8.'),
        ('{"seat": true, "move": "turn"}', '"seat" must be a whole number of 1 to 8.'),
        ('{"seat": 1, "move": ""}', '"move" must be a move in writing, of at most 40 letters.'),
        ('{"speed": 3}', '"speed" must be one of 1, 2, 4.'),
        ('{"speed": true}', '"speed" must be one of 1, 2, 4.'),
        ('{"turn": 0}', '"turn" must be a whole number of 1 to 24 steps either way.'),
        ('{"turn": true}', '"turn" must be a whole number of 1 to 24 steps either way.'),
        ('{"contact": "9", "closed": true}', '"contact" must be one of 1, 2, 3, knob.'),
        ('{"contact": "1", "closed": 1}', '"closed" must be true or false.'),
    ],
)
def test_the_sentence_says_what_is_allowed(text: str, sentence: str) -> None:
    with pytest.raises(AskError) as caught:
        read(text, CONTACTS)
    assert str(caught.value) == sentence


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(CONTACTS), st.booleans())))
def test_a_contact_is_closed_exactly_while_somebody_holds_it(touches: list[tuple[str, str, bool]]) -> None:
    board, held = Recorder(), set[tuple[str, str]]()
    hands = Hands(partial(apply, board))
    for who, contact, closed in touches:
        hands.do(who, Touch(contact, closed))
        (held.add if closed else held.discard)((who, contact))
        assert hands.holds(who, contact) is closed
        assert board.closed == {name for _, name in held}
    for who in "abc":
        hands.let_go(who)
    assert board.closed == set()


def test_the_knob_turns_both_ways() -> None:
    board = Recorder()
    hands = Hands(partial(apply, board))
    hands.do(1, TurnKnob(3))
    hands.do(1, TurnKnob(-1))
    assert board.log == [3, -1]


def test_open_pages_are_counted() -> None:
    board = Recorder()
    hands = Hands(partial(apply, board))
    for act, who in ((hands.arrive, 1), (hands.arrive, 2), (hands.let_go, 1), (hands.let_go, 1), (hands.let_go, 2)):
        act(who)
    assert board.counts[-5:] == [1, 2, 1, 1, 0]


@given(VALUES)
def test_a_line_of_the_page_s_process_is_read_as_strictly(value: object) -> None:
    found = None
    with suppress(AskError):
        found = read_any(json.dumps(value).encode())
    assert isinstance(found, Visitors | Touch | TurnKnob | None)
    assert read_any(b'{"visitors": 3}') == Visitors(3)
    assert read_any(b'{"watched": true}') == Watched(True)
    assert read_any(b'{"awake": ["phone-1", "phone-1"]}') == Awake(frozenset({"phone-1"}))
    for wrong in (b'{"visitors": true}', b'{"visitors": "3"}', b'{"visitors": 3, "turn": 1}', b"\xff", b""):
        with pytest.raises(AskError):
            read_any(wrong)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2]), st.sampled_from(["take", "turn", "leave"]))))
def test_cards_are_moved_by_whoever_has_taken_them_up(asked: list[tuple[str, int, str]]) -> None:
    """Only after taking them up; they are taken with the first page and released with the last."""
    board, holders, wanted = Recorder(), {1: set[str](), 2: set[str]()}, list[tuple[int, str]]()
    hands = Hands(partial(apply, board))
    for who, seat, move in asked:
        before = bool(holders[seat])
        if move == "turn":
            wanted += [(seat, move)] if who in holders[seat] else []
        else:
            (holders[seat].add if move == "take" else holders[seat].discard)(who)
            wanted += [(seat, move)] if before != bool(holders[seat]) else []
        hands.do(who, MoveCard(seat, move))
    assert board.moves == wanted
    for who in "ab":
        hands.let_go(who)
    taken = {seat: [m for s, m in board.moves if s == seat and m != "turn"] for seat in (1, 2)}
    assert all(moves == ["take", "leave"] * (len(moves) // 2) for moves in taken.values())
