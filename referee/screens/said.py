"""What the core says in a view, in the table's language.

The core writes English and knows no language: "2 BEN CAN PLAY", "Undo: verdict". Here stand its texts as templates,
each kind with its place's limit; a text is matched with them, and said anew with the same values. A text that fits no
template is shown as it is, so a forgotten one is visible and harmless (a test looks for them).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from referee.core.model import view as v
from referee.core.values import replace
from referee.screens.words import MIDDLE, SMALL, Word

ITEM = 19  # a line of the knob's list, in small letters beside the triangle

WHAT = tuple(
    Word(text, 11)
    for text in (
        "join",
        "leave",
        "pair",
        "name",
        "start",
        "sits out",
        "is back",
        "newcomer",
        "button",
        "mute",
        "move",
        "knock",
        "31",
        "not 31",
        "place",
        "verdict",
        "overrule",
        "division",
        "void",
        "end of hand",
        "count",
        "correction",
        "setting",
        "match end",
        "rematch",
        "resume",
        "new table",
    )
)
"""What can be undone; a value of other texts."""

CHOICES = tuple(
    Word(text, 8)
    for text in (
        "none",
        "burn",
        "rotate",
        "redeal",
        "abandon",
        "score",
        "play on",
        "zero",
        "winner",
        "minus",
        "3x minus",
        "distance",
        "any",
        "first 31",
        "at 31",
        "off",
        "low",
        "mid",
        "loud",
        "high",
    )
)
"""What a setting can be set to, where it is a word; a value of other texts."""

ITEMS = (
    Word("Start: {count} teams", ITEM, count=8),
    Word("Resume {score}", ITEM, score="64:51:38:12"),
    Word("Rematch", ITEM),
    Word("Other table", ITEM),
    Word("Start without {seats}", ITEM, seats="3,7"),
    Word("{seat} joins at lowest", ITEM, seat=8),
    Word("{seat} joins", ITEM, seat=8),
    Word("Go on", ITEM),
    Word("Stuck", ITEM),
    Word("Stuck, no play", ITEM),
    Word("Stuck after play", ITEM),
    Word("Burn Nertz pile", ITEM),
    Word("Verdict stands", ITEM),
    Word("False call", ITEM),
    Word("Tie", ITEM),
    Word("Another first", ITEM),
    Word("Divide bonus", ITEM),
    Word("Photo finish", ITEM),
    Word("Void hand", ITEM),
    Word("Time out", ITEM),
    Word("No other 31", ITEM),
    Word("Not a 31", ITEM),
    Word("Late 31", ITEM),
    Word("A 31", ITEM),
    Word("Knock", ITEM),
    Word("One place more", ITEM),
    Word("Undo: {what}", ITEM, what="end of hand"),
    Word("Redo: {what}", ITEM, what="end of hand"),
    Word("Count by knob", ITEM),
    Word("Fix counts", ITEM),
    Word("Game", ITEM),
    Word("House rules", ITEM),
    Word("Sound, language", ITEM),
    Word("Device", ITEM),
    Word("Check", ITEM),
    Word("Off", ITEM),
    Word("Switch off", ITEM),
    Word("Address", ITEM),
    Word("More", ITEM),
    Word("Target: {choice}", ITEM, choice="500"),
    Word("Bonus: {choice}", ITEM, choice="25"),
    Word("Penalty: {choice}", ITEM, choice="3"),
    Word("Stuck: {choice}", ITEM, choice="abandon"),
    Word("False: {choice}", ITEM, choice="play on"),
    Word("Tie: {choice}", ITEM, choice="100 ms"),
    Word("Handicap: {choice}", ITEM, choice="distance"),
    Word("Lives: {choice}", ITEM, choice="5"),
    Word("Three: {choice}", ITEM, choice="none"),
    Word("Knock from: {choice}", ITEM, choice="any"),
    Word("Places: {choice}", ITEM, choice="6"),
    Word("Ends: {choice}", ITEM, choice="first 31"),
    Word("Volume: {choice}", ITEM, choice="loud"),
    Word("Language: {choice}", ITEM, choice="Italiano"),
    Word("Hold: {choice}", ITEM, choice="0.8 s"),
    Word("Bright: {choice}", ITEM, choice="high"),
    Word("Teams", ITEM),
    Word("Name", ITEM),
    Word("Other button", ITEM),
    Word("Button {seat}", ITEM, seat=8),
    Word("Mute", ITEM),
    Word("Mute {seat}", ITEM, seat=8),
    Word("Unmute", ITEM),
    Word("Leave", ITEM),
    Word("{seat} leaves", ITEM, seat=8),
    Word("Call by voice", ITEM),
    Word("End match", ITEM),
    Word("Play on", ITEM),
    Word("Back", ITEM),
)
TITLES = (
    Word("TIME OUT", 8),
    Word("LATE: {seat} {name}", 17, seat=8, name="WWWWWW"),
    Word("CLOSE: TIE", 17),
    Word("CLOSE: {who}", 17, who="8Wi ~ 7Wi"),
    Word("OVER AT HAND {hand}?", 17, hand=99),
    Word("SWITCH OFF?", 17),
    Word("{seat} JOINS?", 17, seat=8),
    Word("{preset} to {target}", 18, preset="RACING-DEM", target=999),
)
TOASTS = (
    Word("TOO LATE", SMALL),
    Word("ALL BUTTONS WORK", SMALL),
    Word("{seat} {name} EARLY", SMALL, seat=8, name="WWWWWW"),
    Word("NOT CHANGED", SMALL),
    Word("WAIT", SMALL),
    Word("POWER WAS OFF", SMALL),
    Word("TWO TEAMS AT LEAST", SMALL),
    Word("LET GO {seat}", SMALL, seat=8),
    Word("LATE PRESS {seat}", SMALL, seat=8),
    Word("{seat} JOINS? PUSH KNOB", SMALL, seat=8),
    Word("{seat} {name} CAN PLAY", SMALL, seat=8, name="WWWWWW"),
    Word("UNDONE: {what}", SMALL, what="END OF HAND"),
    Word("REDONE: {what}", SMALL, what="END OF HAND"),
    Word("NOT SAVED", SMALL),
    Word("JOURNAL: SEE THE LOG", SMALL),
    Word("CHECK WHERE YOU ARE", SMALL),
    Word("REFEREE: SEE THE LOG", SMALL),
    *(Word(f"NO {part}", SMALL) for part in ("BUTTONS", "LAMPS", "SOUND", "DISPLAY", "PODS", "BOTS")),
    Word("NO LINK {seats}", SMALL, seats="1,2,4,5,7,8"),
    Word("CLOCK {seats} ±{ms} MS", SMALL, seats="1,3,5-8", ms=99),
)
HINTS = (
    Word("PUSH: GO ON", MIDDLE),
    Word("TWO AT A TIME", MIDDLE),
    Word("ALREADY A PAIR", MIDDLE),
    Word("{seat}: LET GO", MIDDLE, seat=8),
)
_ASKED = (
    "END MATCH?",
    "FALSE CALL?",
    "TIE?",
    "FIRST?",
    "VOID HAND?",
    "END HAND?",
    "NERTZ?",
    "BONUS?",
    "NOT A 31?",
    "31?",
    "RIDE ON?",
)
QUESTIONS = (
    *(Word(text, 15) for text in _ASKED),
    Word("BONUS {parts}?", 15, parts="9:8:8"),
)
BEATS = (Word("READY", 8), Word("SET", 8), Word("GO!", 5), Word("BURN", 8))
REFUSALS = (
    Word("{sum} > {most} CARDS", SMALL, sum="45+13", most=52),
    Word("{sum} < {least} CARDS", SMALL, sum="99", least=0),
    Word("{sum} > {most} LEFT: CALLED", SMALL, sum="13", most=0),
    Word("{sum} > {most} LEFT", SMALL, sum="14", most=13),
    Word("{sum} > {most} KINGS", SMALL, sum="14", most=4),
    Word("{value} < {least} TO KNOCK", SMALL, value="30½", least=21),
    Word("31: PUSH THE KNOB", SMALL),
    Word("NO HALF BUT 30½", SMALL),
)
NOTES = (Word("{who} deals {count}", SMALL, who="8Wi", count=99), Word("{who} deals", SMALL, who="8Wi"))
FIELDS = (
    Word("½", 1),
    Word("VALUE {digit}", 10, digit="tens"),
    Word("LEFT", 5),
    Word("KINGS", 5),
    Word("LAKE {digit}", 10, digit="tens"),
)
PHASES = tuple(
    Word(text, MIDDLE)
    for text in (
        "READY",
        "STARTING",
        "PLAYING",
        "DECLARED",
        "CALLED",
        "VERDICT",
        "COUNTING",
        "RESUMING",
        "STOPPED",
        "TIMEOUT",
        "STUCK",
        "SEARCH",
        "BURNING",
        "VOTE",
        "FIXING",
        "CHECK",
        "OFF",
        "OVER",
    )
)

FieldPath = tuple[Word, ...]
_CELL: Mapping[str, Any] = {"refusal": REFUSALS}
_PLACES: dict[type, Mapping[str, Any]] = {
    v.View: {"toast": TOASTS, "banner": TOASTS},
    v.LobbyScreen: {"hint": HINTS},
    v.ReadyScreen: {"notes": NOTES},
    v.CountdownScreen: {"word": BEATS},
    v.BurnScreen: {"word": BEATS},
    v.CountScreen: {"field_names": FIELDS, "cells": _CELL},
    v.FixScreen: {"field_names": FIELDS, "cells": _CELL},
    v.MenuScreen: {"title": (*TITLES, *ITEMS), "items": ITEMS, "value": CHOICES},
    v.PowerBackScreen: {"phase": PHASES},
    v.VoteScreen: {"question": QUESTIONS},
}
"""Which fields of a view are texts of the core, and of which kind."""


def localised(view: v.View) -> v.View:
    """The view with the core's texts in the language that is spoken (words.speaking)."""
    told: v.View = _told(view, _PLACES[v.View])
    return replace(told, screen=_told(view.screen, _PLACES.get(type(view.screen), {})))


def _told(value: Any, place: Any) -> Any:
    """A text, or every one in a tuple, or the fields of a dataclass that `place` names."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_told(item, place) for item in value)
    if isinstance(place, Mapping):
        return replace(value, **{name: _told(getattr(value, name), kind) for name, kind in place.items()})
    return said(value, place)


def said(text: str, place: FieldPath) -> str:
    """The text in the language that is spoken; unchanged when it is none of the place's messages.

    >>> said("Undo: verdict", ITEMS), said("3 Anna", ITEMS)
    ('Undo: verdict', '3 Anna')
    """
    found = find(text, place)
    if found is None:
        return text
    return found.word(**{name: _inner.get(name, str)(value) for name, value in found.values.items()})


class Found(NamedTuple):
    """The message that a text is, and its values there."""

    word: Word
    values: dict[str, str]


def find(text: str, place: Sequence[Word]) -> Found | None:
    """The first message of the place that the text fits."""
    matches = ((word, _pattern(word).fullmatch(text)) for word in place)
    return next((Found(word, match.groupdict()) for word, match in matches if match), None)


def _what(text: str) -> str:
    """The name of what was undone, in the letters that the place has: "VERDICT" gives "URTEIL"."""
    told = said(text.lower(), WHAT)
    return told.upper() if text.isupper() else told


def _choice(text: str) -> str:
    """What a setting is set to: words are translated, numbers stay."""
    return said(text, CHOICES)


_inner: Mapping[str, Callable[[str], str]] = {"what": _what, "choice": _choice}
"""Values that are texts of the core themselves."""


@cache
def _pattern(word: Word) -> re.Pattern[str]:
    """The template as an expression: a value whose widest one is a number is digits, another anything."""
    pieces = re.split(r"\{(\w+)\}", word.message)
    texts = [re.escape(piece) for piece in pieces[::2]]
    kinds = {name: r"\d+" if isinstance(value, int) else ".+" for name, value in word.widest.items()}
    groups = [f"(?P<{name}>{kinds[name]})" for name in pieces[1::2]]
    return re.compile("".join(a + b for a, b in zip(texts, [*groups, ""], strict=True)))
