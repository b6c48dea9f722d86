"""Events to and from JSON documents, driven by the dataclasses alone.

Theory of operation. Nothing here knows a single event: the types are the members of `events.Event`, and what their
fields hold is read and written by the rules that plain.py makes of the type hints. A document is the event's fields
beside `"v"`, the version of this format, and `"type"`, the class's name:

    {"v":1,"type":"Turned","at_ns":5000000,"steps":-2}

Reading is strict, since a journal that is read leniently replays differently: an unknown type or field, a missing
field, a value of another type or a newer version is one sentence (`CodecError`). A field that has a default may be
left out: that is how a new field joins an event without a new version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import cast, get_args

from referee.core.events import Event
from referee.core.plain import CodecError, dump, load, short

__all__ = ["VERSION", "CodecError", "decode", "dump", "encode", "event_types", "from_document", "load", "to_document"]

VERSION = 1
_TO_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def encode(event: Event) -> str:
    """An event as one line of ASCII JSON. CodecError if a field holds what its type does not allow.

    >>> from referee.core.events import Turned
    >>> encode(Turned(5, -2))
    '{"v":1,"type":"Turned","at_ns":5,"steps":-2}'
    """
    return _TO_JSON(to_document(event))


def decode(text: str | bytes) -> Event:
    """The event that `encode` wrote. CodecError in one sentence for anything else."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"not a JSON document: {error}") from None
    return from_document(document)


def to_document(event: Event) -> dict[str, object]:
    """An event as a plain dict with "v" and "type" first. CodecError if a field holds what its type does not allow."""
    name = type(event).__name__
    return {"v": VERSION, "type": name, **cast(dict[str, object], dump(_class_of(name), event))}


def from_document(document: object) -> Event:
    """The event in a plain dict, which stays as it was. CodecError in one sentence if there is none."""
    if type(document) is not dict:
        raise CodecError(f"an event must be a JSON object, got {short(document)}")
    fields = document.copy()
    version = fields.pop("v", None)
    if version != VERSION or type(version) is not int:
        raise CodecError(_version_sentence(version))
    return cast(Event, load(_class_of(fields.pop("type", None)), fields))


@cache
def event_types() -> Mapping[str, type]:
    """Name to class of every event, in the order of events.py."""
    return {member.__name__: member for member in get_args(Event)}


def _class_of(name: object) -> type:
    found = event_types().get(name) if isinstance(name, str) else None
    if found is None:
        raise CodecError(f"the event type {short(name)} is unknown; known are {', '.join(event_types())}")
    return found


def _version_sentence(version: object) -> str:
    if type(version) is int and version > VERSION:
        return f"the event has format {version}, written by a newer referee; this one reads up to {VERSION}"
    return f'the event\'s format "v" must be {VERSION}, got {short(version)}'
