"""The phases of 31: somebody is on turn, and a 31 lies on the table.

An open question ("KNOCK?", "31?") stands for one seat; the seats and the instants at which they were asked stand beside
each other, so that a new boot can move the instants.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.signals import Contact
from referee.core.state import GUARD_NS, Phase
from referee.core.units import S
from referee.core.values import field, replace, stored

ASK_NS = 15 * S
"""A question that its own asker does not answer goes away."""
SHOW_NS = 15 * S
"""So long others may still declare a 31 after the first (INTERACTION.md 2)."""


@stored("thirtyone_asking")
class Asking(Phase):
    """A phase in which holding asks: `asks` are (station, question), `asks_at_ns` when each appeared."""

    playing: tuple[str, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()
    asks_at_ns: tuple[int, ...] = ()

    def asked(self, station: str) -> str | None:
        """The question that is open for that station."""
        return dict(self.asks).get(station)

    def answers(self, station: str, t_ns: int) -> bool:
        """Whether a press begun then may answer the station's question."""
        since = dict(zip((name for name, _ in self.asks), self.asks_at_ns, strict=True)).get(station)
        return since is None or t_ns >= since + GUARD_NS


@stored("thirtyone_turn")
class Turn(Asking):
    """Somebody is on turn. `had`: who has had a turn. `knocker`: the last round is on, and ends before that team.

    go_at_ns: since when the clock runs; played_ns: play time before that. look: whom the knob points at, until when.
    """

    name: ClassVar[str] = "PLAYING"
    dealer: str = ""
    turn: str = ""
    had: frozenset[str] = frozenset()
    knocker: str | None = None
    go_at_ns: int = 0
    played_ns: int = 0
    look: str | None = None
    look_until_at_ns: int | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        dues = [at + ASK_NS for at in self.asks_at_ns]
        return min((due for due in (*dues, self.look_until_at_ns) if due is not None), default=None)

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        early = t_ns < self.asked_at_ns + GUARD_NS
        return (team == self.turn and early) or not self.answers(station, t_ns)

    def takes_push(self) -> bool:
        return self.look is not None

    def clock_ns(self, now_ns: int) -> int:
        """Play time of this hand."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def after(self, team: str) -> str:
        """Whose turn follows: the next one's, clockwise."""
        return self.playing[(self.playing.index(team) + 1) % len(self.playing)]

    def kept(self, at_ns: int) -> Turn:
        """The same with its clock stopped and nothing asked."""
        return replace(
            self,
            played_ns=self.clock_ns(at_ns),
            go_at_ns=at_ns,
            asks=(),
            asks_at_ns=(),
            look=None,
            look_until_at_ns=None,
        )


@stored("thirtyone_declared")
class Declared(Asking):
    """A 31 lies on the table; until `until_at_ns` others may declare theirs. `seen`: who has none.

    play: the hand as it was, its clock stopped.
    """

    name: ClassVar[str] = "DECLARED"
    waits: ClassVar[bool] = True
    play: Turn = field(default_factory=lambda: Turn(0))
    declared: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    until_at_ns: int = 0

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        early = t_ns < self.asked_at_ns + GUARD_NS
        return (team in self.others and early) or not self.answers(station, t_ns)

    @property
    def others(self) -> tuple[str, ...]:
        """Who is asked: everybody who has not declared."""
        return tuple(team for team in self.playing if team not in self.declared)
