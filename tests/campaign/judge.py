"""Check an evening: verdicts match the true presses, sealed hands are kept, each phase ends.

The judge knows when each finger came down and does not use the arbiter's algorithm. It counts wired single seats within
the tie window of the first press, and checks only verdicts that the device called sure.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from referee.core.model.events import Event, Ruled
from referee.core.model.registry import claim_game
from referee.core.model.state import State
from referee.core.model.view import MenuScreen, NameScreen, TurnScreen, View
from referee.core.phases.lobby import Lobby
from referee.core.units import MS, S, ns_from_ms

BUDGET_S = {
    "LOBBY": 120,
    "AGREEMENT": 20,
    "READY": 220,
    "STARTING": 5,
    "RESUMING": 6,
    "STOPPED": 30,
    "PLAYING": 260,
    "TIMEOUT": 40,
    "STUCK": 8,
    "SEARCH": 60,
    "BURNING": 5,
    "CALLED": 7,  # all players press, the limit is 5 s
    "VERDICT": 60,
    "VOTE": 20,
    "COUNTING": 160,
    "OVER": 30,
    "POWER_BACK": 30,
    "DECLARED": 40,
    "FIXING": 60,
    "CHECK": 60,
    "OFF": 5,
}
"""Maximum seconds of each phase at a real table. People's part shrinks with their pace."""
OWN_S = 20
"""Seconds that do not shrink: reactions, guards, lists that close by themselves."""
TIMES = 3
NEAR_NS = 50 * MS


class WrongError(AssertionError):
    """A violated rule."""


class Phases:
    """Time spent in the present phase.

    While a list hides the phase's picture, people wait for it to close; while an object holds a button down, no one can
    tap it. This is not the device's fault, so that time is left out, up to the phase's own limit.
    """

    def __init__(self, pace: int) -> None:
        self._pace = pace
        self._key: object = None
        self._since_ns = self._seen_ns = self._hidden_ns = 0
        self._hindered = False
        self.late_ns = 0
        """Time up to which the table has not been in the phase too long."""

    def look(self, view: View, at_ns: int, *, held: bool = False) -> bool:
        """Return whether the phase has lasted too long; `held`: an object holds a button down.

        Raises WrongError at three times the limit.
        """
        screen = view.screen
        key = (view.phase, screen.turn.numbers if isinstance(screen, TurnScreen) else None)
        if key != self._key:
            self._key, self._since_ns, self._seen_ns, self._hidden_ns, self._hindered = key, at_ns, at_ns, 0, False
        budget_ns = (BUDGET_S[view.phase] * self._pace // 100 + OWN_S) * S
        if self._hindered:
            self._hidden_ns += at_ns - self._seen_ns
        self._seen_ns = at_ns
        # The picture of TIMEOUT is itself a list; a child may take any time to enter a name.
        listed = isinstance(screen, NameScreen) or (isinstance(screen, MenuScreen) and view.phase != "TIMEOUT")
        self._hindered = held or listed
        stood_ns = at_ns - self._since_ns
        self.late_ns = self._since_ns + budget_ns
        if stood_ns - min(self._hidden_ns, TIMES * budget_ns) > TIMES * budget_ns:
            raise WrongError(f"{view.phase} has lasted for {stood_ns // S} s: {view.screen}")
        return stood_ns > budget_ns

    def again(self) -> None:
        """Record that the device has restarted."""
        self._key = None


class Verdicts:
    """The true presses of one life of the device, by its clock, and its verdicts."""

    def __init__(self) -> None:
        self._true: dict[str, list[int]] = {}
        self._unclear: dict[str, list[int]] = {}
        self._err_ns: dict[tuple[str, int], int] = {}
        self.checked = 0

    def booted(self) -> None:
        """Forget earlier presses: they have another clock or belong to another process."""
        self._true.clear()
        self._unclear.clear()
        self._err_ns.clear()

    def pressed(self, station: str, t_ns: int, err_ns: int) -> None:
        """Record a press that was long enough; `err_ns`: the error bound of its stamp."""
        self._true.setdefault(station, []).append(t_ns)
        self._err_ns[station, t_ns] = err_ns

    def touched(self, station: str, t_ns: int) -> None:
        """Record that another person touched this contact."""
        self._unclear.setdefault(station, []).append(t_ns)

    def ruled(self, state: State, event: Event) -> None:
        """Check a verdict; `state`: the table before it.

        Raise WrongError if a verdict that is not grey is wrong.
        """
        if not isinstance(event, Ruled) or event.verdict.grey or not self._plain(state, event):
            return
        presses = {press.station: press.t_ns for press in event.verdict.presses}
        true = {station: self._nearest(station, t_ns) for station, t_ns in presses.items()}
        if None in true.values():
            raise WrongError(f"a call of nobody's: {event.verdict}, {self._true}")
        first = min(t for t in true.values() if t is not None)
        window = ns_from_ms(claim_game(state.table).tie_ms(state.table))
        called = {(s, t) for s in self._stations(state) for t in self._of(s) if first <= t <= first + window}
        # A stamp with an error above the arbiter's cap may fall behind the deadline; missing presses are not checked.
        cap_ns = state.table.setup.max_err_ns
        callers = {s for s, t in called if s in presses or self._err_ns[s, t] <= cap_ns}
        self.checked += 1
        if callers != set(event.verdict.callers):
            raise WrongError(f"called have {sorted(callers)}, the verdict is {event.verdict}")

    def _plain(self, state: State, event: Ruled) -> bool:
        """Return whether the first press wins: wired single seats, all armed and undisturbed."""
        if claim_game(state.table).limit_ns(state.table) is not None:
            return False
        at_ns = min(press.t_ns for press in event.verdict.presses)
        play: Any = getattr(state.phase, "play", None)
        armed = play is not None and play.armed_at_ns + NEAR_NS < at_ns
        stations = self._stations(state)
        single = all(len(team.stations) == 1 for team in state.table.teams)
        wired = not set(stations) & set(state.table.setup.remote)
        calm = not any(abs(t - at_ns) < 2 * NEAR_NS for s in stations for t in self._unclear.get(s, ()))
        return armed and single and wired and calm and state.phase.name == "CALLED"

    def _stations(self, state: State) -> list[str]:
        playing = getattr(getattr(state.phase, "play", None), "playing", ())
        return [s for t in state.table.teams if t.id in playing for s in t.stations if s not in state.table.muted]

    def _of(self, station: str) -> list[int]:
        return self._true.get(station, [])

    def _nearest(self, station: str, t_ns: int) -> int | None:
        """Return the true press that belongs to this stamp."""
        times = self._of(station)
        index = bisect_left(times, t_ns - NEAR_NS)
        near = [t for t in times[index : index + 9] if abs(t - t_ns) <= NEAR_NS]
        return min(near, key=lambda t: abs(t - t_ns), default=None)


class Book:
    """The sealed hands, with the row number of each seal."""

    def __init__(self) -> None:
        self._known: list[tuple[int, tuple[Any, ...]]] = [(0, ())]

    def note(self, seq: int, state: State) -> None:
        """Record the hands of the table after the rows up to `seq`."""
        hands = _hands(state)
        if hands is not self._known[-1][1]:
            self._known.append((seq, hands))

    def kept(self, seq: int, state: State) -> None:
        """Check the hands of a table restored from the rows up to `seq`.

        Raise WrongError if they differ. One more hand is allowed: the seal's own row was lost, and its facts lead to it
        again.
        """
        before = [hands for known, hands in self._known if known <= seq][-1]
        after = [hands for known, hands in self._known if known > seq]
        found = _hands(state)
        again = bool(after) and len(found) == len(before) + 1 and found[:-1] == before
        if found not in (before, *after[:1]) and not again:
            raise WrongError(f"{len(before)} hands were sealed, {len(found)} are back, {state.phase.name}")
        self._known = [(0, found)]


def _hands(state: State) -> tuple[Any, ...]:
    """Return the hands of the present match and of one kept for another evening."""
    kept = state.phase.kept if isinstance(state.phase, Lobby) else None
    return (state.table if kept is None else kept).hands
