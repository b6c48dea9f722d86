"""Speech for a call: STOP, then the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import StopScreen, VerdictScreen
from referee.core.values import replace
from referee.language import say
from referee.language.words import sentence


def _stop(screen: StopScreen) -> Iterator[str]:
    yield sentence("stop.press" if screen.waiting else "stop", who=say.names_of(screen.waiting))


def _verdict(screen: VerdictScreen) -> Iterator[str]:
    yield from _decided(screen)
    yield from _answers(screen)
    yield sentence("verdict.photo")


def verdict_news(screen: VerdictScreen) -> str:
    """Return the verdict for people who are not at the table: without what players do next."""
    return " ".join(filter(None, _decided(replace(screen, hint=None, airborne=None))))


def _decided(screen: VerdictScreen) -> Iterator[str]:
    absent = screen.last and screen.gap_ns is None and not screen.by_vote
    yield sentence("verdict.time_up") if absent else say.message_speech(screen.word)
    yield from _tie(screen) if screen.kind == "tie" else _last(screen) if screen.last else _clear(screen)
    if screen.refuted:
        yield sentence("verdict.refuted", who=say.names_of(screen.refuted))
    yield say.message_speech(screen.airborne)
    for label, gap_ns in screen.late:
        key = "verdict.late_before" if gap_ns < 0 else "verdict.late_after"
        yield sentence(key, who=say.name_of(label), s=say.gap_text(abs(gap_ns)))


def _answers(screen: VerdictScreen) -> Iterator[str]:
    """Yield the question whether the callers were right, the answers, and who must answer.

    When all teams have answered, yield nothing.
    """
    answers = screen.answers or ()
    waiting = [label for label, answer in answers if answer is None]
    if waiting:
        yield sentence("verdict.asked", caller=say.names_of(screen.callers), count=len(screen.callers))
        yield from say.answer_sentences(answers)
        yield sentence("verdict.answer", who=say.names_of(waiting))


def equal_text(screen: VerdictScreen) -> str:
    """Return the sentence on callers who are tied or too close to measure; "" if one was clearly first."""
    if screen.is_close:
        return sentence("verdict.too_close", who=say.names_of(screen.doubted, "or"))
    return sentence("verdict.tie", who=say.names_of(screen.callers)) if screen.kind == "tie" else ""


def _clear(screen: VerdictScreen) -> Iterator[str]:
    who = say.names_of(screen.doubted if screen.is_close else screen.callers)
    yield equal_text(screen) or sentence("verdict.first", who=who)
    later = list(screen.later)
    if not later and screen.next_caller and screen.gap_ns is not None:
        later = [(screen.next_caller, screen.gap_ns)]
    if screen.by_vote:
        yield sentence("verdict.by_vote")
    elif screen.is_alone:
        yield sentence("verdict.alone")
    else:
        for label, gap_ns in later:
            yield sentence("verdict.next", who=say.name_of(label), s=say.gap_text(gap_ns))
    yield say.message_speech(screen.hint, who=who)


def _last(screen: VerdictScreen) -> Iterator[str]:
    who, count = say.names_of(screen.callers), len(screen.callers)
    yield _who_was_last(screen)
    if screen.by_vote:
        yield sentence("verdict.by_vote")
    elif screen.next_caller is None or screen.gap_ns is None:
        yield sentence("verdict.not_pressed", who=who, count=count)
    else:
        yield sentence("verdict.before", who=say.name_of(screen.next_caller), s=say.gap_text(screen.gap_ns))


def _who_was_last(screen: VerdictScreen) -> str:
    if screen.is_close:
        return sentence("verdict.last_close", who=say.names_of(screen.doubted, "or"))
    return sentence("verdict.last", who=say.names_of(screen.callers), count=len(screen.callers))


def _tie(screen: VerdictScreen) -> Iterator[str]:
    if screen.last and screen.gap_ns is None:
        yield from _last(screen)
        return
    yield _who_was_last(screen) if screen.last and not screen.by_vote else equal_text(screen)
    if screen.by_vote:
        yield sentence("verdict.by_vote")
    elif screen.gap_ns is not None:
        yield sentence("verdict.apart", s=say.gap_text(screen.gap_ns), ms=say.in_ms(screen.tie_window_ns))


SPEECH: say.Speech = {StopScreen: _stop, VerdictScreen: _verdict}
