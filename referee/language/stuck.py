"""Speech for a table where no team can play."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import BurnScreen, CallNowScreen, SearchScreen
from referee.language import say
from referee.language.words import sentence


def _call_now(screen: CallNowScreen) -> Iterator[str]:
    yield sentence("call_now")


def _search(screen: SearchScreen) -> Iterator[str]:
    yield sentence("search.twice" if screen.times == 2 else "search.once")
    yield sentence("search.answered", count=screen.answered, all=screen.teams)
    if screen.waiting:
        yield sentence("search.missing", who=say.names_of(screen.waiting))


def _burn(screen: BurnScreen) -> Iterator[str]:
    yield sentence("burn", word=say.as_sentence(say.message_speech(screen.word)), count=screen.burns)
    if screen.burns > 1:
        yield sentence("burn.again")
    if screen.pile:
        yield sentence(f"burn.{screen.pile}")


SPEECH: say.Speech = {CallNowScreen: _call_now, SearchScreen: _search, BurnScreen: _burn}
