"""The story of a match: the events of each hand in order, scores, and bars and curves on a terminal."""

from __future__ import annotations

import re

from referee.commands.story import story
from referee.commands.terminal import STEPS, Terminal
from referee.core.model.table import Setup
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.simulator.table.skill import COMPANIES
from referee.simulator.table.transcript import MatchRecord


def played(preset: str, company: str, seed: int) -> MatchRecord:
    """Play a match of three."""
    setup = Setup(preset, names=(("1", "Anna"), ("2", "Ben"), ("3", "Max")))
    bots = Bots(setup.stations[:3], seed, hold_ns=setup.hold_ns, manners=COMPANIES[company])
    return Evening(setup, bots).play()[0]


def told(match: MatchRecord, rich: bool) -> list[str]:
    """Return the story without colours."""
    return [re.sub(r"\x1b\[\d+m", "", line) for line in story(match, 1, Terminal(rich))]


def test_a_claim_that_all_answer_and_a_false_start_are_told_as_people_tell_them() -> None:
    slaps = told(played("snap", "calm", 1), rich=False)
    assert any(re.fullmatch(r"  \d \w+ slapped.*\. It was (right|wrong)\.", line) for line in slaps)
    match = played("irish-snap", "wild", 1)
    assert any(hand.ended == "false" for hand in match.hands)
    starts = told(match, rich=False)
    assert any(re.fullmatch(r"  \d \w+ pressed first, and the table found it a false start\.", line) for line in starts)
    assert not any("Nobody called" in line for line in starts)


def test_a_duel_names_who_was_first_and_who_was_too_early() -> None:
    match = played("reflex-duel", "wild", 7)
    starts = [hand for hand in match.hands if hand.ended == "false"]
    lines = told(match, rich=False)
    early = [line for line in lines if re.fullmatch(r"  \d \w+ pressed too early\.", line)]
    assert len(early) == len(starts) > 0
    assert any(re.match(r"  \d \w+ was first", line) for line in lines)


def test_a_terminal_has_bars_to_the_target_and_a_curve_a_team() -> None:
    match = played("nna", "calm", 2)
    lines = told(match, rich=True)
    assert any(line.endswith("█" * 20) for line in lines if line.startswith("  1.  "))
    curves = [
        line.split() for line in lines if set(STEPS) & set(line) and not line.startswith(("  1.", "  2.", "  3."))
    ]
    assert [int(total) for *_, total in curves] == [line.total for line in match.lines]
    assert curves[0][2].endswith(STEPS[7])
    assert all(len(curve) == len(match.hands) + 1 for _, _, curve, _ in curves)


def test_lives_are_lost_from_those_that_there_were() -> None:
    """In a game whose totals fall, curves begin at the top."""
    lines = told(played("31", "calm", 1), rich=True)
    curves = [line.split()[2] for line in lines if re.match(r"  \d \w+ +[▁▂▃▄▅▆▇█]", line)]
    assert len(curves) == 3
    assert all(max(curve) == curve[0] for curve in curves)
