"""A record of a match as people at the table saw it, from views and from final counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.core.model.events import Ended, Event, Overruled, Played, Ruled, Sealed
from referee.core.model.view import (
    CountdownScreen,
    CountScreen,
    DeclaredScreen,
    Label,
    LobbyScreen,
    OverScreen,
    PlayingScreen,
    SeatCell,
    StandingsScreen,
    TeamLine,
    TurnScreen,
    VerdictScreen,
    View,
    WaitScreen,
)
from referee.simulator.table.stopwatch import Stopwatch


@dataclass(slots=True)
class HandTranscript:
    """One hand: its play time, stopped countdowns, verdict, counts, truth and standings.

    A team's key is its first seat number. counts: team -> the final values of its count. truth: team -> the correct
    values, for the bots' teams. fields: the message keys of the fields' names. ended: how the hand ended without a call
    ("stuck", "abandoned"; in a game of turns, the name of the last move). by: who made that move. lines: the standings
    after the hand, with its scores. spent_ns: phase -> time in it, until the next hand. false_calls: teams that called
    falsely.
    """

    number: int = 0
    played_ns: int = 0
    stops: list[tuple[Label, ...]] = field(default_factory=list)
    verdict: VerdictScreen | None = None
    counts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    truth: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    fields: tuple[str, ...] = ()
    ended: str = ""
    by: tuple[Label, ...] = ()
    lines: tuple[TeamLine, ...] = ()
    spent_ns: dict[str, int] = field(default_factory=dict)
    false_calls: list[int] = field(default_factory=list)

    @property
    def miscounts(self) -> tuple[int, ...]:
        """Return the teams whose final count is wrong, because no one noticed the mistake."""
        return tuple(
            n for n, values in self.counts.items() if n in self.truth and self.truth[n][: len(values)] != values
        )


@dataclass(slots=True)
class MatchRecord:
    """One match: its seats, hands, winners and last standings.

    `spent_ns`: time in the lobby or before a rematch. laps: how long each step from a call to the next GO took
    (stopwatch.py).
    """

    preset: str = ""
    target: int | None = None
    seats: tuple[SeatCell, ...] = ()
    hands: list[HandTranscript] = field(default_factory=list)
    winners: tuple[Label, ...] = ()
    lines: tuple[TeamLine, ...] = ()
    spent_ns: int = 0
    laps: list[dict[str, int]] = field(default_factory=list)


class Recorder:
    """Records every match, from the views and the core's decisions."""

    def __init__(self) -> None:
        self.matches: list[MatchRecord] = []
        self._match = MatchRecord()
        self._hand = HandTranscript()
        self._move = ""
        """The last move in a game of turns before its hand ended."""
        self._phase = ""
        self._since_ns = 0
        self._go_ns: int | None = None
        self._watch = Stopwatch()

    def look(self, view: View) -> None:
        """Record what the view shows. Every view must be passed, in order of time."""
        self._watch.look(view)
        if view.phase != self._phase:
            self._leave(view)
            self._phase, self._since_ns = view.phase, view.now_ns
            self._enter(view)
        self._see(view)

    def take_decision(self, event: Event, truth: Mapping[int, tuple[int, ...]], sorted_at_ns: int) -> None:
        """Record a decision of the core or the players.

        `truth`: the correct counts of the bots' teams, whose cards were sorted at `sorted_at_ns`.
        """
        if isinstance(event, Sealed):
            self._hand.counts = {int(team): values for team, values in event.counts}
            self._hand.truth = dict(truth)
            self._watch.note_count(sorted_at_ns)
        elif isinstance(event, Ruled):
            self._watch.note_verdict(event)
        elif isinstance(event, Overruled) and event.ruling == "false_call":
            self._hand.false_calls += [int(team) for team in event.teams]
            self._hand.verdict = None
        elif isinstance(event, Played) and self._phase in ("VERDICT", "VOTE"):
            self._hand.number, self._hand.ended = len(self._match.hands) + 1, event.move
            self._book()
        elif isinstance(event, Played) and self._phase != "DECLARED":
            self._move = event.move
        elif isinstance(event, Ended) and event.end in ("stuck", "abandoned"):
            self._hand.ended = event.end
            if event.end == "abandoned":
                self._hand.number = len(self._match.hands) + 1
                self._book()

    def _leave(self, view: View) -> None:
        spent = view.now_ns - self._since_ns
        if self._phase in ("READY", "OVER") and view.phase == "COUNTING":
            self._reopen()
        if self._phase in ("", "LOBBY", "OVER"):
            self._match.spent_ns += spent if self._phase else 0
            return
        self._hand.spent_ns[self._phase] = self._hand.spent_ns.get(self._phase, 0) + spent
        if self._phase == "PLAYING" and self._go_ns is not None:
            self._hand.played_ns += view.now_ns - self._go_ns
        elif self._phase == "PLAYING":  # games of turns have no countdown
            self._hand.played_ns += spent
        if self._phase == "BURNING":
            self._go_ns = view.now_ns
        if self._phase in ("COUNTING", "DECLARED") and view.phase in ("READY", "OVER"):
            self._book()

    def _book(self) -> None:
        self._match.hands.append(self._hand)
        self._hand = HandTranscript()

    def _reopen(self) -> None:
        """Remove the last hand from the record, because its count is open again."""
        if self._phase == "OVER":
            self._match = self.matches.pop()
        self._hand = self._match.hands.pop()

    def _enter(self, view: View) -> None:
        screen = view.screen
        if isinstance(screen, WaitScreen):
            self._hand.stops.append(screen.labels)
        elif isinstance(screen, OverScreen):
            self._match.winners, self._match.lines = screen.winners, screen.lines
            self._match.hands[-1].lines = screen.lines
            self._match.laps, self._watch = [*self._match.laps, *self._watch.laps], Stopwatch()
            self.matches.append(self._match)
            self._match = MatchRecord(self._match.preset, self._match.target, self._match.seats)

    def _see(self, view: View) -> None:
        screen = view.screen
        if isinstance(screen, LobbyScreen):
            self._match.preset, self._match.target = screen.preset, screen.target
            self._match.seats = screen.seats
        elif isinstance(screen, CountdownScreen) and view.go_ns is not None:
            self._go_ns = view.go_ns
        elif isinstance(screen, VerdictScreen):
            self._hand.verdict = screen
        elif isinstance(screen, CountScreen):
            self._hand.number, self._hand.fields = screen.hand, tuple(name.key for name in screen.field_names)
        elif isinstance(screen, TurnScreen):
            self._hand.number = screen.hand
            self._hand.ended, self._hand.by = ("knock", (screen.knocker,)) if screen.knocker else ("", ())
        elif isinstance(screen, DeclaredScreen):
            self._hand.ended, self._hand.by = self._move, screen.declared
        elif isinstance(screen, PlayingScreen) and self._match.hands and not self._match.hands[-1].lines:
            self._match.hands[-1].lines = screen.lines  # there was no count: play goes on
        elif isinstance(screen, StandingsScreen) and self._match.hands:
            self._match.hands[-1].lines = screen.lines
