"""The beats of a start: what is said in them."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("toast.early", seat=12, name="WWWWWW"),
    Told("beat.ready"),
    Told("beat.set"),
    Told("phase.starting"),
    Told("phase.resuming"),
    Told("phase.stopped"),
)
