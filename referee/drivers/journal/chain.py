"""The chain over a journal's rows: each row's link is a hash of the link before it and of what the row holds.

Theory of operation. A changed row fits its own link no more, a moved or missing one breaks the link of the row behind
it, and a changed link breaks two. Names of people stand outside: a body holds `{"who": 3}` where a name was, and the
name stands in the table `name` under a sum of its own. So a name can be forgotten and the chain still holds. Marks have
a chain of their own.

A link finds what was damaged. It is no seal against somebody who can write the file and computes all links anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

LINK_BYTES = 16
WHO = "who"
_TO_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def link_after(before: bytes, *content: object) -> bytes:
    """The link of a row that holds these plain values and stands behind the row with the link `before`."""
    return blake2b(before + _TO_JSON(content).encode(), digest_size=LINK_BYTES).digest()


def edge_link(before: bytes, seq: int, boot: str, values: tuple[object, ...]) -> bytes:
    """The link of an edge row; values: its columns behind seq and boot."""
    station, closed, *rest = values
    return link_after(before, "edge", seq, boot, station, int(closed == 1), *rest)


def event_link(before: bytes, seq: int, boot: str, values: tuple[object, ...], base: int | None) -> bytes:
    """The link of an event; base: of its milestone, None where it is none."""
    return link_after(before, "event", seq, boot, *values, base)


def name_sum(number: int, body: str) -> bytes:
    """What stands beside a name: whether it is still as it was written."""
    return link_after(b"name", number, body)


def packed_sum(seq: int, link: bytes, matches: int) -> bytes:
    """What stands beside the row that says what is packed."""
    return link_after(b"packed", seq, link.hex(), matches)


def origin_sum(file: bytes, anchor: bytes, matches: int) -> bytes:
    """What stands in the row `origin` beside its values."""
    return link_after(b"origin", file.hex(), anchor.hex(), matches)


def opening_sum(columns: Sequence[Any]) -> bytes:
    """What stands beside an `Opened` that is written a second time; columns: its row's, with its link and its base."""
    seq, boot, at_ns, kind, body, wall_s, link, base = columns
    return link_after(b"opening", seq, boot, at_ns, kind, body, wall_s, link.hex(), base)


def opening_fits(columns: Sequence[Any], own: object) -> bool:
    """Whether that sum is still the one of these columns, whatever they have become."""
    try:
        return opening_sum(columns) == own
    except (TypeError, ValueError, AttributeError):  # a value of a type that no such row has
        return False


def without_names(document: Any, number_of: Callable[[str], int]) -> Any:
    """A copy of an event's document with a number for each name: under the key "name", and in a dict "names"."""
    if isinstance(document, list):
        return [without_names(part, number_of) for part in document]
    if not isinstance(document, dict):
        return document
    changed: dict[str, Any] = {}
    for key, value in document.items():
        if key == "name" and isinstance(value, str):
            changed[key] = {WHO: number_of(value)}
        elif key == "names" and isinstance(value, dict):
            changed[key] = {k: {WHO: number_of(v)} if isinstance(v, str) else v for k, v in value.items()}
        else:
            changed[key] = without_names(value, number_of)
    return changed


def with_names(document: Any, name_of: Callable[[int], str]) -> Any:
    """The document that `without_names` was given, its numbers replaced by what `name_of` calls them."""
    if isinstance(document, list):
        return [with_names(part, name_of) for part in document]
    if not isinstance(document, dict):
        return document
    if len(document) == 1 and isinstance(document.get(WHO), int):
        return name_of(document[WHO])
    return {key: with_names(value, name_of) for key, value in document.items()}


def plain_body(document: Any) -> str:
    """A document as the journal keeps it."""
    return _TO_JSON(document)
