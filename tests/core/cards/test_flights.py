"""Cards in motion: two for one place, the call, fumbles and wrong cards, each at an instant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.cards.flights import (
    Flight,
    Motion,
    act,
    advance,
    away,
    decide,
    fumble,
    in_motion,
    put_back,
    send,
)
from referee.core.cards.legal import legal_moves
from referee.core.cards.position import RESERVE, WASTE, counts
from referee.core.cards.rules import CardMove, CardRules, IllegalMoveError
from referee.core.cards.sanity import check_position
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS, with_options
from tests.core.cards.tables import any_rules, foundation, shuffled, table, tableau

APART = 30


def rules(**options: object) -> CardRules:
    """Return pagat's rules with some options changed."""
    return card_rules(with_options(PRESETS["pagat"], options), 4)


def race(same_place: str = "first", **options: object) -> Motion:
    """Return two teams with the two of spades for the same ace.

    Both can also play a four of hearts.
    """
    sides = [tableau("KC 2S", "4H / 9D / ", "6C 7C", "3S")] * 3
    position = table(
        rules(same_place=same_place, **options), *sides, foundations=(foundation("AS"), foundation("AH 2H"))
    )
    return in_motion(position, 1000, APART)


def two(team: int, source: int = RESERVE) -> CardMove:
    """Return that team's play onto the ace."""
    return CardMove(team, "play", source, 0)


def lands(motion: Motion, at_ns: int) -> list[tuple[int, str]]:
    """Return the cards that land by `at_ns` and their results.

    A card that loses goes back to its place.
    """
    after = advance(motion, at_ns)

    def outcome(flight: Flight) -> str:
        if flight in after.astray:
            return "astray"
        if any(flight in group for group in after.disputed):
            return "disputed"
        team = flight.move.team
        return "stays" if after.position.tableaux[team] != motion.position.tableaux[team] else "back"

    landed = sorted(motion.flights, key=lambda flight: flight.lands_ns)
    return [(flight.move.team, outcome(flight)) for flight in landed if flight not in after.flights]


def refused(motion: Motion, move: CardMove, at_ns: int = 1000, lands_ns: int | None = None) -> str:
    """Return the rule that forbids the move at that time."""
    before = motion.position, motion.flights, motion.now_ns
    with pytest.raises(IllegalMoveError) as caught:
        _ = act(motion, move, at_ns) if lands_ns is None else send(motion, move, at_ns, lands_ns)
    assert before == (motion.position, motion.flights, motion.now_ns)
    return caught.value.rule


def sent(motion: Motion, *flights: tuple[int, int, int]) -> Motion:
    """Return the twos in motion: (team, sent, lands)."""
    for team, at_ns, lands_ns in flights:
        motion = send(motion, two(team), at_ns, lands_ns)
    return motion


def test_a_card_counts_where_it_came_from_until_it_lands() -> None:
    motion = sent(race(), (0, 1000, 1500))
    assert motion.position == race().position
    assert away(motion, 0) == {RESERVE}
    assert refused(motion, two(0), 1100, 1600) == "in the air"
    assert refused(motion, CardMove(0, "build", RESERVE, 2), 1100) == "in the air"
    turned = act(motion, CardMove(0, "turn"), 1100)
    assert len(turned.position.tableaux[0].waste) == 3
    assert advance(motion, 1499).position == motion.position
    assert lands(motion, 1500) == [(0, "stays")]
    landed = advance(motion, 1500)
    assert landed.position.foundations[0] == foundation("AS 2S")
    assert (landed.now_ns, away(landed, 0)) == (1500, frozenset())
    assert counts(landed.position)[0].left == 1


def test_a_pile_with_its_last_card_in_the_air_takes_none_and_a_waste_is_not_turned() -> None:
    waste = send(race(), CardMove(0, "play", WASTE, 0), 1000, 2000)
    assert refused(waste, CardMove(0, "turn"), 1100) == "in the air"
    pile = send(race(), CardMove(0, "play", 0, 1), 1000, 2000)
    assert refused(pile, CardMove(0, "build", WASTE, 0), 1100) == "in the air"
    assert refused(pile, CardMove(0, "slide", RESERVE, 0), 1100) == "in the air"
    built = act(pile, CardMove(0, "build", WASTE, 2), 1100)
    assert built.position.tableaux[0].waste == ()


def test_of_two_cards_the_first_stays_and_the_other_returns() -> None:
    for same_place in ("first", "both", "table"):
        motion = sent(race(same_place), (0, 1000, 1600), (1, 1100, 1600 - APART))
        assert lands(motion, 2000) == [(1, "stays"), (0, "back")]
        motion = advance(motion, 2000)
        assert motion.position.foundations[0] == foundation("AS 2S", "01")
        assert motion.position.tableaux[0] == race().position.tableaux[0]


@pytest.mark.parametrize(("same_place", "outcome", "pile"), [
    ("first", [(1, "stays"), (0, "back")], foundation("AS 2S", "01")),
    ("both", [(1, "stays"), (0, "stays")], foundation("AS 2S 2S", "010")),
    ("table", [(1, "disputed"), (0, "disputed")], foundation("AS")),
])  # fmt: skip
def test_same_place_says_what_happens_when_it_cannot_be_told(
    same_place: str, outcome: list[tuple[int, str]], pile: tuple[int, ...]
) -> None:
    motion = sent(race(same_place), (0, 1000, 1600), (1, 1100, 1601 - APART))
    assert lands(motion, 1700) == outcome
    motion = advance(motion, 1700)
    assert motion.position.foundations[0] == pile
    three = send(motion, CardMove(2, "play", WASTE, 0), 1700, 1800)
    assert lands(three, 1800) == [(2, "astray" if same_place == "table" else "stays")]


def test_two_cards_of_the_very_same_instant_are_neither_first() -> None:
    motion = sent(race(), (0, 1000, 1600), (1, 1100, 1600), (2, 1100, 1601))
    assert lands(motion, 1700) == [(0, "back"), (1, "back"), (2, "stays")]
    assert advance(motion, 1700).position.foundations[0] == foundation("AS 2S", "02")


def test_the_table_decides_about_a_disputed_place() -> None:
    motion = advance(sent(race("table"), (0, 1000, 1600), (1, 1100, 1600)), 1700)
    assert away(motion, 0) == away(motion, 1) == {RESERVE}
    one = decide(motion, 1)
    assert (one.disputed, away(one, 0)) == ((), frozenset())
    assert one.position.foundations[0] == foundation("AS 2S", "01")
    assert one.position.tableaux[0] == motion.position.tableaux[0]


def test_disputes_are_decided_one_by_one() -> None:
    side = tableau("KC 2S", "3H / 9D")
    position = table(rules(same_place="table"), side, side, foundations=(foundation("AS"), foundation("AH 2H")))
    motion = sent(in_motion(position, 1000, APART), (0, 1000, 1600), (1, 1000, 1600))
    for team in (0, 1):
        motion = send(motion, CardMove(team, "play", 0, 1), 1000, 1700)
    motion = advance(motion, 1700)
    assert len(motion.disputed) == 2
    motion = decide(motion, 1)
    assert [group[0].move.target for group in motion.disputed] == [1]
    motion = decide(motion, 0)
    assert motion.position.foundations == (foundation("AS 2S", "01"), foundation("AH 2H 3H", "000"))


def test_stacks_and_new_foundations_are_no_rivals() -> None:
    side = tableau("KC 2S", "3S / 9D")
    position = table(rules(same_place="both", stacking=True), side, side, foundations=(foundation("AS"),))
    stack = CardMove(0, "play", RESERVE, 0, more=(0,))
    motion = send(sent(in_motion(position, 1000, APART), (1, 1000, 1600)), stack, 1000, 1601)
    assert away(motion, 0) == {RESERVE, 0}
    assert lands(motion, 1700) == [(1, "stays"), (0, "back")]
    single = send(in_motion(position, 1000, APART), stack, 1000, 1600)
    assert lands(sent(single, (1, 1000, 1601)), 1700) == [(0, "stays"), (1, "back")]
    aces = table(rules(same_place="table"), tableau("AS", "9D"), tableau("AS", "9D"))
    motion = in_motion(aces, 1000, APART)
    for team in (0, 1):
        motion = send(motion, CardMove(team, "play", RESERVE, 0), 1000, 1600)
    assert lands(motion, 1600) == [(0, "stays"), (1, "stays")]
    assert advance(motion, 1600).position.foundations == (foundation("AS", "0"), foundation("AS", "1"))


def test_a_card_may_be_sent_before_the_one_below_it_has_landed() -> None:
    motion = sent(race(), (1, 1000, 1500))
    motion = send(motion, CardMove(0, "play", WASTE, 0), 1000, 1501)
    assert lands(motion, 1600) == [(1, "stays"), (0, "stays")]
    wrong = send(race(), CardMove(0, "play", WASTE, 0), 1000, 1400)
    wrong = sent(wrong, (1, 1000, 1500))
    assert lands(wrong, 1600) == [(0, "astray"), (1, "astray")]
    wrong = advance(wrong, 1600)
    assert wrong.position == race().position
    assert (away(wrong, 0), away(wrong, 1)) == (frozenset({WASTE}), frozenset({RESERVE}))
    mended = put_back(wrong)
    assert (mended.astray, away(mended, 0)) == ((), frozenset())
    assert lands(sent(mended, (1, 1700, 1800)), 1800) == [(1, "stays")]


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_wrong_cards_go_back_foundation_by_foundation(first: int, second: int) -> None:
    motion = send(race(), CardMove(0, "play", WASTE, first), 1000, 1400)
    motion = advance(send(motion, CardMove(1, "play", WASTE, second), 1000, 1500), 1500)
    one = put_back(motion)
    assert [flight.move.target for flight in one.astray] == [second]
    assert put_back(one).astray == ()


def test_what_cannot_be_sent() -> None:
    motion = race()
    assert refused(motion, CardMove(0, "turn"), 1000, 1500) == "place"
    assert refused(motion, CardMove(0, "turn over"), 1000, 1500) == "turn"
    assert refused(motion, CardMove(0, "play", 2, 0), 1000, 1500) == "available"
    assert refused(motion, CardMove(0, "play", RESERVE, 0, more=(WASTE,)), 1000, 1500) == "one at a time"
    assert refused(motion, CardMove(0, "play", RESERVE, 2), 1000, 1500) == "foundation"
    assert refused(motion, CardMove(7, "play", RESERVE, 0), 1000, 1500) == "place"
    assert refused(motion, two(0), 1000, 999 + APART) == "instant"
    assert refused(motion, two(0), 999, 1500) == "instant"
    assert refused(motion, two(0), 1000) == "place"
    send(motion, two(0), 1000, 1000 + APART)
    joker = table(rules(jokers=2), tableau("*", "9D"), foundations=(foundation("AS"),))
    assert refused(in_motion(joker, 1000, APART), two(0), 1000, 1500) == "announcement"


def test_a_joker_is_announced_before_it_leaves() -> None:
    joker = table(rules(jokers=2), tableau("*", "9D"), tableau("2S", "9D"), foundations=(foundation("AS"),))
    motion = act(in_motion(joker, 1000, APART), CardMove(0, "announce", RESERVE, card=2), 1000)
    motion = send(motion, two(0), 1200, 1700)
    assert lands(sent(motion, (1, 1250, 1600)), 1700) == [(1, "stays"), (0, "back")]


def test_a_fumble_drops_what_the_team_has_in_the_air_and_costs_it_time() -> None:
    motion = fumble(sent(race(), (0, 1000, 1500), (1, 1000, 1600)), 0, 1200, 3000)
    assert away(motion, 0) == frozenset()
    assert motion.position == race().position
    assert refused(motion, CardMove(0, "turn"), 2999) == "fumble"
    assert refused(motion, two(0), 2999, 4000) == "fumble"
    assert act(motion, CardMove(0, "turn"), 3000).now_ns == 3000
    assert act(motion, CardMove(1, "turn"), 1300).now_ns == 1300
    assert lands(motion, 1700) == [(1, "stays")]
    both = fumble(motion, 1, 1300, 2000)
    assert both.mended_ns == (3000, 2000, 1000)


def test_withholding_does_not_ask_for_a_card_that_is_on_its_way() -> None:
    nna = card_rules(PRESETS["nna"], 4)
    position = table(nna, tableau("AS", "9D", "5C"), tableau("AS", "9D", "5C"))
    motion = send(in_motion(position, 1000, APART), CardMove(0, "play", RESERVE, 0), 1000, 1500)
    assert refused(motion, CardMove(1, "turn"), 1100) == "withholding"
    assert act(motion, CardMove(0, "turn"), 1100).position.tableaux[0].stock == ()


def story(rules: CardRules, seed: int, steps: int, often: bool) -> Iterator[Motion]:
    """Yield a table in motion, played at random. Set `often` to look at it in more steps."""
    rng = Random(seed)
    motion = in_motion(shuffled(rules, 3, rng), 0, APART)
    for _ in range(steps):
        at_ns, team = motion.now_ns + rng.randrange(60), rng.randrange(3)
        for between in range(motion.now_ns, at_ns, 7) if often else ():
            motion = advance(motion, between)
        motion = advance(motion, at_ns)
        moves = [move for move in legal_moves(motion.position, team) if move.kind not in ("call", "announce")]
        lies = [CardMove(team, "play", rng.randrange(-2, 3), n) for n in range(len(motion.position.foundations))]
        move = rng.choice([*moves, *(move for move in moves if move.kind == "play"), *lies, CardMove(team, "turn")])
        lands_ns = at_ns + APART + rng.randrange(60)
        chance = rng.random()
        with suppress(IllegalMoveError):
            if chance < 0.05:
                motion = fumble(motion, team, at_ns, at_ns + 100)
            elif move.kind == "play":
                motion = send(motion, move, at_ns, lands_ns)
            else:
                motion = act(motion, move, at_ns)
        if motion.astray and chance > 0.5:
            motion = put_back(motion)
        if motion.disputed and chance > 0.5:
            motion = decide(motion, motion.disputed[0][0].move.team)
        check_position(motion.position)
        yield motion


@pytest.mark.no_cover
@settings(max_examples=150)
@given(any_rules(), st.integers(0, 2**32))
def test_a_table_in_motion_loses_no_card_and_is_the_same_in_any_steps(rules: CardRules, seed: int) -> None:
    assert [*story(rules, seed, 60, often=False)] == [*story(rules, seed, 60, often=True)]
