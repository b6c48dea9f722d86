"""A match without progress is ended by consent, and one with progress is not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee.core.match.engine import JournalRow
from referee.core.model.events import Closed, Event
from referee.core.model.table import Setup
from referee.core.model.view import Label, PlayingScreen, ReadyScreen, TeamLine, View
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.simulator.table.skill import AGAIN, COMPANIES, IN_VAIN, LONG_MATCH, Patience
from referee.simulator.table.transcript import MatchRecord


def ready(hand: int) -> View:
    """Return READY before that hand."""
    return View(0, 0, "READY", ReadyScreen(hand, None, (), ()), ())


def claims(hand: int, *totals: int, target: int | None = 20) -> View:
    """Return play in that hand at these totals."""
    lines = tuple(TeamLine(Label((n,), str(n)), Fraction(total), 1, False) for n, total in enumerate(totals, 1))
    return View(0, 0, "PLAYING", PlayingScreen(hand, target, 0, lines), ())


def test_a_long_match_is_asked_about_between_two_hands_and_not_in_each() -> None:
    """After a refusal it waits for some hands; another match begins with new patience."""
    patience = Patience()
    patience.look(ready(LONG_MATCH), rests=True)
    assert (patience.weary, patience.asks) == (False, False)
    patience.look(ready(LONG_MATCH + 1), rests=True)
    assert (patience.weary, patience.asks) == (True, True)
    patience.has_asked()
    assert (patience.weary, patience.asks) == (True, False)
    patience.look(ready(LONG_MATCH + AGAIN), rests=True)
    assert (patience.weary, patience.asks) == (True, False)
    patience.look(ready(LONG_MATCH + 1 + AGAIN), rests=True)
    assert patience.asks
    patience.look(ready(1), rests=True)
    patience.look(ready(LONG_MATCH + 1), rests=True)
    assert patience.asks


def test_claims_in_a_row_go_on_as_long_as_somebody_comes_nearer() -> None:
    """The best total counts, not the sum or the number of hands."""
    patience = Patience()
    for hand in range(1, 10 * IN_VAIN):
        patience.look(claims(hand, hand // (IN_VAIN // 2), -hand), rests=False)
        assert not patience.weary
    last = 10 * IN_VAIN
    patience.look(claims(last, 999, 0), rests=False)
    for hand in range(last, last + IN_VAIN + 1):
        patience.look(claims(hand, 999, 998), rests=False)
        assert not patience.weary
    patience.look(claims(last + IN_VAIN + 1, 999, 998), rests=False)
    assert patience.asks


def match_of(preset: str, company: str, **options: int) -> tuple[MatchRecord, list[Event]]:
    """Return a match of four in that company, and its decisions."""
    rows: list[JournalRow] = []
    bots = Bots("1234", 1, pace_percent=20, manners=COMPANIES[company])
    evening = Evening(Setup(preset, tuple(options.items())), bots, journal=rows.extend)
    return evening.play()[0], [event for _, event in rows]


@pytest.mark.parametrize(
    ("preset", "company", "options"),
    [
        ("ratscrew", "wild", {"penalty": 20}),
        ("snap", "family", {"target": 0}),
    ],
)
def test_a_match_without_an_end_is_ended_by_consent(preset: str, company: str, options: dict[str, int]) -> None:
    """Wrong slaps cost more than right ones bring, or there is no target: the table pauses, and all agree to end it."""
    match, events = match_of(preset, company, **options)
    assert match.winners
    assert sum(isinstance(event, Closed) for event in events) == 1
    assert IN_VAIN - 1 <= len(match.hands) <= 4 * IN_VAIN


def test_a_match_with_an_end_comes_to_it() -> None:
    match, events = match_of("snap", "wild", target=20)
    assert match.winners
    assert not any(isinstance(event, Closed) for event in events)
