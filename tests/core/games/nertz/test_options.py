"""Every value of every option does something: what it changes is found by playing, counting, scoring and reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

from referee.core.cards.apply import apply
from referee.core.cards.deal import deal
from referee.core.cards.flights import act, advance, in_motion, send
from referee.core.cards.idle import together
from referee.core.cards.legal import legal_moves
from referee.core.cards.moves import CALL, PLAY, CardMove
from referee.core.cards.pack import full_pack, with_owner
from referee.core.cards.position import Lull, Position, Tableau, counts
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PRESETS, NertzRules, option_values, with_options
from referee.core.games.nertz.scoring import NertzCount, NertzHand, check_count, reserve_sizes, standing, tally_of
from referee.core.model.options import RuleError
from referee.core.model.registry import game_named, game_of, rulebook
from referee.core.model.table import Setup, Table, Team
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.sitting import Sitting

MOVES, BOUNDS, SCORE, SCREEN, TEXT = "a legal move", "a count's bounds", "a score", "a screen", "a text"
NAMED = {
    "target": {SCORE, SCREEN, TEXT},
    "bonus": {SCORE, TEXT},
    "penalty": {SCORE, TEXT},
    "reserve": {BOUNDS, MOVES, SCORE, TEXT},
    "river": {MOVES, SCREEN, TEXT},
    "turn": {MOVES, TEXT},
    "turn_order": {MOVES, TEXT},
    "jokers": {BOUNDS, MOVES, TEXT},
    "layout": {MOVES, SCREEN, TEXT},
    "foundations": {MOVES, TEXT},
    "in_flight": {MOVES, SCREEN, TEXT},
    "same_place": {MOVES, TEXT},
    "withholding": {MOVES, TEXT},
    "stacking": {MOVES, TEXT},
    "river_transfer": {MOVES, TEXT},
    "stuck": {MOVES, TEXT},
    "false_call": {SCORE, TEXT},
    "tie_ms": {SCREEN, TEXT},
    "tiebreak": {SCORE, TEXT},
    "tiebreak_teams": {SCORE, TEXT},
    "settlement": {SCORE, SCREEN, TEXT},
    "king_bonus": {SCORE, TEXT},
    "handicap": {SCORE, SCREEN, TEXT},
    "pile_control": {SCREEN, TEXT},
    "rotate_seats": {SCREEN, TEXT},
    "pack_check": {SCREEN, TEXT},
    "shuffle_for": {SCREEN, TEXT},
    "start": {SCREEN, TEXT},
    "call_word": {SCREEN, TEXT},
    "start_words": {SCREEN},
    "start_by": {SCREEN, TEXT},
}
"""What each option changes of what is looked at here."""
NUMBERS = {"target": (50, 150), "bonus": (0, 10), "penalty": (0, 3), "reserve": (10, 12), "river": (3, 6)}
NUMBERS |= {"tie_ms": (0, 50), "king_bonus": (0, 5)}
OTHERS: Mapping[str, tuple[Any, ...]] = {
    "jokers": (0, 2),
    "false_call": ("play-on", "points:5", "zero"),
    "call_word": ("", "Out!"),
}


def values(name: str) -> tuple[Any, ...]:
    """The values that are walked through."""
    option = OPTIONS[name]
    if option.kind == "choice":
        return tuple(option.choices)
    return (False, True) if option.kind == "switch" else OTHERS.get(name) or NUMBERS[name]


def legal(rules: NertzRules) -> Iterator[object]:
    """What may be done: in hands that go anyhow, when nobody can move, and of cards in the air."""
    for teams in (2, 3, 4):
        cards, dice = card_rules(rules, teams), Random(teams)
        packs = [tuple(dice.sample(cards.pack, len(cards.pack))) for _ in range(teams)]
        position = deal(cards, [str(n) for n in range(teams)], packs)
        for _ in range(120):
            team = dice.randrange(teams)
            moves = legal_moves(position, team)
            yield moves
            position = apply(position, dice.choice(moves)) if moves else position
        if not position.end:
            tired = replace(position, lull=Lull((3,) * teams, 1, 3))
            yield together(tired)
    yield from in_the_air(card_rules(rules, 2))


def in_the_air(cards: Any) -> Iterator[object]:
    """Two cards for one place, and one that is on its way as the call comes."""
    ace, two = full_pack(cards.highest, 0)[:2]
    sides = tuple(Tableau((), ((two,),), ()) for _ in range(2))
    motion = in_motion(Position(cards, ("0", "1"), sides, ((with_owner(ace, 0),),)), 0, 30 * MS)
    for team in (0, 1):
        motion, _ = send(motion, CardMove(team, PLAY, 0, 0), 0, (100 + 10 * team) * MS)
    landed, _ = advance(motion, 300 * MS)
    yield landed.position.foundations, len(landed.disputed)
    alone = in_motion(motion.position, 0, 30 * MS)
    alone, _ = send(alone, CardMove(1, PLAY, 0, 0), 0, 100 * MS)
    called, _ = act(alone, CardMove(0, CALL), 50 * MS)
    yield counts(called.position)


def bounds(rules: NertzRules) -> Iterator[object]:
    """Which counts of a caller and of others stand."""
    for caller in (True, False):
        for left in range(0, 15, 1):
            for lake in (0, 8, 10, 25, 40, 43, 52, 54):
                count = NertzCount(lake, left, 0)
                yield check_count(rules, count, rules.reserve, caller=caller) is None


HANDS = (
    NertzHand("call", ("A",), {"A": NertzCount(20, 0, 1), "B": NertzCount(5, 9, 0), "C": NertzCount(15, 0, 0)}, ("C",)),
    NertzHand("call", ("B", "C"), {"A": NertzCount(2, 7, 0), "B": NertzCount(30, 0, 2), "C": NertzCount(11, 0, 0)}),
    NertzHand("stuck", (), {"A": NertzCount(22, 1, 0), "B": NertzCount(0, 3, 0), "C": NertzCount(3, 2, 0)}),
    NertzHand("call", ("A",), {"A": NertzCount(30, 0, 0), "B": NertzCount(20, 3, 0), "C": NertzCount(20, 0, 0)}),
)


TIED = (
    NertzHand("call", ("A",), {"A": NertzCount(40, 0, 0), "B": NertzCount(40, 0, 0), "C": NertzCount(3, 0, 0)}),
) * 4


EVEN = (
    NertzHand("call", ("A", "B"), {"A": NertzCount(40, 0, 0), "B": NertzCount(40, 0, 0), "C": NertzCount(3, 0, 0)}),
) * 4
"""Equal at the target, with as many calls."""


def scored(rules: NertzRules) -> Iterator[object]:
    """After one hand, two, …: totals, places, who has won or must go on, who pays, what is dealt next."""
    for number in range(1, len(HANDS) + 1):
        tally = tally_of(rules, ("A", "B", "C"), HANDS[:number])
        yield tally.totals
        yield standing(rules, ("A", "B", "C"), HANDS[:number])
        yield reserve_sizes(rules, tally)
    yield standing(rules, ("A", "B", "C"), TIED)
    yield standing(rules, ("A", "B", "C"), EVEN)


def shown(preset: str, options: tuple[tuple[str, Any], ...]) -> Iterator[object]:
    """From READY to a hand that is called by two within 10 ms: what the display says, each quarter of a second."""
    table = Sitting(Setup(preset, options=options, stations=("1", "2", "3"))).seated("1", "2", "3")
    for _ in range(60):
        yield table.phase, repr(table.view.screen)
        table.wait(S // 4)
    yield between_hands(table.engine.state.table)
    table.tap("1", "2", "3")
    for _ in range(20):
        yield table.phase, repr(table.view.screen)
        table.wait(S // 4)
    table.close("1").wait(10 * MS).close("2").wait(100 * MS).open("1", "2")
    for _ in range(12):
        yield table.phase, repr(table.view.screen)
        table.wait(S // 4)


LAST = NertzHand("call", ("1",), {"1": NertzCount(20, 0, 1), "3": NertzCount(5, 9, 0)})


def between_hands(table: Table) -> object:
    """What READY says and lights after a hand of a pair and one alone: notes, and who holds the reserve."""
    played = replace(table, teams=(Team("1", ("1", "2")), Team("3", ("3",))), hands=(LAST,))
    game = game_of(played)
    return repr(game.notes(played, ("1", "3"))), sorted(game.holders(played))


@cache
def found(preset: str, options: tuple[tuple[str, Any], ...]) -> Mapping[str, object]:
    """Everything that is looked at, by its name."""
    rules = with_options(PRESETS[preset], dict(options))
    score = [repr(one) for one in scored(rules)]
    return {
        SCREEN: list(shown(preset, options)),
        MOVES: [repr(one) for one in legal(rules)],
        BOUNDS: list(bounds(rules)),
        SCORE: score,
        TEXT: rulebook(preset, dict(options)),
    }


def changed(preset: str, name: str, value: object) -> set[str] | None:
    """What is otherwise than usual at that preset; None where it does not take the value, or has it."""
    usual = option_values(PRESETS[preset])
    if usual[name] == value:
        return None
    try:
        other = found(preset, ((name, value),))
    except RuleError:
        return None
    return {kind for kind, seen in found(preset, ()).items() if other[kind] != seen}


@pytest.mark.no_cover
@pytest.mark.parametrize("name", OPTIONS)
def test_every_value_changes_something_and_it_is_said_what(name: str) -> None:
    """At each preset that takes it; over all of them what `NAMED` says, no more and no less."""
    told: set[str] = set()
    for preset in PRESETS:
        for value in values(name):
            kinds = changed(preset, name, value)
            offered = name not in game_named(preset).idle(Setup(preset))
            assert kinds is None or bool(kinds) is offered, (preset, value)
            told |= kinds or set()
    assert told == NAMED[name]


def test_every_option_is_walked() -> None:
    """What is said to change is said of all options, and of nothing else."""
    assert set(NAMED) == set(OPTIONS)
