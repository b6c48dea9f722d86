"""A vote: what is said of how it went."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("toast.not_all"),
    Told("toast.voted_yes"),
    Told("phase.vote"),
)
