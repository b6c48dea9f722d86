"""The agreement before a match: what is said in it."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("agree.more", n=99),
    Told("phase.agreement"),
)
