"""STANDINGS and OVER: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import OverScreen, StandingsScreen
from referee.language.speech import say
from referee.language.words import sentence

STANDINGS = sentence("standings", "count", "scores").or_round()
OVER = sentence("over", "count").or_round()
OVER_WON = sentence("over.won", "who", "count")
OVER_NOBODY = sentence("over.nobody")
OVER_REMATCH = sentence("over.rematch")
OVER_REMATCH_WHO = sentence("over.rematch_who", "who")


def _standings(screen: StandingsScreen) -> list[str]:
    scores = STANDINGS(count=screen.hands, scores=say.LINES.join(map(say.score_text, screen.lines)))
    return [scores, *map(say.message_speech, screen.notes)]


def _over(screen: OverScreen) -> list[str]:
    won = OVER_WON(who=say.names_of(screen.winners), count=len(screen.winners)) if screen.winners else OVER_NOBODY()
    again = OVER_REMATCH_WHO(who=say.names_of(screen.waiting)) if screen.waiting else OVER_REMATCH()
    return [OVER(count=screen.hands), won, say.scores_text(screen.lines), *map(say.message_speech, screen.notes), again]


SPEECH: say.Speech = {StandingsScreen: _standings, OverScreen: _over}
