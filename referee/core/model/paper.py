"""A match on paper: scores by player name, and how a game reads and writes match documents.

A match by player name, in terms that all games share: scores, totals, ranks, remarks.

Besides the hands, every game's match document can contain:

    "timeouts": [{"hand": 2, "team": "Ben", "why": "collision"}, {"hand": 3, "why": "tidy"}]
    "adjustments": [{"after": 2, "team": "Ben", "points": -5, "reason": "penalty"}]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from referee.core.model.options import RuleError, RuleOption, Sourced
from referee.core.model.table import Adjustment, Table
from referee.core.reading import DocumentError, Part, list_text, number, quoted_value
from referee.core.rulebook import Facts
from referee.core.values import Document, Json, Value, field

if TYPE_CHECKING:
    from referee.core.cards.position import CardGame, Position

Number = int | float


class Account(Value):
    """The scores and standings of a match, by player name.

    hands: for each hand, the score of each player. totals, ranks: tied players share a rank (1, 1, 3). winners: empty
    before the end. shown: by player, a text that replaces the total (in 31, "county" for a player without lives).
    ahead: while there is no winner, a sentence on how the match goes on. remarks: further sentences to show.
    """

    hands: tuple[Mapping[str, Number], ...]
    totals: Mapping[str, Number]
    ranks: Mapping[str, int]
    winners: tuple[str, ...]
    shown: Mapping[str, str] = field(default_factory=dict)
    ahead: str = "Not over yet."
    remarks: tuple[str, ...] = ()


def score_text(score: Number | Fraction) -> str:
    """Format a score for display: halves with a ½ sign, other fractions with two decimals.

    >>> score_text(-2.5), score_text(0.5), score_text(7.0), score_text(1 / 3)
    ('-2½', '½', '7', '0.33')
    """
    if score == int(score):
        return str(int(score))
    whole, half = divmod(abs(float(score)), 1)
    sign = "-" if score < 0 else ""
    return f"{sign}{int(whole) or ''}½" if half == 0.5 else f"{float(score):.2f}"


_MOST_HANDS = 100_000
_MOST_POINTS = 1_000_000


class MatchHead(Value):
    """What has been read of a match document before its hands are read.

    names: the teams or players, in order. given: the adjustments. notes: sentences on adjustments and timeouts, for
    people. hands, joined (start totals of newcomers): the two parts of the document that have not been read yet.
    """

    rules: Any
    names: tuple[str, ...]
    hands: list[Part]
    joined: Part | None
    given: tuple[Adjustment, ...]
    notes: tuple[str, ...]
    played_on: bool
    ended: bool


class Documents(ABC):
    """One game's name, presets and options, and how its match documents are read and written."""

    NAME: ClassVar[str]
    """The game's name in lists of games."""
    FAMILY: ClassVar[str]
    """The name by which other programs know the game."""
    PRESETS: ClassVar[Mapping[str, tuple[str, Sourced]]]
    """Preset -> (title, values). A title is "name: description" ("Dutch Blitz: the boxed game")."""
    ALSO: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Preset -> other names of the game, by which people look for it."""
    OPTIONS: ClassVar[tuple[RuleOption, ...]] = ()
    """The game's options, in display order."""
    RULEBOOK: ClassVar[str] = ""
    """The module with the game's `TOPICS` (points of dispute); imported on first use."""
    WHO: ClassVar[str] = "player"
    """What a match document calls the participants: "player" or "team"."""
    HEAD: ClassVar[tuple[str, ...]] = ("options", "joined", "played_on", "ended", "adjustments", "timeouts")
    """The optional keys of a match document."""

    def __init__(self) -> None:
        self.TITLES = {preset: title for preset, (title, _) in self.PRESETS.items()}

    @abstractmethod
    def rules(self, preset: str, options: Mapping[str, object]) -> Any:
        """Return the rules of a preset with these options. Raises RuleError for an invalid option."""

    @abstractmethod
    def account(self, document: Part) -> Account:
        """Return the scores and standings of a match document.

        Raises DocumentError.
        """

    @abstractmethod
    def match_document(self, table: Table, names: Mapping[str, str]) -> Document:
        """Return the table's match as a match document.

        `names`: team id -> name, in seat order.
        """

    def completed(self, match: Document) -> Document:
        """Return the match document of a record with what older releases left out of it."""
        return match

    @abstractmethod
    def ending(self, hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
        """Return how a hand in a document ended, and which teams ended it."""

    def option_key(self, name: str) -> str:
        """Return the name under which the catalogues of texts explain an option."""
        return f"{self.NAME.lower().replace(' ', '_')}.{name}"

    def preset_values(self, preset: str) -> Sourced:
        """Return the preset's options with their values and sources, in display order."""
        values = self.PRESETS[preset][1]
        return {option.name: values[option.name] for option in self.OPTIONS}

    def score_match(self, document: Part) -> Document:
        """Return a match's totals, ranks and winners as a document. Raises DocumentError."""
        told = self.account(document)
        return {
            "totals": dict(told.totals),
            "ranks": dict(told.ranks),
            "over": bool(told.winners),
            "winners": list(told.winners),
        }

    def facts(self, preset: str, options: Mapping[str, object]) -> Facts:
        """Return the values from which the rulebook makes its answers for this preset and options.

        Raises RuleError.
        """
        found: Facts = import_module(self.RULEBOOK).facts(preset, options)
        return found

    def counted(self, rules: Any) -> str:
        """Return what a total counts, e.g. "points".

        If it counts anything but points (such as lives), players cannot give a team points or deduct them.
        """
        return "points"

    def cards(self, preset: str, options: Mapping[str, object]) -> tuple[int, int]:
        """Return two numbers: the cards in a pack, and the cards dealt to a player.

        The second number counts the cards of a reserve in Nertz, and the cards that a player holds in 31.
        """
        return 0, 0

    def position(self, document: Part) -> Position:
        """Return the cards of a position document (core/cards/document.py): who has which cards.

        Raises DocumentError.
        """
        document.table()["preset"].refuse("a preset of a game with tableaux and foundations")

    def card_game(self, preset: str, options: Mapping[str, object], teams: int, people: int = 0) -> CardGame | None:
        """Return the rules by which a program plays this game's cards; None if there are none.

        people: the number of players; 0 means one in each team. Raises RuleError.
        """
        return None

    def columns(self) -> tuple[str, ...]:
        """Return the column names of the values that `counts_of` returns."""
        return ()

    def counts_of(self, hand: Mapping[str, Json], team: str) -> tuple[object, ...]:
        """Return the values of a team's count in this hand of a match document."""
        return ()

    def called_of(self, match: Document, hand: Mapping[str, Json], team: str) -> tuple[object, object]:
        """Return a team's share of the callers' bonus in this hand, and the number of its false calls.

        Both are None in a game without a count.
        """
        return None, None

    def read_head(self, document: Part, *, halves: bool = False) -> MatchHead:
        """Read everything in a match document except its hands. Raises DocumentError.

        halves: whether scores can be multiples of a half.
        """
        parts = document.keyed_parts(("preset", f"{self.WHO}s", "hands"), self.HEAD)
        rules = self.read_rules(parts["preset"], parts.get("options"))
        names, hands = parts[f"{self.WHO}s"].names(self.WHO), parts["hands"].items()
        played_on, ended = (key in parts and parts[key].truth() for key in ("played_on", "ended"))
        adjusted, counted = parts.get("adjustments"), self.counted(rules)
        if counted != "points" and adjusted is not None and adjusted.items():
            preset = parts["preset"].value
            adjusted.refuse(f"none in {preset}, which counts {counted}: only points can be given and deducted")
        given = _read_adjustments(names, adjusted, len(hands), halves)
        notes = (*map(_adjustment_sentence, given), *_timeouts_told(names, parts.get("timeouts")))
        return MatchHead(rules, names, hands, parts.get("joined"), given, notes, played_on, ended)

    def read_rules(self, preset: Part, options: Part | None) -> Any:
        """Return the rules of a document's preset and options. Raises DocumentError."""
        name = preset.one_of(self.TITLES)
        given = {} if options is None else {name: part.value for name, part in options.table().items()}
        try:
            return self.rules(name, given)
        except RuleError as exc:
            where = exc.option if options is None else options.step(exc.option, None).where
            raise DocumentError(f"{where}: {exc.problem}") from exc

    def written(
        self, table: Table, names: Mapping[str, str], hands: Sequence[Document], *, on: bool = False
    ) -> Document:
        """Return a match document of the table's match with these hands.

        on: the match was continued after its end.
        """
        return {
            "preset": table.setup.preset,
            "options": dict(table.setup.options),
            f"{self.WHO}s": list(names.values()),
            **({"joined": {names[team]: number(start) for team, start in table.joined}} if table.joined else {}),
            **({"played_on": True} if on else {}),
            **({"ended": True} if table.ended else {}),
            **_notes(table, names),
            "hands": hands,
        }


def refuse_after_end(hand: Part, winners: Iterable[str]) -> NoReturn:
    """Raise DocumentError for a hand that follows the end of the match. `winners`: who won."""
    won = list_text(map(quoted_value, winners))
    raise DocumentError(f"{hand.where}: no hand may follow the end of the match (won by {won})")


# -- adjustments and timeouts --------------------------------------------------------------------------------------


def _notes(table: Table, names: Mapping[str, str]) -> Document:
    adjusted = [
        {
            "after": one.after,
            "team": names[one.team],
            "points": number(one.points),
            **({"reason": one.reason} if one.reason else {}),
        }
        for one in table.adjustments
    ]
    timeouts = [
        {"hand": one.hand, **({"team": names[one.team]} if one.team else {}), "why": one.why} for one in table.timeouts
    ]
    return {key: told for key, told in (("adjustments", adjusted), ("timeouts", timeouts)) if told}


def _read_adjustments(teams: Collection[str], part: Part | None, hands: int, halves: bool) -> tuple[Adjustment, ...]:
    return tuple(_read_adjustment(teams, one, hands, halves) for one in part.items()) if part else ()


def _read_adjustment(teams: Collection[str], part: Part, hands: int, halves: bool) -> Adjustment:
    parts = part.keyed_parts(("after", "team", "points"), ("reason",))
    after, points = parts["after"].whole(0, hands), parts["points"]
    return Adjustment(
        after=after,
        team=parts["team"].known_name(teams, "one of the teams of the match"),
        points=(points.half if halves else points.whole)(-_MOST_POINTS, _MOST_POINTS) * Fraction(1),
        reason=parts["reason"].text() if "reason" in parts else "",
    )


def _adjustment_sentence(one: Adjustment) -> str:
    what = f"{one.team} {'loses' if one.points < 0 else 'gets'} {score_text(abs(number(one.points)))}"
    return f"{what} after hand {one.after}{one.reason and ': '}{one.reason.replace('_', ' ')}"


def _timeouts_told(teams: Collection[str], part: Part | None) -> tuple[str, ...]:
    return tuple(_timeout_sentence(teams, one) for one in part.items()) if part else ()


def _timeout_sentence(teams: Collection[str], part: Part) -> str:
    parts = part.keyed_parts(("hand", "why"), ("team",))
    whose = parts["team"].known_name(teams, "one of the teams of the match") if "team" in parts else "nobody's"
    return f"Time out in hand {parts['hand'].whole(1, _MOST_HANDS)}: {whose}, {parts['why'].text()}"


# -- renaming ------------------------------------------------------------------------------------------------------


def renamed_match(match: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """Return the match document with new names. `names`: old name -> new name.

    Raises KeyError for a name missing from `names`.
    """
    named = {key: _renamed(match[key], names) for key in ("teams", "players", "joined") if key in match}
    notes = {
        key: [_renamed_parts(one, names) for one in match[key]] for key in ("adjustments", "timeouts") if key in match
    }
    return {**match, **named, **notes, "hands": [_renamed_parts(hand, names) for hand in match["hands"]]}


def _renamed_parts(of: Mapping[str, Json], names: Mapping[str, str]) -> Document:
    """Rename the people in a hand, an adjustment or a timeout of a match document.

    The values of "team" and "knocker" are names, lists contain names, and objects have names as keys.
    """
    return {key: names[part] if key in ("team", "knocker") else _renamed(part, names) for key, part in of.items()}


def _renamed(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, list):
        return [names[name] for name in value]
    return {names[name]: part for name, part in value.items()} if isinstance(value, dict) else value
