"""A name by letters: what is said where it cannot be."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("toast.name_not_kept"),
    Told("toast.letters_most"),
)
