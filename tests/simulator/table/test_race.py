"""A hand's timing: the clock of play, and who presses when; with and without cards."""

from __future__ import annotations

from random import Random

from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS
from referee.core.match.engine import JournalRow
from referee.core.model.events import Played, Ruled
from referee.core.model.table import Setup
from referee.core.units import MS, S
from referee.simulator.table.bots import Bots
from referee.simulator.table.card_player import SKILLS
from referee.simulator.table.evening import Evening
from referee.simulator.table.hand import Cards, ClaimHand, PlayedHand
from referee.simulator.table.skill import Manners

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
    """A pause does not count as play time; an overdue press comes at once when play goes on."""
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


def test_a_hand_of_others_lies_as_their_callers_say() -> None:
    """Bots that come after it find an empty reserve for the caller."""
    for caller in (1, 2, 3):
        hand = PlayedHand(Random(3), {1: [STRONG], 2: [STRONG], 3: [STRONG]}, NNA)
        hand.lie([caller])
        tally = hand.tally(caller)
        assert tally is not None
        assert tally.left == 0


def test_whoever_begins_without_cause_pays_where_the_last_one_does() -> None:
    """A company that always errs: by its false-start votes the first to press gets the letter."""
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
