"""What the doctor finds: one check, whether it passed, and a sentence."""

from __future__ import annotations

from referee.core.values import Value


class Finding(Value):
    """One check: ok, a fault, or left out (None), and a sentence."""

    part: str
    ok: bool | None
    sentence: str


def fine(part: str, sentence: str) -> Finding:
    """A check that passed."""
    return Finding(part, True, sentence)


def fault(part: str, sentence: str) -> Finding:
    """A check that failed, and what to do."""
    return Finding(part, False, sentence)


def open_(part: str, sentence: str) -> Finding:
    """A check that was left out, or whose answer is not known."""
    return Finding(part, None, sentence)
