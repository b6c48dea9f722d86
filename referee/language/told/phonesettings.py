"""Settings by the host's phone: what is said of those that cannot be."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("refusal.next_match"),
    Told("refusal.not_in_play"),
)
