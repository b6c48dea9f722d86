"""Who sits where: what is said in its lists."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.teams"),
    Told("item.name"),
    Told("item.new_name"),
    Told("item.other_button"),
    Told("item.button", seat=12),
    Told("item.mute"),
    Told("item.mute_seat", seat=12),
    Told("item.unmute"),
    Told("item.leave"),
    Told("item.leaves", seat=12),
    Told("item.named", seat=12, choice="WWWWWW"),
)
