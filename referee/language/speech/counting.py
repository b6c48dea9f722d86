"""COUNT, FIX and SHEET: what a screen reader says, and its sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.core.messages import Msg
from referee.core.model.view import CountCell, CountScreen, SheetScreen
from referee.core.phases.fixing import FixScreen
from referee.language.speech import say
from referee.language.words import sentence

COUNT_HAND = sentence("count.hand", "hand", "fields")
COUNT_CELL = sentence("count.cell", "who", "fields")
COUNT_NOTHING = sentence("count.nothing", "who")
COUNT_AT = sentence("count.at", "field")
COUNT_AT_TENS = sentence("count.at_tens", "field")
COUNT_AT_ONES = sentence("count.at_ones", "field")
COUNT_DONE = sentence("count.done", "who", "fields")
COUNT_REFUSED = sentence("count.refused", "who", "fields", "why")
COUNT_FIELD = sentence("count.field", "number", "field")
COUNT_TENS = sentence("count.tens", "number", "field")
COUNT_TAP = sentence("count.tap", "who")
COUNT_KNOB = sentence("count.knob")
FIX_HAND = sentence("fix.hand", "hand")
FIX_SAVE = sentence("fix.save")
FIX_TURN = sentence("fix.turn")
SHEET = sentence("sheet", "hand")


def _count(screen: CountScreen) -> list[str]:
    cells = [_cell(cell, screen.field_names) for cell in screen.cells]
    counting = [cell.label for cell in screen.cells if not cell.done]
    how = COUNT_KNOB() if screen.knob else COUNT_TAP(who=say.names_of(counting)) if counting else ""
    things = say.list_speech(
        list(dict.fromkeys(map(say.message_speech, screen.field_names)))
    )  # tens and ones of one thing have one name
    return [
        COUNT_HAND(hand=screen.hand, fields=things),
        *cells,
        *say.sleepers([c.label for c in screen.cells if c.asleep]),
        how,
    ]


def _fix(screen: FixScreen) -> list[str]:
    cells = [_cell(cell, screen.field_names) for cell in screen.cells]
    return [FIX_HAND(hand=screen.hand), *cells, FIX_SAVE() if screen.changed else FIX_TURN()]


def _cell(cell: CountCell, names: Sequence[Msg]) -> str:
    """What a team has entered, and which field its next tap changes."""
    return " ".join((_entry_text(cell, names), *_cursor(cell, names)))


def _cursor(cell: CountCell, names: Sequence[Msg]) -> Iterable[str]:
    if cell.cursor is not None:
        name = names[cell.cursor]
        unit = dict(name.values).get("unit")
        at = {10: COUNT_AT_TENS, 1: COUNT_AT_ONES}.get(unit if isinstance(unit, int) else 0, COUNT_AT)
        yield at(field=say.message_speech(name))


def _entry_text(cell: CountCell, names: Sequence[Msg]) -> str:
    who, fields = say.name_of(cell.label), say.list_speech(list(_fields(cell.fields, names)))
    if not fields:
        return COUNT_NOTHING(who=who)
    if cell.refusal:
        return COUNT_REFUSED(who=who, fields=fields, why=say.message_speech(cell.refusal))
    return (COUNT_DONE if cell.done else COUNT_CELL)(who=who, fields=fields)


def _fields(digits: Sequence[str | None], names: Sequence[Msg]) -> Iterable[str]:
    """What was entered: tens and ones of one thing are one number."""
    tens, thing = None, ""
    for digit, name in zip(digits, names, strict=False):
        if digit is None:
            break
        thing, unit = say.message_speech(name), dict(name.values).get("unit")
        if unit == 10:
            tens = 10 * int(digit)
        elif unit == 1 and tens is not None:
            yield COUNT_FIELD(number=tens + int(digit), field=thing)
            tens = None
        elif digit.isdigit():
            yield COUNT_FIELD(number=digit, field=thing)
        elif digit != "-":
            yield thing
    if tens is not None:
        yield COUNT_TENS(number=tens, field=thing)


def _sheet(screen: SheetScreen) -> list[str]:
    return [SHEET(hand=screen.hand), say.scores_text(screen.lines)]


SPEECH: say.Speech = {CountScreen: _count, FixScreen: _fix, SheetScreen: _sheet}
