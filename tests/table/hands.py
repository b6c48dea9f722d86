"""Hands of cards without a device: played to their end, the table taking its way out when nobody can move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from referee.core.cards.deal import deal
from referee.core.cards.legal import legal_moves
from referee.core.cards.moves import ABANDON, BURN_RESERVE, END
from referee.core.cards.position import TABLE, Position, counts
from referee.core.games.nertz.cards import card_rules
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.units import S
from referee.table.cardhand import CardHand
from referee.table.player import SKILLS, CardPlayer

NAMES = ("Red", "Blue", "Green", "Gold", "Pink", "Cyan", "Grey", "Teal")
AHEAD_NS = 60 * S
WAYS_OUT = {"burn": 12, "rotate": 4, "redeal-stock": 1}
"""How often a table tries its way out before it ends the hand."""


@dataclass
class Played:
    """A hand as it was played: `caller` is the team's number, None where nobody called."""

    position: Position
    length_ns: int
    stuck: int
    caller: int | None
    happened: dict[str, int]

    @property
    def scores(self) -> list[int]:
        """Each team's, without a bonus."""
        return [count.lake - 2 * count.left for count in counts(self.position)]


def dealt(preset: str, skills: Sequence[str], seed: int, **options: object) -> CardHand:
    """A hand of players of those skills, with nothing played yet."""
    rng, rules = Random(seed), card_rules(with_options(PRESETS[preset], options), len(skills))
    packs = [tuple(rng.sample(rules.pack, len(rules.pack))) for _ in skills]
    players = [CardPlayer(rng, team, SKILLS[skill]) for team, skill in enumerate(skills)]
    return CardHand(rng, deal(rules, NAMES[: len(skills)], packs), players)


def played(preset: str, skills: Sequence[str], seed: int, **options: object) -> Played:
    """One hand until the first call, or until the table has had enough of its way out."""
    hand = dealt(preset, skills, seed, **options)
    limit, stuck, now_ns, teams = WAYS_OUT.get(hand.motion.position.rules.stuck, 0), 0, 0, range(len(skills))
    hand.resume(teams)
    while True:
        hand.run(now_ns, AHEAD_NS)
        if hand.calls:
            caller = min(hand.calls, key=lambda team: hand.calls[team])
            now_ns = hand.calls[caller]
            hand.stop(now_ns, called=True)
            return Played(hand.motion.position, now_ns, stuck, caller, dict(hand.happened))
        if hand.idle_ns is None:
            now_ns += AHEAD_NS
            continue
        now_ns, stuck = hand.idle_ns, stuck + 1
        hand.stop(now_ns, called=False)
        ways = [move.kind for move in legal_moves(hand.motion.position, TABLE)]
        wanted = (END, ABANDON) if hand.lull.burns >= limit else (BURN_RESERVE,)
        kind = next((kind for kind in wanted if kind in ways), ways[0])
        hand.together(kind)
        if hand.motion.position.end:
            return Played(hand.motion.position, now_ns, stuck, None, dict(hand.happened))
        hand.resume(teams)
