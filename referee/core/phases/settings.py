"""What a table sets: the game and its house rules in the lobby, the target and the sound at any time.

    LOBBY  Game ─► NNA, PAGAT ...     House rules ─► Target: 100 ─► turn, push     Sound, language ─► Volume: loud ...
    match  More ─► Target: 100        Sound, language ─► ...                       End match ─► a question to all

A game declares its house rules (`Game.settings`); the device's own are below. Values are turned in place; what was
set is a decision like any other, so a power cut keeps it.
"""

from __future__ import annotations

from referee.core.events import Adjusted, Closed
from referee.core.games.options import RuleError
from referee.core.games.registry import game_named, game_of, presets
from referee.core.phases.common import decide, opened, stay, within
from referee.core.phases.fixing import FIXABLE, ask_if_over, over_at
from referee.core.phases.lobby import Lobby
from referee.core.phases.over import Over, booked
from referee.core.phases.ready import Ready, reseated
from referee.core.phases.vote import ask
from referee.core.state import Setup, State, Step, Table
from referee.core.transitions import Item, Row, Setting
from referee.core.units import MS
from referee.core.values import replace

PRESET = "preset"
TARGET = "target"
DEVICE = (
    Setting("volume_percent", "Volume", ((0, "off"), (25, "low"), (50, "mid"), (100, "loud"))),
    Setting("language", "Language", (("en", "English"), ("de", "Deutsch"), ("it", "Italiano"))),
    Setting("hold_ns", "Hold", ((500 * MS, "0.5 s"), (800 * MS, "0.8 s"), (1200 * MS, "1.2 s"))),
    Setting("brightness_percent", "Bright", ((20, "low"), (50, "mid"), (100, "high"))),
)
"""The device's own settings: fields of `Setup`. Volume 0 is the quiet mode: light only."""
_BACK = ("back", "Back")


# -- values --------------------------------------------------------------------------------------------------------


def _value(setup: Setup, setting: Setting) -> object:
    if setting.name in Setup.device:
        return getattr(setup, setting.name)
    return dict(setup.options).get(setting.name, presets()[setup.preset].preset_values(setup.preset)[setting.name][0])


def _choices(setup: Setup, setting: Setting) -> tuple[tuple[object, str], ...]:
    """What these rules allow; a value from the configuration that is none of the usual ones stands first."""
    now = _value(setup, setting)
    allowed: tuple[tuple[object, str], ...] = tuple(c for c in setting.choices if _allows(setup, setting, c[0]))
    return allowed if any(value == now for value, _ in allowed) else ((now, str(now)), *allowed)


def _allows(setup: Setup, setting: Setting, value: object) -> bool:
    try:
        adjusted(setup, setting.name, value)
    except RuleError:
        return False
    return True


def _shown(setup: Setup, setting: Setting) -> str:
    now = _value(setup, setting)
    return next(text for value, text in _choices(setup, setting) if value == now)


def adjusted(setup: Setup, name: str, value: object) -> Setup:
    """The settings with one changed; another preset brings its own rules. Raises RuleError."""
    if name in Setup.device:
        return replace(setup, **{name: value})  # type: ignore[arg-type]
    if name == PRESET:
        return replace(setup, preset=str(value), options=())
    options = dict(setup.options) | {name: value}
    presets()[setup.preset].check_options(setup.preset, options)
    return replace(setup, options=tuple(options.items()))


# -- lists ---------------------------------------------------------------------------------------------------------


def _listed(state: State, action: str, settings: tuple[Setting, ...], argument: str) -> Step:
    """The settings as lines; one of them opened; or the value that it was turned to, taken."""
    setup, (name, _, text) = state.table.setup, argument.partition(":")
    chosen = next((setting for setting in settings if setting.name == name), None)
    lines = tuple((f"{action}:{s.name}", f"{s.text}: {_shown(setup, s)}") for s in settings)
    if chosen is None:
        return stay(opened(state, (*lines, _BACK)))
    choices, cursor = _choices(setup, chosen), settings.index(chosen)
    if not text:
        values = tuple(shown for _, shown in choices)
        at = values.index(_shown(setup, chosen))
        return stay(opened(state, (*lines, _BACK), cursor=cursor, values=values, value=at))
    taken = next((value for value, shown in chosen.choices if shown == text), None)
    if taken is None or text == _shown(setup, chosen):
        return stay(opened(state, (*lines, _BACK), cursor=cursor))
    return decide(state, Adjusted(state.now_ns, name, taken))


def _game_text(state: State) -> str | None:
    return "Game"


def game(state: State, preset: str = "") -> Step:
    """Which rules? Their own values come with them."""
    if preset:
        return decide(state, Adjusted(state.now_ns, PRESET, preset))
    names = tuple(presets())
    lines = tuple((f"game:{name}", game_named(name).title(_with(state.table, name))[0]) for name in names)
    return stay(opened(state, (*lines, _BACK), cursor=names.index(state.table.setup.preset)))


def _with(table: Table, preset: str) -> Table:
    return replace(table, setup=adjusted(table.setup, PRESET, preset))


def _rules_text(state: State) -> str | None:
    return "House rules" if _house(state) else None


def _house(state: State) -> tuple[Setting, ...]:
    """The game's settings that leave a choice under this preset."""
    setup = state.table.setup
    return tuple(setting for setting in game_of(state.table).settings if len(_choices(setup, setting)) > 1)


def rules(state: State, argument: str = "") -> Step:
    """The game's own settings."""
    return _listed(state, "rules", _house(state), argument)


def _sound_text(state: State) -> str | None:
    return "Sound, language"


def sound(state: State, argument: str = "") -> Step:
    """The device's own settings."""
    return _listed(state, "sound", DEVICE, argument)


def _more_text(state: State) -> str | None:
    return "More"


def _end_text(state: State) -> str | None:
    return "End match" if state.table.hands and not isinstance(state.phase, Over) else None


def _target(table: Table) -> tuple[Setting, ...]:
    """The target, where the match has one."""
    found = tuple(setting for setting in game_of(table).settings if setting.name == TARGET)
    return found if all(_value(table.setup, setting) for setting in found) else ()


def more(state: State, argument: str = "") -> Step:
    """The target, the sound, the end."""
    target = _target(state.table)
    if argument:
        return _listed(state, "more", target, argument)
    lines = [(f"more:{s.name}", f"{s.text}: {_shown(state.table.setup, s)}") for s in target]
    lines += [("sound", "Sound, language")]
    end = _end_text(state)
    return stay(opened(state, (*lines, *([("end", end)] if end else []), _BACK)))


def end(state: State, argument: str = "") -> Step:
    """Shall the match end here? Whoever leads has won."""
    teams = tuple(team.id for team in state.table.teams)
    return ask(state, "END MATCH?", Closed(state.now_ns, len(state.table.hands)), voters=teams)


# -- what was decided ----------------------------------------------------------------------------------------------


def on_adjusted(state: State, event: Adjusted) -> Step:
    """It holds from now on. In the lobby its list stays open; another target may end the match, or go on with it."""
    before = over_at(state.table)
    table = replace(state.table, setup=adjusted(state.table.setup, event.setting, event.value))
    state = replace(state, table=table)
    if isinstance(state.phase, Lobby):
        return _again(state, event.setting)
    if event.setting != TARGET:
        return within(state, state.phase)
    if isinstance(state.phase, Over):
        return booked(state, table, event.at_ns)
    state = reseated(state, table) if isinstance(state.phase, Ready) else state
    return ask_if_over(stay(state), before)


def _again(state: State, name: str) -> Step:
    """The list that the setting stands in, open at its line."""
    step = stay(state) if name == PRESET else sound(state) if name in Setup.device else rules(state)
    menu = step.state.menu
    if menu is None or name == PRESET:
        return stay(state)
    at = next(n for n, (action, _) in enumerate(menu.items) if action.endswith(f":{name}"))
    title = _sound_text(state) if name in Setup.device else _rules_text(state)
    return replace(step, state=replace(step.state, menu=replace(menu, cursor=at, title=title or "")))


def _hidden(state: State) -> str | None:
    return None


ITEMS = (
    Item(Lobby, "game", _game_text, game),
    Item(Lobby, "rules", _rules_text, rules),
    Item(Lobby, "sound", _sound_text, sound),
    *(Item(phase, "more", _more_text, more, common=True) for phase in FIXABLE),
    *(Item(phase, "sound", _hidden, sound) for phase in FIXABLE),
    *(Item(phase, "end", _hidden, end, ("VOTE",)) for phase in FIXABLE if phase is not Over),
)
ROWS = (
    Row(Lobby, Adjusted, on_adjusted, (), "a setting"),
    Row(Over, Adjusted, on_adjusted, ("READY",), "a setting; another target may play on"),
    *(Row(phase, Adjusted, on_adjusted, (), "a setting") for phase in FIXABLE if phase is not Over),
)
