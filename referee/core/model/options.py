"""Options of the rules: name, kind, bounds, meaning and sources, and how a value is read.

Each game lists its own options. Forms, `referee presets`, configuration checks and match documents use these lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from referee.core.letters import letters
from referee.core.names import tidy, writable
from referee.core.reading import is_number, list_text, quoted_value
from referee.core.values import Json, Value

Sourced = Mapping[str, tuple[Json, str]]
"""Option -> (its value as in a document, its source: a rules page, or "assumed")."""
OptionValue = int | str | Fraction
"""The type of an option's value. A truth value is an int (True or False)."""
_POINTS = re.compile(r"points:([1-9]\d{0,2})")


class RuleError(ValueError):
    """An invalid option: `option`, and `problem`, which says what was given and what is allowed."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"option {quoted_value(option)}: {problem}")
        self.option = option
        self.problem = problem


class RuleOption(Value):
    """One option of a game's rules: how its value is read, and its description.

    kind: "number" (least..most), "choice" (one of `choices`), "choice-or-number" (numeric choices also as numbers),
    "switch" (true or false), "jokers" (0 or 2), "milliseconds" (least..most, fractions allowed), "false-call"
    (its cost: play-on for none, points:N for N points, zero for a score of 0), "word" (at most `most` letters, or
    none).
    """

    name: str
    kind: str
    meaning: str
    sources: str
    least: int = 0
    most: int = 0
    choices: tuple[str | int, ...] = ()

    @property
    def allowed(self) -> str:
        """Return the allowed values in words, for error messages."""
        return _KINDS[self.kind][1](self)

    def read(self, given: object) -> OptionValue:
        """Return the value as the option's type. Raises RuleError if it is not allowed."""
        value = _KINDS[self.kind][0](self, given)
        if value is None:
            raise self.refusal(given)
        return value

    def refusal(self, given: object, allowed: str = "") -> RuleError:
        """Return the error for this value.

        `allowed`: words for the allowed values, instead of `self.allowed()`.
        """
        return RuleError(self.name, f"{quoted_value(given)} is given, allowed is {allowed or self.allowed}")


def read_options(known: Mapping[str, RuleOption], given: Mapping[str, object]) -> dict[str, Json]:
    """Read these options. Raises RuleError for an unknown name or a value that is not allowed."""
    for name in given:
        if name not in known:
            raise RuleError(name, f"there is no such option, allowed are {list_text(known)}")
    return {name: known[name].read(value) for name, value in given.items()}


# -- kinds: a reader (None: not allowed), and the allowed values in words -------------------------------------------


def _number(option: RuleOption, given: object) -> OptionValue | None:
    return given if type(given) is int and option.least <= given <= option.most else None


def _choice(option: RuleOption, given: object) -> OptionValue | None:
    return given if isinstance(given, (str, int)) and not isinstance(given, bool) and given in option.choices else None


def _choice_or_number(option: RuleOption, given: object) -> OptionValue | None:
    text = str(given) if is_number(given) else given
    return text if isinstance(text, str) and text in option.choices else None


def _switch(_: RuleOption, given: object) -> OptionValue | None:
    return given if isinstance(given, bool) else None


def _jokers(_: RuleOption, given: object) -> OptionValue | None:
    if isinstance(given, bool):
        return 2 if given else 0
    return given if isinstance(given, int) and given in (0, 2) else None


def _milliseconds(option: RuleOption, given: object) -> OptionValue | None:
    if isinstance(given, Fraction):
        return given if option.least <= given <= option.most else None
    return Fraction(str(given)) if is_number(given) and option.least <= given <= option.most else None


def _false_call(option: RuleOption, given: object) -> OptionValue | None:
    known = isinstance(given, str) and (given in ("play-on", "zero") or _POINTS.fullmatch(given))
    return str(given) if known else None


def _word(option: RuleOption, given: object) -> OptionValue | None:
    if not isinstance(given, str):
        return None
    text = tidy(given)
    return text if (writable(text) or not text) and len(letters(text)) <= option.most else None


def _span(option: RuleOption) -> str:
    return f"from {option.least} to {option.most}"


_KINDS: Mapping[str, tuple[Callable[[RuleOption, object], OptionValue | None], Callable[[RuleOption], str]]] = {
    "number": (_number, lambda option: f"a whole number {_span(option)}"),
    "choice": (_choice, lambda option: f"one of {list_text(option.choices)}"),
    "choice-or-number": (_choice_or_number, lambda option: f"one of {list_text(option.choices)}"),
    "switch": (_switch, lambda _: "true or false"),
    "jokers": (_jokers, lambda _: "0 or 2 (also false or true)"),
    "milliseconds": (_milliseconds, lambda option: f"a number of milliseconds {_span(option)}"),
    "word": (_word, lambda option: f"a word of at most {option.most} letters"),
    "false-call": (_false_call, lambda _: "play-on, zero or points:N with N from 1 to 999"),
}
