"""The view as plain JSON, and the JSON schema of the view; both follow from the classes.

A new screen needs no change here. A value is an object of its fields, a tuple a list, a Fraction a number (totals
are whole or halves, shares are sixteenths: exact), a message its key, its values and its text. A screen also has
`"type"`, its class's name without "Screen" in snake case: "power_back".
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from referee.core.messages import Msg
from referee.core.model.view import Screen, View
from referee.core.values import Value
from referee.language.display import display_text
from referee.language.speech import SPEECH
from referee.language.words import speaking

_SIMPLE: dict[Any, str] = {int: "integer", str: "string", bool: "boolean", Fraction: "number", NoneType: "null"}


def view_document(view: View) -> dict[str, object]:
    """Return the view as JSON data. Each message has its text in the table's language."""
    with speaking(view.language, rounds=view.rounds):
        return cast(dict[str, object], document(view))


def document(value: object) -> object:
    """Return any value of a view as plain JSON.

    >>> from referee.core.model.view import StopScreen
    >>> document((StopScreen(), Fraction(5, 2), Fraction(4)))
    [{'type': 'stop', 'waiting': []}, 2.5, 4]
    """
    if isinstance(value, tuple):
        return [document(item) for item in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Msg):
        values = {name: document(held) for name, held in value.values}
        return {"key": value.key, "values": values, "text": display_text(value)}
    if not isinstance(value, Value):
        return value
    kind = type(value)
    named = {"type": type_name(kind)} if isinstance(value, Screen) else {}
    return named | {name: document(getattr(value, name)) for name in kind.__struct_fields__}


@cache
def type_name(kind: type) -> str:
    """Return the "type" that a screen of this class has as JSON.

    >>> from referee.core.model.view import PowerBackScreen
    >>> type_name(PowerBackScreen)
    'power_back'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__.removesuffix("Screen")).lower()


# -- the schema --------------------------------------------------------------------------------------------------------


def view_schemas() -> dict[str, object]:
    """Return class name -> JSON schema, for the view and everything in it."""
    found: dict[str, object] = {}
    _schema(View, found)
    return found


def _schema(hint: Any, found: dict[str, object]) -> dict[str, object]:
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if hint is Msg:
        return _message(found)
    if hint is Screen:
        return {"anyOf": [_reference(kind, found) for kind in SPEECH]}
    if isinstance(hint, type) and issubclass(hint, Value):
        return _reference(hint, found)
    members = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_schema(member, found) for member in members]}
    if get_origin(hint) is tuple:
        return _list(members, found)
    if get_origin(hint) is Literal:
        return {"enum": list(members)}
    raise TypeError(f"no JSON schema for {hint}")


def _message(found: dict[str, object]) -> dict[str, object]:
    """Add the JSON schema of `Msg` to `found`; return a reference to it."""
    properties: dict[str, object] = {
        "key": {"type": "string"},
        "values": {"type": "object"},
        "text": {"type": "string"},
    }
    summary = "A message: its key, its values by name, its text on the display in the table's language."
    found["Msg"] = {"type": "object", "description": summary, "properties": properties, "required": list(properties)}
    return {"$ref": "#/components/schemas/Msg"}


def _list(members: tuple[Any, ...], found: dict[str, object]) -> dict[str, object]:
    if members[-1] is Ellipsis:
        return {"type": "array", "items": _schema(members[0], found)}
    parts = [_schema(member, found) for member in members]
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}


def _reference(kind: type[Value], found: dict[str, object]) -> dict[str, object]:
    if kind.__name__ not in found:
        found[kind.__name__] = {}  # reserves the name: classes can refer to themselves
        found[kind.__name__] = _object(kind, found)
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _object(kind: type[Value], found: dict[str, object]) -> dict[str, object]:
    hints = get_type_hints(kind)
    properties: dict[str, object] = {"type": {"const": type_name(kind)}} if issubclass(kind, Screen) else {}
    properties |= {name: _schema(hints[name], found) for name in kind.__struct_fields__}
    summary = (kind.__doc__ or kind.__name__).split("\n", 1)[0]
    return {"type": "object", "description": summary, "properties": properties, "required": list(properties)}
