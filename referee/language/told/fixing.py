"""Past hands: what is said where one is counted again."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.fix_counts"),
    Told("item.play_on"),
    Told("title.over_at", limit=17, hand=99),
    Told("reason.miscount"),
    Told("reason.mistyped"),
    Told("reason.found"),
    Told("phase.fixing"),
)
