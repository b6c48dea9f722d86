"""Speech for the standings and the end of the match."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import OverScreen, StandingsScreen
from referee.language import say
from referee.language.words import sentence


def _standings(screen: StandingsScreen) -> Iterator[str]:
    yield sentence("standings", count=screen.hands, scores=say.LINES.join(map(say.score_text, screen.lines)))
    yield from map(say.message_speech, screen.notes)


def _over(screen: OverScreen) -> Iterator[str]:
    winners = say.names_of(screen.winners)
    yield sentence("over", count=screen.hands)
    yield sentence("over.won" if winners else "over.nobody", who=winners, count=len(screen.winners))
    yield say.scores_text(screen.lines)
    yield from map(say.message_speech, screen.notes)
    yield sentence("over.rematch_who" if screen.waiting else "over.rematch", who=say.names_of(screen.waiting))


SPEECH: say.Speech = {StandingsScreen: _standings, OverScreen: _over}
