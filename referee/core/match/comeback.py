"""Coming back: what was decided is applied as it stands in the journal; the facts say where the table is.

Theory of operation. Sealed hands, seats, teams, settings and verdicts are decisions, and a decision that is journaled
holds, whatever these rules would decide today: it is applied where the phase hears it, else in the phase in which it
was taken (`apply_decision`). Facts are folded for contacts and for the phase; decisions that they lead to are only
compared. While both agree the fold ends in the very state that the last life ended in. From the first row at which they
do not, the phase is in doubt until a decision leads to another one; should the journal end before that, the table comes
back to the last phase that was sure, the way an undo lands there: a race in a pause, a count with every team asked
again.

An event that raises, here or in the last life, is set aside: it changes nothing.

A row that is lost, or not as it was written, is told by the others as far as they can. Where the facts before it lead
to a decision, it was that one (`retold`). Behind rows that nothing tells, a decision about a seat that nobody has taken
seats somebody there, known by the number alone (`unnamed`), and a hand without its match begins one (`_infer`). What
nothing tells is said: whose 31 ended a hand, which then does not count and waits in a pause; and whether a team that a
count leaves out had got up or was one of a pair, which stays a team of its own.

A push of the knob is kept as a press alone: whether a list was open and which line stood there, only the release says
that was running. Where that was another one than this, a push without a decision puts the phase in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import get_args

from referee.core.match import past
from referee.core.match.advance import advance, hears
from referee.core.match.transition_table import rows
from referee.core.model.events import (
    Agreed,
    Began,
    Cleared,
    Continued,
    Decision,
    Ended,
    Event,
    Overruled,
    Redone,
    Rematched,
    Resumed,
    Ruled,
    Sealed,
    Tick,
    Undone,
)
from referee.core.model.labels import number
from referee.core.model.phase import BetweenHands, Phase, Play, inner_of, play_of, playing_of, shift_instants
from referee.core.model.registry import can_play, game_of, presets, rules_in_force, winners_at
from referee.core.model.state import Count, State, Step
from referee.core.model.table import Setup, Team
from referee.core.model.transitions import ClaimGame, CountedGame, Game
from referee.core.phases.counting import Counting, counting
from referee.core.phases.lobby import Lobby, lobby_again, teams_of
from referee.core.phases.over import Over
from referee.core.phases.pause import TimeOut
from referee.core.phases.power_back import PowerBack
from referee.core.phases.ready import Ready, present, ready
from referee.core.phases.start import Starting
from referee.core.presses.signals import KNOB, Edge, standing
from referee.core.stored import short
from referee.core.values import Json, Value, replace

DECISIONS = frozenset(get_args(Decision))
Watch = Callable[[int, Event, State, State], object]
"""Called with every event that was applied: its number, the states before and after it."""
_BEGINNING = (Began, Rematched)
_OF_A_HAND = (Agreed, Ruled, Sealed)
_JUDGING = (Ruled, Overruled, Ended, Undone, Redone)


class Aside(Value):
    """An event that was set aside: its number, and why in one sentence."""

    seq: int
    reason: str


class Comeback:
    """A match on its way back from its rows. `state` is where it stands, `due` what the last fact still leads to."""

    def __init__(
        self,
        state: State,
        skip: Collection[int] = (),
        altered: Collection[int] = (),
        watch: Watch | None = None,
        *,
        release: str = "",
        opened_by: str = "",
    ) -> None:
        """`state`: as the journal's beginning leaves it. `skip`: the numbers of rows that were set aside before.

        altered: those of rows that are not as they were written. What they say is not believed; it is as if they were
        missing. watch: see `Watch`. release, opened_by: which program this is, and which one the journal was begun by.
        """
        self.state = state
        self.due: list[Decision] = []
        self.aside: list[Aside] = []
        self.skipped = 0
        self.retold: list[int] = []
        self.unnamed: list[str] = []
        self._uncounted: list[str] = []  # teams of whom no count behind lost rows says that they played
        self._untaken: list[str] = []  # the decisions that could not be taken, a part of a sentence each
        self._skip, self._altered, self._watch = skip, altered, watch
        self._release, self._written_by = release, opened_by
        self._lost = 0  # the last row that nothing tells
        self._judged = False  # whether it is known how the hand at hand has ended
        self._sure: State | None = None  # the last one in which the journal and the fold agreed
        self._why = ""
        self._unled = ""  # by which decision the rules of now went another way, though the phase is sure

    def take(self, seq: int, event: Event) -> None:
        """Apply the next row of the journal to the state that comes back."""
        self._miss(seq)
        if seq in self._altered:
            self.skipped += 1
            if not self._retell():
                self._lose(seq, f"event {seq} is not as it was written")
                again = isinstance(event, Resumed)  # whatever else it says, the device began anew
                self.state = left_out(self.state, event) if again else replace(self.state, seq=seq)
        elif seq in self._skip:
            self.skipped += 1
            self._leave_out(event)
        else:
            self._take(seq, event)

    def _take(self, seq: int, event: Event) -> None:
        before = self.state
        try:
            self._decide(event) if type(event) in DECISIONS else self._fold(event)  # type: ignore[arg-type]
        except Exception as error:
            self.aside.append(Aside(seq, f"{type(event).__name__}: {one_line(error)}"))
            if type(event) in DECISIONS:
                self._untaken.append(f"event {seq} does not count ({one_line(error)})")
            self._doubt(f"event {seq} cannot be taken ({one_line(error)})")
            self._leave_out(event)
        if self._watch:
            self._watch(seq, event, before, self.state)

    def _miss(self, seq: int) -> None:
        """Of the rows before this one, whatever is not there."""
        while self.state.seq + 1 < seq and self._retell():
            pass
        if seq != self.state.seq + 1:
            self._lose(seq - 1, f"the rows before event {seq} are missing")
            self.state = replace(self.state, seq=seq - 1)

    def finish(self) -> None:
        """What the last fact still leads to: the power went between it and its row, or the row is lost."""
        while self._retell():
            pass

    def _retell(self) -> bool:
        """The next row is lost: whether the facts before it say what it was."""
        if not self.due or self._sure is not None:
            return False
        seq = self.state.seq + 1
        self.retold.append(seq)
        self._take(seq, self.due[0])
        return True

    def _lose(self, seq: int, why: str) -> None:
        self._lost = seq
        self._doubt(why)

    def final_state(self) -> State:
        """Where the table is when the journal has been read."""
        if self._sure is None:
            return self.state
        self.due.clear()
        state, was = replace(past.bring_forward(self._sure, self.state), trail=self.state.trail), self._sure.phase
        if isinstance(was, PowerBack):
            asking = replace(was, ready=frozenset())
            return replace(state, phase=shift_instants(asking, state.now_ns - was.asked_at_ns))
        return replace(state, phase=_calm(state, state.phase)) if isinstance(state.phase, Starting) else state

    @property
    def sentence(self) -> str:
        """What could not be followed, one sentence; "" when everything could."""
        every = "everything else" if self._untaken else "everything"
        if self._sure is None:
            told = (
                self._unled and f"{self._unled}: the table is in {self.final_state().phase.name}, with {every} decided"
            )
        else:
            told = f"{self._why}: the table is back in {self.final_state().phase.name}, with {every} that was decided"
        unnamed, uncounted = self._numbers(self.unnamed), self._numbers(self._uncounted)
        who = unnamed and f"who sat at {unnamed} is not known"
        pair = uncounted and f"whether {uncounted} had got up or was one of a pair is not known"
        return "; ".join(filter(None, (told, *self._untaken, who, pair)))

    def _numbers(self, stations: Iterable[str]) -> str:
        return ", ".join(str(number(self.state.table, station)) for station in stations)

    def _leave_out(self, event: Event) -> None:
        if self.due and same(self.due[0], event):
            self.due.pop(0)
        self.state = left_out(self.state, event)

    def _fold(self, event: Event) -> None:
        before, due = self.state, self.due
        if due:
            self._doubt(f"before event {before.seq + 1} the rules now lead to {type(due[0]).__name__}")
        if type(event) is Resumed:
            before, self._written_by = self.final_state(), event.release
        step = advance(before, event)
        if type(event) is Tick and idle(before, step):
            self._doubt(f"at event {before.seq + 1} nothing is due by the rules of now")
        if self._written_by != self._release and not step.decisions and _knob_was_pushed(before, step.state):
            self._doubt(f"what was chosen at the knob before event {before.seq + 2} only another release knows")
        if type(event) is Resumed and self._sure is not None:
            self._sure = step.state
        self.state, self.due = step.state, list(step.decisions)

    def _decide(self, event: Decision) -> None:
        if self._lost:
            self._complete(event)
        self._judged = not isinstance(event, Sealed) and (self._judged or isinstance(event, _JUDGING))
        before, derived = self.state, bool(self.due) and same(self.due[0], event)
        alike = derived or (bool(self.due) and type(self.due[0]) is type(event))
        if not alike and not self._unled:
            self._unled = f"the rules now do not lead to {type(event).__name__}, event {before.seq + 1}"
        step = apply_decision(before, event)
        if (other := _not_held(step.state, event)) and not self._unled:
            self._unled = f"the match that began at event {before.seq + 1} cannot be played by its own rules ({other})"
        if derived or type(step.state.phase) is not type(before.phase):
            self._sure = None
        elif self._sure is not None:
            self._sure = apply_decision(replace(self._sure, seq=before.seq, now_ns=before.now_ns), event).state
        self.state, self.due = step.state, [*step.decisions, *(self.due[1:] if alike else ())]

    def _complete(self, event: Decision) -> None:
        """What must have stood in the rows that are lost, for this decision to come behind them."""
        unseated = [s for s in event.seated if (seat := self.state.table.seat(s)) is not None and seat.name is None]
        if unseated:
            self.unnamed += unseated
            self.state = seat_players(self.state, unseated)
            self._sure = self._sure and seat_players(self._sure, unseated)
        if isinstance(event, _OF_A_HAND):
            self._infer(event.at_ns)
        if isinstance(event, Sealed):
            self.state = counted_by(self.state, event, judged=self._judged)
            told, table = {*event.seated, *self._uncounted}, self.state.table
            playing = {*present(table)} & {*game_of(table).next_players(table)} if event.counts else set()
            self._uncounted += sorted(playing - told)

    def _infer(self, at_ns: int) -> None:
        """A hand is played where none is under way: its match began in a row that is lost."""
        state, phase = self.state, self.state.phase
        kept = phase.kept if isinstance(phase, Lobby) else None
        missing: Decision | None = None
        if isinstance(phase, Over) or (kept is not None and winners_at(kept)):
            missing = Rematched(at_ns)
        elif kept is not None:
            missing = Continued(at_ns)
        elif isinstance(phase, Lobby) and teams_of(state.table):
            missing = Rematched(at_ns) if phase.again else Began(at_ns)
        if missing is None:
            return
        before = replace(state, seq=self._lost - 1)
        after = apply_decision(before, missing).state
        self.state = replace(after, seq=state.seq)
        if self._watch:
            self._watch(self._lost, missing, before, after)

    def _doubt(self, why: str) -> None:
        if self._sure is None:
            self._sure, self._why = self.state, why


def setup_of(document: Mapping[str, Json]) -> tuple[Setup, str]:
    """The setup as a journal has it, and in a sentence what of it cannot be so here, "" when all can.

    A newer referee may have written it: what is unknown is left out, and everything else holds.
    """
    known = {name: document[name] for name in Setup.__struct_fields__ if name in document}
    strange = [f"{name} {short(value)}" for name, value in document.items() if name not in known]
    setup = Setup.from_document(known)
    held = _possible(setup)
    strange += [f"{name} {short(value)}" for name, value in setup.options if (name, value) not in held.options]
    told = f"of the table's settings this referee does not know {', '.join(strange)}: left out, all else holds"
    return held, told if strange else ""


def _possible(setup: Setup) -> Setup:
    """The setup with those of its options that its game allows here."""
    if setup.preset not in presets():
        return setup  # whoever needs the game will say so
    if can_play(setup.preset, dict(setup.options)):
        return setup
    options: dict[str, object] = {}
    for name, value in setup.options:
        if can_play(setup.preset, options | {name: value}):
            options[name] = value
    return replace(setup, options=tuple(options.items()))


def same(due: Event, event: Event) -> bool:
    """Whether the journal's decision is the one that is due; by which rules a match is played, it says itself."""
    if isinstance(due, _BEGINNING) and isinstance(event, type(due)):
        return replace(due, rules=event.rules) == event
    return due == event


def _not_held(state: State, event: Decision) -> str:
    """Which of the rules that a match began under do not hold at the table now."""
    if not isinstance(event, _BEGINNING):
        return ""
    now = dict(rules_in_force(state.table.setup))
    return ", ".join(f"{name} {value}" for name, value in event.rules if now.get(name) != value)


def one_line(error: Exception) -> str:
    """The exception's class and text in one line, for a log and a sentence."""
    return " ".join(f"{type(error).__name__} {error}".split())


def _knob_was_pushed(before: State, after: State) -> bool:
    """Whether the knob was pushed in between."""
    return any(hold.press.station == KNOB and hold not in before.holds for hold in after.holds)


def idle(before: State, step: Step) -> bool:
    """Whether a deadline that fell has led to nothing."""
    after = step.state
    moved = after.phase is not before.phase or after.holds is not before.holds or after.menu is not before.menu
    return not (moved or step.decisions or after.contacts != before.contacts)


# -- rows that are lost --------------------------------------------------------------------------------------------


def counted_by(state: State, event: Sealed, *, judged: bool) -> State:
    """The table with a count that these numbers can end. judged: the verdict, too, is known.

    Whose call it was is told by who has nothing left; it was nobody's, if that is true of several or of none.
    """
    game = game_of(state.table)
    if not (isinstance(game, CountedGame) and isinstance(game, ClaimGame)):
        return state
    counts = tuple(Count(team, values, (True,) * len(values), None) for team, values in event.counts)

    def possible(callers: tuple[str, ...]) -> bool:
        return all(game.refusal(state.table, count, callers) is None for count in counts)

    told = tuple(count.team for count in counts)
    play = _play(state, told)
    places = (past.landing(state, event.at_ns), game.taken_in(state, play, event))
    callers = next((place.callers for place in places if isinstance(place, Counting)), ())
    if possible(callers) and (judged or callers):
        return state
    single = [(team,) for team in told if possible((team,))]
    pause = TimeOut(event.at_ns, play.playing, play)
    return replace(state, phase=counting(state, told, single[0] if len(single) == 1 else (), pause))


def seat_players(state: State, stations: Iterable[str]) -> State:
    """The table with somebody at these seats, too; in a match each is a team of its own."""
    table = state.table
    for station in stations:
        seat = table.seat(station)
        assert seat is not None
        table = table.with_seat(replace(seat, name=f"Seat {number(table, station)}"))
        if table.teams:
            teams = (*table.teams, Team(station, (station,)))
            order = table.setup.stations
            table = replace(table, teams=tuple(sorted(teams, key=lambda team: order.index(team.id))))
    return replace(state, table=table)


# -- an event that cannot be taken ---------------------------------------------------------------------------------


def left_out(state: State, event: Event) -> State:
    """The state without that event, which keeps its number.

    What had to be done at a deadline would be asked for again at once, so the phase gives way to a calm one; a new boot
    is one whatever else it brings; and a contact is as its row says, a level and no press.
    """
    if isinstance(event, Resumed):
        return advance(without_deadline(state), event).state
    if isinstance(event, Edge):
        levels = (
            standing(c.station, event.closed, state.now_ns) if c.station == event.station else c for c in state.contacts
        )
        state = replace(state, contacts=tuple(levels))
    if isinstance(event, Tick):
        state = without_deadline(replace(state, now_ns=max(state.now_ns, event.at_ns)))
    return replace(state, seq=state.seq + 1)


def without_deadline(state: State) -> State:
    """The same table in a phase without a deadline: a hand in a pause, else READY, OVER or the lobby."""
    contacts = tuple(standing(c.station, c.closed, state.now_ns) for c in state.contacts)
    state = replace(state, contacts=contacts, holds=(), winks=(), menu=None, toast=None)
    try:
        landed = past.landing(state, state.now_ns)
        phase = landed if landed.due_ns(contacts) is None else _calm(state, landed)
    except Exception:
        phase = ready(state, state.now_ns) if state.table.teams else Lobby(state.now_ns, again=True)
    return replace(state, phase=phase)


def _calm(state: State, phase: Phase) -> Phase:
    """A verdict opens its count; what goes on by itself waits."""
    inner = inner_of(phase)
    if inner is not None:
        return _calm(state, inner)
    if isinstance(phase, Lobby):
        return Lobby(state.now_ns, again=phase.again, kept=phase.kept)
    if isinstance(phase, Starting):
        return _pause(state) if phase.play is not None else ready(state, state.now_ns)
    count = game_of(state.table).taken_in(state, _play(state), Sealed(state.now_ns, (("", ()),)))
    return count or _pause(state)


# -- a decision, and where it was taken ----------------------------------------------------------------------------


def apply_decision(state: State, event: Decision) -> Step:
    """The decision applied, where the phase hears it; else in the phase in which it was taken.

    Raises what kept it from being applied there.
    """
    trouble: Exception = LookupError(f"no phase hears {type(event).__name__}")
    for place in _places(state, event):
        if hears(place, type(event)):
            try:
                return advance(place, event)
            except Exception as error:
                trouble = error
    raise trouble


def _places(state: State, event: Decision) -> Iterator[State]:
    """The state as it is, with the phase that waits in this one, with the phase that the decision tells."""
    yield state
    phase: Phase | None = state.phase
    while phase is not None and (phase := inner_of(phase)) is not None:
        yield replace(state, phase=phase)
    if _only_phase(game_of(state.table), type(event)) is Lobby:
        yield lobby_again(state, event.at_ns).state
    elif isinstance(event, Rematched | Cleared):
        yield replace(_in_match(state, event), phase=Over(event.at_ns))
    else:
        yield from _in_hand(_in_match(state, event), event)


@cache
def _only_phase(game: Game, kind: type[Decision]) -> type[Phase] | None:
    """The phase that alone hears such a decision at a table that plays this game; None: several do, or none."""
    hearing = {phase for phase, trigger in rows(game) if trigger is kind}
    return next(iter(hearing)) if len(hearing) == 1 else None


def _in_hand(state: State, event: Decision) -> Iterator[State]:
    """The phases of a match, the likeliest first: as one comes back to it, as the game says, READY, a pause."""
    yield replace(state, phase=past.landing(state, event.at_ns))
    told = tuple(team for team, _ in event.counts) if isinstance(event, Sealed) else ()
    own = game_of(state.table).taken_in(state, _play(state, told), event)
    if own is not None:
        if isinstance(state.phase, PowerBack):
            yield replace(state, phase=replace(state.phase, inner=own))
        yield replace(state, phase=own)
    yield replace(state, phase=_between_hands(state, event))
    yield replace(state, phase=_pause(state))


def _between_hands(state: State, event: Decision) -> Phase:
    """The phase between two hands that alone hears such a decision, as it begins; READY, where there is none."""
    only = _only_phase(game_of(state.table), type(event))
    if only is None or only is Ready or not issubclass(only, BetweenHands):
        return ready(state, event.at_ns)
    return only(event.at_ns)


def _in_match(state: State, event: Decision) -> State:
    """Out of the lobby, into the match that was kept there, or into one of those who sit there."""
    if not isinstance(state.phase, Lobby):
        return state
    if state.phase.kept is None and not teams_of(state.table):
        return state
    begins = Began(event.at_ns) if state.phase.kept is None else Continued(event.at_ns)
    return replace(advance(state, begins).state, seq=state.seq)


def _play(state: State, told: tuple[str, ...] = ()) -> Play:
    """The play of the hand at hand, its clock stopped; a hand that nobody knows of begins now.

    told: who played it by a decision; rules that have changed may count others in or out.
    """
    game, now = game_of(state.table), state.now_ns
    phase: Phase | None = state.phase
    while phase is not None:
        play = play_of(phase) or phase.play_at_pause(now)
        if play is not None:
            return replace(play, playing=told) if told and {*told} != {*play.playing} else play
        phase = inner_of(phase)
    playing = told or playing_of(state.phase) or present(state.table)
    return game.begin(state, playing or tuple(team.id for team in state.table.teams), now, now)


def _pause(state: State) -> TimeOut:
    play = _play(state)
    return TimeOut(state.now_ns, play.playing, play)
