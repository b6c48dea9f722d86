"""The core's English texts as messages, until it speaks in messages itself: a text is compared with templates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from referee.core.messages import Msg
from referee.core.model import view as v
from referee.core.values import replace
from referee.language.catalogue import ENGLISH, catalogue
from referee.language.told import BY_KEY, Told, shown

_CELL = {"refusal": "refusal"}
_PLACES: dict[type, Any] = {
    v.View: {"toast": "toast", "banner": "toast"},
    v.LobbyScreen: {"hint": "hint"},
    v.ReadyScreen: {"notes": "note"},
    v.CountdownScreen: {"word": "beat"},
    v.BurnScreen: {"word": "beat"},
    v.CountScreen: {"field_names": "field", "cells": _CELL},
    v.FixScreen: {"field_names": "field", "cells": _CELL},
    v.MenuScreen: {"title": "title", "items": "item", "value": "choice"},
    v.PowerBackScreen: {"phase": "phase"},
    v.VoteScreen: {"question": "ask"},
}
"""Which fields of a view are texts of the core, and of which kind."""


def localised(view: v.View) -> v.View:
    """The view with the core's texts in the language that is spoken (words.speaking)."""
    told: v.View = _told(view, _PLACES[v.View])
    return replace(told, screen=_told(view.screen, _PLACES.get(type(view.screen), {})))


def _told(value: Any, place: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_told(item, place) for item in value)
    if isinstance(place, dict):
        return replace(value, **{name: _told(getattr(value, name), kind) for name, kind in place.items()})
    return said(value, place)


def said(text: str, place: str) -> str:
    """The text in the language that is spoken; unchanged when it is none of the place's messages."""
    found = message_of(text, place)
    return text if found is None else shown(found)


@cache
def message_of(text: str, place: str) -> Msg | None:
    """The first message of the place that the text fits."""
    for word in _words(place):
        match = _pattern(word).fullmatch(text)
        if match:
            return Msg(word.key, tuple((name, _value(name, value)) for name, value in match.groupdict().items()))
    return None


def _words(place: str) -> Sequence[Told]:
    places = ("title", "item") if place == "title" else (place,)
    return [word for word in BY_KEY.values() if word.place in places]


def _value(name: str, text: str) -> Msg | str | int:
    inner = message_of(text.lower(), "undo") if name == "what" else None
    inner = message_of(text, "choice") if name == "choice" else inner
    return inner or (int(text) if name == "count" else text)


@cache
def _pattern(word: Told) -> re.Pattern[str]:
    """The template as an expression: a value whose widest one is a number is digits, another anything."""
    text = catalogue(ENGLISH).forms((word.place, word.key))[-1]
    pieces = re.split(r"\{(\w+)\}", text)
    texts = [re.escape(piece) for piece in pieces[::2]]
    kinds = {name: r"\d+" if isinstance(value, int) else ".+" for name, value in word.widest.items()}
    groups = [f"(?P<{name}>{kinds[name]})" for name in pieces[1::2]]
    return re.compile("".join(a + b for a, b in zip(texts, [*groups, ""], strict=True)))
