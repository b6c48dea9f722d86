"""What players set: game and house rules in the lobby, target and sound at any time.

    LOBBY  Game ─► NNA, PAGAT ...     House rules ─► Target: 100 ─► turn, push     More rules ─► Scores ─► Penalty: 2
           More ─► Sound, language ─► Volume: loud ...
    match  More ─► House rules ─► Scores ─► Penalty: 2 ─► a question to all        Sound, language      End match

A game lists its house rules (`Game.settings`); the device's own settings are below. The knob changes a value in its
line. A setting is a decision like any other, so it survives a power cut. A rule by which recorded hands were counted
cannot change until the match is over (`Game.is_fixed`); its line stays in the list and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from referee.core.messages import Msg, Part, msg
from referee.core.model.events import Adjusted, Closed
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.options import RuleError
from referee.core.model.registry import game_named, game_of, preset_name, presets
from referee.core.model.state import Phase, Resting, State, Step, UnderWay
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import MenuPlace, Row, Setting, Transition
from referee.core.names import LANGUAGES
from referee.core.phases.agreement import PRESET, TARGET, Agreement, agree_on_rules, ask_again
from referee.core.phases.common import BACK, decide, open_list, refuse, stay, within
from referee.core.phases.fixing import ask_if_over, over_at
from referee.core.phases.lobby import Lobby
from referee.core.phases.over import Over, go_on
from referee.core.phases.ready import Ready, with_players
from referee.core.phases.seating import event_setup
from referee.core.phases.teaching import teach_line
from referee.core.phases.vote import ask
from referee.core.reading import list_text, quoted_value
from referee.core.units import MS, s_text
from referee.core.values import replace

DEVICE = (
    Setting(
        "volume_percent",
        "item.volume",
        ((0, msg("choice.silent")), (25, msg("choice.quiet")), (50, msg("choice.mid")), (100, msg("choice.loud"))),
        about=msg("about.volume"),
    ),
    Setting(
        "voice",
        "item.voice",
        (("off", msg("choice.silent")), ("verdicts", msg("choice.verdicts")), ("all", msg("choice.everything"))),
        about=msg("about.voice"),
    ),
    Setting("language", "item.language", tuple(LANGUAGES.items()), about=msg("about.language")),
    Setting(
        "hold_ns",
        "item.hold",
        tuple((ns, msg("choice.s", s=s_text(ns, 1))) for ns in (500 * MS, 800 * MS, 1200 * MS)),
        about=msg("about.hold"),
    ),
    Setting(
        "brightness_percent",
        "item.bright",
        ((20, msg("choice.low")), (50, msg("choice.mid")), (100, msg("choice.high"))),
        about=msg("about.bright"),
    ),
)
"""The device's own settings, fields of `Setup`. Volume 0 is the quiet mode: light only."""
FAMILIES = {
    "item.family_nertz": ("about.family_nertz", "nna nna150 pagat pagat25 reeves racing-demon"),
    "item.family_box": ("about.family_box", "dutch-blitz ligretto solitaire-frenzy"),
    "item.family_31": ("about.family_31", "31 ride-the-bus 31-quebec"),
    "item.family_slap": ("about.family_slap", "snap slapjack ratscrew halli-galli"),
    "item.family_last": ("about.family_last", "spoons pig irish-snap"),
}
"""The games by family: an explanation and the presets.

A preset without a family has a line of its own.
"""
_SOUND, _HOUSE_RULES = msg("item.sound_language"), msg("item.house_rules")
Settings = tuple[tuple[str, bool | int | str], ...]


class SettingList(MenuAction):
    """List settings, with the cursor at `name`. `turning`: let the knob choose its value."""

    name: str = ""
    turning: bool = False


class HouseRules(SettingList):
    """List the house rules that people change most."""


class RuleGroups(SettingList):
    """List the groups of house rules or, with `group`, the house rules of that group."""

    group: str = ""


class DeviceSettings(SettingList):
    """List the device's own settings: sound, language, hold time, brightness."""


class ChooseGame(MenuAction):
    """List the families of games or, with `family`, the presets of that family."""

    family: str = ""


class TakeEvent(MenuAction):
    """Set the game and rules of the hall's event."""


class Adjust(MenuAction):
    """Set the setting `name` to `value`. `shown`: the list in which the value was chosen."""

    name: str
    value: int | str
    shown: SettingList | None = None


class SayFixed(MenuAction):
    """Show that this rule cannot change until the match is over."""


class EndMatch(MenuAction):
    """Ask all teams whether to end the match now."""

    upsets: ClassVar[bool] = True


# -- values --------------------------------------------------------------------------------------------------------


def value_of(setup: Setup, setting: Setting) -> object:
    """Return a setting's present value."""
    if setting.name in Setup.device:
        return getattr(setup, setting.name)  # Any: the type depends on the field
    return dict(setup.options).get(setting.name, presets()[setup.preset].preset_values(setup.preset)[setting.name][0])


def choices_of(setup: Setup, setting: Setting) -> tuple[tuple[object, Part], ...]:
    """Return the (value, text) that the rules allow for a setting.

    If the present value is not among the setting's choices, the present value comes first.
    """
    now = value_of(setup, setting)
    allowed: tuple[tuple[object, Part], ...] = tuple(c for c in setting.choices if _allows(setup, setting, c[0]))
    return allowed if any(value == now for value, _ in allowed) else ((now, str(now)), *allowed)


def _allows(setup: Setup, setting: Setting, value: object) -> bool:
    try:
        set_option(setup, setting.name, value)
    except RuleError:
        return False
    return True


def set_option(setup: Setup, name: str, value: object) -> Setup:
    """Return the setup with one setting changed. Another preset resets all options.

    Raises RuleError for an option's value that the game does not allow.
    """
    if name in Setup.device:
        return replace(setup, **{name: value})  # type: ignore[arg-type]
    if name == PRESET:
        return replace(setup, preset=str(value), options=())
    options = dict(setup.options) | {name: value}
    presets()[setup.preset].rules(setup.preset, options)
    return replace(setup, options=tuple(options.items()))


# -- lists ---------------------------------------------------------------------------------------------------------


def _open_settings(
    state: State, action: SettingList, settings: tuple[Setting, ...], title: Part, *others: MenuLine
) -> Step:
    """List the settings, then the lines `others`. The action names the setting at the cursor."""
    table = state.table
    lines = (*(_line(table, action, setting) for setting in settings), *others, BACK)
    at = next((n for n, setting in enumerate(settings) if setting.name == action.name), None)
    if not action.turning or at is None:
        return stay(open_list(state, lines, title, cursor=at or 0))
    now, choices = value_of(table.setup, settings[at]), _open(table, settings[at])
    values = tuple(
        MenuLine(_taking(action, value, now), text, _about(table.setup, settings[at], value)) for value, text in choices
    )
    value = next(n for n, (value, _) in enumerate(choices) if value == now)
    return stay(open_list(state, lines, title, cursor=at, values=values, value=value))


def _line(table: Table, shown: SettingList, setting: Setting) -> MenuLine:
    loose = setting.name in Setup.device or len(_open(table, setting)) > 1
    action = replace(shown, name=setting.name, turning=True) if loose else SayFixed()
    now = value_of(table.setup, setting)
    return MenuLine(action, setting.said(now), _about(table.setup, setting, now))


def _about(setup: Setup, setting: Setting, value: object) -> Msg:
    """Return the explanation of this value; if it has none, the explanation of the setting."""
    own = setting.about or msg(f"option.{presets()[setup.preset].option_key(setting.name)}")
    return next((about for one, about in setting.abouts if one == value), own)


def _open(table: Table, setting: Setting) -> tuple[tuple[object, Part], ...]:
    """Return the values that can be set now, as (value, text).

    Values that recorded hands rule out (`Game.is_fixed`) are left out, except the present one.
    """
    fixed, name, now = game_of(table).is_fixed, setting.name, value_of(table.setup, setting)
    return tuple(c for c in choices_of(table.setup, setting) if c[0] == now or not fixed(table, name, c[0]))


def _taking(action: SettingList, value: object, now: object) -> MenuAction:
    """Return the action that sets this value. For the present value, it only shows the list."""
    shown = replace(action, turning=False)
    return shown if value == now or not isinstance(value, int | str) else Adjust(action.name, value, shown)


def game(state: State, phase: Lobby, action: ChooseGame) -> Step:
    """List the families, or a family's presets. Choosing a preset resets the options."""
    names, now = tuple(presets()), state.table.setup.preset
    if action.family:
        names = tuple(name for name in FAMILIES[action.family][1].split() if name in names)
        lines = tuple(_preset_line(state.table, name) for name in names)
        return stay(open_list(state, (*lines, BACK), cursor=names.index(now) if now in names else 0))
    families = [(family, about, members.split()) for family, (about, members) in FAMILIES.items()]
    at = next((n for n, (_, _, members) in enumerate(families) if now in members), 0)
    alone = [name for name in names if not any(name in members for _, _, members in families)]
    lines = tuple(MenuLine(ChooseGame(family), msg(family), msg(about)) for family, about, _ in families)
    lines += tuple(_preset_line(state.table, name) for name in alone)
    return stay(open_list(state, (*lines, teach_line(state.table), BACK), cursor=at))


def _event_text(state: State, phase: Phase) -> Msg | None:
    return msg("item.event_game") if event_setup(state) else None


def take_event(state: State, phase: Lobby, action: TakeEvent) -> Step:
    wanted = event_setup(state)
    settings = in_order(wanted, wanted.preset, state.offered_options) if wanted else ()
    return decide(state, *(Adjusted(state.now_ns, name, value) for name, value in settings))


def _preset_line(table: Table, preset: str) -> MenuLine:
    """Return a preset as a menu line: its short name and its description."""
    table, played = replace(table, setup=set_option(table.setup, PRESET, preset)), game_named(preset)
    return MenuLine(Adjust(PRESET, preset), preset_name(preset), played.about(table))


def adjust(state: State, phase: Phase, action: Adjust) -> Step:
    """Set a setting. If the setup asks for agreement, a rule changes in a match only by a vote."""
    event = Adjusted(state.now_ns, action.name, action.value)
    if game_of(state.table).is_fixed(state.table, action.name, action.value):
        return say_fixed(state, phase, SayFixed())
    before = isinstance(phase, Lobby) or _being_agreed(state, phase)
    if not (before or action.name in Setup.device or not state.table.setup.agreement):
        return ask(state, "ask.setting", event)
    if action.shown is None or not before:
        return decide(state, event)
    listed = _SHOW[type(action.shown)](_adjust(state, event), phase, action.shown).state.menu
    return decide(replace(state, menu=listed), event)


def _being_agreed(state: State, phase: Phase) -> bool:
    """Return whether a tap in this phase also agrees to the rules: no hand is recorded yet."""
    return isinstance(phase, Agreement | Ready) and not state.table.hands


def _rules_text(state: State, phase: Phase) -> Msg | None:
    here = isinstance(phase, Lobby) or (state.table.setup.agreement and _being_agreed(state, phase))
    return _HOUSE_RULES if here and offered_settings(state.table.setup) else None


def offered_settings(setup: Setup) -> tuple[Setting, ...]:
    """Return the game's settings with an effect and more than one allowed value."""
    game = game_named(setup.preset)
    idle = game.idle(setup)
    return tuple(one for one in game.settings if one.name not in idle and len(choices_of(setup, one)) > 1)


def _of_group(state: State, group: str) -> tuple[Setting, ...]:
    """Return the offered settings of that group; all of them in a game without groups."""
    groups, offered = game_of(state.table).setting_groups, offered_settings(state.table.setup)
    return tuple(one for one in offered if not groups or one.name in groups[group].split())


def _groups(state: State) -> tuple[str, ...]:
    """Return the groups with a setting to offer; the first has those that people change most."""
    return tuple(group for group in game_of(state.table).setting_groups if _of_group(state, group))


def rules(state: State, phase: Phase, action: HouseRules) -> Step:
    """List the house rules that people change most, then a line that leads to the others."""
    first, *others = _groups(state) or ("",)
    more = MenuLine(RuleGroups(), msg("item.more_rules"), msg("about.more_rules"))
    last = more if others else teach_line(state.table)
    return _open_settings(state, action, _of_group(state, first), _HOUSE_RULES, last)


def groups(state: State, phase: Phase, action: RuleGroups) -> Step:
    """List the groups of house rules or, if the action has a group, the settings of that group.

    If the menu has the line for `HouseRules`, the first group is left out, because that line lists its settings.
    """
    found = _groups(state)
    if action.group or not found:
        title = msg(action.group) if action.group else _HOUSE_RULES
        return _open_settings(state, action, _of_group(state, action.group), title)
    here = found[1:] if _rules_text(state, phase) else found
    lines = (MenuLine(RuleGroups(group=group), msg(group)) for group in here)
    return stay(open_list(state, (*lines, teach_line(state.table), BACK)))


def say_fixed(state: State, phase: Phase, action: SayFixed) -> Step:
    """Show that the rule cannot change because recorded hands were counted by it."""
    return refuse(state, msg("toast.next_match"))


def sound(state: State, phase: Phase, action: DeviceSettings) -> Step:
    return _open_settings(state, action, DEVICE, _SOUND)


_SHOW: dict[type[SettingList], Callable[[State, Any, Any], Step]] = {  # Any: a phase, and the action of the key
    HouseRules: rules,
    RuleGroups: groups,
    DeviceSettings: sound,
}


def _groups_text(state: State, phase: Phase) -> Msg | None:
    """Return the line "House rules" for the lower part of a menu; None if the upper part has it."""
    return None if _rules_text(state, phase) or not offered_settings(state.table.setup) else _HOUSE_RULES


def _end_text(state: State, phase: Phase) -> Msg | None:
    return msg("item.end_match") if state.table.hands and not isinstance(phase, Over) else None


def end(state: State, phase: Phase, action: EndMatch) -> Step:
    """Ask whether to end the match now, with the leaders as its winners."""
    return ask(state, "ask.end_match", Closed(state.now_ns, len(state.table.hands)))


# -- several settings at once -------------------------------------------------------------------------------------


def apply_settings(setup: Setup, settings: Iterable[tuple[str, object]]) -> Setup:
    """Return the setup with all these settings, applied in order.

    Raises RuleError for the first invalid one.
    """
    for name, value in settings:
        _check_setting(setup, name, value)
        setup = set_option(setup, name, value)
    return setup


def _check_setting(setup: Setup, name: str, value: object) -> None:
    """Raise RuleError for an unknown preset or device value; `set_option` does not check these."""
    if name == PRESET and value not in presets():
        raise RuleError(PRESET, f"{quoted_value(value)} is given, allowed is one of {list_text(presets())}")
    for setting in DEVICE:
        allowed = [choice for choice, _ in setting.choices]
        if setting.name == name and not any(value == one and type(value) is type(one) for one in allowed):
            raise RuleError(name, f"{quoted_value(value)} is given, allowed is one of {list_text(map(str, allowed))}")


def in_order(setup: Setup, preset: str, options: Iterable[tuple[str, bool | int | str]]) -> Settings:
    """Return a preset and options as settings, in an order in which each one is allowed.

    An option may be allowed only after another one is set. Raises RuleError if there is no such order.
    """
    found: list[tuple[str, bool | int | str]] = [(PRESET, preset)]
    setup, left = apply_settings(setup, found), list(options)
    while left:
        setup, one = _next_setting(setup, left)
        left.remove(one)
        found.append(one)
    return tuple(found)


def _next_setting(setup: Setup, left: list[tuple[str, bool | int | str]]) -> tuple[Setup, tuple[str, bool | int | str]]:
    """Apply the first of these settings that is allowed now. Return the setup and that setting."""
    for one in left[:-1]:
        try:
            return apply_settings(setup, [one]), one
        except RuleError:
            continue
    return apply_settings(setup, left[-1:]), left[-1]


# -- decisions -----------------------------------------------------------------------------------------------------


def on_adjusted(state: State, phase: Phase, event: Adjusted) -> Step:
    """Apply the setting. A changed target may end the match, or continue a finished one."""
    before, state = over_at(state.table), _adjust(state, event)
    if isinstance(phase, Over):
        return go_on(state, state.table, event.at_ns) if event.setting == TARGET else within(state, phase)
    if not isinstance(phase, Ready | Agreement):
        step = within(state, phase)
    else:
        step = ask_again(state, with_players(phase, state.table) if isinstance(phase, Ready) else phase)
    return ask_if_over(step, before) if event.setting == TARGET else step


def on_adjusted_in_lobby(state: State, phase: Lobby, event: Adjusted) -> Step:
    """Apply the setting."""
    return stay(_adjust(state, event))


def on_adjusted_agreeing(state: State, phase: Agreement, event: Adjusted) -> Step:
    """Apply the setting and ask all to agree again."""
    if event.setting in Setup.device:
        return within(_adjust(state, event), phase)
    if state.table.hands:
        return on_adjusted(state, phase, event)
    return within(_adjust(state, event), replace(phase, ready=frozenset(), asked_at_ns=event.at_ns))


def _adjust(state: State, event: Adjusted) -> State:
    table = replace(state.table, setup=set_option(state.table.setup, event.setting, event.value))
    return replace(state, table=agree_on_rules(table) if event.agreed else table)


SHARED_ROWS: tuple[Transition, ...] = (
    Row(Lobby, Adjusted, on_adjusted_in_lobby, (), "a setting"),
    Row(Agreement, Adjusted, on_adjusted_agreeing, (), "a setting: all agree again"),
    Row(Ready, Adjusted, on_adjusted, ("AGREEMENT",), "a setting, agreed on where not all said yes"),
    Row(Over, Adjusted, on_adjusted, ("READY",), "a setting; another target may play on"),
    Row(UnderWay, Adjusted, on_adjusted, (), "a setting"),
    Row(Lobby, TakeEvent, take_event, (), "the knob: the event's game", _event_text, MenuPlace.FIRST),
    Row(Lobby, ChooseGame, game, (), "the knob: the preset", msg("item.game")),
    Row(Lobby, HouseRules, rules, (), "the knob: the game's settings", _rules_text),
    Row(Lobby, RuleGroups, groups, (), "the knob: more of the game's settings"),
    Row(Lobby, DeviceSettings, sound, (), "the knob: the device's settings", _SOUND, MenuPlace.LAST),
    Row(Lobby, Adjust, adjust, (), "the knob: a value"),
    Row(Resting, RuleGroups, groups, (), "the knob: the game's settings", _groups_text, MenuPlace.MORE),
    Row(Resting, DeviceSettings, sound, (), "the knob: the device's settings", _SOUND, MenuPlace.LAST),
    Row(Agreement, HouseRules, rules, (), "the knob: the game's settings", _rules_text),
    Row(Ready, HouseRules, rules, (), "the knob: the game's settings", _rules_text),
    Row(Resting, HouseRules, rules, (), "the knob: the game's settings"),
    Row(Resting, SayFixed, say_fixed, (), "the knob: a rule that holds until the match is over"),
    Row(Resting, Adjust, adjust, ("VOTE",), "the knob: a value; in a match a question to all"),
    Row(UnderWay, EndMatch, end, ("VOTE",), "the knob: shall the match end?", _end_text, MenuPlace.LAST),
)
