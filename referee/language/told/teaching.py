"""The first hand explained: what is said of it; the lessons are the games'."""

from __future__ import annotations

from referee.language.places import Told
from referee.language.told.shared import YES

TOLD = (
    Told("item.teach", choice=YES),
    Told("about.teach"),
    Told("toast.teach_on"),
    Told("toast.teach_off"),
)
