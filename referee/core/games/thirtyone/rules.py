"""The rules of 31 as values: options, presets, and the sources of their values.

Sources: pagat's page on 31 with its variations (docs/rules.md 10).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from referee.core.model.options import RuleOption, read_options
from referee.core.values import Json, Value, replace

BEST = 31
"""The best value: an ace with two cards of ten, all of one suit; declared at once."""
HALF = Fraction(61, 2)
"""The value of three of a kind, in the variant in which only a 31 beats it."""
LEAST, MOST = 2, 16
"""Number of players: a pack of 52 cards is enough to deal three each to sixteen."""
ACES = 4
"""Maximum number of 31s in a hand: each has an ace, and a pack has four."""
OFF = "off"
SEATS = 3
"""Places of the bus before the steps: as many as there are lives in the plain game."""
MOST_LIVES = 9
MOST_LEVELS = MOST_LIVES - SEATS
"""Maximum number of places added to the bus: then it has as many losses as the plain game can have lives."""


def places(levels: int) -> tuple[str, ...]:
    """Return the places of a bus with so many added, from the first to the last before the street.

    >>> places(3)
    ('back', 'middle', 'front', 'steps', 'second step', 'step 3', 'asks the driver')
    """
    steps = ("steps", "second step", *(f"step {n}" for n in range(3, levels + 1)))
    last = ("asks the driver",) if levels > 1 else ()
    return ("back", "middle", "front", *steps[: 1 + levels - len(last)], *last)


class ThirtyOneRules(Value):
    """One table's rules. The fields after `counts` are its options.

    counts: "lives", "places" (of a bus) or "points". three_of_a_kind: the value of three cards of one rank: "30",
    "30.5", or "none" if they count as any other cards.
    """

    preset: str
    counts: str
    lives: int
    three_of_a_kind: str
    straight_flush: bool
    minimum_knock: int
    levels: int
    early_knock: bool
    knocker_tied: str
    knocker_after_31: str
    knocker_not_highest: str
    county: bool
    end: str

    @property
    def start(self) -> int:
        """Return how many losses a player survives; one more puts the player out. 0 for points."""
        return {"lives": self.lives, "places": SEATS + self.levels, "points": 0}[self.counts]


OPTIONS: Mapping[str, RuleOption] = {
    option.name: option
    for option in (
        RuleOption("lives", "number", "lives at the start", "3 in pagat; others: ours", 1, MOST_LIVES),
        RuleOption(
            "three_of_a_kind",
            "choice-or-number",
            "three cards of a rank count: as any other cards, 30, or 30.5 (only a 31 is higher)",
            "none in pagat's main rules; 30 and 30.5 are pagat's variations",
            choices=("none", "30", "30.5"),
        ),
        RuleOption(
            "straight_flush",
            "switch",
            "three cards of a suit in a row (A-2-3 too) count 30; A-K-Q stays 31",
            "false in pagat's main rules; true is a variation",
        ),
        RuleOption(
            "minimum_knock",
            "number",
            "the least value that a knocker may have; 0: any",
            "none in pagat's main rules; 17, 19, 21 and others are variations",
            0,
            30,
        ),
        RuleOption(
            "levels",
            "number",
            "additional places on the bus after the steps",
            "0 in pagat; added for all, in mid-match too, when a table wants to ride on",
            0,
            MOST_LEVELS,
        ),
        RuleOption(
            "early_knock",
            "switch",
            "a knock is possible before everybody has had a turn",
            "true in pagat's main rules; false: ours",
        ),
        RuleOption(
            "knocker_tied",
            "choice",
            "a knocker who shares the lowest value: safe, or loses one life or two; the others lose one",
            "safe in pagat's main rules; houses: one, or two",
            choices=("safe", "loses-one", "loses-two"),
        ),
        RuleOption(
            "knocker_after_31",
            "choice",
            "what another player's 31 costs the knocker: one life, as it costs everybody, or two",
            "one in pagat's main rules; houses: two",
            choices=("one", "two"),
        ),
        RuleOption(
            "knocker_not_highest",
            "choice",
            "a knocker who is neither highest nor lowest: safe, or loses one life",
            "safe in pagat's main rules; houses: one",
            choices=("safe", "loses-one"),
        ),
        RuleOption(
            "county",
            "switch",
            "a player without lives plays until the next loss; false: a player is out with the last life",
            "true in pagat; houses: false",
        ),
        RuleOption(
            "end",
            "choice",
            "the match ends when one player is left, at the first 31, or at 31 points",
            "lives in pagat's main rules; first-31 in its rules from Quebec; houses: 31-points",
            choices=("lives", "first-31", "31-points"),
        ),
    )
}
"""All options of the game by name, in display order."""

_Sourced = dict[str, tuple[Json, str]]
_PAGAT: _Sourced = {
    "counts": ("lives", "pagat"),
    "lives": (3, "pagat"),
    "three_of_a_kind": ("none", "pagat"),
    "straight_flush": (False, "pagat"),
    "minimum_knock": (0, "pagat"),
    "levels": (0, "pagat"),
    "early_knock": (True, "pagat"),
    "knocker_tied": ("safe", "pagat"),
    "knocker_after_31": ("one", "pagat"),
    "knocker_not_highest": ("safe", "pagat"),
    "county": (True, "pagat"),
    "end": ("lives", "pagat"),
}
PAPERS: Mapping[str, tuple[str, _Sourced]] = {
    "31": ("31: Scat or Blitz; pagat.com's rules, three lives and a free one", _PAGAT),
    "ride-the-bus": (
        "Ride the Bus: 31 in which losers move along a bus",
        _PAGAT | {"counts": ("places", "pagat"), "lives": (SEATS, "pagat: back, middle and front before the steps")},
    ),
    "31-quebec": (
        "31 Quebec: points for the highest hand, until a 31",
        _PAGAT | {"counts": ("points", "pagat"), "end": ("first-31", "pagat: until somebody has a 31")},
    ),
}
"""Preset -> (common name and description, values with their sources)."""
PRESETS: Mapping[str, ThirtyOneRules] = {
    preset: ThirtyOneRules(preset, **{name: value for name, (value, _) in sourced.items()})
    for preset, (_, sourced) in PAPERS.items()
}
"""Preset -> its rules, with no option changed."""


def with_options(ruleset: ThirtyOneRules, options: Mapping[str, object]) -> ThirtyOneRules:
    """Return the rules with these options changed; values are as in JSON or TOML.

    Raises RuleError for values that are not allowed, alone or together.

    >>> with_options(PRESETS["31"], {"three_of_a_kind": 30.5}).three_of_a_kind
    '30.5'
    """
    values = read_options(OPTIONS, options)
    changed = replace(ruleset, **values)
    _check(ruleset, changed)
    return changed


def _check(ruleset: ThirtyOneRules, changed: ThirtyOneRules) -> None:
    """Raise RuleError for an option that has no meaning in this preset."""
    points = ruleset.counts == "points"
    if changed.counts != "lives" and changed.lives != ruleset.lives:
        why = "points are counted" if points else "the option levels sets the number of places"
        raise OPTIONS["lives"].refusal(changed.lives, f"{ruleset.lives} in {ruleset.preset}, where {why}")
    if changed.counts != "places" and changed.levels:
        raise OPTIONS["levels"].refusal(changed.levels, f"0 in {ruleset.preset}, which has no bus")
    if changed.counts != "lives" and not changed.county:
        why = "nobody goes out" if points else "the last place replaces it"
        raise OPTIONS["county"].refusal(False, f"true in {ruleset.preset}, where {why}")
    for name in ("knocker_tied", "knocker_after_31", "knocker_not_highest"):
        usual = getattr(ruleset, name)
        if points and getattr(changed, name) != usual:
            given = getattr(changed, name)
            raise OPTIONS[name].refusal(given, f"{usual} in {ruleset.preset}, where nobody loses")
    if points == (changed.end == "lives"):
        allowed = "first-31 or 31-points" if points else "lives"
        raise OPTIONS["end"].refusal(changed.end, f"{allowed} in {ruleset.preset}")
