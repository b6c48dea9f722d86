"""Phones: what is said to one that asks for what cannot be."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.phones"),
    Told("refusal.not_now"),
    Told("refusal.no_points"),
    Told("refusal.name", most=64),
    Told("refusal.seat_taken", seat=12, name="WWWWWW"),
    Told("refusal.your_seat", seat=12),
    Told("refusal.press_first", seat=12),
    Told("refusal.no_count"),
    Told("refusal.numbers", size=3),
)
