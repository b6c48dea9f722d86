"""LOBBY: tap to join; two players hold together to become partners; hold alone to leave.

After a player has joined, the knob chooses a name for the seat: remembered names, an entry for a new name (a push
begins it), and deck backs as names for unnamed players.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import (
    Began,
    Cleared,
    Continued,
    Cue,
    Joined,
    KnownName,
    Left,
    Named,
    Paired,
    PhonePaired,
    Rematched,
    Resumed,
    Turned,
)
from referee.core.model.labels import answer_lamps, number, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction
from referee.core.model.registry import begun_under, game_of, preset_name, rules_in_force, winners_at
from referee.core.model.state import GUARD_NS, Hold, Phase, State, Step
from referee.core.model.table import Seat, Setup, Table, Team
from referee.core.model.transitions import Row, Transition
from referee.core.model.triggers import Due, Held, KnobPushed
from referee.core.model.view import LobbyScreen, Screen, SeatCell
from referee.core.names import back_name, is_back
from referee.core.phases.agreement import first_hand
from referee.core.phases.common import NOTE_NS, decide, held_down, in_turn, stay, to, toast, too_few, wink, within
from referee.core.phases.ready import next_hand
from referee.core.phases.seating import NEW, free_name, named, next_notes, open_spelling, remember_names, wheel
from referee.core.presses.signals import KNOB, Contact, Pressed, standing
from referee.core.units import S
from referee.core.values import replace

NAMING_NS = 5 * S
HINT_NS = 3 * S
IN_TURN_NS = 14 * NOTE_NS
"""How long the display alternates between how to start and how partners join, in ns."""


class Lobby(Phase, tag="lobby"):
    """The players take their seats.

    naming: the seat whose name the knob can change until `naming_until_at_ns`. fresh: the knob is at the entry for a
    new name. again: there was a match before, so the menu offers to free all seats. kept: the table of the last match,
    to continue it. typed: the seat that a phone is naming now.
    """

    name: ClassVar[str] = "LOBBY"
    asks_all: ClassVar[bool] = True
    faults: ClassVar[bool] = True
    undoes: ClassVar[bool] = False
    naming: str | None = None
    naming_until_at_ns: int | None = None
    hint: str | None = None
    hint_until_at_ns: int | None = None
    kept: Table | None = None
    again: bool = False
    fresh: bool = False
    typed: str | None = None

    def takes_push(self) -> bool:
        return self.fresh

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return min((t for t in (self.naming_until_at_ns, self.hint_until_at_ns) if t is not None), default=None)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        held = held_down(state, now_ns, times)
        hint = msg(self.hint) if self.hint else None
        hint = hint or (msg("hint.let_go", seat=number(table, held[0])) if held else None)
        hint = hint or (msg("hint.go_on") if self.kept else None)
        preset, target = preset_name(table.setup.preset), game_of(table).target(table)
        naming = number(table, self.naming) if self.naming else None
        teams = len(teams_of(table))
        coming = next(iter(next_notes(state)), None)
        starts = teams > 1 and self._says_start(now_ns, times) and (coming is None or coming.key == "note.next")
        return LobbyScreen(preset, target, seat_cells(table), teams, naming, hint, self.fresh, starts, coming)

    def _says_start(self, now_ns: int, times: Times) -> bool:
        """Return whether to show how to start the match.

        In the first seconds the screen alternates between this and how to form teams.
        """
        return now_ns >= self.asked_at_ns + IN_TURN_NS or in_turn(2, self.asked_at_ns, now_ns, times) == 0

    def lamps(self, state: State) -> Shown:
        seated = [seat.station for seat in state.table.seats if seat.name is not None]
        return answer_lamps(state.table.setup.stations, seated, self.asked_at_ns - GUARD_NS)


def seat_cells(table: Table) -> tuple[SeatCell, ...]:
    """Return all seats with their players and partners."""
    return tuple(
        SeatCell(
            number(table, s.station),
            s.name and back_name(s.name, table.setup.language),
            number(table, s.partner) if s.partner else None,
        )
        for s in table.seats
    )


def new_state(
    setup: Setup,
    at_ns: int,
    boot: str,
    closed: tuple[str, ...] = (),
    seq: int = 0,
    known: tuple[KnownName, ...] = (),
) -> State:
    """Return a state with an empty table in the lobby.

    closed: stations whose button is down. known: names used on this device.
    """
    stations = (*setup.stations, KNOB)
    return State(
        now_ns=at_ns,
        seq=seq,
        boot=boot,
        rows=0,
        touched_at_ns=at_ns,
        contacts=tuple(standing(station, station in closed, at_ns) for station in stations),
        holds=(),
        table=Table(setup, tuple(Seat(station) for station in setup.stations)),
        phase=Lobby(at_ns),
        away=tuple(sorted(setup.remote)),
        known=known,
    )


class ResumeMatch(MenuAction):
    """Continue the last match, whose table the lobby has kept."""


class OtherTable(MenuAction):
    """Free every seat for other players."""

    upsets: ClassVar[bool] = True


class StartMatch(MenuAction):
    """Begin a match with the seated players."""


def teams_of(table: Table) -> tuple[Team, ...]:
    """Return the seated players as teams, in seat order. A team's id is its first station."""
    teams: list[Team] = []
    for seat in table.seats:
        if seat.name is None or (seat.partner and _before(table, seat.partner, seat.station)):
            continue
        teams.append(Team(seat.station, (seat.station, seat.partner) if seat.partner else (seat.station,)))
    return tuple(teams)


def _before(table: Table, one: str, other: str) -> bool:
    order = table.setup.stations
    return order.index(one) < order.index(other)


def on_pressed(state: State, phase: Lobby, pressed: Pressed) -> Step:
    """Join at the start of a press. A press at an occupied seat does nothing."""
    station = pressed.press.station
    seat = state.table.seat(station)
    if seat is None or seat.name is not None:
        return stay(state)
    return decide(state, Joined(state.now_ns, station, free_name(state, station)))


def on_joined(state: State, phase: Lobby, event: Joined) -> Step:
    """Seat the player. For 5 s the knob can choose another name for the player."""
    table = named(state, event.station, event.name)
    until_ns = event.at_ns + NAMING_NS
    turned = replace(phase, naming=event.station, naming_until_at_ns=until_ns, fresh=False)
    phase = replace(phase if phase.typed == event.station else turned, hint=None, typed=None)
    state = replace(wink(state, event.station, 1), table=table)
    if state.menu:  # a list hides the seats, so confirm the tap by a message
        state = toast(state, said("toast.joined", seat_label(table, event.station)))
    return within(state, phase)


def on_held(state: State, phase: Lobby, held: Held) -> Step:
    """Make two seats one team, or separate them, if their buttons are held together.

    A player who holds a button alone for 2 s leaves. If a third button is held, show a hint. Ignore holds that began
    before the lobby.
    """
    seat = state.table.seat(held.station)
    here = [h for h in state.holds if h.press.t_ns >= phase.asked_at_ns and h.press.station != KNOB]
    holding = [h for h in here if h.passed and not h.used]
    mine = next((h for h in holding if h.press.station == held.station), None)
    if seat is None or mine is None:
        return stay(state)
    if held.long:
        alone = len(holding) == 1
        return decide(_use(state, holding), Left(state.now_ns, held.station)) if alone else stay(state)
    if len(holding) == 1:
        return stay(state)
    if len(holding) > 2 or _third(state, holding):
        return _hint(_use(state, holding), phase, "hint.two_at_a_time")
    one, other = sorted((h.press.station for h in holding), key=state.table.setup.stations.index)
    return _pair(_use(state, holding), phase, one, other)


def _third(state: State, holding: list[Hold]) -> bool:
    """Return whether a button not in `holding` is still held after the lobby acted on that hold."""
    return any(h.used and h.passed for h in state.holds if h.press.station != KNOB and h not in holding)


def _pair(state: State, phase: Lobby, one: str, other: str) -> Step:
    first, second = state.table.own_seat(one), state.table.own_seat(other)
    if first.partner == other:
        return decide(state, Paired(state.now_ns, (one, other), False))
    if first.partner or second.partner:
        return _hint(state, phase, "hint.already_pair")
    return decide(state, Paired(state.now_ns, (one, other), True))


def phone_refusal(state: State, event: PhonePaired) -> Msg | None:
    """Return why a phone cannot make these seats one team, or separate them; None if it can."""
    one, other = (state.table.seat(station) for station in event.stations)
    if not isinstance(state.phase, Lobby) or one is None or other is None or one is other:
        return msg("refusal.later")
    fits = not (one.partner or other.partner) if event.together else one.partner == other.station
    return None if fits and one.name and other.name else msg("refusal.no_pair")


def by_phone(state: State, phase: Lobby, event: PhonePaired) -> Step:
    """Make two seats one team, or separate them, as if both buttons were held."""
    return decide(state, Paired(state.now_ns, event.stations, event.together))


def _use(state: State, holding: list[Hold]) -> State:
    holds = tuple(replace(h, used=True) if h in holding else h for h in state.holds)
    return replace(state, holds=holds)


def _hint(state: State, phase: Lobby, key: str) -> Step:
    phase = replace(phase, hint=key, hint_until_at_ns=state.now_ns + HINT_NS)
    return within(state, phase, Cue("refused", state.now_ns))


def on_left(state: State, phase: Lobby, event: Left) -> Step:
    """Free the seat. A partner stays as a single player."""
    seats = tuple(
        Seat(s.station) if s.station == event.station else replace(s, partner=None) if s.partner == event.station else s
        for s in state.table.seats
    )
    phase = replace(phase, naming=None, naming_until_at_ns=None, fresh=False)
    state = remember_names(state)
    by = tuple(station for station in state.table.agreed_by if station != event.station)
    table = replace(state.table, seats=seats, agreed_by=by)
    return within(wink(replace(state, table=table), event.station, 2), phase)


def on_paired(state: State, phase: Lobby, event: Paired) -> Step:
    """Make two seats one team, or separate them."""
    table = state.table
    for station, partner in (event.stations, event.stations[::-1]):
        table = table.with_seat(replace(table.own_seat(station), partner=partner if event.together else None))
    for station in event.stations:
        state = wink(state, station, 2)
    return within(replace(state, table=table), phase)


def on_turned(state: State, phase: Lobby, event: Turned) -> Step:
    """Show the next or previous name for the player who has just joined."""
    seat = state.table.seat(phase.naming) if phase.naming else None
    if seat is None or phase.naming_until_at_ns is None or state.now_ns > phase.naming_until_at_ns:
        return stay(state)
    names = wheel(state, seat.station)
    now = NEW if phase.fresh else seat.name
    name = names[((names.index(now) if now in names else -1) + event.steps) % len(names)]
    if name == NEW:
        return within(state, replace(phase, fresh=True, naming_until_at_ns=state.now_ns + NAMING_NS))
    return decide(state, Named(state.now_ns, seat.station, name))


def on_pushed(state: State, phase: Lobby, pushed: KnobPushed) -> Step:
    assert phase.naming is not None
    return within(open_spelling(state, phase.naming), replace(phase, fresh=False))


def on_named(state: State, phase: Lobby, event: Named) -> Step:
    """Store the seat's name. The knob can change it for another 5 s."""
    state = replace(state, table=named(state, event.station, event.name))
    if phase.typed == event.station:
        return within(state, replace(phase, typed=None))
    return within(state, replace(phase, naming_until_at_ns=event.at_ns + NAMING_NS, fresh=False))


def take_name(phase: Lobby, station: str, *, new: bool) -> Lobby:
    """Return the lobby after a phone named this seat: the knob no longer changes the name.

    new: whether the phone's name differs from the old one. If so, a decision that sets the new name follows.
    """
    if phase.naming == station:
        phase = replace(phase, naming=None, naming_until_at_ns=None, fresh=False)
    return replace(phase, typed=station if new else None)


def on_due(state: State, phase: Lobby, due: Due) -> Step:
    """End the choice of a name, or remove the hint, when its time is up."""
    if phase.naming_until_at_ns is not None and phase.naming_until_at_ns <= due.at_ns:
        phase = replace(phase, naming=None, naming_until_at_ns=None, fresh=False)
    if phase.hint_until_at_ns is not None and phase.hint_until_at_ns <= due.at_ns:
        phase = replace(phase, hint=None, hint_until_at_ns=None)
    return within(state, phase)


def _clear(table: Table) -> Table:
    """Return the table without players and hands.

    It keeps its settings, phones and its agreement on rules.
    """
    kept = replace(Table(table.setup, ()), agreed=table.agreed, agreed_by=table.agreed_by)
    return replace(kept, teaching=table.teaching, phone_buttons=table.phone_buttons, home_by_s=table.home_by_s)


def lobby_again(state: State, at_ns: int) -> Step:
    """Return to the lobby, which keeps the seats, and the last match so that it can continue."""
    table = state.table
    kept = table if table.hands else None
    here = replace(_clear(table), seats=table.seats)
    state = replace(state, table=here, redo=None)
    return to(state, Lobby(at_ns, kept=kept, again=True))


def back_tone(event: Resumed) -> Cue:
    """Return the sound that announces that the device has restarted."""
    return Cue("power_back", event.at_ns, cancels=True)


def on_resumed(state: State, phase: Lobby, event: Resumed) -> Step:
    """Keep the lobby after a restart and show that the power was off."""
    return to(toast(state, msg("toast.power_was_off")), after_boot(phase, event), back_tone(event))


def after_boot(phase: Lobby, event: Resumed) -> Lobby:
    """Return the lobby after a restart.

    If `event.asks`, its menu offers to clear the seats for another table.
    """
    return replace(phase, asked_at_ns=event.at_ns, again=phase.again or event.asks)


def _resume_text(state: State, phase: Lobby) -> Msg | None:
    kept = phase.kept
    if kept is None or winners_at(kept):
        return None
    return msg("item.resume_match", score=tuple(place.total for place in game_of(kept).standings(kept)))


def resume(state: State, phase: Lobby, action: ResumeMatch) -> Step:
    return decide(state, Continued(state.now_ns))


def on_continued(state: State, phase: Lobby, event: Continued) -> Step:
    """Continue the kept match at its next hand, with the present device settings."""
    kept, now = phase.kept, state.table.setup
    assert kept is not None
    device = {name: getattr(now, name) for name in Setup.device}  # every field of the device
    return next_hand(replace(state, table=replace(kept, setup=replace(kept.setup, **device))), event.at_ns)


def _other_text(state: State, phase: Lobby) -> Msg | None:
    """Return the menu line "Other table" if a player is seated and there was a match before."""
    seated = any(seat.name is not None for seat in state.table.seats)
    return msg("item.other_table") if seated and phase.again else None


def other(state: State, phase: Phase, action: OtherTable) -> Step:
    return decide(state, Cleared(state.now_ns))


def on_cleared(state: State, phase: Phase, event: Cleared) -> Step:
    """Free every seat. The next player at a seat is first offered the name used there last."""
    state = remember_names(state)
    seats, setup = state.table.seats, state.table.setup
    called = {seat.station: seat.name for seat in seats if seat.name is not None and not is_back(seat.name)}
    setup = replace(setup, names=tuple((dict(setup.names) | called).items()))
    table = Table(setup, tuple(Seat(seat.station) for seat in seats))
    return to(replace(state, table=table), Lobby(event.at_ns, again=True))


def _start_text(state: State, phase: Lobby) -> Msg | None:
    teams, kept = teams_of(state.table), phase.kept
    if len(teams) < 2:
        return None
    same = kept is not None and sorted(t.stations for t in kept.teams) == sorted(t.stations for t in teams)
    return msg("item.rematch") if same else msg("item.start", count=len(teams))


def begin(state: State, phase: Lobby, action: StartMatch) -> Step:
    """Begin the match if there are at least two teams."""
    if len(teams_of(state.table)) < 2:
        return too_few(replace(state, menu=None))
    rules = rules_in_force(state.table.setup)
    return decide(state, Rematched(state.now_ns, rules) if phase.again else Began(state.now_ns, rules))


def on_began(state: State, phase: Lobby, event: Began | Rematched) -> Step:
    """Form the teams of the match from the seats."""
    setup, seats = begun_under(state.table.setup, event.rules), state.table.seats
    table = replace(_clear(state.table), setup=setup, seats=seats, teams=teams_of(state.table))
    return first_hand(remember_names(replace(state, table=table)), event.at_ns)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, Resumed, on_resumed, (), "the power is back"),
    Row(Lobby, Pressed, on_pressed, (), "tap: in"),
    Row(Lobby, Held, on_held, (), "two hold: pair; one 2 s: out"),
    Row(Lobby, PhonePaired, by_phone, (), "a phone: pair, part"),
    Row(Lobby, Turned, on_turned, (), "turn: the latest joiner's name"),
    Row(Lobby, KnobPushed, on_pushed, (), "push: a new name, by letters"),
    Row(Lobby, Due, on_due, (), "name and hint close"),
    Row(Lobby, Joined, on_joined, (), "joined"),
    Row(Lobby, Left, on_left, (), "left"),
    Row(Lobby, Paired, on_paired, (), "paired, parted"),
    Row(Lobby, Named, on_named, (), "named"),
    Row(Lobby, Began, on_began, ("AGREEMENT", "READY"), "the match begins"),
    Row(Lobby, Rematched, on_began, ("AGREEMENT", "READY"), "another match begins"),
    Row(Lobby, Continued, on_continued, ("READY",), "the match of another evening goes on"),
    Row(Lobby, Cleared, on_cleared, (), "another table"),
    Row(Lobby, ResumeMatch, resume, (), "the knob: the match that was kept", _resume_text),
    Row(Lobby, StartMatch, begin, (), "the knob: the match", _start_text),
    Row(Lobby, OtherTable, other, (), "the knob: other people", _other_text),
)
