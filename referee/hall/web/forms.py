"""Read the fields of the desk's forms. Each has a limit; errors say what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from referee.core.documents.delivery import TABLE_NAME
from referee.core.model.registry import MANNERS, game_named, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import Setting
from referee.core.names import fold, name_of, tidy
from referee.core.phases.settings import offered_settings
from referee.core.reading import quoted_value, value_text
from referee.core.values import Json
from referee.hall.model import MOST_ENTRIES, MOST_TEXT, EventError, Text
from referee.hall.store import MOST_TABLES

MOST_POINTS = 100_000
LONGEST = 100
"""Maximum number of characters of a field, except lists and reasons."""
_POINTS = re.compile(r"-?[0-9]{1,6}(?:[.,](?:0|5))?|-?[0-9]{0,6}½")
Fields = Mapping[str, Any]


def text(fields: Fields, name: str, most: int = LONGEST) -> str:
    """Return a field as tidy text; "" if it is missing. Raises EventError."""
    found = tidy(str(fields.get(name, "")))
    if len(found) > most or not (found.isprintable() or not found):
        raise EventError("long_text", most=most, given=quoted_value(found))
    return found


def reason(fields: Fields) -> str:
    """Return the field `reason`. Raises EventError."""
    return text(fields, "reason", MOST_TEXT)


def whole(fields: Fields, name: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`. Raises EventError."""
    given = text(fields, name)
    if not re.fullmatch("[0-9]{1,9}", given) or not least <= int(given) <= most:
        raise EventError("whole", field=Text(f"field.{name}"), least=least, most=most, given=quoted_value(given))
    return int(given)


def optional(fields: Fields, name: str, least: int, most: int) -> int | None:
    """Return a whole number from `least` to `most`; None for an empty field. Raises EventError."""
    return whole(fields, name, least, most) if text(fields, name) else None


def settings_of(setup: Setup) -> tuple[Setting, ...]:
    """Return the settings that the desk offers for an event: those that change scores, without the target."""
    return tuple(one for one in offered_settings(setup) if one.name not in MANNERS | {"target"})


def options(fields: Fields, preset: str) -> dict[str, Json]:
    """Return the options that differ from the preset's, from the fields "option-NAME". Raises EventError."""
    usual, found = presets()[preset].preset_values(preset), dict[str, Json]()
    for setting in game_named(preset).settings:
        given = text(fields, f"option-{setting.name}")
        if given not in ("", value_text(usual[setting.name][0])):
            known = [value for value, _ in setting.choices if value_text(value) == given]
            if not known:
                raise EventError("game", preset=quoted_value(preset))
            found[setting.name] = known[0]
    return found


def points(fields: Fields, name: str, who: str) -> Fraction:
    """Return points: a whole number or a half. Raises EventError.

    >>> points({"p": "-2½"}, "p", "Anna"), points({"p": "7,5"}, "p", "Anna")
    (Fraction(-5, 2), Fraction(15, 2))
    """
    given = text(fields, name)
    plain = re.sub("([0-9]*)½", lambda found: f"{found[1] or 0}.5", given).replace(",", ".")
    if not _POINTS.fullmatch(given) or abs(Fraction(plain)) > MOST_POINTS:
        raise EventError("points", name=who, most=MOST_POINTS, given=quoted_value(given))
    return Fraction(plain)


def entries(fields: Fields, name: str = "names") -> list[tuple[str, ...]]:
    """Return the entries of a list: one per line, a team's players joined by "&".

    Raises EventError.
    """
    lines = [(at, line) for at, line in enumerate(str(fields.get(name, "")).splitlines(), 1) if line.strip()]
    if not 0 < len(lines) <= MOST_ENTRIES:
        raise EventError("names", most=MOST_ENTRIES, given=len(lines))
    found, first = [_players(line) for _, line in lines], dict[str, int]()
    for (at, _), names in zip(lines, found, strict=True):
        for one in names:
            if (before := first.setdefault(fold(one), at)) != at:
                raise EventError("line_twice", name=one, first=before, second=at)
    return found


def _players(line: str) -> tuple[str, ...]:
    names = tuple(name_of(part) for part in line.split("&"))
    if None in names:
        raise EventError("names_line", given=quoted_value(line))
    return tuple(name for name in names if name is not None)


def tables(fields: Fields) -> list[str]:
    """Return names of tables: one per line (browsers send CR LF), or separated by commas. Raises EventError."""
    found = [name for part in re.split(r"[\r\n,]", str(fields.get("tables", ""))) if (name := tidy(part))]
    wrong = next((name for name in found if not TABLE_NAME.fullmatch(name)), None)
    if wrong is not None:
        raise EventError("invite", most=MOST_TABLES, given=quoted_value(wrong))
    if len(found) > MOST_TABLES:
        raise EventError("many_tables", most=MOST_TABLES, given=len(found))
    return found
