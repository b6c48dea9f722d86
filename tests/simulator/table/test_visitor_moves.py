"""Card actions on the page as moves, and people's hands among bots'."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.cards.check import breach
from referee.core.cards.legal import legal_moves
from referee.core.cards.notation import move_text
from referee.core.cards.pack import JOKER, card_from_text
from referee.core.cards.position import RESERVE, WASTE, Position, Tableau
from referee.core.cards.rules import ANNOUNCE, BUILD, PLAY, TURN, TURN_OVER, CardMove, CardRules
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.core.reading import DocumentError
from referee.core.units import MS, S
from referee.simulator.table.card_player import SKILLS
from referee.simulator.table.cards_document import move_meant
from referee.simulator.table.hand import RESTS, UNKNOWN, Cards, PlayedHand
from tests.core.cards.tables import RULES, apply


def pile(text: str) -> tuple[int, ...]:
    found = [card_from_text("SHCD", card) for card in text.split()]
    return tuple(card for card in found if card is not None)


def position(reserve: str, *piles: str, middle: tuple[str, ...] = (), waste: str = "", jokers: int = 0) -> Position:
    side = Tableau(pile(reserve), tuple(map(pile, piles)), pile("KC QC"), pile(waste))
    return Position(CardRules(jokers=jokers), ("1",), (side,), tuple(map(pile, middle)))


def test_to_the_middle_finds_the_pile_that_takes_the_card() -> None:
    """The pile with the next lower card of its suit, a new one for an ace, and a refused play for others."""
    lying = position("5H 2S", "AD", middle=("AH", "AS"), waste="9C")
    assert move_meant(lying, 0, "reserve > middle") == CardMove(0, PLAY, RESERVE, 1)
    assert move_meant(lying, 0, "pile 1 > middle") == CardMove(0, PLAY, 0, 2)
    assert breach(lying, move_meant(lying, 0, "waste > middle")) == "foundation"
    assert breach(lying, move_meant(lying, 0, "reserve > middle 1")) == "foundation"


def test_a_pile_goes_with_as_many_cards_as_fit() -> None:
    """Of five cards the three that fit are moved; if none fit, one, which is refused."""
    lying = position("5H", "KS QH JC 10D 9C", "QD", "9H")
    assert move_meant(lying, 0, "pile 1 any > pile 2") == CardMove(0, BUILD, 0, 1, 3)
    assert breach(lying, move_meant(lying, 0, "pile 1 any > pile 3")) == "work pile"
    assert move_meant(lying, 0, "pile 1 card 5 > pile 3") == CardMove(0, BUILD, 0, 2)


def test_turning_turns_over_where_no_stock_is_left() -> None:
    lying = position("5H", "AD", waste="9C")
    assert move_meant(lying, 0, "turn") == CardMove(0, TURN)
    lying = apply(lying, CardMove(0, TURN))
    assert move_meant(lying, 0, "turn") == CardMove(0, TURN_OVER)


def test_a_joker_is_announced_and_then_played() -> None:
    """Onto the pile where it was dropped, as the next card there."""
    lying = position("5H *", "AD", middle=("AH", "AS 2S"), jokers=1)
    first = move_meant(lying, 0, "reserve > middle 2")
    assert first == CardMove(0, ANNOUNCE, RESERVE, card=pile("3S")[0])
    lying = apply(lying, first)
    assert move_meant(lying, 0, "reserve > middle 2") == CardMove(0, PLAY, RESERVE, 1)
    assert lying.tableaux[0].reserve[-1] & JOKER


@given(
    st.text(max_size=40)
    | st.from_regex(r"(pile [1-9]|reserve|waste) (any )?> (middle( 9)?|pile [1-9])", fullmatch=True)
)
def test_whatever_is_asked_is_a_move_or_a_sentence(text: str) -> None:
    """A legal move, one that a rule forbids, or a DocumentError."""
    lying = position("5H 2S", "KD QS", "", middle=("AH",), waste="9C")
    try:
        move = move_meant(lying, 0, text)
    except DocumentError:
        return
    assert breach(lying, move) in (None, *RULES)


# -- among bots -------------------------------------------------------------------------------------------------------


def hand(seats: tuple[int, ...] = (1, 2, 3), preset: str = "nna") -> PlayedHand:
    people = {seat: [SKILLS["expert"]] for seat in seats}
    return PlayedHand(Random(5), people, Cards(rules={(len(seats),) * 2: card_rules(PRESETS[preset], len(seats))}))


def test_nobody_plays_cards_that_somebody_has_taken_up() -> None:
    """The others play on; taken cards stay to the end of the period."""
    played = hand()
    played.take(0, [1])
    played.run(0, played.teams)
    dealt = played.motion(0).position.tableaux
    for at_ns in range(0, 60 * S, 200 * MS):
        played.play_on(at_ns)
    later = played.motion(60 * S).position.tableaux
    assert later[0] == dealt[0]
    assert later[1] != dealt[1]
    assert later[2] != dealt[2]


def test_a_move_is_made_at_once_or_refused_by_its_rule() -> None:
    played = hand(preset="pagat")
    played.take(0, [1])
    played.run(0, played.teams)
    before = played.motion(S).position.tableaux[0]
    assert played.do(1, "turn", S) is None
    position = played.motion(S).position
    assert position.tableaux[0].waste == before.stock[:3]
    builds = [CardMove(0, BUILD, WASTE, pile) for pile in range(4)]
    wrong = next(build for build in builds if breach(position, build) == "work pile")
    assert played.do(1, f"waste > pile {wrong.target + 1}", S) == "work pile"
    assert played.motion(S).position.tableaux[0] == position.tableaux[0]
    assert (played.do(2, "turn", S), played.do(9, "turn", S), played.do(1, "dance", S)) == (UNKNOWN,) * 3
    assert played.do(1, "call", S) == UNKNOWN
    played.pause(2 * S, called=False)
    assert played.do(1, "turn", 3 * S) == RESTS


def test_a_card_that_is_played_falls_into_the_middle() -> None:
    """It is in the air first and arrives soon after, unless another player's arrives first."""
    for seed in range(40):
        people = {1: [SKILLS["easy"]], 2: [SKILLS["easy"]]}
        played = PlayedHand(Random(seed), people, Cards(rules={(2, 2): card_rules(PRESETS["nna"], 2)}))
        played.take(0, [1, 2])
        played.run(0, played.teams)
        ace = next((m for m in legal_moves(played.motion(0).position, 0) if m.kind == PLAY), None)
        if ace is None:
            continue
        place = "reserve" if ace.source == RESERVE else f"pile {ace.source + 1}"
        assert played.do(1, f"{place} > middle", 0) is None
        assert played.motion(1).flights
        assert len(played.motion(S).position.foundations) == 1
        return
    pytest.fail("no ace lay open in forty deals")


def test_a_play_ends_the_agreement_that_nobody_can_move() -> None:
    """The bot had stopped; a turned stock changes nothing, after a play it looks again."""
    played = hand((1, 2), "pagat")
    played.take(0, [1])
    played.run(0, played.teams)
    now_ns, agreed_ns = 0, None
    while agreed_ns is None:
        now_ns += 500 * MS
        played.play_on(now_ns)
        played.do(1, "turn", now_ns)
        agreed_ns = played.stuck_ns
    assert played.do(1, "turn", now_ns) is None
    assert (played.stuck_ns, played.looks_on_ns) == (agreed_ns, None)
    position = played.motion(now_ns).position
    move = next(move for move in legal_moves(position, 0) if move.kind in (PLAY, BUILD))
    assert played.do(1, move_text(position, move).partition(": ")[2], now_ns) is None
    assert played.stuck_ns is None
    assert played.looks_on_ns is not None
