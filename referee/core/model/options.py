"""What an option is: its name, its kind, its bounds, its meaning and what the sources say; and how it is read.

Each game lists its own; forms, `referee presets`, configuration checks and match documents are made from those lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from referee.core.letters import letters
from referee.core.names import tidy, writable
from referee.core.reading import is_number, list_text, quoted_value
from referee.core.values import Json, Value

OptionValue = int | str | Fraction
"""What an option's value is once it is read; truth values are ints to Python."""
_POINTS = re.compile(r"points:([1-9]\d{0,2})")


class RuleError(ValueError):
    """An option that cannot be so: `option`, and `problem`, which says what was given and what is allowed."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"option {quoted_value(option)}: {problem}")
        self.option = option
        self.problem = problem


class RuleOption(Value):
    """One option: how it is read, and what people are told of it.

    kind: "number" (least..most), "choice" (one of `choices`), "choice-or-number" (numbers among them also as such),
    "switch" (true or false), "jokers" (0 or 2), "milliseconds" (least..most, fractions allowed), "false-call"
    (play-on, points:N, zero), "word" (most letters, or none).
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
        """The values that are allowed, in words, as an error sentence names them."""
        return _KINDS[self.kind][1](self)

    def read(self, given: object) -> OptionValue:
        """The value as the option's type. RuleError, in one sentence, for one that is not allowed."""
        value = _KINDS[self.kind][0](self, given)
        if value is None:
            raise self.refusal(given)
        return value

    def refusal(self, given: object, allowed: str = "") -> RuleError:
        """The error for this value; `allowed` where the option's own words are not the reason."""
        return RuleError(self.name, f"{quoted_value(given)} is given, allowed is {allowed or self.allowed}")


def read_options(known: Mapping[str, RuleOption], given: Mapping[str, object]) -> dict[str, Json]:
    """The values of these options as their types. RuleError for an unknown name, and as `RuleOption.read`."""
    for name in given:
        if name not in known:
            raise RuleError(name, f"there is no such option, allowed are {list_text(known)}")
    return {name: known[name].read(value) for name, value in given.items()}


# -- kinds: how a value is read (None: not allowed), and what is allowed in words -----------------------------------


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
