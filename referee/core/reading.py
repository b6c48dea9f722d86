"""Read documents from outside, and report the first error with its place.

An error is one sentence that says what was given, where, and what is allowed. A `Part` is a value with its place in the
document (`hands[2].counts.Red`). Its methods return the value with the wanted type or raise `DocumentError`. `parse`
keeps JSON that no document may hold as special values, so that the error can name their place: duplicate keys, NaN and
infinities, huge numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import NoReturn, TypeGuard

from referee.core.names import among, writable
from referee.core.values import Value

_DIGITS = 15
"""Maximum digits of a whole number; counts at a table are far smaller."""
_SHOWN = 60
"""Maximum characters of a quoted value in an error."""
_BEGIN, _END = 600, 300
"""Characters kept at the start (the place) and the end (what is allowed) of a long sentence."""
_TEXT = 200
"""Maximum characters of free text."""
_PLAIN_KEY = re.compile(r"\w+")


class DocumentError(ValueError):
    """An invalid document; the message is one sentence."""


class Doubled(dict[str, object]):
    """An object with a duplicate key; `key` is the first one."""

    key: str = ""


class Unusable(Value):
    """A number that is valid JSON but that no document may contain."""

    text: str


def parse(text: str) -> object:
    """Parse a JSON document. Raises DocumentError."""
    try:
        document = json.loads(text, object_pairs_hook=_pairs, parse_int=_whole, parse_constant=Unusable)
        if "\\ud" in text.lower():
            _check_letters(Part(document))
        return document
    except json.JSONDecodeError as exc:
        raise DocumentError(f"line {exc.lineno}, column {exc.colno}: no JSON document ({exc.msg})") from exc
    except RecursionError:
        raise DocumentError("the document is nested deeper than any match document") from None


def _check_letters(part: Part) -> None:
    """Raise DocumentError for half of a surrogate pair: JSON allows one, text files do not."""
    if isinstance(part.value, str) and any("\ud800" <= letter <= "\udfff" for letter in part.value):
        part.refuse("a text of valid Unicode characters")
    if isinstance(part.value, dict):
        for key, value in part.value.items():
            _check_letters(Part(key, part.where))
            _check_letters(part.step(key, value))
    elif isinstance(part.value, list):
        for index, value in enumerate(part.value):
            _check_letters(part.step(index, value))


def _pairs(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            doubled = Doubled(pairs)
            doubled.key = key
            return doubled
        seen.add(key)
    return dict(pairs)


def _whole(text: str) -> object:
    return int(text) if len(text) <= _DIGITS else Unusable(text)


def quoted_value(value: object) -> str:
    """Quote a value for an error: as JSON on one line, shortened.

    >>> quoted_value("Red"), quoted_value([28, True]), quoted_value(10 ** 5000)
    ('"Red"', '[28, true]', 'a huge number')
    """
    try:
        text = value.text if isinstance(value, Unusable) else json.dumps(value, ensure_ascii=False, default=_odd)
        text = text if text.isprintable() else json.dumps(value, default=_odd)
    except (ValueError, RecursionError):
        return "a huge number" if isinstance(value, int) else "something too large to show"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def short_sentence(text: str) -> str:
    r"""Return a sentence on one line for any terminal, without the middle if it is very long.

    >>> short_sentence("match-\n\x1b.json"), len(short_sentence("x" * 10_000_000))
    ('match-\\n\\x1b.json', 905)
    """
    short = text if len(text) <= _BEGIN + _END else f"{text[:_BEGIN]} ... {text[-_END:]}"
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in short)


def _odd(value: object) -> object:
    return value.text if isinstance(value, Unusable) else str(value)


def list_text(names: Iterable[object]) -> str:
    """Join names for a sentence; "none" if there are none."""
    return ", ".join(map(str, names)) or "none"


def allowed_text(names: Sequence[object]) -> str:
    """Return the end of a sentence that lists what is allowed.

    >>> allowed_text([1]), allowed_text(["a", "b"])
    ('allowed is 1', 'allowed are a, b')
    """
    return f"allowed {'is' if len(names) == 1 else 'are'} {list_text(names)}"


def count_text(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun; `many` is the plural if it is not `one` plus "s".

    >>> count_text(1, "match", "matches"), count_text(2, "match", "matches"), count_text(0, "hand")
    ('1 match', '2 matches', '0 hands')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def number(value: Fraction | int) -> int | float:
    """Convert an exact number for JSON: an int, or a float (halves and quarters are exact).

    >>> number(Fraction(4, 2)), number(Fraction(5, 2))
    (2, 2.5)
    """
    return value.numerator if value.denominator == 1 else float(value)


class Part(Value):
    """A value of the document and its place ("" is the whole document)."""

    value: object
    where: str = ""

    def refuse(self, allowed: str) -> NoReturn:
        """Raise DocumentError with what is given here and what is allowed."""
        raise DocumentError(
            f"{self.where or 'the document'}: {quoted_value(self.value)} is given, allowed is {allowed}"
        )

    def step(self, key: str | int, value: object) -> Part:
        """Return the part under this key or index, with its place in the document."""
        if isinstance(key, int):
            return Part(value, f"{self.where}[{key}]")
        if not _PLAIN_KEY.fullmatch(key):
            return Part(value, f"{self.where}[{quoted_value(key)}]")
        return Part(value, f"{self.where}.{key}" if self.where else key)

    def table(self) -> dict[str, Part]:
        """Return an object's parts by key. Raises DocumentError for a non-object or a duplicate key."""
        if isinstance(self.value, Doubled):
            self.step(self.value.key, self.value[self.value.key])._twice()
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return {key: self.step(key, value) for key, value in self.value.items()}

    def _twice(self) -> NoReturn:
        raise DocumentError(f"{self.where}: the key is given twice, allowed is once")

    def keyed_parts(self, needed: Collection[str], optional: Collection[str] = ()) -> dict[str, Part]:
        """Return an object's parts; its keys must be all of `needed` and any of `optional`.

        Raises DocumentError.
        """
        parts = self.table()
        for key, part in parts.items():
            if key not in needed and key not in optional:
                raise DocumentError(f"{part.where}: the key is unknown, allowed are {list_text((*needed, *optional))}")
        for key in needed:
            if key not in parts:
                place = self.where or "the document"
                raise DocumentError(f"{place}: the key {key} is missing, needed are {list_text(needed)}")
        return parts

    def items(self) -> list[Part]:
        """Return an array's parts in order. Raises DocumentError for a non-array."""
        if not isinstance(self.value, list):
            self.refuse("an array")
        return [self.step(index, value) for index, value in enumerate(self.value)]

    def one_of(self, choices: Collection[str]) -> str:
        """Return the text if it is one of these. Raises DocumentError otherwise."""
        if not isinstance(self.value, str) or self.value not in choices:
            self.refuse(f"one of {list_text(choices)}")
        return self.value

    def known_name(self, names: Collection[str], what: str) -> str:
        """Return the entry of `names` that is this text, apart from spelling (see names.among)."""
        name = among(self.value, names) if isinstance(self.value, str) else None
        if name is None:
            self.refuse(f"{what}: {list_text(map(quoted_value, names))}")
        return name

    def names(self, who: str) -> tuple[str, ...]:
        """Return an array of different names; `who`: what each one is called in errors, e.g. "team"."""
        names: list[str] = []
        for name in self.items():
            if not isinstance(name.value, str) or not writable(name.value):
                name.refuse("a name of printable characters")
            if among(name.value, names) is not None:
                name.refuse(f"a name that no other {who} has")
            names.append(name.value)
        return tuple(names)

    def by_name(self, names: Collection[str], what: str) -> dict[str, Part]:
        """Return an object's parts by known name.

        `what`: who they are in errors, e.g. "teams that played". Raises DocumentError for an unknown name or a
        duplicate.
        """
        parts = dict[str, Part]()
        for given, value in self.table().items():
            name = among(given, names)
            if name is None:
                allowed = list_text(map(quoted_value, names))
                raise DocumentError(f"{value.where}: {quoted_value(given)} is given, allowed are the {what}: {allowed}")
            if name in parts:
                value._twice()
            parts[name] = value
        return parts

    def some_of(self, names: Collection[str], who: str, what: str) -> tuple[str, ...]:
        """Return an array of different names that are all in `names`, in the spelling there."""
        self.names(who)
        return tuple(name.known_name(names, what) for name in self.items())

    def text(self) -> str:
        """Return a text on one line, short enough for a list."""
        if not isinstance(self.value, str) or not self.value.isprintable() or len(self.value) > _TEXT:
            self.refuse(f"a text of at most {_TEXT} printable characters")
        return self.value

    def truth(self) -> bool:
        """Return true or false. Raises DocumentError for anything else."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def integer(self) -> int:
        """Return a whole number of at most 15 digits."""
        if type(self.value) is not int or abs(self.value) >= 10**_DIGITS:
            self.refuse("a whole number")
        return self.value

    def whole(self, least: int, most: int) -> int:
        """Return a whole number within these bounds."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least} to {most}")
        return self.value

    def half(self, least: int, most: int) -> Fraction:
        """Return a whole number or a half (2.5) within these bounds."""
        if not is_number(self.value) or not least <= self.value <= most or self.value * 2 != int(self.value * 2):
            self.refuse(f"a whole number or a half from {least} to {most}")
        return Fraction(self.value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a finite number and not True or False."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def value_text(value: object) -> str:
    """Format a value as people type it in a document.

    >>> value_text(True), value_text(2.5)
    ('true', '2.5')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
