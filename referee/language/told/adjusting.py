"""Points by the table's will: what is said of them."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.give_points"),
    Told("item.points", seat=12, name="WWWWWW", choice="+50", counted="choice"),
    Told("title.points", seat=12, name="WWWWWW", points="+50", counted="points"),
    Told("note.points", who="8Wi", points="-50", reason="W" * 12, counted="points"),
    Told("reason.penalty"),
    Told("reason.illegal_play"),
    Told("reason.agreed"),
)
