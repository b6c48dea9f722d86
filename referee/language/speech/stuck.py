"""A stuck table: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import BurnScreen, CallNowScreen, SearchScreen
from referee.language.speech import say
from referee.language.words import sentence

CALL_NOW = sentence("call_now")
SEARCH_TWICE = sentence("search.twice")
SEARCH_ONCE = sentence("search.once")
SEARCH_ANSWERED = sentence("search.answered", "count", "all")
SEARCH_MISSING = sentence("search.missing", "who")
BURN = sentence("burn", "word", "count")
BURN_AGAIN = sentence("burn.again")
BURN_STREAM = sentence("burn.stream")
BURN_RESERVE = sentence("burn.reserve")
BURN_WASTE = sentence("burn.waste")
BURN_STOCK = sentence("burn.stock")
BURN_HAND = sentence("burn.hand")


def _call_now(screen: CallNowScreen) -> list[str]:
    return [CALL_NOW()]


def _search(screen: SearchScreen) -> list[str]:
    return [
        SEARCH_TWICE() if screen.times == 2 else SEARCH_ONCE(),
        SEARCH_ANSWERED(count=screen.answered, all=screen.teams),
        *([SEARCH_MISSING(who=say.names_of(screen.waiting))] if screen.waiting else []),
    ]


def _burn(screen: BurnScreen) -> list[str]:
    word = say.message_speech(screen.word)
    how = {
        "stream": BURN_STREAM,
        "reserve": BURN_RESERVE,
        "waste": BURN_WASTE,
        "stock": BURN_STOCK,
        "hand": BURN_HAND,
    }
    return [
        BURN(word=say.as_sentence(word), count=screen.burns),
        *([BURN_AGAIN()] if screen.burns > 1 else []),
        *([how[screen.pile]()] if screen.pile in how else []),
    ]


SPEECH: say.Speech = {CallNowScreen: _call_now, SearchScreen: _search, BurnScreen: _burn}
