"""Games in which all answer a claim: what is said of the answers."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("toast.claim_right", who="8 WWWWWW", count=12, shorter="toast.claims_right"),
    Told("toast.claims_right"),
    Told("toast.claim_wrong", who="8 WWWWWW", count=12, shorter="toast.claims_wrong"),
    Told("toast.claims_wrong"),
)
