"""AGREEMENT: show the rules before a new table's first hand and after a change; all tap.

The table keeps the agreement and who took part in it: the same people are not asked again when they continue or
play another match by the same rules. A hold turns off an option that needs the consent of all players
(`Game.refusable`).
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Adjusted, Agreed, Cue, JoinedLate, SatOut, Turned
from referee.core.model.labels import answer_lamps, everyone, labels, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction
from referee.core.model.registry import game_of, preset_name, rules_in_force, usual_rules
from referee.core.model.state import BetweenHands, Phase, State, Step, UnderWay, fresh
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import Refusable, Row, Transition
from referee.core.model.triggers import Held, Tapped
from referee.core.model.view import Label, Screen
from referee.core.phases.common import decide, stay, to, toast, too_few, wink, within
from referee.core.phases.ready import Ready, next_hand, present, sitting_out, start_without_text
from referee.core.phases.ready import on_joined_late as joined_late
from referee.core.presses.signals import Pressed
from referee.core.values import Json, replace

PRESET = "preset"
TARGET = "target"
LINES = 3
"""Maximum number of rules on a page of the display."""


class AgreementScreen(Screen):
    """One page of the rules that all must agree on.

    waiting: who has not agreed yet, empty until the first tap. refusable: whether a hold refuses an option, because
    that option needs the consent of all.
    """

    preset: str
    lines: tuple[Msg, ...]
    page: int = 1
    pages: int = 1
    waiting: tuple[Label, ...] = ()
    refusable: bool = False


class Agreement(UnderWay, BetweenHands, tag="agreement"):
    """All read the rules, and each player taps to agree.

    `page`: the page that the knob has turned to.
    """

    name: ClassVar[str] = "AGREEMENT"
    ready: frozenset[str] = frozenset()
    page: int = 0

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table, game = state.table, game_of(state.table)
        pages = pages_of(table)
        page = min(self.page, len(pages) - 1)
        waiting = labels(table, _waiting(state, self)) if self.ready else ()
        refusable = game.refusable(table) is not None
        return AgreementScreen(preset_name(table.setup.preset), pages[page], page + 1, len(pages), waiting, refusable)

    def lamps(self, state: State) -> Shown:
        return answer_lamps(everyone(state.table), self.ready, self.asked_at_ns)


class AgreeWithout(MenuAction):
    """Agree without the missing players. They sit out until they tap in a READY phase."""

    upsets: ClassVar[bool] = True


def rules_of(setup: Setup) -> tuple[tuple[str, Json], ...]:
    """Return what players agree on: the preset, and each option of its game with its value."""
    return ((PRESET, setup.preset), *rules_in_force(setup))


def pages_of(table: Table) -> tuple[tuple[Msg, ...], ...]:
    """Return the pages of rules to agree on.

    They show the option that needs the consent of all, and what differs from the preset.
    """
    refusable = game_of(table).refusable(table)
    lines = (*((refusable.question,) if refusable else ()), *_differences(table))
    most = 2 * LINES
    if len(lines) > most:
        lines = (*lines[: most - 1], msg("agree.more", n=len(lines) - most + 1))
    lines = lines or game_of(table).in_short(table)
    return tuple(lines[at : at + LINES] for at in range(0, len(lines), LINES)) or ((),)


def _differences(table: Table) -> tuple[Msg, ...]:
    """Return the rules that differ from the preset's, except options that change only messages."""
    game, usual = game_of(table), usual_rules(table.setup)
    settings, refusable = {setting.name: setting for setting in game.settings}, game.refusable(table)
    aside = {refusable and refusable.option, *game.words, *game.idle(table.setup)}
    return tuple(
        settings[name].said(value)
        for name, value in rules_in_force(table.setup)
        if name in settings and name not in aside and value != usual[name]
    )


def to_be_agreed(table: Table) -> bool:
    """Return whether the players must be asked: their rules have changed, or a player is new."""
    setup, kept = table.setup, dict(table.agreed)
    if not setup.agreement or not everyone(table):
        return False
    game = game_of(table)
    changed = any(kept.get(name, value) != value for name, value in rules_of(setup) if name not in game.words)
    others = any(seat.name is not None and seat.station not in table.agreed_by for seat in table.seats)
    return not kept or changed or (others and (not table.hands or game.refusable(table) is not None))


def agree_on_rules(table: Table) -> Table:
    """Return the table with its present rules recorded as agreed."""
    there = tuple(seat.station for seat in table.seats if seat.name is not None)
    return replace(table, agreed=rules_of(table.setup), agreed_by=there)


def first_hand(state: State, at_ns: int) -> Step:
    """Go to READY of the first hand, after asking for agreement if that is needed.

    No question is needed if nothing differs from the preset: READY shows the preset, and tapping there agrees to it.
    """
    table = state.table
    if not to_be_agreed(table):
        return next_hand(state, at_ns)
    if table.hands or game_of(table).refusable(table) or _differences(table):
        return to(state, Agreement(at_ns), Cue("asked", at_ns))
    return next_hand(replace(state, table=agree_on_rules(table)), at_ns)


def ask_again(state: State, phase: Phase) -> Step:
    """Stay in `phase`, or ask all players to agree if the rules or the players have changed."""
    changed = to_be_agreed(state.table)
    return to(state, Agreement(state.now_ns), Cue("asked", state.now_ns)) if changed else within(state, phase)


def _waiting(state: State, phase: Agreement) -> tuple[str, ...]:
    return tuple(station for station in everyone(state.table) if station not in phase.ready)


def on_pressed(state: State, phase: Agreement, pressed: Pressed) -> Step:
    """Count the start of a press as a yes. If a hold can refuse an option, wait for the release."""
    return stay(state) if _refusable(state) else _yes(state, phase, pressed.press.station, pressed.press.t_ns)


def on_tapped(state: State, phase: Agreement, tapped: Tapped) -> Step:
    """Count a tap as a yes if a hold can refuse an option. Otherwise its press counted already."""
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
    """Turn off the option that this player refuses by a hold, then ask all again."""
    no = _refusable(state)
    if no is None or held.long or held.station not in everyone(state.table) or not fresh(phase, held.t_ns):
        return stay(state)
    told = toast(wink(state, held.station, 2), said(no.refused, seat_label(state.table, held.station)))
    return decide(told, Adjusted(state.now_ns, no.option, False))


def on_turned(state: State, phase: Agreement, turned: Turned) -> Step:
    last = len(pages_of(state.table)) - 1
    return within(state, replace(phase, page=min(max(phase.page + turned.steps, 0), last)))


def _without_text(state: State, phase: Agreement) -> Msg | None:
    """Return the menu line for going on without the missing players, if two teams remain.

    Players with a muted button are not waited for. If only they are missing, the line says "Go on".
    """
    missing = _waiting(state, phase)
    return start_without_text(state.table, missing) if missing else msg("item.go_on")


def without(state: State, phase: Agreement, action: AgreeWithout) -> Step:
    """Agree for the players who have tapped. The missing players sit out."""
    missing = _waiting(state, phase)
    if len(present(sitting_out(state.table, missing))) < 2:
        return too_few(state)
    gone = (SatOut(state.now_ns, missing),) if missing else ()
    return decide(state, *gone, _agreement_reached(state))


def on_sat_out(state: State, phase: Agreement, event: SatOut) -> Step:
    """Stop waiting for the players who now sit out: the others have agreed without them."""
    return within(replace(state, table=sitting_out(state.table, event.stations)), phase)


def on_agreed(state: State, phase: Agreement, event: Agreed) -> Step:
    """Store the agreement and go to READY of the next hand."""
    table = replace(state.table, agreed=event.rules, agreed_by=event.stations)
    return next_hand(replace(state, table=table), event.at_ns)


def on_joined_late(state: State, phase: Ready, event: JoinedLate) -> Step:
    """Add a newcomer. Ask all players again if an option needs the consent of all."""
    state, table = joined_late(state, phase, event).state, state.table
    if game_of(table).refusable(table) is None:
        state = replace(state, table=replace(state.table, agreed_by=(*table.agreed_by, event.station)))
    return ask_again(state, state.phase)


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
