"""What the screens' speech has in common: messages, names, numbers, scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import Label, Msg, Part
from referee.core.model.labels import coarse_ns
from referee.core.model.view import TeamLine
from referee.core.units import MS, s_text
from referee.language.display import FIGURES, is_known, meaning_text, place_of, unknown
from referee.language.numbers import decimal_text, span_ms_text
from referee.language.words import ALOUD, has_text, reader_name, sentence, text_at

Speech = dict[type, Callable[[Any], Iterator[str]]]
"""Screen class -> a function that yields its sentences; empty ones are left out."""

LINES = "; "
"""Separator of list entries that contain commas."""
LAST_SECONDS_FROM = 5
SIGNED = re.compile(r"([+-])(\d*)(½?)")
"""Points given or deducted, as the display writes them: "-5", "+2½"."""


def phase_name(phase: str) -> str:
    """Return the readable name of a phase in the current language, e.g. "Power back"."""
    key = f"phase.{phase.lower()}"
    return sentence(key) if has_text(ALOUD, key) else phase.replace("_", " ").capitalize()


def message_speech(part: Part | None, **more: str) -> str:
    """Return a message of the core as a screen reader says it, in the current language.

    `part` may also be a single name or number. more: values that replace the message's own.
    """
    if not isinstance(part, Msg):
        return "" if part is None else _value("", part)
    if not is_known(part.key):
        return unknown(part)
    if place_of(part.key) == "option":
        return meaning_text(part.key)
    place = ALOUD if has_text(ALOUD, part.key) else place_of(part.key)
    values = {name: _value(name, value) for name, value in part.values}
    return text_at(place, part.key, **values | {"count": _count(part)} | more)


def _count(message: Msg) -> Part | tuple[Part, ...]:
    """Return the number that selects singular or plural in a message.

    It is the value `count`. A message without `count` has 1 if its points or its choice are "1", with or without a
    sign, else 2.
    """
    values = dict(message.values)
    figure = str(values.get("points", values.get("choice"))).lstrip("+-")
    return values.get("count", 1 if figure == "1" else 2)


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
    """Return points as speech, with the word "plus" or "minus" in place of the sign.

    Screen readers skip "-", so a deduction would sound like points given.
    """
    number = points(Fraction(whole or 0) + (Fraction(1, 2) if half else 0))
    return sentence("minus" if sign == "-" else "plus", number=number)


def points(total: Fraction) -> str:
    """Return a total as it is spoken.

    >>> points(Fraction(-5, 2)), points(Fraction(64))
    ('minus 2.5', '64')
    """
    size = abs(total)
    text = str(size.numerator) if size.denominator == 1 else decimal_text(f"{float(size):.1f}")
    return sentence("minus", number=text) if total < 0 else text


def in_ms(ns: int) -> str:
    return sentence("ms", number=span_ms_text(ns))


def gap_text(ns: int) -> str:
    """Return the time between two presses with its unit; below 0.1 s in milliseconds."""
    return in_ms(ns) if ns < 100 * MS else sentence("s", number=decimal_text(s_text(ns)))


def error_text(ns: int) -> str:
    """Format an error bound in milliseconds, rounded up."""
    return in_ms(coarse_ns(ns))


def as_sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!", "”", "“")) else f"{text}."


def own_sentence(part: Part | None, **more: str) -> str:
    """Return a message as a sentence of its own.

    It begins with a capital letter, or with a person's name as the person writes it.
    """
    text = as_sentence(message_speech(part, **more))
    return text if _named_first(part, text) else text[:1].upper() + text[1:]


def _named_first(part: Part | None, text: str) -> bool:
    """Return whether the message's text begins with a person's name."""
    if not isinstance(part, Msg):
        return isinstance(part, str)
    values = (one for _, value in part.values for one in (value if isinstance(value, tuple) else (value,)))
    names = [value.name for value in values if isinstance(value, Label)]
    names += [value for name, value in part.values if name == "name" and isinstance(value, str)]
    return any(name and text.startswith(name) for name in names)


def span_text(seconds: int) -> str:
    """Return a duration in its two largest units, e.g. "2 minutes and 31 seconds"."""
    units = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))
    parts = []
    for size_s, key in units:
        count, seconds = divmod(seconds, size_s)
        parts += [sentence(key, count=count)] if count else []
    return list_speech(parts[:2]) or sentence("seconds", count=0)


def list_speech(parts: Sequence[str], joint: str = "and") -> str:
    """Join texts into a list as people say it. joint: "and" or "or".

    >>> list_speech(["Anna", "Ben", "Max"]), list_speech(["Anna", "Ben"], "or")
    ('Anna, Ben and Max', 'Anna or Ben')
    """
    return sentence(joint, first=", ".join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def name_of(label: Label) -> str:
    return sentence("who", name=reader_name(label.name), numbers=list_speech([str(number) for number in label.numbers]))


def names_of(labels: Iterable[Label], joint: str = "and") -> str:
    return list_speech([name_of(label) for label in labels], joint)


def score_text(line: TeamLine) -> str:
    who, total = name_of(line.label), message_speech(line.told) or points(line.total)
    if not line.delta or not line.tells_gain:
        text = sentence("score", who=who, total=total)
    else:
        delta = points(line.delta) if line.delta < 0 else sentence("plus", number=points(line.delta))
        text = sentence("score.delta", who=who, total=total, delta=delta)
    return sentence("score.corrected", score=text) if line.corrected else text


def scores_text(lines: Iterable[TeamLine]) -> str:
    text = LINES.join(map(score_text, lines))
    return sentence("scores", scores=text) if text else ""


def last_seconds(left_s: int) -> Iterator[str]:
    """Yield a warning if at most `LAST_SECONDS_FROM` seconds are left.

    There is no countdown, because a screen reader that spoke one would leave no time to answer.
    """
    if left_s <= LAST_SECONDS_FROM:
        yield sentence("last_seconds")


def answer_sentences(answers: Sequence[tuple[Label, bool | None]]) -> Iterator[str]:
    """Yield a sentence on the teams that said yes, and one on the teams that said no."""
    for key, answer in (("vote.yes", True), ("vote.no", False)):
        if labels := [label for label, said in answers if said is answer]:
            yield sentence(key, who=names_of(labels))


def sleepers(who: Sequence[Label]) -> Iterator[str]:
    """Yield a sentence on teams whose phones are asleep while the table waits for them."""
    if who:
        yield sentence("phone.sleeps", who=names_of(who), count=len(who))
