"""Undo and redo: what can be undone, and what is said of it."""

from __future__ import annotations

from typing import get_args

from referee.core.model.events import Decision
from referee.language.places import Told
from referee.language.words import Longest

_ROUNDS = ("void",)
"""What is called otherwise where hands are rounds."""
_UNDONE = tuple(Told(f"undo.{kind.undo}") for kind in get_args(Decision) if hasattr(kind, "undo"))
TOLD = (
    *(word.or_round() if word.key.removeprefix("undo.") in _ROUNDS else word for word in _UNDONE),
    Told("undo.won"),
    Told("item.undo", what=Longest("undo")),
    Told("item.redo", what=Longest("undo")),
    Told("toast.undone", what=Longest("undo")),
    Told("toast.redone", what=Longest("undo")),
)
