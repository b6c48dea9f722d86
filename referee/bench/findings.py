"""The findings of `referee doctor`."""

from __future__ import annotations

from referee.core.values import Value


class Finding(Value):
    """The result of one check. ok: True (passed), False (failed), None (skipped or unclear)."""

    part: str
    ok: bool | None
    sentence: str


def fine(part: str, sentence: str) -> Finding:
    """Return the finding that a part passed its check."""
    return Finding(part, True, sentence)


def fault(part: str, sentence: str) -> Finding:
    """Return the finding that a part failed its check. The sentence says what to do."""
    return Finding(part, False, sentence)


def open_(part: str, sentence: str) -> Finding:
    """Return the finding that a check was skipped or has no clear result."""
    return Finding(part, None, sentence)
