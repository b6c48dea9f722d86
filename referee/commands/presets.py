"""List the presets, or the options of one preset with their sources."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from referee.commands.score import plain
from referee.commands.terminal import UsageError, terminal
from referee.core.model.options import RuleOption
from referee.core.model.paper import Documents
from referee.core.model.registry import allowed_presets, game_named, preset_called, presets
from referee.core.model.table import Setup, Table
from referee.core.reading import quoted_value, value_text
from referee.language.display import display_text

if TYPE_CHECKING:
    Paint = Callable[[str, str], str]

SOURCES = """NNA: National Nertz Association, "Nertz Card Game Instructions". pagat: www.pagat.com.
Reeves: Mario Reeves, "Regole del gioco Nerds (Pounce)". Keeling: rules of the online Racing Demon.
Houses: rules that tables play. Device default, ours, assumed: chosen for this device."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a preset (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the presets. Raises UsageError for an unknown name."""
    games = presets()
    name = None if args.name is None else preset_called(args.name)
    if args.name is not None and name is None:
        allowed = allowed_presets(args.name, games)
        raise UsageError(f"referee presets: there is no preset {quoted_value(args.name)}; {allowed}")
    if args.json:
        print(json.dumps(all_presets(games) if name is None else one_preset(name, games[name])))
    else:
        paint = terminal().paint
        table = overview(games, paint) if name is None else sheet(name, games[name], paint)
        print(plain("\n".join(table)))
    return 0


# -- JSON -----------------------------------------------------------------------------------------------------------


def all_presets(games: Mapping[str, Documents]) -> dict[str, Any]:
    """Return as JSON data every preset with its values and sources, and every game's options."""
    return {
        "presets": {name: one_preset(name, game) for name, game in games.items()},
        "games": {game.NAME: [_option_document(option) for option in game.OPTIONS] for game in games.values()},
    }


def one_preset(name: str, game: Documents) -> dict[str, Any]:
    """Return a preset's option values as in a match document, and the source of each."""
    values = game.preset_values(name)
    return {
        "name": name,
        "title": game.TITLES[name],
        "game": game.NAME,
        "options": {option: value for option, (value, _) in values.items()},
        "sources": {option: source for option, (_, source) in values.items()},
    }


def _option_document(option: RuleOption) -> dict[str, str]:
    return {key: getattr(option, key) for key in ("name", "kind", "allowed", "meaning", "sources")}


# -- text -----------------------------------------------------------------------------------------------------------


def overview(games: Mapping[str, Documents], paint: Paint) -> Iterator[str]:
    """Yield a line per preset: name, title, differences from the first preset of the same game."""
    first: dict[str, Mapping[str, tuple[Any, str]]] = {}
    for name, game in games.items():
        values = game.preset_values(name)
        base = first.setdefault(game.NAME, values)
        yield f"{paint(f'{name:<17}', 'strong')} {game.TITLES[name]}{_about(name)}"
        changed = (f"{option} {value_text(value)}" for option, (value, _) in values.items() if value != base[option][0])
        yield from (paint(line, "weak") for line in _wrap(", ".join(changed), 18))
    yield "`referee presets NAME` shows every option, its source, and where sources disagree."


def _about(name: str) -> str:
    """Return a preset's rules as the knob's menu sums them up, such as " · to 100, no bonus"."""

    about = game_named(name).about(Table(Setup(preset=name), ()))
    return f" · {display_text(about)}" if about else ""


def sheet(name: str, game: Documents, paint: Paint) -> Iterator[str]:
    """Yield lines on every option of a preset.

    They give its value and where the value comes from, its meaning, the allowed values, and its sources.
    """
    yield f"{paint(name, 'strong')}: {game.TITLES[name]}"
    values = game.preset_values(name)
    for option in game.OPTIONS:
        value, source = values[option.name]
        yield f"\n{paint(f'{option.name} = {value_text(value)}', 'strong')}   ({source})"
        yield from _wrap(option.meaning, 4)
        yield from _wrap(f"allowed: {option.allowed}", 4)
        yield from (paint(line, "weak") for line in _wrap(f"sources: {option.sources}", 4))
    yield ""
    yield from _wrap(SOURCES, 0)


def _wrap(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, 110, initial_indent=" " * indent, subsequent_indent=" " * indent)
