"""What must hold of an evening: verdicts as the fingers were, sealed hands kept, no phase that never ends.

The judge knows when each finger truly came down and nothing of how the arbiter works: it counts wired single seats
within the tie window of the first, and looks only where the device said that it was sure.
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
    "CALLED": 7,  # where all press, the limit of 5 s
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
"""How long a phase lasts at a real table at most; people's part of it shrinks with their pace."""
OWN_S = 20
"""What does not shrink: reactions, guards, lists that close by themselves."""
TIMES = 3
NEAR_NS = 50 * MS


class WrongError(AssertionError):
    """What must not be."""


class Phases:
    """How long the table has stood in the phase where it stands.

    While a list hides the phase's picture, people wait for it to close, and while something lies on a button nobody can
    tap there: a child who opens one again and again, and a book, are the table's trouble and not the device's. So much
    time is left out, yet never more than the phase has itself.
    """

    def __init__(self, pace: int) -> None:
        self._pace = pace
        self._key: object = None
        self._since_ns = self._seen_ns = self._hidden_ns = 0
        self._hindered = False
        self.late_ns = 0
        """Until then the table has stood for no longer than it should."""

    def look(self, view: View, at_ns: int, *, held: bool = False) -> bool:
        """Whether it is longer than it should be; `held`: something lies on a button.

        Raises WrongError when it is three times as long.
        """
        screen = view.screen
        key = (view.phase, screen.turn.numbers if isinstance(screen, TurnScreen) else None)
        if key != self._key:
            self._key, self._since_ns, self._seen_ns, self._hidden_ns, self._hindered = key, at_ns, at_ns, 0, False
        budget_ns = (BUDGET_S[view.phase] * self._pace // 100 + OWN_S) * S
        if self._hindered:
            self._hidden_ns += at_ns - self._seen_ns
        self._seen_ns = at_ns
        # TIMEOUT's own picture is a list; a child may enter a name for as long as it likes.
        listed = isinstance(screen, NameScreen) or (isinstance(screen, MenuScreen) and view.phase != "TIMEOUT")
        self._hindered = held or listed
        stood_ns = at_ns - self._since_ns
        self.late_ns = self._since_ns + budget_ns
        if stood_ns - min(self._hidden_ns, TIMES * budget_ns) > TIMES * budget_ns:
            raise WrongError(f"{view.phase} has lasted for {stood_ns // S} s: {view.screen}")
        return stood_ns > budget_ns

    def again(self) -> None:
        """The device has started again."""
        self._key = None


class Verdicts:
    """The true presses of one life of the device, by its clock, and what it said of them."""

    def __init__(self) -> None:
        self._true: dict[str, list[int]] = {}
        self._unclear: dict[str, list[int]] = {}
        self._err_ns: dict[tuple[str, int], int] = {}
        self.checked = 0

    def booted(self) -> None:
        """By another clock, or for another process: what was before is not asked about any more."""
        self._true.clear()
        self._unclear.clear()
        self._err_ns.clear()

    def pressed(self, station: str, t_ns: int, err_ns: int) -> None:
        """A finger came down, and stayed long enough; `err_ns`: how far off its stamp may be."""
        self._true.setdefault(station, []).append(t_ns)
        self._err_ns[station, t_ns] = err_ns

    def touched(self, station: str, t_ns: int) -> None:
        """Somebody else meddled with this contact."""
        self._unclear.setdefault(station, []).append(t_ns)

    def ruled(self, state: State, event: Event) -> None:
        """`state`: the table as the verdict found it. Raises WrongError when a verdict that is not grey is not so."""
        if not isinstance(event, Ruled) or event.verdict.grey or not self._plain(state, event):
            return
        presses = {press.station: press.t_ns for press in event.verdict.presses}
        true = {station: self._nearest(station, t_ns) for station, t_ns in presses.items()}
        if None in true.values():
            raise WrongError(f"a call of nobody's: {event.verdict}, {self._true}")
        first = min(t for t in true.values() if t is not None)
        window = ns_from_ms(claim_game(state.table).tie_ms(state.table))
        called = {(s, t) for s in self._stations(state) for t in self._of(s) if first <= t <= first + window}
        # A stamp less sure than the arbiter's cap may lie behind the deadline; of presses not in nothing is promised.
        cap_ns = state.table.setup.max_err_ns
        callers = {s for s, t in called if s in presses or self._err_ns[s, t] <= cap_ns}
        self.checked += 1
        if callers != set(event.verdict.callers):
            raise WrongError(f"called have {sorted(callers)}, the verdict is {event.verdict}")

    def _plain(self, state: State, event: Ruled) -> bool:
        """Wired single seats, nobody meddling, all of them armed; the first press wins."""
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
        """The true press that this stamp is of."""
        times = self._of(station)
        index = bisect_left(times, t_ns - NEAR_NS)
        near = [t for t in times[index : index + 9] if abs(t - t_ns) <= NEAR_NS]
        return min(near, key=lambda t: abs(t - t_ns), default=None)


class Book:
    """Which hands were sealed when, by the journal's numbers."""

    def __init__(self) -> None:
        self._known: list[tuple[int, tuple[Any, ...]]] = [(0, ())]

    def note(self, seq: int, state: State) -> None:
        """After the rows up to `seq` the table has these hands."""
        hands = _hands(state)
        if hands is not self._known[-1][1]:
            self._known.append((seq, hands))

    def kept(self, seq: int, state: State) -> None:
        """The table that came back from the rows up to `seq`. Raises WrongError when it has other hands.

        One more may be there: the seal's own row was torn away, and its facts lead to it again.
        """
        before = [hands for known, hands in self._known if known <= seq][-1]
        after = [hands for known, hands in self._known if known > seq]
        found = _hands(state)
        again = bool(after) and len(found) == len(before) + 1 and found[:-1] == before
        if found not in (before, *after[:1]) and not again:
            raise WrongError(f"{len(before)} hands were sealed, {len(found)} are back, {state.phase.name}")
        self._known = [(0, found)]


def _hands(state: State) -> tuple[Any, ...]:
    """The book of the match at hand; of one that is kept for another evening, too."""
    kept = state.phase.kept if isinstance(state.phase, Lobby) else None
    return (state.table if kept is None else kept).hands
