"""Settings by phone: what the host sets from the page is what the knob sets, and the same rules refuse it.

In the lobby a host sets whatever an option allows, and several settings at once, as a house preset brings them. In a
match the device's own settings hold at once, and any rule is a question to all, unless hands in the book were
counted by it.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.messages import Msg, msg
from referee.core.model.events import Adjusted, PhoneSet
from referee.core.model.options import RuleError
from referee.core.model.phase import Phase, Resting
from referee.core.model.registry import game_of, presets
from referee.core.model.state import State, Step
from referee.core.model.table import Setup
from referee.core.model.transitions import Row, Transition
from referee.core.phases.agreement import Agreement
from referee.core.phases.common import stay
from referee.core.phases.lobby import Lobby
from referee.core.phases.settings import DEVICE, PRESET, Adjust, adjust, set_option
from referee.core.phases.vote import ask
from referee.core.reading import list_text, quoted_value

Settings = tuple[tuple[str, bool | int | str], ...]


def apply_settings(setup: Setup, settings: Iterable[tuple[str, object]]) -> Setup:
    """The setup with all of these set. Raises RuleError, one sentence, for one that cannot be so."""
    for name, value in settings:
        _check(setup, name, value)
        setup = set_option(setup, name, value)
    return setup


def _check(setup: Setup, name: str, value: object) -> None:
    """Raises RuleError for a preset or a setting of the device that there is not; `set_option` takes any."""
    if name == PRESET and value not in presets():
        raise RuleError(PRESET, f"{quoted_value(value)} is given, allowed is one of {list_text(presets())}")
    for setting in DEVICE:
        allowed = [choice for choice, _ in setting.choices]
        if setting.name == name and not any(value == one and type(value) is type(one) for one in allowed):
            raise RuleError(name, f"{quoted_value(value)} is given, allowed is one of {list_text(map(str, allowed))}")


def in_order(setup: Setup, preset: str, options: Iterable[tuple[str, bool | int | str]]) -> Settings:
    """A preset with options as settings in an order in which each may be set. Raises RuleError where there is none."""
    found: list[tuple[str, bool | int | str]] = [(PRESET, preset)]
    setup, left = apply_settings(setup, found), list(options)
    while left:
        setup, one = _next(setup, left)
        left.remove(one)
        found.append(one)
    return tuple(found)


def _next(setup: Setup, left: list[tuple[str, bool | int | str]]) -> tuple[Setup, tuple[str, bool | int | str]]:
    """The first of these that may be set now, and the setup with it."""
    for one in left[:-1]:
        try:
            return apply_settings(setup, [one]), one
        except RuleError:
            continue
    return apply_settings(setup, left[-1:]), left[-1]


def refusal(state: State, event: PhoneSet) -> Msg | None:
    """Why it cannot be set now; None where it can. RuleError where it never can be so."""
    apply_settings(state.table.setup, event.settings)
    if isinstance(state.phase, Lobby):
        return None
    (name, value), *others = event.settings
    game = game_of(state.table)
    known = name in Setup.device or any(setting.name == name for setting in game.settings)
    if not known or others or game.is_fixed(state.table, name, value):
        return msg("refusal.next_match")
    return None if isinstance(state.phase, Resting) else msg("refusal.not_in_play")


def _is_refused(state: State, event: PhoneSet) -> bool:
    try:
        return not event.settings or refusal(state, event) is not None
    except RuleError:
        return True


def set_in_lobby(state: State, phase: Lobby, event: PhoneSet) -> Step:
    """Everything is set, in its order; what is so already is no decision."""
    if _is_refused(state, event):
        return stay(state)
    setup, decisions = state.table.setup, []
    for name, value in event.settings:
        after = apply_settings(setup, [(name, value)])
        if after != setup:
            decisions.append(Adjusted(state.now_ns, name, value))
        setup = after
    return Step(state, (), tuple(decisions))


def set_in_match(state: State, phase: Phase, event: PhoneSet) -> Step:
    """The device's settings and what is being agreed on as at the knob; any other change asks all."""
    if _is_refused(state, event):
        return stay(state)
    ((name, value),) = event.settings
    if name in Setup.device or isinstance(phase, Agreement):
        return adjust(state, phase, Adjust(name, value))
    teams = tuple(team.id for team in state.table.teams)
    return ask(state, "ask.setting", Adjusted(state.now_ns, name, value), voters=teams)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, PhoneSet, set_in_lobby, (), "a host's phone: settings"),
    Row(Resting, PhoneSet, set_in_match, ("VOTE",), "a host's phone: the sound; a rule asks all"),
)
