"""READY: what is said in it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.start_without", seats="3,7"),
    Told("item.joins_lowest", seat=12, score="-1234½"),
    Told("item.joins_last", seat=12),
    Told("item.joins", seat=12),
    Told("title.joins", limit=17, seat=12),
    Told("toast.joins_push", seat=12),
    Told("note.seats_move"),
    Told("note.sits_out", who="8Wi"),
    Told("note.sit_out", seats="1-2,4,6,8"),
    Told("phase.ready"),
)
