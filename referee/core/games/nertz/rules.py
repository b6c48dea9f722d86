"""The rules of the Nertz games as values: `NertzRules` and its presets.

Each preset gives its values with their sources, for `referee presets`. options.py explains the options and where the
sources disagree.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from referee.core.games.nertz.options import OPTIONS
from referee.core.model.options import read_options
from referee.core.model.table import Setup
from referee.core.reading import number
from referee.core.values import Json, Value, replace


class NertzRules(Value):
    """One table's rules. options.py describes the fields that are options.

    boxed: each pack has 40 cards, 1 to 10 in four colours, without kings. building: cards may be laid on the cards of a
    work pile. few: (number of teams, number of work piles) for tables with few teams, which have more piles. target:
    None if no score ends the match.
    """

    preset: str
    boxed: bool
    building: bool
    few: tuple[tuple[int, int], ...]
    target: int | None
    bonus: int
    penalty: int
    reserve: int
    river: int
    turn: int
    turn_order: str
    jokers: int
    layout: str
    foundations: str
    in_flight: str
    same_place: str
    withholding: bool
    stacking: bool
    river_transfer: bool
    stuck: str
    false_call: str
    tie_ms: int | Fraction
    tiebreak: str
    tiebreak_teams: str
    settlement: str
    king_bonus: int
    handicap: str
    pile_control: str
    rotate_seats: bool
    pack_check: bool
    shuffle_for: str
    start: str
    start_words: str
    start_by: str
    call_word: str

    @property
    def pack(self) -> int:
        """Return the number of cards in one team's pack, with jokers."""
        return 40 if self.boxed else 52 + self.jokers

    @property
    def kings(self) -> int:
        """Return the most kings that one pack can have on foundations. A joker can be a king."""
        return 0 if self.boxed else 4 + self.jokers

    @property
    def largest_reserve(self) -> int:
        """Return the largest reserve that leaves a card for each work pile at any table size."""
        row = 15 if self.layout == "klondike" else max((self.river, *(piles for _, piles in self.few)))
        return self.pack - row

    @property
    def river_room(self) -> int:
        """Return the most cards that one team can add to its work piles after the deal.

        If cards cannot be laid on a work pile's cards, that is 0. Else a pile's cards have different ranks, so it takes
        one card less than there are ranks. The result is for the table size with the most piles.
        """
        if not self.building:
            return 0
        piles = 5 if self.layout == "klondike" else max((self.river, *(piles for _, piles in self.few)))
        return piles * ((10 if self.boxed else 13) - 1)

    @property
    def false_points(self) -> int:
        """Return what a false call costs: N if the option `false_call` is "points:N", else 0."""
        return int(self.false_call.partition(":")[2] or 0)

    def work_piles(self, players: int) -> int:
        """Return the number of work piles for this number of teams."""
        return 5 if self.layout == "klondike" else dict(self.few).get(players, self.river)


# -- options --------------------------------------------------------------------------------------------------------


def with_options(ruleset: NertzRules, options: Mapping[str, object]) -> NertzRules:
    """Return the rules with these options changed; values are as in JSON or TOML.

    Raises RuleError for values that are not allowed, alone or together.

    >>> with_options(PRESETS["nna"], {"target": 150, "bonus": 10}).target
    150
    """
    values = read_options(OPTIONS, options)
    if "river" in values:
        values["few"] = ()
    if "target" in values:
        values["target"] = values["target"] or None
    changed = replace(ruleset, **values)
    _check(changed)
    return replace(changed, target=None) if changed.settlement == "each-hand" else changed


def _check(ruleset: NertzRules) -> None:
    """Raise RuleError if two options exclude each other, or an option does not fit the pack."""
    if ruleset.target is None and ruleset.settlement != "each-hand":
        raise OPTIONS["target"].refusal(0, "a whole number from 1 to 10000 unless settlement is each-hand")
    if ruleset.boxed and ruleset.jokers:
        raise OPTIONS["jokers"].refusal(ruleset.jokers, f"0 in the packs of {ruleset.preset}, which have none")
    if ruleset.boxed and ruleset.king_bonus:
        raise OPTIONS["king_bonus"].refusal(ruleset.king_bonus, f"0 in {ruleset.preset}, whose packs have no kings")
    if ruleset.reserve > ruleset.largest_reserve:
        most = ruleset.largest_reserve
        raise OPTIONS["reserve"].refusal(ruleset.reserve, f"a whole number from 3 to {most} with these work piles")


def option_values(ruleset: NertzRules) -> dict[str, int | float | str | bool]:
    """Return option name -> value, as documents write it and `with_options` reads it."""
    values = {name: getattr(ruleset, name) for name in OPTIONS}  # each option is named after its field
    return values | {"target": ruleset.target or 0, "tie_ms": number(ruleset.tie_ms)}


# -- presets --------------------------------------------------------------------------------------------------------

_Sourced = dict[str, tuple[Json, str]]
_DEVICE = "device default"
_ALL = "every source"

_FAMILY: _Sourced = {
    "boxed": (False, _ALL),
    "building": (True, _ALL),
    "few": ((), _ALL),
    "target": (100, "NNA, pagat, Reeves, Keeling"),
    "bonus": (0, "no bonus unless agreed"),
    "penalty": (2, "NNA, pagat, Reeves, boxed rules"),
    "reserve": (13, "NNA, pagat, Reeves, Keeling"),
    "river": (4, "NNA, pagat, Reeves, Keeling"),
    "turn": (3, _ALL),
    "turn_order": ("kept", _ALL),
    "jokers": (0, _ALL),
    "layout": ("row", _ALL),
    "foundations": ("suit", "NNA, pagat, Reeves, boxed rules"),
    "in_flight": ("lands", "NNA, pagat, Reeves"),
    "same_place": ("first", _DEVICE),
    "withholding": (False, "pagat, Reeves, Keeling: nobody is forced to play"),
    "stacking": (False, _ALL),
    "river_transfer": (True, "NNA, pagat, Reeves, Keeling"),
    "stuck": ("rotate", "pagat"),
    "false_call": ("play-on", _DEVICE),
    "tie_ms": (20, _DEVICE),
    "tiebreak": ("share", "Keeling; pagat, Reeves and the boxed rules are silent"),
    "tiebreak_teams": ("tied", "ours; NNA can be read both ways"),
    "settlement": ("none", "no source but pagat settles"),
    "king_bonus": (0, _ALL),
    "handicap": ("none", _ALL),
    "pile_control": ("free", "NNA"),
    "rotate_seats": (False, _DEVICE),
    "pack_check": (False, _DEVICE),
    "shuffle_for": ("self", _ALL),
    "start": ("stop", _DEVICE),
    "start_words": ("ready", "NNA: one of two"),
    "start_by": ("all", "NNA, pagat, Reeves: all are ready"),
    "call_word": ("", "the preset's own word"),
}
"""Values for what a preset's own source does not say, with their sources."""

_NNA: _Sourced = _FAMILY | {
    "target": (100, "NNA"),
    "bonus": (0, "NNA"),
    "same_place": ("table", "NNA"),
    "withholding": (True, "NNA"),
    "stuck": ("burn", "NNA"),
    "tiebreak": ("calls", "NNA"),
}
_PAGAT: _Sourced = _FAMILY | {
    "target": (100, "pagat: usually 100"),
    "bonus": (0, "pagat"),
    "same_place": ("both", "pagat"),
    "settlement": ("difference", "pagat"),
}
_BOXED: _Sourced = _FAMILY | {
    "boxed": (True, "boxed rules: 1 to 10 in four colours"),
    "reserve": (10, "boxed rules"),
    "river": (3, "boxed rules"),
}
_FRENZY = "Solitaire Frenzy plays as pagat"

PAPERS: Mapping[str, tuple[str, _Sourced]] = {
    "nna": ("NNA Nertz: the rules of the National Nertz Association", _NNA),
    "nna150": (
        "NNA 150: the same to 150, with a bonus for the caller",
        _NNA | {"target": (150, "NNA option"), "bonus": (10, "NNA option, with target 150")},
    ),
    "pagat": ("Nerts: also called Pounce; pagat.com's rules", _PAGAT),
    "pagat25": (
        "Nerts +25: pagat.com's rules, with a bonus for the caller",
        _PAGAT | {"bonus": (25, "pagat option")},
    ),
    "reeves": (
        "Reeves' Nerts: the rules of Mario Reeves",
        _FAMILY
        | {
            "target": (100, "Reeves: usually 100"),
            "same_place": ("both", "Reeves"),
            "stuck": ("redeal-stock", "Reeves"),
        },
    ),
    "racing-demon": (
        "Racing Demon: Keeling's rules of the online game",
        _FAMILY
        | {
            "target": (100, "Keeling"),
            "penalty": (1, "Keeling"),
            "foundations": ("by-players", "Keeling"),
            "in_flight": ("returns", "Keeling"),
            "same_place": ("first", "Keeling"),
            "stuck": ("abandon", "Keeling"),
            "tiebreak": ("share", "Keeling: several may share the win"),
            "start_by": ("one", "Keeling: play begins when one player presses Start"),
        },
    ),
    "dutch-blitz": (
        "Dutch Blitz: the boxed game",
        _BOXED
        | {
            "few": (((2, 5),), "boxed rules: five with two players"),
            "target": (75, "boxed rules, common house value"),
            "stuck": ("rotate", "Dutch Blitz: all move the top card to the bottom together"),
        },
    ),
    "ligretto": (
        "Ligretto: the boxed game",
        _BOXED
        | {
            "few": (((2, 5), (3, 4)), "boxed rules: four with three players, five with two"),
            "building": (False, "Ligretto: nothing is built in the row"),
            "river_transfer": (False, "Ligretto: nothing is built in the row"),
            "target": (99, "boxed rules, common house value"),
            "stuck": ("score", "Ligretto: stop if all agree, and count"),
        },
    ),
    "solitaire-frenzy": (
        "Solitaire Frenzy: the boxed set of four packs",
        {name: (value, _FRENZY) for name, (value, _) in _PAGAT.items()},
    ),
}
"""Preset -> (common name and description, values with their sources)."""
PRESETS: Mapping[str, NertzRules] = {
    preset: NertzRules(preset=preset, **{name: value for name, (value, _) in sourced.items()})
    for preset, (_, sourced) in PAPERS.items()
}
"""Preset -> its rules, with no option changed."""


@cache
def _rules(preset: str, options: tuple[tuple[str, object], ...]) -> NertzRules:
    return with_options(PRESETS[preset], dict(options))


def rules_of(setup: Setup) -> NertzRules:
    """Return the table's rules: its preset with its options."""
    return _rules(setup.preset, setup.options)
