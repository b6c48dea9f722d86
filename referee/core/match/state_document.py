"""A state as a document, so that a journal can begin in the middle of an evening.

Theory of operation. A state is frozen values within frozen values, many of them shared. Each value is written once,
as its stored name and its fields, into a list; whatever holds it names its place there:

    {"format": 2, "values": [{"is": "contact", "station": "1", ...}, {"is": "state", "contacts": [{"at": 0}], ...}]}

The last one is the state. A tuple is an array, a Fraction {"fraction": "7/2"}, a set {"set": [...]}, the settings what
`Setup.document` says. What can be undone stays behind: it is as large as the evening, and what is left of it by then
is not worth that. The knob's list and the short answer go, too; who pushes again finds the list again.

Every value is compared with its class's type hints, when it is written and when it is read. What does not fit is one
sentence (`CodecError`). Format 1 said where the class of a value was ("signals.Contact"): `oldnames.STATES` knows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import cache
from types import MappingProxyType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import referee.core.match.transition_table  # noqa: F401 - its phases give themselves their names
from referee.core.model.registry import all_games
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.stored import oldnames
from referee.core.stored.codec import CodecError, short
from referee.core.values import KINDS, Json, Value, replace, stored_name

FORMAT = 2


def state_to_document(state: State) -> dict[str, object]:
    """The state as a document of plain JSON values. CodecError if something in it could not be read again."""
    writer = _Writer()
    writer.plain(replace(state, undo=None, redo=None, menu=None, toast=None))
    return {"format": FORMAT, "values": writer.values}


def state_from_document(document: Mapping[str, object]) -> State:
    """The state that `state_to_document` wrote. CodecError in one sentence for anything else."""
    try:
        old = _is_old(document.get("format", 1))
        state = _all_made(document["values"], old)[-1]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise CodecError(f"this state cannot be read: {type(error).__name__}: {error}") from None
    if not isinstance(state, State):
        raise CodecError(f"this is no state: {short(state)}")
    return state


def _is_old(version: object) -> bool:
    if type(version) is int and version > FORMAT:
        raise ValueError(f"it has format {version}, written by a newer referee; this one reads up to {FORMAT}")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format must be a number from 1 to {FORMAT}, not {short(version)}")
    return version < FORMAT


# -- writing -----------------------------------------------------------------------------------------------------------


class _Writer:
    """The list of values so far, and which place each has."""

    def __init__(self) -> None:
        self.values: list[dict[str, object]] = []
        self._places: dict[int, int] = {}

    def plain(self, value: Any) -> object:  # Any: a value, or what a value holds
        """A value as whatever holds it writes it."""
        match value:
            case Enum():
                return {"enum": _name(value), "value": value.value}
            case None | bool() | int() | str():
                return value
            case tuple():
                return [self.plain(part) for part in value]
            case Fraction():
                return {"fraction": str(value)}
            case frozenset():
                return {"set": [self.plain(part) for part in sorted(value)]}
            case Mapping():
                return {"map": {key: self.plain(part) for key, part in value.items()}}
        if id(value) not in self._places:
            own = {"is": _name(value), **self._parts(value)}
            self._places[id(value)] = len(self.values)
            self.values.append(own)
        return {"at": self._places[id(value)]}

    def _parts(self, value: Value) -> Mapping[str, object]:
        if isinstance(value, Setup):
            return value.document()
        _check(value)
        return {kept: self.plain(getattr(value, name)) for kept, name in _fields(type(value)).items()}  # whichever


def _name(value: object) -> str:
    name = stored_name(type(value))
    if name is None:
        raise CodecError(f"no value that is stored: {short(value)}")
    return name


# -- reading -----------------------------------------------------------------------------------------------------------


def _all_made(plain: Json, old: bool) -> list[Json]:
    """The values of the list; each may hold those before it."""
    values: list[Json] = []
    for number, own in enumerate(plain):
        try:
            values.append(_make(own, values, old))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ValueError(f"values[{number}]: {type(error).__name__}: {error}") from None
    return values


def _make(plain: Mapping[str, Json], values: Sequence[Json], old: bool) -> Json:
    kind = _kind(plain["is"], old)
    fields = {name: part for name, part in plain.items() if name != "is"}
    for was, now in oldnames.MOVED.get(stored_name(kind) or "", {}).items():
        fields[now] = fields.pop(was, None) or fields.get(now, [])
    if kind is Setup:
        return Setup.from_document(fields)
    own = _fields(kind)
    value = kind(**{own.get(kept, kept): _read_field(kept, _read(part, values, old)) for kept, part in fields.items()})
    _check(value)
    return value


def _read_field(name: str, held: Json) -> Json:
    """A field's value; what an older release said there in English by its key."""
    if name in oldnames.TEXT_FIELDS and isinstance(held, str):
        return oldnames.key_of(held)
    if name == "asks" and isinstance(held, tuple):
        return tuple((station, oldnames.ASKED.get(asked, asked)) for station, asked in held)
    return held


def _read(plain: Json, values: Sequence[Json], old: bool) -> Json:
    match plain:
        case list():
            return tuple(_read(part, values, old) for part in plain)
        case {"at": place}:
            return values[place]
        case {"fraction": text}:
            return Fraction(text)
        case {"set": parts}:
            return frozenset(_read(part, values, old) for part in parts)
        case {"map": parts}:
            return MappingProxyType({key: _read(part, values, old) for key, part in parts.items()})
        case {"enum": name, "value": value}:
            return _kind(name, old)(value)
    return plain


def _kind(name: str, old: bool) -> Json:
    """The class of that stored name; of an old one's, if it is so old."""
    was = oldnames.STATES.get(name, "") if old else name
    own = oldnames.RENAMED.get(was, was)
    if own not in KINDS:
        all_games()  # brings theirs
    if own not in KINDS:
        raise ValueError(f"{short(name)} is no kind of value that is stored")
    return KINDS[own]


# -- types -------------------------------------------------------------------------------------------------------------


def _check(value: Value) -> None:
    """CodecError unless each field holds what its type hint says."""
    for name, hint in _hints(type(value)).items():
        held = getattr(value, name)  # every field, whichever there are
        if not _fits(hint, held):
            raise CodecError(f"{stored_name(type(value))}.{name}: does not fit, got {short(held)}")


@cache
def _fields(kind: type[Value]) -> Mapping[str, str]:
    """What each field is called in a document -> in the class."""
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


@cache
def _hints(kind: type[Value]) -> dict[str, object]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__struct_fields__}


def _fits(hint: Any, value: object) -> bool:  # Any: a class, a union, a generic
    origin, members = get_origin(hint), get_args(hint)
    if hint is Any:  # Any: a field that takes whatever there is
        return True
    if origin in (Union, UnionType):
        return any(_fits(member, value) for member in members)
    if origin is tuple:
        alike = members[-1:] == (Ellipsis,)
        parts = members[:1] * len(value) if alike and isinstance(value, tuple) else members
        return isinstance(value, tuple) and len(parts) == len(value) and all(map(_fits, parts, value))
    if origin is frozenset:
        return isinstance(value, frozenset) and all(_fits(members[0], part) for part in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(all(map(_fits, members, pair)) for pair in value.items())
    return type(value) is hint if hint in (int, bool) else isinstance(value, hint)
