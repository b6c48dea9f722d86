"""Whatever changes the picture changes the speech: every step of every tape is listened to beside what is drawn."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from referee.core.model.view import (
    CallNowScreen,
    CountScreen,
    DeclaredScreen,
    PlayingScreen,
    ReadyScreen,
    VerdictScreen,
    View,
    VoteScreen,
)
from referee.core.values import replace
from referee.language.say import LAST_SECONDS_FROM
from referee.language.speech import speech_of
from referee.screens import draw
from tests.core.sitting import Sitting
from tests.tapes.play import Play
from tests.tapes.tape import names, read


def without_clocks(view: View) -> View:
    """The view without what runs by itself: nobody wants it spoken at every tick.

    The hand's clock, the verdict's bar, seconds before and within the last ones, notes that take turns, a hint that
    comes after a while, pages, the lines of a lesson, a blink.
    """
    screen = view.screen
    if isinstance(screen, PlayingScreen):
        screen = replace(screen, played_ns=0)
    elif isinstance(screen, VerdictScreen):
        screen = replace(screen, left_share=Fraction(1))
    elif isinstance(screen, CallNowScreen):
        screen = replace(screen, left_s=0)
    elif isinstance(screen, VoteScreen | DeclaredScreen):
        screen = replace(screen, left_s=LAST_SECONDS_FROM if screen.left_s <= LAST_SECONDS_FROM else 99)
    elif isinstance(screen, ReadyScreen):
        screen = replace(screen, note=0, emphasis=False)
    elif isinstance(screen, CountScreen):
        screen = replace(screen, legend=False)
    return replace(view, screen=screen, invert=False, page=0, lesson_line=0)


@cache
def steps() -> list[tuple[View, View]]:
    """Two views one after the other, each such pair once, of all tapes."""
    seen: dict[str, tuple[View, View]] = {}
    before: dict[int, tuple[Sitting, View]] = {}
    collect = Sitting._collect

    def watched(table: Sitting) -> None:
        collect(table)
        old, new = before.get(id(table), (table, table.view))[1], table.view
        before[id(table)] = (table, new)
        seen.setdefault(repr([(one.screen, one.toast, one.banner) for one in (old, new)]), (old, new))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sitting, "_collect", watched)
        for name in names():
            Play(read(name)).run()
    return list(seen.values())


def test_whatever_changes_the_picture_changes_the_speech() -> None:
    """A field of a count that is passed by a hold, a vote that comes in, its last seconds: each is heard."""
    silent = [
        (old.screen, new.screen)
        for old, new in steps()
        if draw(without_clocks(old)).tobytes() != draw(without_clocks(new)).tobytes()
        and speech_of(old) == speech_of(new)
    ]
    assert len(steps()) > 1000
    assert silent == []
