"""The list of games. Only this module names games (table.py names the default preset).

A game is two constants, in one module or two: `DOCUMENTS` (its presets and documents) and `GAME` (its phases,
transitions and standings). A game is imported on first use, because games import the shared phases, and the phases
import this module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from referee.core.model.options import RuleError
from referee.core.model.paper import Documents
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import ClaimGame, CountedGame, FieldSpec, Game, PileGame
from referee.core.reading import DocumentError, Part, list_text
from referee.core.rulebook import RuleAnswer, Topic, answers
from referee.core.values import Json, by_identity, replace

if TYPE_CHECKING:
    from referee.core.cards.position import Position

GAMES = (
    ("referee.core.games.nertz.document", "referee.core.games.nertz.play"),
    ("referee.core.games.thirtyone.document", "referee.core.games.thirtyone.play"),
    ("referee.core.games.slap", "referee.core.games.slap"),
    ("referee.core.games.lastone", "referee.core.games.lastone"),
    ("referee.core.games.duel", "referee.core.games.duel"),
)
"""The modules of each game's `DOCUMENTS` and `GAME`.

The first game's presets are shown first.
"""
SHORTEST_PART = 3
"""Minimum number of letters in a part of a name that identifies a preset."""

MANNERS = frozenset({"call_word", "start", "start_words", "start_by", "rotate_seats", "pack_check", "shuffle_for"})
"""Options that do not change scores."""


Lines = tuple[tuple[str, str], ...]


def _documents(path: str) -> Documents:
    documents: Documents = import_module(path).DOCUMENTS
    return documents


@lru_cache(maxsize=64)  # called several times per edge
def _game(games: Lines, preset: str) -> Game:
    found = (play for documents, play in games if preset in _documents(documents).TITLES)
    if (play := next(found, None)) is None:
        raise KeyError(preset)
    game: Game = import_module(play).GAME
    return game


class _Presets(Mapping[str, Documents]):
    """A mapping from each preset's name to the `Documents` object of its game.

    Looking up a preset imports its game and the games listed before it, not those after it.
    """

    def __init__(self, games: Lines) -> None:
        self._paths = [path for path, _ in games]

    def __getitem__(self, preset: str) -> Documents:
        for path in self._paths:
            if preset in (documents := _documents(path)).TITLES:
                return documents
        raise KeyError(preset)

    def __iter__(self) -> Iterator[str]:
        return (preset for path in self._paths for preset in _documents(path).TITLES)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def presets() -> Mapping[str, Documents]:
    """Return a mapping from each preset's name to the `Documents` object of its game."""
    return _Presets(GAMES)


def documents_of(whole: Part) -> Documents:
    """Return the `Documents` object of the preset that a document names. Raises DocumentError."""
    known, preset = presets(), whole.table().get("preset")
    if preset is None:
        raise DocumentError("the document: the key preset is missing, needed is the name of a preset")
    return known[preset.one_of(known)]


def position_of(document: object) -> Position:
    """Return the cards on a table from a position document; the key `preset` names the game.

    Raises DocumentError.
    """
    whole = Part(document)
    return documents_of(whole).position(whole)


def preset_called(text: str) -> str | None:
    """Find a preset by name; None if no preset or several match.

    Case, spaces and hyphens are ignored. Part of a name is enough if only one preset matches: a person can type what
    the display shows, e.g. "NNA Nertz", or a title cut short ("Racing…"). An exact match has priority over a match at
    the beginning, and that over a match anywhere.
    """
    wanted = _letters(text)
    for fits in (str.__eq__, str.startswith, str.__contains__):
        found = {preset for name, preset in _names() if fits(name, wanted)}
        if len(found) == 1:
            return found.pop()
        if found or len(wanted) < SHORTEST_PART:
            return None
    return None


def allowed_presets(text: str, among: Collection[str]) -> str:
    """Return the end of a sentence about an unknown preset: similar ones, else all allowed."""
    names = {name: preset for name, preset in _names() if preset in among}
    near = dict.fromkeys(names[name] for name in get_close_matches(_letters(text), names, cutoff=0.7))
    return f"did you mean {' or '.join(near)}?" if near else f"there are {list_text(among)}"


def _names() -> Iterator[tuple[str, str]]:
    """Yield the letters of every name of a preset, and the preset."""
    for preset, game in presets().items():
        for name in (preset, preset_name(preset), *game.ALSO.get(preset, ())):
            yield _letters(name), preset


def preset_name(preset: str) -> str:
    """Return the preset's title up to the colon. Raises KeyError if there is no such preset."""
    return presets()[preset].TITLES[preset].partition(":")[0]


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def rules_in_force(setup: Setup) -> tuple[tuple[str, Json], ...]:
    """Return every option of the setup's game with its current value."""
    own: dict[str, Json] = dict(setup.options)
    return tuple((name, own.get(name, value)) for name, (value, _) in _defaults(setup).items())


def other_rules(one: Setup, other: Setup) -> list[tuple[str, Json, Json]]:
    """Return the options other than `MANNERS` by which two setups of a game differ, as (name, value, other value)."""
    wanted = dict(rules_in_force(other))
    return [
        (name, had, wanted[name]) for name, had in rules_in_force(one) if had != wanted[name] and name not in MANNERS
    ]


def usual_rules(setup: Setup) -> dict[str, Json]:
    """Return every option of the setup's game with the preset's value."""
    return {name: value for name, (value, _) in _defaults(setup).items()}


def begun_under(setup: Setup, rules: Iterable[tuple[str, object]]) -> Setup:
    """Return the setup of a match that began under these rules.

    A preset's value may have changed since the match began. The old value then becomes an option of the table, so that
    the match keeps its rules. An old value that is no longer valid is ignored.
    """
    options, defaults = dict(setup.options), _defaults(setup)
    for name, value in rules:
        other = name not in options and name in defaults and defaults[name][0] != value
        if other and can_play(setup.preset, options | {name: value}):
            options[name] = value
    return replace(setup, options=tuple(options.items()))


def adjusts(table: Table) -> bool:
    """Return whether players may give a team points or deduct them (`Table.adjustments`)."""
    preset, options = table.setup.preset, dict(table.setup.options)
    game = presets()[preset]
    return game.counted(game.rules(preset, options)) == "points"


def can_play(preset: str, options: Mapping[str, object]) -> bool:
    """Return whether the preset can be played with these options."""
    try:
        presets()[preset].rules(preset, options)
    except RuleError:
        return False
    return True


def _defaults(setup: Setup) -> Mapping[str, tuple[Json, str]]:
    return presets()[setup.preset].preset_values(setup.preset)


def rulebook(preset: str, options: Mapping[str, object]) -> tuple[RuleAnswer, ...]:
    """Return the rulebook's answers under these options; empty if the game has no rulebook.

    Raises RuleError.
    """
    game = presets()[preset]
    return answers(topics_of(game), game.facts(preset, options))


def topics_of(game: Documents) -> tuple[Topic, ...]:
    """Return the rulebook's topics, the most frequent disputes first; empty without a rulebook."""
    return tuple(import_module(game.RULEBOOK).TOPICS) if game.RULEBOOK else ()


def game_named(preset: str) -> Game:
    """Return the game that plays this preset. Raises KeyError if there is none."""
    return _game(GAMES, preset)


def game_of(table: Table) -> Game:
    """Return the game that this table plays."""
    return game_named(table.setup.preset)


def with_a_part(table: Table) -> Table:
    """Return the table without teams that sit out and took no part in the match.

    Such teams have no hand, adjustment or timeout in it, and are not in its result.
    """
    if not table.absent or not table.hands:
        return table
    game = game_of(table)
    had = {team for hand in range(len(table.hands)) for team in game.booked_hand(table, hand).played}
    had |= {one.team for one in table.adjustments} | {one.team for one in table.timeouts}
    teams = tuple(team for team in table.teams if team.id in had or not table.absent.issuperset(team.stations))
    ids = {team.id for team in teams}
    return replace(table, teams=teams, joined=tuple(one for one in table.joined if one[0] in ids))


def winners_at(table: Table) -> tuple[str, ...]:
    """Return the winning teams if the match is over, else none."""
    return game_of(table).winners(with_a_part(table))


def counted_game(table: Table) -> CountedGame:
    """Return this table's game if its hands end with a count. Raises TypeError otherwise."""
    game = game_of(table)
    if not isinstance(game, CountedGame):
        raise TypeError(
            f"the hands of {table.setup.preset!r} are not counted, so no transition row may lead to a count"
        )
    return game


@by_identity(32)
def fields_of(table: Table, team: str, callers: tuple[str, ...]) -> tuple[FieldSpec, ...]:
    """Return the fields of the team's count.

    Cached per table, because each drawing of the count needs them.
    """
    return counted_game(table).fields(table, team, callers)


def claim_game(table: Table) -> ClaimGame:
    """Return this table's game if a press during play is a claim (`ClaimGame`).

    Raises TypeError otherwise.
    """
    game = game_of(table)
    if not isinstance(game, ClaimGame):
        raise TypeError(f"a press in play claims nothing in {table.setup.preset!r}, so no row may lead to a verdict")
    return game


def pile_game(table: Table) -> PileGame | None:
    """Return this table's game if teams race to empty a pile (see `PileGame`), else None."""
    game = game_of(table)
    return game if isinstance(game, PileGame) else None


def all_documents() -> tuple[Documents, ...]:
    """Return the `Documents` object of every game, in the order of `GAMES`."""
    return tuple(_documents(path) for path, _ in GAMES)


def all_games() -> tuple[Game, ...]:
    """Return every game, in the order of `GAMES`. Imports them all."""
    return tuple(import_module(play).GAME for _, play in GAMES)
