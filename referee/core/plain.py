"""Typed values to and from plain JSON values, driven by type hints alone.

Theory of operation. Each type is turned once into a `Rule`: how to read a plain value, how to write one. Plain values
are what JSON has. A tuple is an array, a dataclass an object, a Fraction the text "7/2", an Enum its value; `object`
and `dict[str, object]` are documents and must already be plain (a tuple in there would come back as a list, so it is
refused). Other hints are refused with a TypeError when they are first met: a mistake in the program, not in the data.

Reading is strict: an unknown field or a value of another type is one sentence (`CodecError`) that names the place. A
field that has a default may be left out. Writing checks as strictly, so nothing is written that could not be read.

A dataclass reads along a straight line (`fast`); only when that fails is the value walked again, slowly, for the
sentence that says where it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from referee.core.values import Value

_FRACTION = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")


class CodecError(ValueError):
    """A plain value that does not fit its type, or a value that cannot be plain, in one sentence."""


class _MisfitError(Exception):
    """A value that does not fit: what was wanted, and the way to it from inside out."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.path: list[str] = []


class Rule(Value):
    """How one type is read from and written to plain values. `plain` and `typed` are the classes on either side."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    plain: type
    typed: type


def dump(kind: Any, value: object) -> object:
    """Any value of type `kind` as a plain one, e.g. a settings dataclass for `Opened.setup`. CodecError if it is none.

    >>> dump(tuple[int, ...], (1, 2))
    [1, 2]
    """
    try:
        return rule_of(kind).write(value)
    except _MisfitError as misfit:
        raise CodecError(_where(kind, misfit)) from None


def load(kind: Any, plain: object) -> Any:
    """The value of type `kind` that `dump` made plain. CodecError in one sentence that names the place.

    >>> load(tuple[int, ...], [1, "b"])
    Traceback (most recent call last):
    referee.core.plain.CodecError: tuple[1]: must be a whole number, got 'b'
    """
    try:
        return rule_of(kind).read(plain)
    except _MisfitError as misfit:
        raise CodecError(_where(kind, misfit)) from None


@cache
def rule_of(hint: Any) -> Rule:
    """The rule for a type hint. TypeError for a hint this codec has no plain form for: a mistake in the dataclass."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin = get_origin(hint)
    if origin in _GENERIC:
        return _GENERIC[origin](get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice([(member.value, member) for member in hint], hint)
    if isinstance(hint, type) and issubclass(hint, Value):
        return _dataclass(hint)
    raise TypeError(f"no plain form for the type {hint}")


# -- sentences ---------------------------------------------------------------------------------------------------------


def _where(kind: Any, misfit: _MisfitError) -> str:
    place = "".join([getattr(kind, "__name__", str(kind)), *reversed(misfit.path)])
    return f"{place}: {misfit.sentence}"


def short(value: object) -> str:
    """A value as an error sentence shows it: at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _wanted(what: str, value: object) -> _MisfitError:
    return _MisfitError(f"must be {what}, got {short(value)}")


def _at(step: str, function: Callable[[Any], Any], value: object) -> Any:
    """function(value); a misfit in it learns that it lies one step further inside."""
    try:
        return function(value)
    except _MisfitError as misfit:
        misfit.path.append(step)
        raise


# -- rules for single values -------------------------------------------------------------------------------------------


def _exactly(kind: type, what: str) -> Rule:
    def check(value: Any) -> Any:
        if type(value) is kind:
            return value
        raise _wanted(what, value)

    return Rule(check, check, kind, kind)


def _read_fraction(value: Any) -> Fraction:
    if type(value) is str and _FRACTION.fullmatch(value):
        return Fraction(value)
    raise _wanted('a fraction as text, such as "7/2"', value)


def _write_fraction(value: Any) -> str:
    if type(value) is Fraction:
        return str(value)
    raise _wanted("a fraction", value)


def _plain(value: Any) -> Any:
    """A document: null, true, numbers, texts, lists and dicts with text keys. Copied, so that nobody shares it."""
    kind = type(value)
    if kind in (NoneType, bool, int, str) or (kind is float and value - value == 0):
        return value
    if kind is list:
        return [_at(f"[{place}]", _plain, item) for place, item in enumerate(value)]
    if kind is dict:
        return {_TEXT.read(key): _at(f"[{key!r}]", _plain, item) for key, item in value.items()}
    raise _wanted("a JSON value", value)


def _choice(pairs: list[tuple[Any, Any]], typed: type) -> Rule:
    """One of a few texts, each standing for a value: a Literal or an Enum."""
    if any(type(text) is not str for text, _ in pairs):
        raise TypeError(f"the choices {[text for text, _ in pairs]} are not all texts")
    by_text = dict(pairs)
    texts = {member: text for text, member in pairs}
    what = f"one of {', '.join(by_text)}"

    def read(value: Any) -> Any:
        if type(value) is str and value in by_text:
            return by_text[value]
        raise _wanted(what, value)

    def write(value: Any) -> Any:
        if type(value) is typed and value in texts:
            return texts[value]
        raise _wanted(what, value)

    return Rule(read, write, str, typed)


# -- rules for compound values -----------------------------------------------------------------------------------------


def _tuple(members: tuple[Any, ...]) -> Rule:
    if members[-1:] == (Ellipsis,):
        return _row(rule_of(members[0]))
    return _record([rule_of(member) for member in members])


def _row(item: Rule) -> Rule:
    """A tuple of any length, all items alike."""

    def read(value: Any) -> Any:
        if type(value) is not list:
            raise _wanted("a list", value)
        return tuple([_at(f"[{place}]", item.read, part) for place, part in enumerate(value)])

    def write(value: Any) -> Any:
        if type(value) is not tuple:
            raise _wanted("a tuple", value)
        return [_at(f"[{place}]", item.write, part) for place, part in enumerate(value)]

    return Rule(read, write, list, tuple)


def _record(items: list[Rule]) -> Rule:
    """A tuple with a fixed type at each place."""

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) != len(items):
            raise _wanted(f"a list of {len(items)}", value)
        return tuple([_at(f"[{at}]", items[at].read, part) for at, part in enumerate(value)])

    def write(value: Any) -> Any:
        if type(value) is not tuple or len(value) != len(items):
            raise _wanted(f"a tuple of {len(items)}", value)
        return [_at(f"[{at}]", items[at].write, part) for at, part in enumerate(value)]

    return Rule(read, write, list, tuple)


def _dict(members: tuple[Any, ...]) -> Rule:
    if members[0] is not str:
        raise TypeError(f"a dict's keys must be texts, not {members[0]}")
    item = rule_of(members[1])

    def both(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def convert(value: Any) -> Any:
            if type(value) is not dict:
                raise _wanted("a dict", value)
            return {_TEXT.read(key): _at(f"[{key!r}]", function, part) for key, part in value.items()}

        return convert

    return Rule(both(item.read), both(item.write), dict, dict)


def _literal(members: tuple[Any, ...]) -> Rule:
    return _choice([(member, member) for member in members], str)


def _union(members: tuple[Any, ...]) -> Rule:
    """One of several types that a plain value tells apart by itself, such as `int | None`."""
    rules = [rule_of(member) for member in members]
    readers = {rule.plain: rule.read for rule in rules}
    writers = {rule.typed: rule.write for rule in rules}
    if len(readers) < len(rules) or len(writers) < len(rules) or object in readers:
        raise TypeError(f"the types {members} look alike as plain values")
    names = " or ".join("nothing" if rule.typed is NoneType else rule.typed.__name__ for rule in rules)

    def pick(table: dict[type, Callable[[Any], Any]]) -> Callable[[Any], Any]:
        def convert(value: Any) -> Any:
            function = table.get(type(value))
            if function is None:
                raise _wanted(names, value)
            return function(value)

        return convert

    return Rule(pick(readers), pick(writers), object, object)


def _dataclass(kind: type[Value]) -> Rule:
    """A dataclass whose every field has a rule; the reader's fast line takes all fields present and well."""
    hints = get_type_hints(kind)
    fields = kind.__struct_fields__
    rules = {name: rule_of(hints[name]) for name in fields}
    needed = set(fields[: len(fields) - len(kind.__struct_defaults__)])
    line = [(name, rule.read) for name, rule in rules.items()]

    def fast(value: Any) -> Any:
        if type(value) is dict and len(value) == len(line):
            try:
                return kind(*[read(value[name]) for name, read in line])
            except (KeyError, ValueError, _MisfitError):
                pass
        return _slowly(kind, rules, needed, value)

    def write(value: Any) -> Any:
        if type(value) is not kind:
            raise _wanted(f"a {kind.__name__}", value)
        return {name: _at(f".{name}", rule.write, getattr(value, name)) for name, rule in rules.items()}

    return Rule(fast, write, dict, kind)


def _slowly(kind: type, rules: Mapping[str, Rule], needed: set[str], value: Any) -> Any:
    """Read with defaults for what is left out, and with a sentence for what is wrong."""
    if type(value) is not dict:
        raise _wanted(f"a {kind.__name__}", value)
    if unknown := value.keys() - rules.keys():
        raise _MisfitError(f"unknown field {short(min(unknown, key=str))}, allowed are {', '.join(rules)}")
    if missing := needed - value.keys():
        raise _MisfitError(f"lacks the field {min(missing)!r}")
    fields = {name: _at(f".{name}", rules[name].read, part) for name, part in value.items()}
    try:
        return kind(**fields)
    except ValueError as error:
        raise _MisfitError(str(error)) from None


_TEXT = _exactly(str, "a text")
_DOCUMENT = Rule(_plain, _plain, object, object)
_SIMPLE: dict[Any, Rule] = {
    int: _exactly(int, "a whole number"),
    bool: _exactly(bool, "true or false"),
    str: _TEXT,
    NoneType: _exactly(NoneType, "nothing"),
    Fraction: Rule(_read_fraction, _write_fraction, str, Fraction),
    object: _DOCUMENT,
}
_GENERIC: dict[Any, Callable[[tuple[Any, ...]], Rule]] = {
    tuple: _tuple,
    dict: _dict,
    Literal: _literal,
    Union: _union,
    UnionType: _union,
}
