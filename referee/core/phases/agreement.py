"""AGREEMENT: what is played, shown before the first hand of a new table and after a change; all tap, and it is agreed.

What was agreed, and who was there, stays with the table: the same people who go on, or play again by the same rules,
are not asked a second time. An option that needs everybody's yes (`Game.refusable`) is off with the first hold.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Adjusted, Agreed, Cue, JoinedLate, SatOut, Turned
from referee.core.model.labels import Shown, Times, answer_lamps, everyone, labels, said, seat_label
from referee.core.model.menu import MenuAction
from referee.core.model.phase import BetweenHands, Held, Phase, Tapped, UnderWay, fresh
from referee.core.model.registry import game_of, rules_in_force, usual_rules
from referee.core.model.state import State, Step
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import Refusable, Row, Setting, Transition
from referee.core.model.view import Label, Screen
from referee.core.phases.common import decide, stay, to, toast, too_few, wink, within
from referee.core.phases.ready import Ready, next_hand, present, sitting_out, start_without_text
from referee.core.phases.ready import on_joined_late as joined_late
from referee.core.presses.signals import Pressed
from referee.core.values import Json, replace

PRESET = "preset"
TARGET = "target"
"""It stands in the line of what the preset is."""
LINES = 3
"""How many rules a page shows at most."""


class AgreementScreen(Screen):
    """What is played, a page of it, for all to agree; waiting: who has not, once somebody has.

    refusable: a hold says no to the option that needs everybody's yes.
    """

    preset: str
    lines: tuple[Msg, ...]
    page: int = 1
    pages: int = 1
    waiting: tuple[Label, ...] = ()
    refusable: bool = False


class Agreement(UnderWay, BetweenHands, tag="agreement"):
    """All read what is played, each taps. `page`: the one that the knob has turned to."""

    name: ClassVar[str] = "AGREEMENT"
    ready: frozenset[str] = frozenset()
    page: int = 0

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table, game = state.table, game_of(state.table)
        pages = pages_of(table)
        page = min(self.page, len(pages) - 1)
        waiting = labels(table, _waiting(state, self)) if self.ready else ()
        refusable = game.refusable(table) is not None
        return AgreementScreen(game.title(table)[0], pages[page], page + 1, len(pages), waiting, refusable)

    def lamps(self, state: State) -> Shown:
        return answer_lamps(everyone(state.table), self.ready, self.asked_at_ns)


class AgreeWithout(MenuAction):
    """Agree without those who are waited for: they sit out until they tap at a READY."""

    upsets: ClassVar[bool] = True


def rules_of(setup: Setup) -> tuple[tuple[str, Json], ...]:
    """What a table agrees on: the preset, and every option of its game with its value."""
    return ((PRESET, setup.preset), *rules_in_force(setup))


def pages_of(table: Table) -> tuple[tuple[Msg, ...], ...]:
    """What a table agrees on: what the preset is, the rules that matter, and where it differs from the preset."""
    game, own, usual = game_of(table), dict(rules_in_force(table.setup)), usual_rules(table.setup)
    settings = {setting.name: setting for setting in game.settings}
    about, refusable, idle = game.about(table), game.refusable(table), game.idle(table.setup)
    first = (*((about,) if about else ()), *((refusable.question,) if refusable else ()))
    matter = tuple(line_of(settings[name], own[name]) for name in game.matters)
    told = {TARGET, refusable and refusable.option, *game.matters, *game.words}
    other = tuple(
        line_of(settings[name], value)
        for name, value in own.items()
        if name not in told | idle and name in settings and value != usual[name]
    )
    if len(other) > LINES:
        other = (*other[: LINES - 1], msg("agree.more", n=len(other) - LINES + 1))
    return tuple(page for page in (first, matter, other) if page) or ((),)


def line_of(setting: Setting, value: Json) -> Msg:
    """A setting with that value, as its line in the knob's list has it."""
    shown = next((text for choice, text in setting.choices if choice == value), str(value))
    return msg(setting.line, choice=shown)


def to_be_agreed(table: Table) -> bool:
    """Whether the table has to be asked: its rules are others than it has agreed on, or somebody has not been asked."""
    setup, kept = table.setup, dict(table.agreed)
    if not setup.agreement or not everyone(table):
        return False
    game = game_of(table)
    changed = any(kept.get(name, value) != value for name, value in rules_of(setup) if name not in game.words)
    others = any(seat.name is not None and seat.station not in table.agreed_by for seat in table.seats)
    return not kept or changed or (others and (not table.hands or game.refusable(table) is not None))


def agree_on_rules(table: Table) -> Table:
    """The table that has agreed on its rules as they are."""
    there = tuple(seat.station for seat in table.seats if seat.name is not None)
    return replace(table, agreed=rules_of(table.setup), agreed_by=there)


def first_hand(state: State, at_ns: int) -> Step:
    """To the ready check of a match's first hand, once the table has agreed."""
    return to(state, Agreement(at_ns), Cue("asked", at_ns)) if to_be_agreed(state.table) else next_hand(state, at_ns)


def asked_anew(state: State, phase: Phase) -> Step:
    """The same phase between two hands; after a change that not all have agreed on they are asked."""
    changed = to_be_agreed(state.table)
    return to(state, Agreement(state.now_ns), Cue("asked", state.now_ns)) if changed else within(state, phase)


def _waiting(state: State, phase: Agreement) -> tuple[str, ...]:
    return tuple(station for station in everyone(state.table) if station not in phase.ready)


def on_pressed(state: State, phase: Agreement, pressed: Pressed) -> Step:
    """The first edge agrees, unless a hold would say something else."""
    return stay(state) if _refusable(state) else _yes(state, phase, pressed.press.station, pressed.press.t_ns)


def on_tapped(state: State, phase: Agreement, tapped: Tapped) -> Step:
    """A tap agrees where a hold says no."""
    return _yes(state, phase, tapped.station, tapped.t_ns) if _refusable(state) else stay(state)


def _refusable(state: State) -> Refusable | None:
    return game_of(state.table).refusable(state.table)


def _yes(state: State, phase: Agreement, station: str, t_ns: int) -> Step:
    if station not in _waiting(state, phase) or not fresh(phase, t_ns):
        return stay(state)
    phase = replace(phase, ready=phase.ready | {station})
    step = within(wink(state, station, 1), phase)
    return step if _waiting(state, phase) else replace(step, decisions=(_agreement_reached(state),))


def _agreement_reached(state: State) -> Agreed:
    there = agree_on_rules(state.table)
    return Agreed(state.now_ns, there.agreed, there.agreed_by)


def on_held(state: State, phase: Agreement, held: Held) -> Step:
    """One no is enough: what needs everybody's yes is off, and all are asked by which rules they play then."""
    no = _refusable(state)
    if no is None or held.long or held.station not in everyone(state.table) or not fresh(phase, held.t_ns):
        return stay(state)
    told = toast(wink(state, held.station, 2), said(no.refused, seat_label(state.table, held.station)))
    return decide(told, Adjusted(state.now_ns, no.option, False))


def on_turned(state: State, phase: Agreement, turned: Turned) -> Step:
    """The knob shows the next or the previous page of rules; it agrees to nothing."""
    last = len(pages_of(state.table)) - 1
    return within(state, replace(phase, page=min(max(phase.page + turned.steps, 0), last)))


def _without_text(state: State, phase: Agreement) -> Msg | None:
    """Where somebody is missed, and two teams are left without them; nobody is where their button is muted."""
    missing = _waiting(state, phase)
    return start_without_text(state.table, missing) if missing else msg("item.go_on")


def without(state: State, phase: Agreement, action: AgreeWithout) -> Step:
    """Those who are there have agreed; who has not tapped sits out."""
    missing = _waiting(state, phase)
    if len(present(sitting_out(state.table, missing))) < 2:
        return too_few(state)
    gone = (SatOut(state.now_ns, missing),) if missing else ()
    return decide(state, *gone, _agreement_reached(state))


def on_sat_out(state: State, phase: Agreement, event: SatOut) -> Step:
    """Whoever has been left out at the knob is no longer waited for."""
    return within(replace(state, table=sitting_out(state.table, event.stations)), phase)


def on_agreed(state: State, phase: Agreement, event: Agreed) -> Step:
    """All have agreed: what they agreed on is kept, and READY of the next hand follows."""
    table = replace(state.table, agreed=event.rules, agreed_by=event.stations)
    return next_hand(replace(state, table=table), event.at_ns)


def on_joined_late(state: State, phase: Ready, event: JoinedLate) -> Step:
    """A newcomer plays by what the table has agreed on, and is asked where everybody's yes is needed."""
    state, table = joined_late(state, phase, event).state, state.table
    if game_of(table).refusable(table) is None:
        state = replace(state, table=replace(state.table, agreed_by=(*table.agreed_by, event.station)))
    return asked_anew(state, state.phase)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Agreement, Pressed, on_pressed, (), "tap: agreed"),
    Row(Agreement, Tapped, on_tapped, (), "tap: agreed, where a hold says no"),
    Row(Agreement, Held, on_held, (), "hold: no stacking"),
    Row(Agreement, Turned, on_turned, (), "turn: another page"),
    Row(Agreement, Agreed, on_agreed, ("READY",), "all have agreed"),
    Row(Agreement, SatOut, on_sat_out, (), "some are not asked"),
    Row(Ready, JoinedLate, on_joined_late, ("AGREEMENT",), "a newcomer, asked where all must say yes"),
    Row(Agreement, AgreeWithout, without, (), "the knob: without those who are waited for", _without_text),
)
