"""The options of the Nertz games: kind, bounds, meaning, and what the sources say.

Forms, `referee presets`, configuration checks and match documents are all generated from `OPTIONS`. Sources: NNA,
pagat, Reeves, Keeling and the boxed rules, as docs/rules.md names them.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.model.options import RuleOption

_DEVICE = "a setting of the device, not of the card rules"
_HOUSE_BONUS = (
    "none in NNA, pagat, Reeves and Keeling; +10 by an NNA option, +25 by a pagat option; houses: 5, 10, 20, 25"
)

_ALL = (
    RuleOption(
        "target",
        "number",
        "a team with this score after a hand ends the match; 0: no target (only if each hand is settled alone)",
        "100 in NNA, pagat, Reeves and Keeling; 150 by an NNA option; 75 and 99 in the boxed games; houses: 50 to 500",
        0,
        10_000,
    ),
    RuleOption("bonus", "number", "points for the caller, divided among tied callers", _HOUSE_BONUS, 0, 1_000),
    RuleOption(
        "penalty",
        "number",
        "points that a card left in the reserve costs",
        "2 in NNA, pagat, Reeves and the boxed games; 1 in Keeling and by a pagat option; a house Ligretto: 3",
        0,
        100,
    ),
    RuleOption(
        "reserve",
        "number",
        "cards dealt to the reserve",
        "13 in NNA, pagat, Reeves and Keeling; 12 or 11 by a pagat option; 10 in the boxed games",
        3,
        50,
    ),
    RuleOption(
        "river",
        "number",
        "work piles (klondike always has five)",
        "4 in NNA, pagat, Reeves and Keeling, 5 by an NNA option; Dutch Blitz 3, or 5 with two players; "
        "Ligretto 3, 4 with three players, 5 with two",
        1,
        10,
    ),
    RuleOption(
        "turn",
        "choice",
        "stock cards turned at a time",
        "3 in every source; 1 by a pagat option",
        choices=(1, 3),
    ),
    RuleOption(
        "turn_order",
        "choice",
        "the order of the turned cards: kept (the third card is on top) or reversed (the first card is on top)",
        "kept in every source; reversed by a pagat option",
        choices=("kept", "reversed"),
    ),
    RuleOption("jokers", "jokers", "jokers added to each pack", "none in every source; 2 by a pagat option"),
    RuleOption(
        "layout",
        "choice",
        "the work piles: a row of single cards, or five piles dealt as in Klondike",
        "a row in every source; klondike is another layout that is played",
        choices=("row", "klondike"),
    ),
    RuleOption(
        "foundations",
        "choice",
        "the next card on a foundation: its suit, or by the number of players (4: its suit, 3: other colour, 2: any)",
        "suit in NNA, pagat, Reeves and the boxed games; by-players in Keeling",
        choices=("suit", "by-players"),
    ),
    RuleOption(
        "in_flight",
        "choice",
        "a card that is in the air at the call: it lands, or returns to its owner",
        "lands in NNA, pagat and Reeves; returns in Keeling",
        choices=("lands", "returns"),
    ),
    RuleOption(
        "same_place",
        "choice",
        "two cards reach the same place at once: the first stays, both stay, or the table decides",
        "table in NNA; both in pagat and Reeves; first in Keeling",
        choices=("first", "both", "table"),
    ),
    RuleOption(
        "withholding",
        "switch",
        "aces, and reserve cards that fit nowhere else, must go to the foundations",
        "true in NNA; pagat, Reeves and Keeling force nobody to play",
    ),
    RuleOption(
        "stacking",
        "switch",
        "several available cards in order go to a foundation together",
        "false in every source; true where all agree",
    ),
    RuleOption(
        "river_transfer",
        "switch",
        "with an empty place, a card may be put under a whole work pile",
        "true in NNA, pagat, Reeves and Keeling; Ligretto builds nothing in its row",
    ),
    RuleOption(
        "stuck",
        "choice",
        "when no player can move: burn cards, rotate the stock, redeal the stock, abandon the hand, or score it",
        "burn in NNA; rotate in pagat and Dutch Blitz; redeal-stock in Reeves; abandon in Keeling; score in Ligretto",
        choices=("burn", "rotate", "redeal-stock", "abandon", "score"),
    ),
    RuleOption(
        "false_call",
        "false-call",
        "a call with cards left: play goes on, play goes on and the team loses N points, or the team scores 0",
        "no source sets a penalty; tables do",
    ),
    RuleOption(
        "tie_ms",
        "milliseconds",
        "calls this close together are a tie",
        f"{_DEVICE}; NNA: 'around the same time', decided by the table",
        0,
        1_000,
    ),
    RuleOption(
        "tiebreak",
        "choice",
        "a tie at the target: most calls in the match, then one more hand; one more hand at once; or a shared win",
        "calls in NNA; share in Keeling; pagat, Reeves and the boxed rules name only the highest",
        choices=("calls", "hand", "share"),
    ),
    RuleOption(
        "tiebreak_teams",
        "choice",
        "who plays and counts a tie-break hand: the tied teams alone, or all",
        "NNA: 'all the teams involved', which can be read both ways; no other source has such a hand",
        choices=("tied", "all"),
    ),
    RuleOption(
        "settlement",
        "choice",
        "payment to the winner: none, each other team's difference at the end, or the same after each hand",
        "difference in pagat, each-hand by a pagat option; none elsewhere",
        choices=("none", "difference", "each-hand"),
    ),
    RuleOption(
        "king_bonus",
        "number",
        "points for each own king on the foundations",
        "0 in every source; houses: 3, 5 or 10",
        0,
        100,
    ),
    RuleOption(
        "handicap",
        "choice",
        "smaller or larger reserves that help weaker teams: one more card for a hand's winner, one less for a team "
        "below zero (or below zero after three hands in a row), or one more for every five points beyond ten ahead "
        "of the last team",
        "none in every source; the others: ours",
        choices=("none", "winner", "negative", "negative-three", "distance"),
    ),
    RuleOption(
        "pile_control",
        "choice",
        "which partner holds the reserve: free choice, or they alternate",
        "free in NNA, where partners usually swap after a hand",
        choices=("free", "alternate"),
    ),
    RuleOption(
        "rotate_seats", "switch", "a reminder to change seats between hands", f"{_DEVICE}; NNA: equal distances"
    ),
    RuleOption(
        "pack_check",
        "switch",
        "before the next deal each player is asked whether their pack is complete",
        f"{_DEVICE}; NNA: cards are returned by their backs",
    ),
    RuleOption(
        "shuffle_for",
        "choice",
        "who shuffles a pack: its own team, or the neighbour on the right",
        "self in every source; NNA: a neighbour may, round robin",
        choices=("self", "left"),
    ),
    RuleOption(
        "start",
        "choice",
        "a press between READY and 0.1 s after Go: it stops the start, or it is noted and the countdown continues",
        f"{_DEVICE}",
        choices=("stop", "note"),
    ),
    RuleOption(
        "call_word",
        "word",
        "the word that the caller says; empty: the preset's own word",
        "Nertz, Nerts, Pounce, Peanuts, Squeal, Scrooge, Racing Demon: the game has a name at every table",
        most=12,
    ),
    RuleOption(
        "start_words",
        "choice",
        "what a start says: Ready, Set, Go or 1, 2, 3, Go, in the same three seconds",
        "NNA: 'Ready, Set, Go!' or '1, 2, 3, Go'",
        choices=("ready", "numbers"),
    ),
    RuleOption(
        "start_by",
        "choice",
        "who starts a hand: all players with a tap each, or one player for everybody",
        "one in Keeling: play begins when one player presses Start; all say that they are ready elsewhere",
        choices=("all", "one"),
    ),
)

OPTIONS: Mapping[str, RuleOption] = {option.name: option for option in _ALL}
"""All options of the Nertz games by name, in display order."""
