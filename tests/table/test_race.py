"""A hand as its people know it: the clock of play, and who presses when; with cards and without."""

from __future__ import annotations

from random import Random

from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.core.match.engine import JournalRow
from referee.core.model.events import Played, Ruled
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.table.bots import Bots
from referee.table.evening import Evening
from referee.table.hand import Cards, ClaimHand, CountedCards, PlayedHand
from referee.table.manners import Manners
from referee.table.player import SKILLS

STRONG = SKILLS["strong"]
RULES = {
    (teams, people): card_rules(PRESETS["nna"], teams) for teams in (2, 3) for people in range(teams, 2 * teams + 1)
}
NNA = Cards(rules=RULES)


def test_ties_near_ties_and_clear_claims_all_happen() -> None:
    """Over some hundred hands there are gaps within 18 ms, round 20 ms, within a second and beyond."""
    gaps = []
    for seed in range(400):
        first, second = sorted(ClaimHand(Random(seed), (1, 2), 100).presses_ns.values())
        gaps.append(second - first)
    bands = [(0, 18 * MS), (19 * MS, 21 * MS), (60 * MS, S), (4 * S, 90 * S)]
    counts = [sum(low <= gap <= high for gap in gaps) for low, high in bands]
    assert sum(counts) == len(gaps)
    assert all(count > 5 for count in counts)


def test_a_paused_hand_stands_still() -> None:
    """Play time is left alone by a pause; an overdue press comes at once when play goes on."""
    hand = ClaimHand(Random(1), (1, 2), 100)
    press_ns = hand.presses_ns[1]
    assert hand.press_at_ns(1, 0) is None
    hand.run(10 * S, (1, 2))
    assert hand.press_at_ns(1, 12 * S) == 10 * S + press_ns
    hand.pause(11 * S, called=False)
    assert (hand.running, hand.played_ns(99 * S)) == (False, 1 * S)
    hand.run(100 * S, (1, 2))
    assert hand.press_at_ns(1, 100 * S) == 99 * S + press_ns
    hand.pause(100 * S + press_ns, called=True)
    hand.run(500 * S, (1, 2))
    assert hand.press_at_ns(1, 500 * S) == 500 * S
    assert hand.press_at_ns(7, 500 * S) is None


def test_claims_that_none_of_them_makes_are_none() -> None:
    """A company whose seats sit out plays nothing."""
    assert ClaimHand(Random(1), (), 100).presses_ns == {}


def test_a_claim_without_cause_is_wrong_once() -> None:
    """It comes first, all see it, and whoever made it has calmed down."""
    hand = ClaimHand(Random(1), (1, 2), 100)
    hand.early[1] = S
    hand.run(0, (1, 2))
    assert hand.press_at_ns(1, 0) == S
    assert hand.wrong({1, 2}, S) == {1}
    hand.calm({1})
    assert hand.wrong({1, 2}, S) == set()


def test_cards_are_played_up_to_the_press() -> None:
    """Whoever presses has an empty reserve then; the others have what they have; nobody's press is a surprise."""
    hand = PlayedHand(Random(4), {2: [STRONG], 5: [STRONG], 6: [STRONG, STRONG]}, NNA)
    assert [hand.tally(team) for team in (2, 5, 6, 1)] == [CountedCards(13, 0)] * 3 + [None]
    hand.run(7 * S, hand.teams)
    presses: dict[int, int] = {}
    while not presses:
        looks_ns = hand.looks_on_ns
        assert looks_ns is not None
        presses = {team: at_ns for team in hand.teams if (at_ns := hand.press_at_ns(team, looks_ns)) is not None}
        hand.play_on(looks_ns)
    caller = min(presses, key=lambda team: presses[team])
    hand.pause(presses[caller], called=True)
    tallies = [hand.tally(team) for team in hand.teams]
    assert all(tally is not None and tally.left + tally.lake <= 52 for tally in tallies)
    assert hand.wrong(hand.teams, presses[caller]) == {
        team for team, tally in zip(hand.teams, tallies, strict=True) if tally is not None and tally.left
    }
    assert caller not in hand.wrong([caller], presses[caller])


def test_kings_are_counted_where_they_are_and_a_handicap_is_dealt() -> None:
    """Of a table that counts none there are none; a team with a handicap has its own reserve."""
    hand = PlayedHand(Random(1), {1: [STRONG], 2: [STRONG]}, Cards(52, 13, 4, {2: 20}, rules=RULES))
    assert [tally.left for team in (1, 2) if (tally := hand.tally(team))] == [13, 20]


def test_a_hand_of_others_lies_as_their_callers_say() -> None:
    """Bots that come after it find an empty reserve before the caller, whoever that is."""
    for caller in (1, 2, 3):
        hand = PlayedHand(Random(3), {1: [STRONG], 2: [STRONG], 3: [STRONG]}, NNA)
        hand.lie([caller])
        tally = hand.tally(caller)
        assert tally is not None
        assert tally.left == 0


def test_whoever_begins_without_cause_pays_where_the_last_one_does() -> None:
    """A company that always errs: by their false-start votes it is the first to press who loses the letter."""
    found = []
    for seed in range(3):
        rows: list[JournalRow] = []
        setup = Setup("spoons", options=(("lives", 1),))
        bots = Bots(("1", "2", "3"), seed, manners=Manners(false_call=100))
        Evening(setup, bots, journal=rows.extend).play()
        events = [event for _, event in rows]
        for at, event in enumerate(events):
            if isinstance(event, Played) and event.move == "false":
                ruled = next(e for e in reversed(events[:at]) if isinstance(e, Ruled))
                first = min(ruled.verdict.presses, key=lambda press: press.t_ns)
                found.append(event.teams == (first.team,))
    assert found
    assert all(found)
