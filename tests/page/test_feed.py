"""The feed: the newest picture wins, sounds queue up briefly, no reader delays another."""

from __future__ import annotations

from fractions import Fraction

import pytest

from referee.core.messages import msg
from referee.core.model.view import (
    CountCell,
    CountdownScreen,
    CountScreen,
    Label,
    LobbyScreen,
    MenuScreen,
    PlayingScreen,
    SeatCell,
    TeamLine,
)
from referee.core.values import replace
from referee.page.feed import STALE_NS, Feed
from referee.protocol.page import SOUNDS_KEPT
from referee.protocol.snapshot import SeatLine, Snapshot
from tests.page.lines import picture, snapshot, sound
from tests.page.preview import sheet

ANNA = TeamLine(Label((1, 3), "Anna"), Fraction(64), 1, False)


async def test_a_slow_subscriber_finds_the_newest_snapshot_only() -> None:
    feed = Feed()
    with feed.subscribe() as mailbox:
        for phase in ("lobby", "ready", "playing"):
            feed.publish(snapshot(phase=phase))
        letter = await mailbox.fetch()
        assert letter.snapshot is not None
        assert letter.snapshot.view.phase == "playing"


async def test_sounds_queue_up_to_a_limit_and_the_oldest_falls_out() -> None:
    feed = Feed()
    with feed.subscribe() as mailbox:
        for number in range(SOUNDS_KEPT + 3):
            feed.play(sound(f"s{number}", [(600, 150)]))
        letter = await mailbox.fetch()
        assert [one.name for one in letter.sounds] == [f"s{n}" for n in range(3, SOUNDS_KEPT + 3)]
        assert letter.snapshot is None


async def test_the_delay_of_a_sound_is_told_by_the_feeds_clock_and_stale_ones_are_silent() -> None:
    now = [5 * STALE_NS]
    feed = Feed(clock=lambda: now[0])
    with feed.subscribe() as mailbox:
        feed.play(sound("go", [(1200, 500)], now[0] + 1_500_000_000))
        (due,) = (await mailbox.fetch()).sounds
    assert feed.delay_ms(due) == 1500
    now[0] += 2_000_000_000
    assert feed.delay_ms(due) == 0
    now[0] += STALE_NS
    assert feed.delay_ms(due) is None


def test_a_picture_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match=r"128x64 pixels are 1024 bytes, got 3"):
        Snapshot(picture(), b"123")
    assert Snapshot(picture(), bytes(2048), 256).width == 256


def test_plates_remember_names_and_totals_through_screens_that_do_not_say_them() -> None:
    feed = Feed()
    cells = (SeatCell(1, "Anna", 3), SeatCell(2, None), SeatCell(3, "Max", 1))
    feed.publish(snapshot(LobbyScreen("NNA", 100, cells, 1), seats=3))
    feed.publish(snapshot(PlayingScreen(1, 100, 0, (ANNA,)), seats=3))
    feed.publish(snapshot(CountdownScreen(msg("beat.set")), seats=3))
    assert feed.latest is not None
    assert feed.latest.seats == (
        SeatLine(1, "Anna", Fraction(64), 3),
        SeatLine(2),
        SeatLine(3, "Max", Fraction(64), 1),
    )


def test_plates_learn_names_while_counting_when_the_page_came_late() -> None:
    feed = Feed()
    cell = CountCell(Label((2,), "Ben"), (None, None, None), 0, False)
    feed.publish(snapshot(CountScreen(1, (msg("field.left"),), (cell,)), seats=2))
    assert feed.latest is not None
    assert [seat.name for seat in feed.latest.seats] == [None, "Ben"]


def test_plates_learn_names_and_totals_from_the_match_that_goes_on_after_a_restart() -> None:
    """The first screen of a program started in mid-match is a list without names.

    No seat is free there.
    """
    feed = Feed()
    view = picture(MenuScreen("", (), 0), phase="POWER_BACK", seats=4)
    feed.publish(Snapshot(replace(view, match=sheet(2))))
    assert feed.latest is not None
    assert [seat.name for seat in feed.latest.seats] == ["Anna", "Ben", None, None]
    assert all(seat.total is not None for seat in feed.latest.seats[:2])
