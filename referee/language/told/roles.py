"""Who deals and where people sit: what is said of it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.move_seats"),
    Told("toast.seats_moved"),
    Told("ask.move_seats"),
)
