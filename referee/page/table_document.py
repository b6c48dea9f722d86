"""What the page draws of a snapshot, as plain JSON; made once per snapshot for all pages."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

from referee.core.model.labels import numbers_text
from referee.core.model.view import ClockLine, CountScreen, PhonesScreen, View, VoteScreen
from referee.core.values import by_identity
from referee.language.display import display_text
from referee.language.numbers import score_text
from referee.language.say import list_speech, message_speech, phase_name
from referee.language.speech import speech_of
from referee.language.texts import label
from referee.language.words import reader_name, speaking
from referee.page.own_document import own_documents
from referee.page.photo_finish import bound_text, name_of
from referee.protocol.seats import SeatLine
from referee.protocol.snapshot import CACHED, Snapshot

LOOPBACKS = ("http://localhost:", "http://127.", "http://[::1]:")
"""Beginnings of addresses that work only on this computer."""


def dark_means(kind: str) -> str:
    """Return a text: what a press does on a button whose lamp is dark. kind: see `View.dark`."""
    return label(f"manual.dark_{kind}" if kind in ("turns", "claim", "all") else "manual.dark_means")


@by_identity(CACHED)
def face_of(snapshot: Snapshot) -> dict[str, object]:
    """Return the data that the page's script draws. They are made once per snapshot."""
    with speaking(snapshot.view.language, rounds=snapshot.view.rounds):
        return _entries(snapshot, snapshot.view)


@by_identity(CACHED)
def words_of(snapshot: Snapshot) -> str:
    """Return the view in words, for screen readers. They are made once per snapshot."""
    return speech_of(snapshot.view)


def _entries(snapshot: Snapshot, view: View) -> dict[str, object]:
    return {
        "language": view.language,
        "phase": phase_name(view.phase),
        "lamps": [[lamp.lit, lamp.pattern] for lamp in view.lamps],
        "seats": [plate(seat) for seat in snapshot.seats],
        "bots": sorted(snapshot.bots),
        "size": [snapshot.width, snapshot.height],
        "pixels": b64encode(snapshot.pixels).decode(),
        "words": words_of(snapshot),
        "banner": display_text(view.banner) or None,
        "clocks": [clock_text(line) for line in view.clocks],
        "dim": view.dim,
        "scanned": isinstance(view.screen, PhonesScreen),
        "alone": isinstance(view.screen, PhonesScreen) and view.screen.address.startswith(LOOPBACKS),
        "dark": dark_means(view.dark),
        "asks": view.phase.lower(),
        "phones": {str(line.number): line.phone for line in view.phones},
        "own": own_documents(view),
        "asleep": list(snapshot.asleep),
        "count": count_document(view.screen) if isinstance(view.screen, CountScreen) else None,
        "vote": vote_document(view.screen) if isinstance(view.screen, VoteScreen) else None,
    }


def count_document(screen: CountScreen) -> dict[str, object]:
    """Return the teams' counts for phones, as whole numbers; None for an empty field."""
    units = [dict(name.values).get("unit") for name in screen.field_names]
    names = [message_speech(name) for name, unit in zip(screen.field_names, units, strict=True) if unit != 10]
    ones = [at for at, unit in enumerate(units) if unit != 10]
    cells = [
        {
            "seats": list(cell.label.numbers),
            "name": reader_name(cell.label.name),
            "numbers": numbers_of(cell.fields, units),
            "locked": [cell.locked[at] for at in ones],
            "done": cell.done,
            "asleep": cell.asleep,
            "pen": cell.pen,
            "refused": message_speech(cell.refusal) or None,
        }
        for cell in screen.cells
    ]
    return {"hand": screen.hand, "fields": names, "cells": cells}


def vote_document(screen: VoteScreen) -> dict[str, object]:
    """Return a vote for phones: the question's text and each team's vote, None if not given yet."""
    who = list_speech([name_of(label) for label in screen.subject])
    votes = [{"seats": list(label.numbers), "name": reader_name(label.name), "yes": yes} for label, yes in screen.votes]
    return {"question": message_speech(screen.question, who=who), "votes": votes}


def numbers_of(fields: Sequence[str | None], units: Sequence[object]) -> list[int | None]:
    """Return a count's fields as whole numbers: tens and ones become one number, a "½" is 1.

    units: for each field, 10 for tens, 1 for ones, None for a field that is a number of its own.

    >>> numbers_of(("4", "2", "8"), (None, 10, 1)), numbers_of(("4", None, None), (None, 10, 1))
    ([4, 28], [4, None])
    """
    found: list[int | None] = []
    tens: int | None = 0
    for sign, unit in zip(fields, units, strict=True):
        digit = None if sign is None else int(sign) if sign.isdigit() else int(sign == "½")
        if unit == 10:
            tens = digit
            continue
        found.append(digit if unit is None else None if digit is None or tens is None else 10 * tens + digit)
    return found


def plate(seat: SeatLine) -> list[str]:
    """Return a seat's name, total and partner's seat number as texts; "" for a missing one."""
    total = "" if seat.total is None else display_text(seat.told) or score_text(seat.total)
    return [reader_name(seat.name or ""), total, "" if seat.partner is None else str(seat.partner)]


def clock_text(line: ClockLine) -> str:
    """Return a line on the clock of a pod, phone or other source: its seats and error bound.

    >>> clock_text(ClockLine("pod 3f2a", (5, 6, 7), 312_000)), clock_text(ClockLine("pod 3f2a", (), None))
    ('pod 3f2a: 5-7 ±0.4 ms', 'pod 3f2a: not there')
    """
    sure = label("clock.away") if line.bound_ns is None else bound_text(line.bound_ns)
    return f"{line.name}: {' '.join(filter(None, (numbers_text(line.numbers), sure)))}"
