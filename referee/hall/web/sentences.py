"""Decisions and held matches in words."""

from __future__ import annotations

from referee.core.documents.match import account
from referee.core.model.registry import game_named, preset_name
from referee.hall.model import (
    Allowed,
    Corrected,
    Decision,
    Drawn,
    Entered,
    Event,
    Finished,
    Left,
    Moved,
    Opened,
    Returned,
    Seeded,
    Undone,
    Voided,
)
from referee.hall.store import HeldMatch, unreadable
from referee.hall.web.values import hall_text, name_of, table_title
from referee.language.display import display_text
from referee.language.numbers import score_text
from referee.language.words import reader_name


def decision_text(event: Event, made: Decision) -> str:
    """Return a decision as text in the current language."""
    reason = getattr(made, "reason", "") or getattr(getattr(made, "outcome", None), "reason", "")
    return _text(event, made) + (f" ({reason})" if reason else "")


def _text(event: Event, made: Decision) -> str:
    if isinstance(made, Opened):
        rules, settings = made.game.rules, game_named(made.game.preset).settings
        said = (display_text(one.said(rules[one.name])) for one in settings if one.name in rules)
        return hall_text("made.opened", name=made.name, game=", ".join((preset_name(made.game.preset), *said)))
    if isinstance(made, Entered):
        return hall_text("made.entered", name=reader_name(" & ".join(made.names)))
    if isinstance(made, Seeded):
        names = ", ".join(name_of(event, number) for number in made.entries)
        return hall_text("made.seeded" if names else "made.unseeded", names=names)
    if isinstance(made, Left):
        return hall_text("made.left", name=name_of(event, made.number))
    if isinstance(made, Returned):
        return hall_text("made.returned", name=name_of(event, made.number))
    if isinstance(made, Drawn):
        return hall_text("made.drawn", round=made.round)
    if isinstance(made, Moved):
        name = name_of(event, made.entry)
        if made.swapped is not None:
            return hall_text("made.swapped", name=name, other=name_of(event, made.swapped))
        return hall_text("made.moved", name=name, table=table_title(made.table))
    if isinstance(made, Finished | Corrected):
        key = "made.finished" if isinstance(made, Finished) else "made.corrected"
        scores = made.outcome.points.items()
        result = ", ".join(f"{name_of(event, number)} {score_text(points)}" for number, points in scores)
        return hall_text(key, table=table_title(made.outcome.table), round=made.outcome.round, result=result)
    if isinstance(made, Voided):
        return hall_text("made.voided", table=table_title(made.table), round=made.round)
    if isinstance(made, Allowed):
        return hall_text("made.allowed" if made.counts else "made.refused", table=table_title(made.table))
    if isinstance(made, Undone):
        return hall_text("made.undone", what=_text(event, event.decisions[made.number - 1]))
    return hall_text("made.closed")


def held_text(held: HeldMatch) -> str:
    """Return a match's result, or why the hall cannot read it, in the current language."""
    if held.record is None:
        return str(unreadable(held.refused)) if held.refused else hall_text("no_hands")
    totals = account(held.record.match).totals.items()
    return ", ".join(f"{reader_name(team)} {score_text(total)}" for team, total in totals)
