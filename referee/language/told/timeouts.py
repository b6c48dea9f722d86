"""Whose time out it was, and why: what is said of it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.tidy"),
    Told("item.whose"),
    Told("item.timeouts", seat=12, name="WWWWWW", number=99),
    Told("title.why", seat=12, name="WWWWWW"),
    Told("toast.time_out_of", seat=12, name="WWWWWW", number=99),
    Told("why.collision"),
    Told("why.dropped"),
    Told("why.other"),
)
