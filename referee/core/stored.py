"""Read and write events, records and states as JSON documents, and check them strictly.

Theory of operation. msgspec reads and writes by the classes' type hints. A document's "type" is its class's tag
(`values.py`); a Fraction is the text "7/2": {"type":"divided","at_ns":5000000,"shares":[["1","7/2"]]}. Reading is
strict, because a journal that is read differently would replay differently: a mismatch is a `CodecError`, one sentence
that names the place. A field with a default may be missing, so new fields can be added. Everything written is read
again and compared, so that nothing is saved that cannot be read back.

msgspec cannot choose a class by its base class: a phase within a phase, the hands of the current game. So this module
walks the parts of a state that hold such fields, and msgspec reads the rest. Undo and redo, the menu and the toast are
not written. Settings are written by `Setup.document`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from typing import cast, get_args

import msgspec

from referee.core.model.events import DECISIONS, PHONE_FACTS, Decision, Event
from referee.core.model.registry import all_games
from referee.core.model.state import Phase, State
from referee.core.model.table import Setup, Table
from referee.core.values import Document, Json, Value, replace, stored_name

_EVENTS = (*get_args(Event), *PHONE_FACTS, *DECISIONS)
EVENTS: Mapping[str, type] = {str(stored_name(kind)): kind for kind in _EVENTS if stored_name(kind)}
"""Stored name -> class of every event, facts before decisions."""
_WALKED = (State, Table, Phase)
_TAGGED = (*_WALKED, Decision)
"""Base classes of fields whose stored value names its subclass."""
_LEFT_BEHIND = ("undo", "redo", "menu", "toast")
_TO_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
_FRACTION = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")


class CodecError(ValueError):
    """A document that does not match its type, or a value that cannot be written; one sentence."""


def encode(event: Event) -> str:
    """Return an event as one line of ASCII JSON.

    Raises CodecError if reading it back would give another event.

    >>> from referee.core.model.events import Turned
    >>> encode(Turned(5, -2))
    '{"type":"turned","at_ns":5,"steps":-2}'
    """
    name = str(stored_name(type(event)))
    if EVENTS.get(name) is not type(event):
        raise CodecError(f"{short(event)} is no event")
    return _text(name, event, event, decode)


def decode(text: str | bytes) -> Event:
    """Read an event written by `encode`. Raises CodecError, one sentence."""
    try:
        return _decoder().decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return from_document(parse_json(text))  # to raise a more precise error


def to_document(event: Event) -> Document:
    """Return an event as a dict with "type" first.

    Raises CodecError if reading it back would give another event.
    """
    return cast(Document, parse_json(encode(event)))


def from_document(document: object) -> Event:
    """Read an event from a dict, without changing the dict. Raises CodecError, one sentence."""
    name = document.get("type") if type(document) is dict else None
    if type(name) is not str or name not in EVENTS:
        raise CodecError(f"an event is a JSON object with a type of {', '.join(EVENTS)}, got {short(document)}")
    return cast(Event, _load(name, EVENTS[name], _copy(name, document)))


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(cast(type[Event], reduce(or_, EVENTS.values())), dec_hook=_read_other)


# -- states ------------------------------------------------------------------------------------------------------------


def state_to_document(state: State) -> Document:
    """Return the state as plain JSON values.

    Raises CodecError if part of it could not be read again.
    """
    kept = replace(state, undo=None, redo=None, menu=None, toast=None)
    text = _text("state", kept, _plain(kept), lambda text: state_from_document(parse_json(text)))
    return cast(Document, parse_json(text))


def state_from_document(document: object) -> State:
    """Read a state written by `state_to_document`. Raises CodecError, one sentence.

    The classes of its phases must have been imported.
    """
    try:
        return cast(State, _read_tagged("state", State, document))
    except RecursionError:
        raise CodecError("state: it is nested too deeply") from None


def _plain(value: object) -> object:
    """Return a state, table, phase or setup as a dict, and a set as a sorted list.

    Other values stay unchanged: msgspec converts them.
    """
    if isinstance(value, Setup):
        return {"type": stored_name(Setup), **value.document()}
    if isinstance(value, _WALKED):
        parts = {kept: _plain(getattr(value, part.name)) for kept, part in _fields(type(value)).items()}
        return {"type": stored_name(type(value)), **parts}
    return sorted(value) if isinstance(value, frozenset) else value


def _read(place: str, hint: Json, plain: Json) -> Json:
    """Read a value of the type `hint` at this place of the document."""
    if hint == tuple[Json, ...]:
        return tuple(_read_tagged(f"{place}[{n}]", Value, part) for n, part in enumerate(_load(place, list, plain)))
    if hint is Setup and type(plain) is dict:
        pairs = {name: plain[name] for name in ("options", "names") if type(plain.get(name)) is dict}
        plain = plain | {name: [*map(list, part.items())] for name, part in pairs.items()}
    kinds = [kind for kind in get_args(hint) or (hint,) if isinstance(kind, type) and issubclass(kind, _TAGGED)]
    if not kinds:
        return _load(place, hint, plain)
    return None if plain is None and hint not in kinds else _read_tagged(place, kinds[0], plain)


def _read_tagged(place: str, base: type[Value], plain: Json) -> Value:
    """Read a value whose "type" names a subclass of `base`."""
    name = plain.get("type") if type(plain) is dict else None
    if type(name) is not str or (name not in _kinds(base) and not (all_games() and name in _kinds(base))):
        raise CodecError(f'{place}: must be a dict whose key "type" names a stored {base.__name__}, got {short(plain)}')
    kind = _kinds(base)[name]
    if not issubclass(kind, _WALKED):
        return cast(Value, _load(place, kind, plain))
    fields = _fields(kind)
    unknown = plain.keys() - {"type", *fields}
    if wrong := unknown or {kept for kept, part in fields.items() if part.required} - plain.keys():
        raise CodecError(f"{place}: {'unknown' if unknown else 'lacks the'} field {min(map(repr, wrong))}")
    held = [(kept, fields[kept]) for kept in plain if kept != "type"]
    return kind(**{part.name: _read(f"{place}.{kept}", part.type, plain[kept]) for kept, part in held})


def _kinds(base: type[Value]) -> dict[str, type[Value]]:
    """Return stored name -> class, for `base` and all its subclasses."""
    found = {name: kind for inner in base.__subclasses__() for name, kind in _kinds(inner).items()}
    return found | ({name: base} if (name := stored_name(base)) else {})


@cache
def _fields(kind: type[Value]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Return the stored fields of a class: name in documents -> field."""
    return {part.encode_name: part for part in msgspec.structs.fields(kind) if part.name not in _LEFT_BEHIND}


# -- any value ---------------------------------------------------------------------------------------------------------


def dump(kind: Json, value: object) -> Json:
    """Convert a value of type `kind` to plain JSON.

    Raises CodecError if reading it back would give another value.
    """
    name = getattr(kind, "__name__", str(kind))  # a union has no name
    return parse_json(_text(name, value, value, lambda text: _load(name, kind, parse_json(text))))


def load(kind: Json, plain: object) -> Json:
    """Read a value written by `dump`. Raises CodecError, one sentence that names the place."""
    name = getattr(kind, "__name__", str(kind))
    _load(name, kind, plain)  # reports field errors first
    return _load(name, kind, _copy(name, plain))


def parse_json(text: str | bytes) -> Json:
    """Parse JSON text. Raises CodecError if it is invalid; NaN is not allowed."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise CodecError(f"not a JSON document: {error}") from None


def short(value: object) -> str:
    """Shorten a value for an error to at most 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _copy(name: str, plain: object) -> Json:
    """Return an independent copy of a document.

    Raises CodecError for values that JSON does not have.
    """
    try:
        return parse_json(_TO_JSON(plain))
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"{name}: must be JSON values, but {error}") from None


def _text(name: str, value: object, plain: object, read: Callable[[str], object]) -> str:
    """Return the ASCII JSON of `plain`.

    Raises CodecError unless `read` returns the same value from it.
    """
    try:
        encoded = msgspec.json.encode(plain, enc_hook=_write_other)
    except (TypeError, ValueError, RecursionError) as error:
        raise CodecError(f"{name}: {error}") from None
    text = encoded.decode() if encoded.isascii() else _TO_JSON(parse_json(encoded))
    if (again := read(text)) != value:
        raise CodecError(f"{name}: {short(value)} would come back as {short(again)}")
    return text


def _load(name: str, kind: Json, plain: object) -> Json:
    try:
        return msgspec.convert(plain, kind, dec_hook=_read_other)
    except msgspec.ValidationError as error:
        raise CodecError(name + _sentence(plain, str(error))) from None


def _write_other(value: Json) -> object:
    """Write what msgspec does not support: fractions, and mappings other than dicts."""
    if type(value) is Fraction:
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{short(value)} has no form in JSON")


def _read_other(kind: type, value: Json) -> Json:
    """Read what msgspec does not support: nested documents, which stay unchanged, and fractions."""
    if kind is object:
        return value
    if type(value) is str and _FRACTION.fullmatch(value):
        return Fraction(value)
    raise ValueError(f'must be a fraction as text, such as "7/2", got {short(value)}')


_PLACED = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$(?P<place>.*)`)?", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<wanted>[^`]*)`(?: of length (?P<length>\d+))?, got .*", re.DOTALL)
_WORDS = {"int": "a whole number", "bool": "true or false", "str": "a text"}
_WORDS |= {"null": "nothing", "array": "a list", "object": "a dict"}


def _sentence(plain: Json, told: str) -> str:
    """Return msgspec's error in this program's words, with the place."""
    what, place = cast(re.Match[str], _PLACED.fullmatch(told)).group("what", "place")
    place = place or ""
    if expected := _EXPECTED.fullmatch(what):
        wanted = " or ".join(_WORDS.get(name, name) for name in expected["wanted"].split(" | "))
        length = f" of {expected['length']}" if expected["length"] else ""
        what = f"must be {wanted}{length}, got {short(_at(plain, place))}"
    elif what.startswith(("Invalid enum value", "Invalid value")):
        what = f"{short(_at(plain, place))} is none of the values that it may have"
    what = what.replace("Object missing required", "lacks the").replace("Object contains ", "").replace("`", "'")
    return f"{place}: {what}"


def _at(plain: Json, place: str) -> Json:
    """Return the value at a place such as `.counts[0][1]`.

    The search ends at the first `[...]`, which means any item of a dict.
    """
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", place.partition("[...]")[0]):
        plain = plain[int(index)] if index else plain[name]
    return plain
