"""The play phases of the Nertz family: cards move, somebody calls, the verdict stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.core.arbiter import Court, Verdict, verdict_due_ns
from referee.core.signals import Contact, Edge
from referee.core.state import Phase
from referee.core.units import S

VERDICT_NS = 4 * S
"""Cards in the air land, the pile is shown; then counting opens by itself."""


@dataclass(frozen=True, slots=True)
class Playing(Phase):
    """Cards move and a button means only the call. `played_ns`: play time before this stretch, timeouts left out."""

    name: ClassVar[str] = "PLAYING"
    playing: tuple[str, ...] = ()
    go_at_ns: int = 0
    armed_at_ns: int = 0
    played_ns: int = 0
    court: Court | None = None

    def clock_ns(self, now_ns: int) -> int:
        """The hand's clock at `now_ns`."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.go_at_ns, self.go_at_ns + S // 2


@dataclass(frozen=True, slots=True)
class Called(Phase):
    """Everything has stopped; the verdict falls when nothing can change it any more. `asked_at_ns`: the stop."""

    name: ClassVar[str] = "CALLED"
    play: Playing = Playing(0)
    court: Court | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        assert self.court is not None
        return verdict_due_ns(self.court, contacts)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.asked_at_ns, self.asked_at_ns + 3_600 * S


@dataclass(frozen=True, slots=True)
class Judged(Phase):
    """The verdict on the screen, or the photo finish while somebody looks at it; counting opens at `until_at_ns`."""

    name: ClassVar[str] = "VERDICT"
    play: Playing = Playing(0)
    court: Court | None = None
    verdict: Verdict | None = None
    evidence: tuple[Edge, ...] = ()
    until_at_ns: int = 0
    photo: bool = False

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns
