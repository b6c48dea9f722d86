"""Speech for a vote: a question to all teams."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import VoteScreen
from referee.language import say
from referee.language.words import sentence


def _vote(screen: VoteScreen) -> Iterator[str]:
    subject = say.names_of(screen.subject)
    waiting = [label for label, vote in screen.votes if vote is None]
    yield say.message_speech(screen.question, who=subject)
    if screen.admits:
        yield sentence("vote.admit", who=subject)
    yield from say.answer_sentences(screen.votes)
    yield sentence("vote.ask" if waiting else "vote.again", who=say.names_of(waiting))
    yield from say.sleepers(screen.asleep)
    yield from say.last_seconds(screen.left_s)


SPEECH: say.Speech = {VoteScreen: _vote}
