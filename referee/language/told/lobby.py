"""The lobby: what is said in it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.start", count=8),
    Told("item.resume_match", score="64:51:38:12"),
    Told("item.rematch"),
    Told("hint.go_on"),
    Told("hint.two_at_a_time"),
    Told("hint.already_pair"),
    Told("hint.let_go", seat=12),
    Told("toast.joined", seat=12, name="WWWWWW"),
    Told("refusal.no_pair"),
    Told("phase.lobby"),
)
