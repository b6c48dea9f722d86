"""What the speech of several screens has in common: messages, names, numbers, scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import Label, Msg, Part
from referee.core.model.labels import coarse_ns
from referee.core.model.view import TeamLine
from referee.core.units import MS, s_text
from referee.language.numbers import decimal_text, span_ms_text
from referee.language.places import Told
from referee.language.told import BY_KEY, FIGURES, unknown, word_of
from referee.language.words import reader_name, sentence

Speech = dict[type, Callable[[Any], list[str]]]
"""A kind of screen -> its sentences, given that screen."""

LINES = "; "
"""Between the entries of a list that have commas of their own."""
LAST_SECONDS_FROM = 5
SIGNED = re.compile(r"([+-])(\d*)(½?)")
"""Points that are given or taken, as the display writes them: "-5", "+2½"."""

WHO = sentence("who", "name", "numbers")
AND = sentence("and", "first", "last")
MINUS = sentence("minus", "number")
PLUS = sentence("plus", "number")
HOURS = sentence("hours", "count")
MINUTES = sentence("minutes", "count")
SECONDS = sentence("seconds", "count")
DAYS = sentence("days", "count")
IN_MS = sentence("ms", "number")
IN_S = sentence("s", "number")
SCORE = sentence("score", "who", "total")
SCORE_DELTA = sentence("score.delta", "who", "total", "delta")
SCORE_CORRECTED = sentence("score.corrected", "score")
SCORES = sentence("scores", "scores")
VERDICT_ALONE = sentence("verdict.alone")
PHONE_SLEEPS = sentence("phone.sleeps", "who", "count")
VOTE_YES = sentence("vote.yes", "who")
VOTE_NO = sentence("vote.no", "who")
LAST_SECONDS = sentence("last_seconds")


def phase_name(phase: str) -> str:
    """A phase as people read it, in the language that is spoken, e.g. "Power back"."""
    word = BY_KEY.get(f"phase.{phase.lower()}")
    return word.spoken() if word else phase.replace("_", " ").capitalize()


def message_speech(part: Part | None, **more: str) -> str:
    """A message of the core as speech, in the language that is spoken; a name or a figure as it is."""
    if not isinstance(part, Msg):
        return "" if part is None else _value("", part)
    word = word_of(part.key)
    if word is None:
        return unknown(part)
    counted = {name: value for name, value in part.values if name == "count"}
    if isinstance(word, Told) and word.counted:
        figure = str(dict(part.values)[word.counted]).lstrip("+-")
        counted = {"count": 1 if figure == "1" else 2}
    return word.spoken(**{name: _value(name, value) for name, value in part.values} | counted | more)


def _value(name: str, value: Part | tuple[Part, ...]) -> str:
    if isinstance(value, tuple):
        return list_speech([_value("", part) for part in value])
    if isinstance(value, Msg):
        return message_speech(value)
    if isinstance(value, Label):
        return name_of(value)
    if isinstance(value, Fraction) or (isinstance(value, int) and value < 0):
        return points(Fraction(value))
    if isinstance(value, str) and name == "name":
        return reader_name(value)
    if isinstance(value, str) and name in ("points", "choice") and (signed := SIGNED.fullmatch(value)):
        return _signed_speech(*signed.groups())
    return decimal_text(value) if name in FIGURES and isinstance(value, str) else str(value)


def _signed_speech(sign: str, whole: str, half: str) -> str:
    """So many points more or less: a reader that passes over signs must not turn a penalty into a gift."""
    number = points(Fraction(whole or 0) + (Fraction(1, 2) if half else 0))
    return (MINUS if sign == "-" else PLUS)(number=number)


def points(total: Fraction) -> str:
    """A total as it is spoken.

    >>> points(Fraction(-5, 2)), points(Fraction(64))
    ('minus 2.5', '64')
    """
    size = abs(total)
    text = str(size.numerator) if size.denominator == 1 else decimal_text(f"{float(size):.1f}")
    return MINUS(number=text) if total < 0 else text


def in_ms(ns: int) -> str:
    return IN_MS(number=span_ms_text(ns))


def gap_text(ns: int) -> str:
    """So long between two presses: in milliseconds where it is short."""
    return in_ms(ns) if ns < 100 * MS else IN_S(number=decimal_text(s_text(ns)))


def error_text(ns: int) -> str:
    """A bound, in steps that are worth saying, and never less than it is."""
    return in_ms(coarse_ns(ns))


def as_sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!", "”", "“")) else f"{text}."


def own_sentence(part: Part | None, **more: str) -> str:
    """A message as a sentence of its own. Its first letter is a capital, save where it is a name's."""
    text = as_sentence(message_speech(part, **more))
    return text if _named_first(part, text) else text[:1].upper() + text[1:]


def _named_first(part: Part | None, text: str) -> bool:
    """Whether a message begins with somebody's name."""
    if not isinstance(part, Msg):
        return isinstance(part, str)
    values = (one for _, value in part.values for one in (value if isinstance(value, tuple) else (value,)))
    names = [value.name for value in values if isinstance(value, Label)]
    names += [value for name, value in part.values if name == "name" and isinstance(value, str)]
    return any(name and text.startswith(name) for name in names)


def span_text(seconds: int) -> str:
    """So long, in its two largest units, e.g. "2 minutes and 31 seconds"."""
    units = ((86_400, DAYS), (3_600, HOURS), (60, MINUTES), (1, SECONDS))
    parts = []
    for size_s, word in units:
        count, seconds = divmod(seconds, size_s)
        parts += [word(count=count)] if count else []
    return list_speech(parts[:2]) or SECONDS(count=0)


def list_speech(parts: Sequence[str]) -> str:
    """A list as it is spoken.

    >>> list_speech(["Anna", "Ben", "Max"])
    'Anna, Ben and Max'
    """
    return AND(first=", ".join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def name_of(label: Label) -> str:
    return WHO(name=reader_name(label.name), numbers=list_speech([str(number) for number in label.numbers]))


def names_of(labels: Iterable[Label]) -> str:
    return list_speech([name_of(label) for label in labels])


def score_text(line: TeamLine) -> str:
    who, total = name_of(line.label), message_speech(line.told) or points(line.total)
    if line.delta is None or not line.tells_gain:
        text = SCORE(who=who, total=total)
    else:
        delta = points(line.delta) if line.delta < 0 else PLUS(number=points(line.delta))
        text = SCORE_DELTA(who=who, total=total, delta=delta)
    return SCORE_CORRECTED(score=text) if line.corrected else text


def scores_text(lines: Iterable[TeamLine]) -> str:
    text = LINES.join(map(score_text, lines))
    return SCORES(scores=text) if text else ""


def last_seconds(left_s: int) -> list[str]:
    """Once, when it is about to end by itself: a reader that counts down leaves nobody time to answer."""
    return [LAST_SECONDS()] if left_s <= LAST_SECONDS_FROM else []


def answer_sentences(answers: Sequence[tuple[Label, bool | None]]) -> list[str]:
    """Who has said yes and who no."""
    said = {word: [label for label, answer in answers if answer is word] for word in (True, False)}
    words = ((VOTE_YES, said[True]), (VOTE_NO, said[False]))
    return [word(who=names_of(labels)) for word, labels in words if labels]


def sleepers(who: Sequence[Label]) -> list[str]:
    """Whose phone sleeps while the table waits for them."""
    return [PHONE_SLEEPS(who=names_of(who), count=len(who))] if who else []
