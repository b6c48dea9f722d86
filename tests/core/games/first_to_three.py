"""A third game, as small as games get: whoever presses first wins the hand, and three hands win the match.

One file and one line in the registry, and it has lobby, ready check, votes, undo, power cuts, history and export.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from referee.core.model.account import Account
from referee.core.model.events import Played, Voided
from referee.core.model.labels import Times, team_lines
from referee.core.model.registry import Documents
from referee.core.model.state import Play, State, Step, Table, fresh
from referee.core.model.transitions import Game, Place, Row
from referee.core.model.view import PlayingScreen, Screen
from referee.core.phases.common import decide, stay, wink
from referee.core.phases.over import booked
from referee.core.phases.pause import TimeOut
from referee.core.phases.void import VoidHand, on_voided, void
from referee.core.presses.signals import Pressed
from referee.core.reading import Part
from referee.core.values import replace

WINS = 3


class Racing(Play):
    """The first press wins."""

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return PlayingScreen(len(state.table.hands) + 1, WINS, 0, team_lines(state.table))


def on_pressed(state: State, phase: Racing, pressed: Pressed) -> Step:
    """Won."""
    team = state.table.team_of(pressed.press.station)
    if team is None or not fresh(phase, pressed.press.t_ns):
        return stay(state)
    return decide(wink(state, pressed.press.station, 1), Played(state.now_ns, "win", (team.id,)))


def on_played(state: State, phase: Racing, event: Played) -> Step:
    """In the book."""
    return booked(state, replace(state.table, hands=(*state.table.hands, event.teams[0])), event.at_ns)


def ask_void(state: State, phase: TimeOut, action: VoidHand) -> Step:
    """Shall the hand be dealt again?"""
    return void(state, phase.playing)


class FirstToThree(Game):
    """At the table; see transitions.Game."""

    rows = (
        Row(Racing, Pressed, on_pressed, (), "a press wins"),
        Row(Racing, Played, on_played, ("READY", "OVER"), "won"),
        Row(TimeOut, Voided, on_voided, ("READY",), "the hand is void"),
        Row(TimeOut, VoidHand, ask_void, ("VOTE",), "the knob: shall it be void?", "Void hand"),
    )

    def title(self, table: Table) -> tuple[str, int | None]:
        return "FIRST", WINS

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        return Racing(armed_at_ns, playing)

    def standings(self, table: Table) -> tuple[Place, ...]:
        wins = [table.hands.count(team.id) for team in table.teams]
        delta = [None if not table.hands else Fraction(table.hands[-1] == team.id) for team in table.teams]
        places = [1 + sum(other > own for other in wins) for own in wins]
        told = zip(table.teams, wins, places, delta, strict=True)
        return tuple(Place(t.id, Fraction(own), place, places.count(place) > 1, d) for t, own, place, d in told)

    def winners(self, table: Table) -> tuple[str, ...]:
        return tuple(team.id for team in table.teams if table.hands.count(team.id) >= WINS)


class Paper(Documents):
    """On paper; see registry.Documents."""

    NAME = FAMILY = "first to three"
    TITLES: Mapping[str, str] = {"first-to-three": "First to three"}

    def account(self, document: Part) -> Account:
        parts = document.keyed(("preset", "players", "hands"), ("options",))
        players = parts["players"].names("player")
        won = [hand.keyed(("won",))["won"].named(players, "one of the players") for hand in parts["hands"].items()]
        totals = {player: won.count(player) for player in players}
        return Account(
            hands=tuple({player: int(player == winner) for player in players} for winner in won),
            totals=totals,
            ranks={player: 1 + sum(other > own for other in totals.values()) for player, own in totals.items()},
            winners=tuple(player for player, own in totals.items() if own >= WINS),
        )

    def match_document(self, table: Table, names: Mapping[str, str]) -> dict[str, Any]:
        won = [{"won": names[team]} for team in table.hands]
        return {"preset": table.setup.preset, "players": list(names.values()), "hands": won}

    def renamed(self, match: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
        hands = [{"won": names[hand["won"]]} for hand in match["hands"]]
        return {**match, "players": [names[player] for player in match["players"]], "hands": hands}


GAME = FirstToThree()


def documents() -> Documents:
    return Paper()


def game() -> Game:
    return GAME
