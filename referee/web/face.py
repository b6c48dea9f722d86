"""What a page draws of a snapshot, as plain JSON: made once a snapshot, however many pages look."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from referee.core.model.labels import clock_text
from referee.core.model.view import View
from referee.web.seats import SeatLine
from referee.web.words import points

if TYPE_CHECKING:
    from referee.web.feed import Snapshot


def face_of(snapshot: Snapshot) -> dict[str, object]:
    """Everything that the page's script draws."""
    view = snapshot.view
    return {
        "phase": phase_of(view),
        "lamps": [[lamp.lit, lamp.pattern] for lamp in view.lamps],
        "seats": [plate(seat) for seat in snapshot.seats],
        "bots": sorted(snapshot.bots),
        "size": [snapshot.width, snapshot.height],
        "pixels": b64encode(snapshot.pixels).decode(),
        "words": snapshot.words,
        "banner": view.banner,
        "clocks": [clock_text(line) for line in view.clocks],
        "dim": view.dim,
    }


def phase_of(view: View) -> str:
    """The phase as people read it, e.g. "Power back"."""
    return view.phase.replace("_", " ").capitalize()


def plate(seat: SeatLine) -> list[str]:
    """A seat's name, total and partner as the page writes them; empty for what there is not."""
    total = "" if seat.total is None else seat.told or points(seat.total)
    return [seat.name or "", total, "" if seat.partner is None else str(seat.partner)]
