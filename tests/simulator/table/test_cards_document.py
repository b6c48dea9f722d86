"""The cards on the page: what people at the table see, and nothing else."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from referee.core.cards.flights import Motion
from referee.core.cards.position import counts
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.core.units import MS, S
from referee.core.values import replace
from referee.simulator.table.card_player import SKILLS
from referee.simulator.table.cards_document import felt_document
from referee.simulator.table.hand import Cards, PlayedHand

SEATS = ((1, 2), (3,), (4,))


def played(preset: str, seed: int, at_ns: int) -> tuple[PlayedHand, Motion]:
    """Return a hand of three teams, and its cards at that instant."""
    people = {numbers[0]: [SKILLS["strong"]] * len(numbers) for numbers in SEATS}
    hand = PlayedHand(Random(seed), people, Cards(rules={(3, 4): card_rules(PRESETS[preset], 3, 4)}), ahead_ns=100 * S)
    hand.run(0, hand.teams)
    return hand, hand.motion(at_ns)


def shuffled(motion: Motion, dice: Random) -> Motion:
    """Return the same table with the hidden cards exchanged."""
    position = motion.position
    tableaux = []
    for side in position.tableaux:
        under = 0 if position.rules.open_reserve else len(side.reserve) - 1
        hidden = [*side.reserve[: max(under, 0)], *side.stock]
        dice.shuffle(hidden)
        reserve = (*hidden[: max(under, 0)], *side.reserve[max(under, 0) :])
        tableaux.append(replace(side, reserve=reserve, stock=tuple(hidden[max(under, 0) :])))
    return replace(motion, position=replace(position, tableaux=tuple(tableaux)))


@given(st.sampled_from(["nna", "racing-demon", "ligretto"]), st.integers(0, 9), st.integers(0, 90_000))
def test_nobody_learns_what_lies_face_down(preset: str, seed: int, at_ms: int) -> None:
    """Other cards in the stocks and under the reserves' tops give the same document."""
    _, motion = played(preset, seed, at_ms * MS)
    assert felt_document(shuffled(motion, Random(seed)), SEATS) == felt_document(motion, SEATS)


@given(st.integers(0, 9), st.integers(0, 90_000))
def test_it_shows_what_each_would_count(seed: int, at_ms: int) -> None:
    """Reserves by their number, cards in the middle by their owners."""
    _, motion = played("nna", seed, at_ms * MS)
    shown: Any = felt_document(motion, SEATS)
    owners = [owner for _, pile in shown["lake"] for owner in pile]
    for team, count in enumerate(counts(motion.position)):
        assert (shown["sides"][team]["reserve"][0], owners.count(team)) == (count.left, count.lake)
        assert shown["sides"][team]["seats"] == list(SEATS[team])


def test_a_card_on_its_way_is_missing_from_its_place() -> None:
    """Within a hand there are instants at which a place lacks a card that is in the air."""
    hand, _ = played("nna", 1, 0)
    shown: list[Any] = [felt_document(hand.motion(at_ms * MS), SEATS) for at_ms in range(0, 60_000, 50)]
    places = {place for felt in shown for side in felt["sides"] for place in side["away"]}
    assert {"reserve", "waste", "pile 1"} <= places <= {"reserve", "waste", *(f"pile {n}" for n in range(1, 5))}
