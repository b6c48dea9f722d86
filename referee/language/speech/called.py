"""STOP and the verdict: what a screen reader says, and its sentences."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.messages import Label
from referee.core.model.view import StopScreen, VerdictScreen
from referee.language.speech import say
from referee.language.words import sentence

STOP = sentence("stop")
STOP_PRESS = sentence("stop.press", "who")
VERDICT_LAST = sentence("verdict.last", "who", "count")
VERDICT_LAST_MAYBE = sentence("verdict.last_maybe", "who", "count")
VERDICT_BEFORE = sentence("verdict.before", "who", "s")
VERDICT_NOT_PRESSED = sentence("verdict.not_pressed", "who", "count")
VERDICT_TIME_UP = sentence("verdict.time_up")
VERDICT_FIRST = sentence("verdict.first", "who")
VERDICT_MAYBE = sentence("verdict.maybe", "who")
VERDICT_BY_VOTE = sentence("verdict.by_vote")
VERDICT_NEXT = sentence("verdict.next", "who", "s")
VERDICT_TIE = sentence("verdict.tie", "who")
VERDICT_TIE_MAYBE = sentence("verdict.tie_maybe", "who")
VERDICT_APART = sentence("verdict.apart", "s", "ms")
VERDICT_ASKED = sentence("verdict.asked", "caller", "count")
VERDICT_ANSWER = sentence("verdict.answer", "who")
VERDICT_REFUTED = sentence("verdict.refuted", "who")
VERDICT_PHOTO = sentence("verdict.photo")
VERDICT_LATE_AFTER = sentence("verdict.late_after", "who", "s")
VERDICT_LATE_BEFORE = sentence("verdict.late_before", "who", "s")


def _stop(screen: StopScreen) -> list[str]:
    return [STOP_PRESS(who=say.names_of(screen.waiting)) if screen.waiting else STOP()]


def _verdict(screen: VerdictScreen) -> list[str]:
    who = _tie_sentences(screen) if screen.kind == "tie" else _was_last(screen) if screen.last else _clear(screen)
    word = VERDICT_TIME_UP() if _absent(screen) else say.message_speech(screen.word)
    asked = [] if screen.answers is None else _answers(screen, screen.answers)
    air = [say.message_speech(screen.airborne)] if screen.airborne else []
    false = [VERDICT_REFUTED(who=say.names_of(screen.refuted))] if screen.refuted else []
    return [word, *who, *false, *air, *_late(screen), *asked, VERDICT_PHOTO()]


def _absent(screen: VerdictScreen) -> bool:
    """Whether the last ones are those who have not pressed."""
    return screen.last and screen.gap_ns is None and not screen.by_vote


def _answers(screen: VerdictScreen, answers: Sequence[tuple[Label, bool | None]]) -> list[str]:
    """Whether the claim was right, who has said so, and of whom that is asked still."""
    waiting = [label for label, answer in answers if answer is None]
    if not waiting:
        return []
    asked = VERDICT_ASKED(caller=say.names_of(screen.callers), count=len(screen.callers))
    return [asked, *say.answer_sentences(answers), VERDICT_ANSWER(who=say.names_of(waiting))]


def _clear(screen: VerdictScreen) -> list[str]:
    who = say.names_of(screen.callers)
    later = [VERDICT_NEXT(who=say.name_of(label), s=say.gap_text(gap_ns)) for label, gap_ns in screen.later]
    if not later and screen.next_caller and screen.gap_ns is not None:
        later = [VERDICT_NEXT(who=say.name_of(screen.next_caller), s=say.gap_text(screen.gap_ns))]
    do = [say.message_speech(screen.hint, who=who)] if screen.hint else []
    if screen.by_vote:
        return [VERDICT_FIRST(who=who), VERDICT_BY_VOTE(), *do]
    first = VERDICT_MAYBE(who=who) if screen.grey else VERDICT_FIRST(who=who)
    return [first, *(later or [say.VERDICT_ALONE()]), *do]


def _was_last(screen: VerdictScreen) -> list[str]:
    who = say.names_of(screen.callers)
    if screen.by_vote:
        return [VERDICT_LAST(who=who, count=len(screen.callers)), VERDICT_BY_VOTE()]
    last = (VERDICT_LAST_MAYBE if screen.grey else VERDICT_LAST)(who=who, count=len(screen.callers))
    if screen.next_caller is None or screen.gap_ns is None:
        return [last, VERDICT_NOT_PRESSED(who=who, count=len(screen.callers))]
    return [last, VERDICT_BEFORE(who=say.name_of(screen.next_caller), s=say.gap_text(screen.gap_ns))]


def _tie_sentences(screen: VerdictScreen) -> list[str]:
    who = say.names_of(screen.callers)
    if screen.last and screen.gap_ns is None:
        return _was_last(screen)
    if screen.by_vote:
        return [VERDICT_TIE(who=who), VERDICT_BY_VOTE()]
    tie = VERDICT_TIE_MAYBE(who=who) if screen.grey else VERDICT_TIE(who=who)
    if screen.last:
        tie = (VERDICT_LAST_MAYBE if screen.grey else VERDICT_LAST)(who=who, count=len(screen.callers))
    if screen.gap_ns is None:
        return [tie]
    return [tie, VERDICT_APART(s=say.gap_text(screen.gap_ns), ms=say.in_ms(screen.tie_window_ns))]


def _late(screen: VerdictScreen) -> list[str]:
    word = {True: VERDICT_LATE_BEFORE, False: VERDICT_LATE_AFTER}
    return [word[gap_ns < 0](who=say.name_of(label), s=say.gap_text(abs(gap_ns))) for label, gap_ns in screen.late]


SPEECH: say.Speech = {StopScreen: _stop, VerdictScreen: _verdict}
