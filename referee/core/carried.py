"""A state as a document, so that a journal can begin in the middle of an evening.

Theory of operation. A state is frozen values within frozen values, many of them shared. Each value is written once,
as its class and its fields, into a list; whatever holds it names its place there:

    {"values": [{"is": "signals.Contact", "station": "1", ...}, {"is": "state.State", "contacts": [{"at": 0}], ...}]}

The last one is the state. A tuple is an array, a Fraction {"fraction": "7/2"}, a set {"set": [...]}, the settings what
`Setup.document` says. What can be undone stays behind: it is as large as the evening, and what is left of it by then
is not worth that. The knob's list and the short answer go, too; who pushes again finds the list again.

Reading takes only values of the core. What it cannot read is one sentence (`CodecError`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from types import MappingProxyType
from typing import Any

from referee.core.plain import CodecError, short
from referee.core.state import Setup, State
from referee.core.values import Value, replace

_ROOM = "referee.core."


def carried(state: State) -> dict[str, object]:
    """The state as a document of plain JSON values. CodecError if something in it is no value of the core."""
    writer = _Writer()
    writer.plain(replace(state, undo=None, redo=None, menu=None, toast=None))
    return {"values": writer.values}


def taken_up(document: Mapping[str, object]) -> State:
    """The state that `carried` wrote. CodecError in one sentence for anything else."""
    try:
        values: list[Any] = []
        for value in document["values"]:  # type: ignore[attr-defined]
            values.append(_made(value, values))
        state = values[-1]
    except (AttributeError, ImportError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CodecError(f"this state cannot be read: {type(error).__name__}: {error}") from None
    if not isinstance(state, State):
        raise CodecError(f"this is no state: {short(state)}")
    return state


class _Writer:
    """The list of values so far, and which place each has."""

    def __init__(self) -> None:
        self.values: list[dict[str, object]] = []
        self._places: dict[int, int] = {}

    def plain(self, value: Any) -> object:
        """A value as whatever holds it writes it."""
        match value:
            case Enum():
                return {"enum": _name(type(value)), "value": value.value}
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
        if not isinstance(value, Value) or not type(value).__module__.startswith(_ROOM):
            raise CodecError(f"no value of the core: {short(value)}")
        if id(value) not in self._places:
            parts = value.document() if isinstance(value, Setup) else self._parts(value)
            self._places[id(value)] = len(self.values)
            self.values.append({"is": _name(type(value)), **parts})
        return {"at": self._places[id(value)]}

    def _parts(self, value: Any) -> dict[str, object]:
        return {name: self.plain(getattr(value, name)) for name in value.__struct_fields__}


def _name(kind: type) -> str:
    return f"{kind.__module__.removeprefix(_ROOM)}.{kind.__name__}"


def _kind(name: str) -> Any:
    """The class of that name, if it is one of the core's values."""
    module, _, own = name.rpartition(".")
    kind = getattr(import_module(_ROOM + module), own)
    if not isinstance(kind, type) or not issubclass(kind, Value | Enum):
        raise ValueError(f"{name} is no value of the core")
    return kind


def _made(plain: Mapping[str, Any], values: Sequence[Any]) -> Any:
    """A value of the list, those before it given."""
    kind = _kind(plain["is"])
    fields = {name: part for name, part in plain.items() if name != "is"}
    if kind is Setup:
        return Setup.from_document(fields)
    return kind(**{name: _read(part, values) for name, part in fields.items()})


def _read(plain: Any, values: Sequence[Any]) -> Any:
    match plain:
        case list():
            return tuple(_read(part, values) for part in plain)
        case {"at": place}:
            return values[place]
        case {"fraction": text}:
            return Fraction(text)
        case {"set": parts}:
            return frozenset(_read(part, values) for part in parts)
        case {"map": parts}:
            return MappingProxyType({key: _read(part, values) for key, part in parts.items()})
        case {"enum": name, "value": value}:
            return _kind(name)(value)
    return plain
