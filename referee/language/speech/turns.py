"""The turns of a game of turns: what a screen reader says, and its sentences."""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.model.view import DeclaredScreen, SeatQuestion, TurnScreen
from referee.language.speech import say
from referee.language.words import sentence

TURN_HAND = sentence("turn.hand", "hand", "who")
TURN_HAND_TO = sentence("turn.hand_to", "hand", "target", "who")
TURN_KNOCKED = sentence("turn.knocked", "who", "count")
TURN_OWN_DISCARD = sentence("turn.own_discard")
TURN_LOOK = sentence("turn.look", "who")
TURN_MINIMUM = sentence("turn.minimum", "count")
TURN_TAP = sentence("turn.tap", "who")
TURN_TAP_LAST = sentence("turn.tap_last", "who")
DECLARED = sentence("declared", "who", "count")
DECLARED_TAP = sentence("declared.tap", "who")


def _turn(screen: TurnScreen) -> list[str]:
    who, to = say.name_of(screen.turn), screen.target is not None
    hand = TURN_HAND_TO if to else TURN_HAND
    parts = [hand(hand=screen.hand, who=who, **({"target": screen.target} if to else {}))]
    if screen.knocker:
        parts.append(TURN_KNOCKED(who=say.name_of(screen.knocker), count=screen.left))
    parts += [TURN_OWN_DISCARD()] if screen.own_discard else []
    if screen.questions:
        parts += _questions(screen.questions)
    else:
        parts.append((TURN_TAP_LAST if screen.knocker else TURN_TAP)(who=who))
        parts += [TURN_MINIMUM(count=screen.minimum)] if screen.minimum and not screen.knocker else []
    parts += [TURN_LOOK(who=say.name_of(screen.look))] if screen.look else []
    return [*parts, say.scores_text(screen.lines)]


def _questions(questions: Iterable[SeatQuestion]) -> list[str]:
    return [say.message_speech(asked.question, who=say.name_of(asked.label)) for asked in questions]


def _declared_sentences(screen: DeclaredScreen) -> list[str]:
    return [
        DECLARED(who=say.names_of(screen.declared), count=len(screen.declared)),
        *_questions(screen.questions),
        *([DECLARED_TAP(who=say.names_of(screen.waiting))] if screen.waiting else []),
        *say.last_seconds(screen.left_s),
    ]


SPEECH: say.Speech = {TurnScreen: _turn, DeclaredScreen: _declared_sentences}
