"""Typed values to and from JSON documents: events, records, whatever is written by one release and read by another.

Theory of operation. msgspec reads and writes by the classes' type hints; a Fraction is the text "7/2". Reading is
strict, since a journal that is read leniently replays differently: an unknown or missing field, a value of another type
or a newer version is one sentence (`CodecError`) that names the place. A field that has a default may be left out: that
is how a new field joins without a new version. Whatever is written is read again at once and compared, so nothing is
written that would not come back as it was.

An event's document is its fields beside `"v"`, the version of this format, and `"type"`, its stored name:

    {"v":2,"type":"turned","at_ns":5000000,"steps":-2}

Format 1 had the name of the event's class there ("Turned"); `oldnames.EVENTS` knows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import cast, get_args

import msgspec

from referee.core.model.events import Event
from referee.core.stored import oldnames
from referee.core.values import Json, stored_name

VERSION = 2
_FRACTION = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")


class CodecError(ValueError):
    """A document that does not fit its type, or a value that cannot be one, in one sentence."""


# -- events ------------------------------------------------------------------------------------------------------------


def encode(event: Event) -> str:
    """An event as one line of ASCII JSON. CodecError if it would not come back as it is.

    >>> from referee.core.model.events import Turned
    >>> encode(Turned(5, -2))
    '{"v":2,"type":"turned","at_ns":5,"steps":-2}'
    """
    name = stored_name(type(event))
    if event_types().get(name or "") is not type(event):
        raise CodecError(f"{short(event)} is no event")
    return f'{{"v":{VERSION},"type":"{name}",{_write(name, type(event), event)[1:]}'


def decode(text: str | bytes) -> Event:
    """The event that `encode` wrote. CodecError in one sentence for anything else."""
    return _event(parse_json(text))


def to_document(event: Event) -> dict[str, object]:
    """An event as a plain dict with "v" and "type" first. CodecError if it would not come back as it is."""
    return cast(dict[str, object], parse_json(encode(event)))


def from_document(document: object) -> Event:
    """The event in a plain dict, which stays as it was. CodecError in one sentence if there is none."""
    if type(document) is dict and any(type(part) is dict for part in document.values()):
        document = _copy("event", document)
    return _event(document)


def _event(document: object) -> Event:
    if type(document) is not dict:
        raise CodecError(f"an event must be a JSON object, got {short(document)}")
    fields = document.copy()
    version, name = fields.pop("v", None), fields.pop("type", None)
    if type(version) is not int or not 1 <= version <= VERSION:
        raise CodecError(_version_sentence(version))
    own = str(name) if version == VERSION else oldnames.EVENTS.get(str(name), "")
    kind = event_types().get(own)
    if kind is None:
        names = event_types() if version == VERSION else oldnames.EVENTS
        raise CodecError(f"the event type {short(name)} is unknown; known are {', '.join(names)}")
    return cast(Event, _load(own, kind, fields))


@cache
def event_types() -> Mapping[str, type]:
    """Stored name -> class of every event, in the order of events.py."""
    return {str(stored_name(member)): member for member in get_args(Event)}


def _version_sentence(version: object) -> str:
    if type(version) is int and version > VERSION:
        return f"the event has format {version}, written by a newer referee; this one reads up to {VERSION}"
    return f'the event\'s format "v" must be a number from 1 to {VERSION}, got {short(version)}'


# -- any value ---------------------------------------------------------------------------------------------------------


def dump(kind: Json, value: object) -> Json:
    """A value of type `kind` as a plain one. CodecError if it would not come back as it is.

    >>> dump(tuple[int, ...], (1, 2))
    [1, 2]
    """
    return parse_json(_write(_type_name(kind), kind, value))


def load(kind: Json, plain: object) -> Json:
    """The value of type `kind` that `dump` made plain. CodecError in one sentence that names the place.

    >>> load(tuple[int, ...], [1, "b"])
    Traceback (most recent call last):
    referee.core.stored.codec.CodecError: tuple[1]: must be a whole number, got 'b'
    """
    name = _type_name(kind)
    _load(name, kind, plain)  # says first what is wrong with its fields
    return _load(name, kind, _copy(name, plain))


def parse_json(text: str | bytes) -> Json:
    """What a JSON text says. CodecError for a text that is none; there is no NaN."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:  # before 0.20 the one was no kind of the other
        raise CodecError(f"not a JSON document: {error}") from None


def short(value: object) -> str:
    """A value as an error sentence shows it: at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _no_json(value: object) -> object:
    raise TypeError(f"{short(value)} is none")


_TO_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_no_json).encode


def _type_name(kind: Json) -> str:
    return getattr(kind, "__name__", str(kind))  # a union has no name


def _copy(name: str, plain: object) -> Json:
    """The same document, shared with nobody. CodecError for what JSON does not have."""
    try:
        return parse_json(_TO_JSON(plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"{name}: must be JSON values, but {error}") from None


def _write(name: str | None, kind: Json, value: object) -> str:
    try:
        encoded = msgspec.json.encode(value, enc_hook=_write_fraction)
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"{name}: {error}") from None
    again = _load(str(name), kind, parse_json(encoded))
    if again != value:
        raise CodecError(f"{name}: {short(value)} would come back as {short(again)}")
    return encoded.decode() if encoded.isascii() else _TO_JSON(parse_json(encoded))


def _load(name: str, kind: Json, plain: object) -> Json:
    try:
        return msgspec.convert(plain, kind, dec_hook=_read_other)
    except msgspec.ValidationError as error:
        raise CodecError(name + _sentence(plain, str(error))) from None


def _write_fraction(value: Json) -> str:
    if type(value) is Fraction:
        return str(value)
    raise TypeError(f"{short(value)} has no form in JSON")


def _read_other(kind: type, value: Json) -> Json:
    """What msgspec does not know: a document within a value stays as it is, and there are fractions."""
    if kind is object:
        return value
    if type(value) is str and _FRACTION.fullmatch(value):
        return Fraction(value)
    raise ValueError(f'must be a fraction as text, such as "7/2", got {short(value)}')


# -- sentences ---------------------------------------------------------------------------------------------------------

_PLACED = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$(?P<place>.*)`)?", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<wanted>[^`]*)`(?: of length (?P<length>\d+))?, got .*", re.DOTALL)
_FIELD = re.compile(r"Object (?P<what>.*) field `(?P<name>.*)`", re.DOTALL)
_WORDS = {
    "int": "a whole number",
    "bool": "true or false",
    "str": "a text",
    "null": "nothing",
    "array": "a list",
    "object": "a dict",
}


def _sentence(plain: Json, told: str) -> str:
    """What msgspec told, with the place and in this program's words."""
    found = _PLACED.fullmatch(told)
    assert found is not None
    what, place = found["what"], found["place"] or ""
    if expected := _EXPECTED.fullmatch(what):
        wanted = " or ".join(_WORDS.get(name, name) for name in expected["wanted"].split(" | "))
        length = f" of {expected['length']}" if expected["length"] else ""
        what = f"must be {wanted}{length}, got {short(_at(plain, place))}"
    elif what.startswith("Invalid enum value"):
        what = f"{short(_at(plain, place))} is none of the values that it may have"
    elif named := _FIELD.fullmatch(what):
        what = f"{'lacks the' if 'missing' in named['what'] else 'unknown'} field {named['name']!r}"
    return f"{place}: {what}"


def _at(plain: Json, place: str) -> Json:
    """What stands at a place such as `.counts[0][1]`; `[...]` is any of a dict's, so what follows is not looked up."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", place):
        if index == "...":
            break
        plain = plain[int(index)] if index else plain[name]
    return plain
