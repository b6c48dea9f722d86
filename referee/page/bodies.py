"""The bodies of phones' requests: a schema for each kind, to read it and to document it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.core.phases.adjusting import MOST_POINTS, REASONS
from referee.core.phases.fixing import CORRECTIONS
from referee.core.values import Json
from referee.protocol.page import ROLES

NUMBER_MOST = 10_000
Schema = dict[str, Any]


def _integer(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(items: Schema, least: int, most: int) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


_BOOLEAN: Schema = {"type": "boolean"}
_SEAT = _integer(1, 99)
_NAME = _text(2048)  # code points; the core says how many letters a name has
_PHONE = _text(32)
_NUMBERS = _list(_integer(-NUMBER_MOST, NUMBER_MOST), 1, 8)  # more than any count has
_VALUE: Schema = {"anyOf": [_text(64), _integer(-NUMBER_MOST, NUMBER_MOST**3), _BOOLEAN]}
BODIES: Mapping[str, Mapping[str, Schema]] = {
    "pair": {"code": _text(32)},
    "seat": {"seat": _SEAT, "name": _NAME},
    "code": {},
    "count": {"numbers": _NUMBERS, "seat": _SEAT},
    "worth": {"numbers": _NUMBERS, "seat": _SEAT},
    "pause": {"pause": _BOOLEAN},
    "vote": {"yes": _BOOLEAN},
    "team": {"seats": _list(_SEAT, 2, 2), "together": _BOOLEAN},
    "correct": {"reason": {"enum": list(CORRECTIONS)}, "hand": _integer(1, 999), "numbers": _NUMBERS, "seat": _SEAT},
    "give": {"reason": {"enum": list(REASONS)}, "points": _integer(-MOST_POINTS, MOST_POINTS), "seat": _SEAT},
    "role": {"role": {"enum": list(ROLES)}, "phone": _PHONE},
    "revoke": {"phone": _PHONE},
    "start": {},
    "set": {"value": _VALUE, "setting": _text(64)},
    "house": {"act": {"enum": ["save", "use", "forget"]}, "name": _NAME},
}
"""Kind of request -> the members of its body, in the order in which they are checked."""


class BodyError(ValueError):
    """The body of a request is invalid. The error's text is one sentence."""


def read_body(do: str, document: Json) -> dict[str, Json]:
    """Return the members that a request of kind `do` has, after checking their values.

    >>> read_body("vote", {"yes": True, "more": 1})
    {'yes': True}
    >>> read_body("role", {"role": "king"})
    Traceback (most recent call last):
    referee.page.bodies.BodyError: "role" must be one of own, keeper, host.
    """
    if not isinstance(document, dict):
        raise BodyError("The body must be a JSON object.")
    return {key: _value(f'"{key}"', document.get(key), schema) for key, schema in BODIES[do].items()}


def _value(what: str, value: Json, schema: Schema) -> Json:
    if "anyOf" in schema:
        schema = _schema_of(what, value, schema["anyOf"])
    if "enum" in schema:
        if value not in schema["enum"]:
            raise BodyError(f"{what} must be one of {', '.join(schema['enum'])}.")
        return value
    return _READERS[schema["type"]](what, value, schema)


def _schema_of(what: str, value: Json, schemas: list[Schema]) -> Schema:
    kind = {str: "string", int: "integer", bool: "boolean"}.get(type(value))
    for schema in schemas:
        if schema["type"] == kind:
            return schema
    raise BodyError(f"{what} must be a text, a whole number, true or false.")


def _read_integer(what: str, value: Json, schema: Schema) -> Json:
    least, most = schema["minimum"], schema["maximum"]
    if type(value) is not int or not least <= value <= most:
        raise BodyError(f"{what} must be a whole number from {least} to {most}.")
    return value


def _read_text(what: str, value: Json, schema: Schema) -> Json:
    if not isinstance(value, str) or len(value) > schema["maxLength"]:
        raise BodyError(f"{what} must be a text of at most {schema['maxLength']} characters.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BodyError(f"{what} has half a character (a lone surrogate); allowed is whole text.") from None
    return value


def _read_boolean(what: str, value: Json, schema: Schema) -> Json:
    if type(value) is not bool:
        raise BodyError(f"{what} must be true or false.")
    return value


def _read_list(what: str, value: Json, schema: Schema) -> Json:
    least, most = schema["minItems"], schema["maxItems"]
    if not isinstance(value, list) or not least <= len(value) <= most:
        count = most if least == most else f"{least} to {most}"
        raise BodyError(f"{what} must be a list of {count} whole numbers.")
    return [_value(f"Each of {what}", item, schema["items"]) for item in value]


_READERS = {"integer": _read_integer, "string": _read_text, "boolean": _read_boolean, "array": _read_list}
