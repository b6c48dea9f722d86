"""A third game, as small as games get: whoever presses first wins the hand, and three hands win the match.

One file and one line in the registry, and it has lobby, ready check, votes, undo, power cuts, history and export.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, cast

from referee.core.events import Cue, Decision, Played, Voided
from referee.core.games.account import Account
from referee.core.games.registry import Documents
from referee.core.labels import Shown, Times, team_lines
from referee.core.lamps import SLOW
from referee.core.phases.common import decide, stay, wink
from referee.core.phases.over import booked
from referee.core.phases.pause import TimeOut
from referee.core.phases.void import on_voided, void
from referee.core.reading import Part
from referee.core.signals import Pressed
from referee.core.state import Count, Phase, State, Step, Table, fresh, seats_of
from referee.core.transitions import FieldSpec, Game, Item, Past, Place, Row, Setting
from referee.core.values import replace
from referee.core.view import PlayingScreen, Screen

NAME = FAMILY = "first to three"
TITLES: Mapping[str, str] = {"first-to-three": "First to three"}
WINS = 3


# -- at the table --------------------------------------------------------------------------------------------------


class Racing(Phase):
    """The first press wins."""

    name: ClassVar[str] = "PLAYING"
    playing: tuple[str, ...] = ()

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        return PlayingScreen(len(state.table.hands) + 1, WINS, 0, team_lines(state.table))

    def lamps(self, state: State) -> Shown:
        return dict.fromkeys(seats_of(state.table, self.playing), (SLOW, 0))


def on_pressed(state: State, pressed: Pressed) -> Step:
    """Won."""
    team = state.table.team_of(pressed.press.station)
    if team is None or not fresh(state.phase, pressed.press.t_ns):
        return stay(state)
    return decide(wink(state, pressed.press.station, 1), Played(state.now_ns, "win", (team.id,)))


def on_played(state: State, event: Played) -> Step:
    """In the book."""
    step = booked(state, replace(state.table, hands=(*state.table.hands, event.teams[0])), event.at_ns)
    return replace(step, cues=(*step.cues, Cue("verdict_clear", event.at_ns)))


def _playing(state: State) -> tuple[str, ...]:
    return tuple(getattr(state.phase, "playing", ()))


ROWS: tuple[Row, ...] = (
    Row(Racing, Pressed, on_pressed, (), "a press wins"),
    Row(Racing, Played, on_played, ("READY", "OVER"), "won"),
    Row(TimeOut, Voided, on_voided, ("READY",), "the hand is void"),
)
ITEMS: tuple[Item, ...] = (
    Item(TimeOut, "void", lambda state: "Void hand", lambda state, _: void(state, _playing(state)), ("VOTE",)),
)


class FirstToThree:
    """See transitions.Game."""

    rows = ROWS
    items = ITEMS
    settings: tuple[Setting, ...] = ()
    counts_down = False

    def title(self, table: Table) -> tuple[str, int | None]:
        return "FIRST", WINS

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Phase:
        return Racing(armed_at_ns, playing)

    def resumed(self, table: Table, play: Any, go_at_ns: int, armed_at_ns: int) -> Phase:
        return cast(Racing, replace(play, asked_at_ns=armed_at_ns))

    def start_noted(self, table: Table) -> bool:
        return False

    def end_when_leaving(self, table: Table) -> str | None:
        return None

    def call_before_pause(self, state: State, play: Any, pressed: Pressed) -> Step:
        return stay(state)

    def stopped(self, phase: Phase, at_ns: int) -> Any:
        return phase if isinstance(phase, Racing) else None

    def open_call(self, state: State, phase: Phase) -> Decision | None:
        return None

    def taken_in(self, state: State, play: Any, event: Decision) -> Phase | None:
        return cast(Racing, play) if isinstance(event, Played) else None

    def next_players(self, table: Table) -> tuple[str, ...]:
        return tuple(team.id for team in table.teams)

    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[str, ...]:
        return ()

    def holders(self, table: Table) -> frozenset[str]:
        return frozenset()

    def fields(self, table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
        return ()

    def refusal(self, table: Table, count: Count, callers: tuple[str, ...]) -> str | None:
        return None

    def result(self, table: Table, counting: Phase, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Any:
        raise AssertionError("a game without fields has no count to settle")

    def past(self, table: Table, hand: int) -> Past | None:
        return None

    def corrected(self, table: Table, hand: int, counts: tuple[tuple[str, tuple[int, ...]], ...]) -> Table:
        return table

    def standings(self, table: Table) -> tuple[Place, ...]:
        wins = [table.hands.count(team.id) for team in table.teams]
        delta = [None if not table.hands else Fraction(table.hands[-1] == team.id) for team in table.teams]
        places = [1 + sum(other > own for other in wins) for own in wins]
        told = zip(table.teams, wins, places, delta, strict=True)
        return tuple(Place(t.id, Fraction(own), place, places.count(place) > 1, d) for t, own, place, d in told)

    def winners(self, table: Table) -> tuple[str, ...]:
        return tuple(team.id for team in table.teams if table.hands.count(team.id) >= WINS)


# -- on paper ------------------------------------------------------------------------------------------------------


def preset_values(preset: str) -> dict[str, tuple[Any, str]]:
    return {}


def check_options(preset: str, options: Mapping[str, object]) -> None:
    return None


def cards(preset: str, options: Mapping[str, object]) -> tuple[int, int]:
    return 0, 0


def options() -> tuple[Any, ...]:
    return ()


def score_match(document: Part) -> dict[str, Any]:
    told = account(document)
    return {"wins": dict(told.totals), "winners": list(told.winners)}


def account(document: Part) -> Account:
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


def match_document(table: Table, names: Mapping[str, str]) -> dict[str, Any]:
    hands = [{"won": names[team]} for team in table.hands]
    return {"preset": table.setup.preset, "options": {}, "players": list(names.values()), "hands": hands}


def renamed(match: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    hands = [{"won": names[hand["won"]]} for hand in match["hands"]]
    return {**match, "players": [names[player] for player in match["players"]], "hands": hands}


def ending(hand: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    return "won", (hand["won"],)


def columns() -> tuple[str, ...]:
    return ()


def counted(hand: Mapping[str, Any], team: str) -> tuple[object, ...]:
    return ()


def hand_story(phase: Phase) -> tuple[None, None]:
    return None, None


GAME = FirstToThree()


def documents() -> Documents:
    return cast(Documents, sys.modules[__name__])


def game() -> Game:
    return GAME
