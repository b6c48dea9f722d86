"""Speech for a count and the correction of a past count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from referee.core.messages import Msg
from referee.core.model.view import CountCell, CountScreen
from referee.core.phases.fixing import FixScreen
from referee.language import say
from referee.language.words import sentence

TENS, ONES = 10, 1


def _count(screen: CountScreen) -> Iterator[str]:
    names = dict.fromkeys(map(say.message_speech, screen.field_names))  # tens and ones of one number have the same name
    yield sentence("count.hand", hand=screen.hand, fields=say.list_speech(list(names)))
    for cell in screen.cells:
        yield from _cell(cell, screen.field_names)
    yield from say.sleepers([cell.label for cell in screen.cells if cell.asleep])
    counting = [cell.label for cell in screen.cells if not cell.done]
    if screen.knob or counting:
        yield sentence("count.knob" if screen.knob else "count.tap", who=say.names_of(counting))


def _fix(screen: FixScreen) -> Iterator[str]:
    yield sentence("fix.hand", hand=screen.hand)
    for cell in screen.cells:
        yield from _cell(cell, screen.field_names)
    yield sentence("fix.save" if screen.changed else "fix.turn")


def _cell(cell: CountCell, names: Sequence[Msg]) -> Iterator[str]:
    """Yield sentences on the numbers that a team has entered, and on the field to enter next."""
    fields = entered(cell, names)
    key = "count.done" if cell.done else "count.cell"
    key = "count.nothing" if not fields else "count.refused" if cell.refusal else key
    yield sentence(key, who=say.name_of(cell.label), fields=fields, why=say.message_speech(cell.refusal))
    if cell.cursor is not None:
        name = names[cell.cursor]
        key = {TENS: "count.at_tens", ONES: "count.at_ones"}.get(unit_of(name), "count.at")
        yield sentence(key, field=say.message_speech(name))


def entered(cell: CountCell, names: Sequence[Msg]) -> str:
    """Return the numbers that a team has entered, each with its name: "1 left and 45 in the middle"."""
    return say.list_speech(list(_fields(cell.fields, names)))


def unit_of(field: Msg) -> int:
    """Return TENS or ONES for a field that is one digit of a number; 0 for any other field."""
    unit = dict(field.values).get("unit")
    return unit if isinstance(unit, int) else 0


def _fields(digits: Sequence[str | None], names: Sequence[Msg]) -> Iterable[str]:
    """Yield each entered number with its name. The digits for tens and ones become one number."""
    tens, thing = None, ""
    for digit, name in zip(digits, names, strict=False):
        if digit is None:
            break
        thing, unit = say.message_speech(name), unit_of(name)
        if unit == TENS:
            tens = 10 * int(digit)
        elif unit == ONES and tens is not None:
            yield sentence("count.field", number=tens + int(digit), field=thing)
            tens = None
        elif digit.isdigit():
            yield sentence("count.field", number=digit, field=thing)
        elif digit != "-":
            yield thing
    if tens is not None:
        yield sentence("count.tens", number=tens, field=thing)


SPEECH: say.Speech = {CountScreen: _count, FixScreen: _fix}
