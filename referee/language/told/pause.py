"""A time out: what is said in it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("title.time_out", limit=8),
    Told("title.tidy", limit=8),
    Told("phase.timeout"),
    Told("toast.paused"),
)
