"""Which games there are: one line each, and nothing else names a game (but for the usual preset in usual.py).

A game is a module (a folder or a file) that offers two functions: `documents()`, its `Documents`, and `game()`, its
`Game`. It is imported when it is first asked for: games stand on the shared phases, and those ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from referee.core.model.options import RuleError
from referee.core.model.paper import Documents
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import ClaimGame, CountedGame, FieldSpec, Game, PileGame
from referee.core.reading import DocumentError, Part
from referee.core.rulebook.book import RuleAnswer, Topic, answers
from referee.core.values import Json, SameObjects, replace

if TYPE_CHECKING:
    from referee.core.cards.position import Position

GAMES = (
    "referee.core.games.nertz",
    "referee.core.games.thirtyone",
    "referee.core.games.slap",
    "referee.core.games.lastone",
)
"""The line of each game; the first one's presets are shown first."""
SHORTEST_PART = 3
"""Fewer letters of a preset's name are no hint of which is meant."""


class Line(Protocol):
    """What the module of a game that stands in `GAMES` offers: its paper, and its play."""

    def documents(self) -> Documents:
        """What it brings on paper; imports nothing of its play."""

    def game(self) -> Game:
        """What it brings to the table: rows, phases, standings."""


@lru_cache(maxsize=16)
def _line(path: str) -> Line:
    return cast(Line, import_module(path))


@lru_cache(maxsize=64)  # asked for several times an edge
def _game(paths: tuple[str, ...], preset: str) -> Game:
    return _Presets(paths).line(preset).game()


class _Presets(Mapping[str, Documents]):
    """Preset name -> documents. Whoever asks for one preset imports the games up to its own, and none behind it."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._paths = paths

    def line(self, preset: str) -> Line:
        """The game that has it; KeyError when none has."""
        for path in self._paths:
            if preset in (line := _line(path)).documents().TITLES:
                return line
        raise KeyError(preset)

    def __getitem__(self, preset: str) -> Documents:
        return self.line(preset).documents()

    def __iter__(self) -> Iterator[str]:
        return (preset for path in self._paths for preset in _line(path).documents().TITLES)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def presets() -> Mapping[str, Documents]:
    """Preset name -> the documents of the game whose rules it sets."""
    return _Presets(GAMES)


def documents_of(whole: Part) -> Documents:
    """The documents of the game that a document's `preset` names. Raises DocumentError."""
    known, preset = presets(), whole.table().get("preset")
    if preset is None:
        raise DocumentError("the document: the key preset is missing, needed is the name of a rule set")
    return known[preset.one_of(known)]


def position_of(document: object) -> Position:
    """The cards of a position document, whose `preset` names the game. Raises DocumentError, one sentence."""
    whole = Part(document)
    return documents_of(whole).position(whole)


def preset_called(text: str) -> str | None:
    """The preset of that name, however people write it; None when it is none, or could be several.

    Case, spaces and hyphens do not count, and a part of a name is enough where one preset alone has it: a display
    writes "NNA Nertz", "Racing…". A whole name comes before a beginning, and that before any part.
    """
    wanted = _letters(text)
    for fits in (str.__eq__, str.startswith, str.__contains__):
        found = [
            preset for preset in presets() if any(fits(_letters(n), wanted) for n in (preset, preset_name(preset)))
        ]
        if len(found) == 1:
            return found[0]
        if found or len(wanted) < SHORTEST_PART:
            return None
    return None


def preset_name(preset: str) -> str:
    """What people call it: its title up to the colon. KeyError when there is no such preset."""
    return presets()[preset].TITLES[preset].partition(":")[0]


def _letters(text: str) -> str:
    """What of a name is compared."""
    return "".join(character for character in text.casefold() if character.isalnum())


def rules_in_force(setup: Setup) -> tuple[tuple[str, Json], ...]:
    """Every option of the setup's game with its value, as the preset or the table has it."""
    own: dict[str, Json] = dict(setup.options)
    return tuple((name, own.get(name, value)) for name, (value, _) in _defaults(setup).items())


def usual_rules(setup: Setup) -> dict[str, Json]:
    """Every option of the setup's game with the value that the preset gives it."""
    return {name: value for name, (value, _) in _defaults(setup).items()}


def begun_under(setup: Setup, rules: Iterable[tuple[str, object]]) -> Setup:
    """The setup of a match that began under these rules: what another release gives by default now is an option then.

    One that cannot be so any more stays as it is now.
    """
    options, defaults = dict(setup.options), _defaults(setup)
    for name, value in rules:
        other = name not in options and name in defaults and defaults[name][0] != value
        if other and can_play(setup.preset, options | {name: value}):
            options[name] = value
    return replace(setup, options=tuple(options.items()))


def can_play(preset: str, options: Mapping[str, object]) -> bool:
    """Whether the preset can be played with these options."""
    try:
        presets()[preset].check_options(preset, options)
    except RuleError:
        return False
    return True


def _defaults(setup: Setup) -> Mapping[str, tuple[Json, str]]:
    return presets()[setup.preset].preset_values(setup.preset)


def rulebook(preset: str, options: Mapping[str, object]) -> tuple[RuleAnswer, ...]:
    """What the rules of a table of this preset with these options answer to each dispute; none without a rulebook.

    Raises RuleError.
    """
    game = presets()[preset]
    return answers(topics_of(game), game.facts(preset, options))


def topics_of(game: Documents) -> tuple[Topic, ...]:
    """What people disagree on in this game, the most disputed first; none without a rulebook."""
    return tuple(import_module(game.RULEBOOK).TOPICS) if game.RULEBOOK else ()


def game_named(preset: str) -> Game:
    """The game that plays this preset; KeyError when none does."""
    return _game(GAMES, preset)


def game_of(table: Table) -> Game:
    """The game that this table plays."""
    return game_named(table.setup.preset)


def with_a_part(table: Table) -> Table:
    """The table without the teams that sit out and have had no part in its match: they are not in its result."""
    if not table.absent or not table.hands:
        return table
    game = game_of(table)
    had = {team for hand in range(len(table.hands)) for team in game.booked_hand(table, hand).played}
    had |= {one.team for one in table.adjustments} | {one.team for one in table.timeouts}
    teams = tuple(team for team in table.teams if team.id in had or not table.absent.issuperset(team.stations))
    ids = {team.id for team in teams}
    return replace(table, teams=teams, joined=tuple(one for one in table.joined if one[0] in ids))


def winners_at(table: Table) -> tuple[str, ...]:
    """The winning teams when the match is over, else none."""
    return game_of(table).winners(with_a_part(table))


def counted_game(table: Table) -> CountedGame:
    """The game that this table plays, one whose hands are counted. TypeError for another one."""
    game = game_of(table)
    if not isinstance(game, CountedGame):
        raise TypeError(f"the hands of {table.setup.preset!r} are not counted, so nothing may lead to a count")
    return game


def fields_of(table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
    """The fields of that team's count. Every picture of a count asks for them, so they are kept for the same table."""
    return _fields(SameObjects((table,)), team, callers)


@lru_cache(maxsize=32)
def _fields(of: SameObjects[Table], team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
    (table,) = of
    return counted_game(table).fields(table, team, callers)


def claim_game(table: Table) -> ClaimGame:
    """The game that this table plays, one whose presses in play are claims. TypeError for another one."""
    game = game_of(table)
    if not isinstance(game, ClaimGame):
        raise TypeError(f"a press in play claims nothing in {table.setup.preset!r}, so nothing may lead to a verdict")
    return game


def pile_game(table: Table) -> PileGame | None:
    """The game that this table plays if it is one of piles; else None."""
    game = game_of(table)
    return game if isinstance(game, PileGame) else None


def all_documents() -> tuple[Documents, ...]:
    """What every game brings on paper, in the order of `GAMES`."""
    return tuple(_line(path).documents() for path in GAMES)


def all_games() -> tuple[Game, ...]:
    """Every game that there is, in the order of `GAMES`; imports them all."""
    return tuple(_line(path).game() for path in GAMES)
