"""A table of twelve: all seats play, sort by number, and fill several pages of a display."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from referee.core.match.engine import Engine, JournalRow
from referee.core.messages import msg
from referee.core.model.table import SEATS, Setup
from referee.core.model.view import (
    ON_A_PAGE,
    PAGE_NS,
    CountCell,
    CountScreen,
    DeclaredScreen,
    Label,
    LobbyScreen,
    OverScreen,
    PhonesScreen,
    PhotoLine,
    PhotoScreen,
    PlayingScreen,
    ReadyScreen,
    Screen,
    SeatCell,
    StandingsScreen,
    TeamLine,
    VerdictScreen,
    View,
    VoteScreen,
    WaitScreen,
    pages,
)
from referee.core.units import MS
from referee.core.values import replace
from referee.simulator.table.bots import Bots
from referee.simulator.table.evening import Evening
from referee.simulator.table.skill import COMPANIES

TWELVE = Setup(options=(("target", 15),), stations=SEATS, remote=SEATS[ON_A_PAGE:], latency_ns=30 * MS)


@cache
def evening() -> tuple[list[View], list[JournalRow]]:
    """Return every view and row of a short match of twelve bots."""
    views: list[View] = []
    rows: list[JournalRow] = []
    bots = Bots(SEATS, 4, manners=COMPANIES["calm"])
    Evening(TWELVE, bots, journal=rows.extend, watch=views.append).play()
    return views, rows


@pytest.mark.no_cover
def test_twelve_play_a_match_to_its_end_and_come_back() -> None:
    views, rows = evening()
    over = next(view.screen for view in views if isinstance(view.screen, OverScreen))
    assert {line.label.numbers for line in over.lines} == {(number,) for number in range(1, 13)}
    assert len({line.label.name for line in over.lines}) == 12
    back = Engine.restored(rows)
    assert [team.id for team in back.state.table.teams] == list(SEATS)
    turned = {(view.screen.gains, view.page) for view in views if isinstance(view.screen, StandingsScreen)}
    assert turned == {(True, 0), (True, 1), (False, 2), (False, 3)}


@pytest.mark.no_cover
def test_each_page_of_the_standings_stands_long_enough() -> None:
    views, _ = evening()
    pages_shown = [(view.now_ns, view.page if isinstance(view.screen, StandingsScreen) else None) for view in views]
    changes = [pages_shown[0], *(new for old, new in pairwise(pages_shown) if new[1] != old[1])]
    stretches = [tuple(changes[at : at + 3]) for at, (_, page) in enumerate(changes) if page == 0]
    whole = [(turned - begun, ended - begun) for (begun, _), (turned, page), (ended, _) in stretches if page == 1]
    assert whole
    assert set(whole) == {(PAGE_NS, pages(12) * PAGE_NS)}


LINES = tuple(TeamLine(Label((number,), f"N{number}"), Fraction(0), 1, False) for number in range(1, 10))
LABELS = tuple(line.label for line in LINES)
SCREENS: dict[str, tuple[Callable[[int], Screen], int]] = {
    "the lobby": (lambda n: LobbyScreen("nna", 100, (SeatCell(1, None),) * n, 0), 8),
    "how a phone is paired": (lambda n: PhonesScreen("", seats=(SeatCell(1, None),) * n), 8),
    "whom READY waits for": (lambda n: ReadyScreen(1, 100, LABELS[:n], ()), 8),
    "the totals at READY": (lambda n: ReadyScreen(1, 100, (), LINES[:n]), 8),
    "who has stopped a start": (lambda n: WaitScreen(LABELS[:n]), 8),
    "who has called": (lambda n: VerdictScreen("tie", False, LABELS[:n], None, None, 0), 8),
    "a photo finish": (lambda n: PhotoScreen(0, 0, tuple(PhotoLine(one, 0, 0, (), False) for one in LABELS[:n])), 5),
    "a count": (lambda n: CountScreen(1, (), tuple(CountCell(one, (), None, True) for one in LABELS[:n])), 2),
    "the standings": (lambda n: StandingsScreen(1, LINES[:n]), 8),
    "the end of a match": (lambda n: OverScreen(1, (), LINES[:n]), 4),
    "a question to all": (lambda n: VoteScreen(msg("ask.void"), (), tuple((one, None) for one in LABELS[:n]), 9), 8),
    "who has a 31": (lambda n: DeclaredScreen(LABELS[:n], (), (), 9), 8),
}
"""A screen with so many entries, and the number of entries that always fit on one page."""


@pytest.mark.parametrize("what", SCREENS)
def test_one_more_than_a_page_holds_makes_the_display_turn_its_pages(what: str) -> None:
    screen, most = SCREENS[what]
    assert [screen(n).is_paged() for n in (0, 1, most, most + 1)] == [False, False, False, True]


@pytest.mark.parametrize(("numbers", "paged"), [((9,), False), ((10,), True), ((1, 9), False), ((1, 12), True)])
def test_a_seat_number_of_two_digits_takes_the_room_of_another_team(numbers: tuple[int, ...], paged: bool) -> None:
    """A table of few teams also turns pages if one of its seats is 10, 11 or 12."""
    lines = (LINES[0], replace(LINES[1], label=Label(numbers, "Max")))
    assert StandingsScreen(1, lines).is_paged() is paged
    assert not PlayingScreen(1, 100, 0, lines).is_paged()
