"""Speech for games of turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.core.model.view import DeclaredScreen, SeatQuestion, TurnScreen
from referee.language import say
from referee.language.words import sentence


def _turn(screen: TurnScreen) -> Iterator[str]:
    who, knocker = say.name_of(screen.turn), screen.knocker
    key = "turn.hand" if screen.target is None else "turn.hand_to"
    yield sentence(key, hand=screen.hand, who=who, target=screen.target)
    if knocker:
        yield sentence("turn.knocked", who=say.name_of(knocker), count=screen.left)
    if screen.own_discard:
        yield sentence("turn.own_discard")
    yield from _questions(screen.questions)
    if not screen.questions:
        yield sentence("turn.tap_last" if knocker else "turn.tap", who=who)
        if screen.minimum and not knocker:
            yield sentence("turn.minimum", count=screen.minimum)
    if screen.look:
        yield sentence("turn.look", who=say.name_of(screen.look))
    yield say.scores_text(screen.lines)


def _questions(questions: Iterable[SeatQuestion]) -> Iterator[str]:
    for asked in questions:
        yield say.message_speech(asked.question, who=say.name_of(asked.label))


def _declared(screen: DeclaredScreen) -> Iterator[str]:
    yield sentence("declared", who=say.names_of(screen.declared), count=len(screen.declared))
    yield from _questions(screen.questions)
    if screen.waiting:
        yield sentence("declared.tap", who=say.names_of(screen.waiting))
    yield from say.last_seconds(screen.left_s)


SPEECH: say.Speech = {TurnScreen: _turn, DeclaredScreen: _declared}
