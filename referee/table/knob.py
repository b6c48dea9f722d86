"""The hand at the knob: it starts the match when everybody sits, and shows the photo finish of a tie."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from referee.core.units import S
from referee.core.view import LobbyScreen, MenuScreen, PhotoScreen, VerdictScreen, View
from referee.table.contact import Action, Turn
from referee.table.human import Human

KNOB = "knob"
READ_NS = (3 * S, 6 * S)
"""How long a table looks at a photo finish."""


class KnobHand:
    """One of the people reaches for the knob. `quiet_ns`: how long the lobby must rest before the match is started."""

    def __init__(self, human: Human, settled: Callable[[], bool], quiet_ns: int) -> None:
        """`settled`: whether every bot has found its seat."""
        self.plan_ns: int | None = None
        self._human = human
        self._settled = settled
        self._quiet_ns = quiet_ns
        self._screen: object = None
        self._opened = False
        self._looked = False
        self._key: Hashable = None

    def look(self, view: View, now_ns: int) -> None:
        """See the screen, and think about what the knob could do."""
        self._screen = view.screen
        if not isinstance(view.screen, LobbyScreen | MenuScreen):
            self._opened = False
        if view.phase != "VERDICT":
            self._looked = False
        key = self._reason(view)
        if key != self._key:
            self._key = key
            self.plan_ns = None if key is None else now_ns + self._delay_ns(view)

    def act(self) -> list[Action]:
        """Push or turn, by what the screen shows now."""
        at_ns, self.plan_ns = self.plan_ns, None
        if at_ns is None:
            return []
        if isinstance(self._screen, VerdictScreen | PhotoScreen):
            self._looked = True
            return [Turn(at_ns, 1 if isinstance(self._screen, VerdictScreen) else -1)]
        if isinstance(self._screen, MenuScreen):
            self._opened = False
            return self._start(at_ns, self._screen)
        self._opened = isinstance(self._screen, LobbyScreen)
        return [*self._human.tap(KNOB, at_ns)] if self._opened else []

    def _start(self, at_ns: int, menu: MenuScreen) -> list[Action]:
        """The first line is "Start"; a cursor that stands elsewhere is turned back there first."""
        back: list[Action] = [Turn(at_ns, -menu.cursor)] if menu.cursor else []
        return [*back, *self._human.tap(KNOB, at_ns + self._human.reaction_ns())]

    def _reason(self, view: View) -> Hashable:
        screen = view.screen
        if view.phase == "LOBBY" and isinstance(screen, LobbyScreen):
            return ("LOBBY", screen.seats) if screen.teams > 1 and self._settled() else None
        if view.phase == "LOBBY" and isinstance(screen, MenuScreen):
            return "MENU" if self._opened else None
        if isinstance(screen, VerdictScreen):
            return "TIE" if screen.kind == "tie" and not self._looked else None
        return "PHOTO" if isinstance(screen, PhotoScreen) and self._looked else None

    def _delay_ns(self, view: View) -> int:
        if isinstance(view.screen, LobbyScreen):
            return self._quiet_ns
        if isinstance(view.screen, PhotoScreen):
            return self._human.take_ns(READ_NS)
        return self._human.reaction_ns() + S // 2
