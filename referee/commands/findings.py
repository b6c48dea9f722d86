"""What the doctor finds: one check, whether it passed, and a sentence."""

from __future__ import annotations

from referee.core.values import Value


class Finding(Value):
    """One check: ok, a fault, or left out (None), and a sentence."""

    part: str
    ok: bool | None
    sentence: str
