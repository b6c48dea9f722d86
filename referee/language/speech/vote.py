"""A question to all: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import VoteScreen
from referee.language.speech import say
from referee.language.words import sentence

VOTE_ADMIT = sentence("vote.admit", "who")
VOTE_ASK = sentence("vote.ask", "who")
VOTE_AGAIN = sentence("vote.again")


def _vote(screen: VoteScreen) -> list[str]:
    waiting = [label for label, vote in screen.votes if vote is None]
    return [
        say.message_speech(screen.question, who=say.names_of(screen.subject)),
        *([VOTE_ADMIT(who=say.names_of(screen.subject))] if screen.admits else []),
        *say.answer_sentences(screen.votes),
        VOTE_ASK(who=say.names_of(waiting)) if waiting else VOTE_AGAIN(),
        *say.sleepers(screen.asleep),
        *say.last_seconds(screen.left_s),
    ]


SPEECH: say.Speech = {VoteScreen: _vote}
