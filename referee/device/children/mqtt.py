"""Publish the table by MQTT from a child process.

So a broker cannot slow down the referee. The device imports no MQTT library. It sends three things to the child
(`protocol/mqtt.py`): a short form of its view, at most twice a second; each verdict, at once; and that a record has
been written, which is the next result.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from referee.core.documents.delivery import GameRules, Seating, Shown, ShownTeam, Verdict
from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.table import SEATS
from referee.core.model.view import Lamp, LobbyScreen, TeamLine, VerdictScreen, View
from referee.core.names import fold, name_of
from referee.device.children.supervisor import Child, KeptChild, Program
from referee.language.called import verdict_news
from referee.language.words import speaking
from referee.protocol.mqtt import Announce, FromChild, Ping, Saved, Settings, Show, Status, line, read_report

CHILD = Program("MQTT link", "referee.mqtt.child", line_bytes=1 << 20, memory_bytes=512 << 20, hangs_s=1800.0)
"""A broker can send messages of up to 256 MB.

After an update from a version without rows, the child may replay all evenings once: 20 minutes for 400 evenings of
10,000 rows, at 0.3 ms a row on a small board.
"""
AFTER_S = 0.1
"""Delay in s before news is sent.

The display and the lamps, on the same interpreter, come first.
"""
VIEW_S = 0.5
"""Minimum time in s between two views."""
TROUBLES = {"broker": msg("toast.no_broker"), "hall": msg("toast.no_hall")}
"""Trouble of the link -> the display's message."""
MOST_PLAYERS = len(SEATS)
MOST_VERDICTS = 8
"""Maximum number of verdicts that wait for the child; older ones are dropped."""


class Publisher(KeptChild):
    """An output that publishes views and verdicts.

    Call its methods from any thread; none but `stop` waits.
    """

    def __init__(
        self,
        settings: Settings,
        changed: Callable[[], object],
        offered: Callable[[tuple[str, ...], GameRules], object] = lambda names, rules: None,
    ) -> None:
        """Start to publish.

        `changed`: called when `trouble` changes. `offered`: called with the names and the game of
        the next players at this table. Both are called on a thread of the publisher.
        """
        super().__init__(CHILD)
        self._settings, self._changed, self._offered = settings, changed, offered
        self._trouble = ""
        self._view: View | None = None
        self._due: set[str] = set()
        """What to send to the child: "view", "saved"."""
        self._verdicts: deque[VerdictScreen] = deque(maxlen=MOST_VERDICTS)
        self._ruled: VerdictScreen | None = None
        self._thread.start()

    def show(self, view: View) -> None:
        """Publish the view, and its verdict if it is a new one."""
        screen = view.screen
        with self._news:
            self._view = view
            self._due.add("view")
            if not isinstance(screen, VerdictScreen):
                self._ruled = None
            elif self._ruled is None or _ruling(self._ruled) != _ruling(screen):
                self._ruled = screen
                self._verdicts.append(screen)
            self._news.notify_all()

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Ignore lamps."""

    def sound(self, cue: Cue) -> None:
        """Ignore sounds."""

    def note_saved(self) -> None:
        """Note that records have been written or removed."""
        with self._news:
            self._due.add("saved")
            self._news.notify_all()

    @property
    def trouble(self) -> str:
        """Return "broker" without a broker or a child, "hall" if the hall is away, "" if the link works."""
        return "broker" if self.lost and not self._ending else self._trouble

    def _begin(self) -> None:
        self._due, self._trouble = {"view"}, ""
        self._verdicts.clear()

    def _feed(self, child: Child) -> None:
        self._send(child, line(self._settings))
        shown: Shown | None = None
        next_s = 0.0
        while self._await(child, next_s):
            with self._news:
                self._news.wait_for(lambda: self._ending, AFTER_S)
                due, self._due, self._asks = self._due, set(), False
                view, verdicts = self._view, list(self._verdicts)
                self._verdicts.clear()
            if verdicts and view is not None:
                self._send(child, b"".join(line(Announce(verdict_of(one, view))) for one in verdicts))
            if "saved" in due:
                self._send(child, line(Saved()))
            if "view" in due and view is not None and time.monotonic() < next_s:
                with self._news:
                    self._due.add("view")
            elif "view" in due and view is not None and (now := shown_of(view)) != shown:
                shown, next_s = now, time.monotonic() + VIEW_S
                self._send(child, line(Show(now)))
            self._send(child, b"")  # a question, if one is due

    def _await(self, child: Child, next_s: float) -> bool:
        """Wait until something is due. Return False if the child has ended or `stop` was called."""

        def ready() -> bool:
            waits = time.monotonic() < next_s
            due = self._due - ({"view"} if waits else set())
            return bool(self._ending or child.gone or self._asks or self._verdicts or due)

        with self._news:
            while not ready():
                left_s = next_s - time.monotonic()
                self._news.wait(left_s if self._due and left_s > 0 else None)
            return not (self._ending or child.gone)

    def _hear(self, text: bytes) -> None:
        report: FromChild = read_report(text)
        if isinstance(report, Status):
            self._trouble = report.trouble
            self._changed()
        else:
            seating, rules = report.seating, report.rules
            game = seating.game if seating else ""
            self._offered(names_of(seating), rules if rules and rules.game == game else GameRules(game, {}))

    def _ping(self, number: int) -> bytes:
        return line(Ping(number))

    def _on_lost(self) -> None:
        self._changed()


def _ruling(screen: VerdictScreen) -> object:
    """Return what distinguishes a verdict from another one."""
    return screen.kind, screen.callers, screen.gap_ns, screen.grey


def names_of(seating: Seating | None) -> tuple[str, ...]:
    """Return the valid names of the next players, each once."""
    given = (name for team in (seating.teams if seating else ()) for name in team)
    names: dict[str, str] = {}
    for name in map(name_of, given):
        if name is not None:
            names.setdefault(fold(name), name)
    return tuple(names.values())[:MOST_PLAYERS]


def shown_of(view: View) -> Shown:
    """Return the short form of a view."""
    match = view.match
    seats = view.screen.seats if isinstance(view.screen, LobbyScreen) else ()
    people = tuple((cell.number, cell.name) for cell in seats if cell.name is not None)
    if match is None:
        return Shown(view.phase, view.language, people=people)
    return Shown(
        view.phase,
        view.language,
        match.preset,
        match.target,
        len(match.hands) + (not match.winners),
        tuple(map(_team, match.lines)),
        tuple(line.label.name for line in match.lines if match.hands and line.place == 1),
        tuple(match.teams[at].name for at in match.winners),
        people,
    )


def _team(line: TeamLine) -> ShownTeam:
    gain = None if line.delta is None else float(line.delta)
    return ShownTeam(line.label.name, line.label.numbers, float(line.total), line.place, gain, line.shown or "")


def verdict_of(screen: VerdictScreen, view: View) -> Verdict:
    """Return the message about a verdict, in the view's language."""
    with speaking(view.language, rounds=view.rounds):
        words = verdict_news(screen)
    margin_ms = None if screen.gap_ns is None else round(screen.gap_ns / 1e6, 1)
    return Verdict(screen.kind, tuple(label.name for label in screen.callers), margin_ms, screen.grey, words)
