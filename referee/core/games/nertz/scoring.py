"""The score of a hand and of a match, exactly (docs/rules.md 7 to 9).

Theory of operation. A match is a fold: a `NertzTally` holds what its scored hands have added up to, `after` adds one
hand, `add_points` the points that a table gives or takes after it, and everything else is a question to the tally:
`outcome` (totals, ranks, who has won, who must play a tie-break hand, who pays whom) and `reserve_sizes` (what a
handicap makes of the coming deal). An abandoned hand changes no tally. Points by the table's will count in the totals
and are no hand's score; where each hand is settled by itself they are paid with the hand behind which they stand, or
with the first one where they were given before it (a decision of ours). Behind an abandoned hand nobody pays.

The end of the match looks at the totals (and calls) alone and has no memory: the highest total at or above the target
wins. A tie-break hand is a hand like any other that fewer teams play. When it drops them all under the target and
nobody else is there, everyone plays on; when it drops them under a team that is at the target, that team has won.

Scores are Fractions: whole numbers, or halves where a bonus was halved; a settlement's thirds stay exact, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from referee.core.games.nertz.rules import NertzRules
from referee.core.model.table import Adjustment
from referee.core.values import Value, field, replace

LEAST_RESERVE = 3
"""No handicap deals fewer reserve cards."""
_ZERO = Fraction(0)


class NertzCount(Value, tag="nertz_count"):
    """What one team counted: own cards on the foundations, cards left in the reserve, kings among the former."""

    foundation: int
    reserve: int
    kings: int = 0


class Miscount(Value):
    """Why a count cannot be. `given`: the numbers in question, which may be `limit` in all at most (at least, if low).

    rule: "low" (below zero), "caller" (a standing caller has cards left), "reserve" (more left than were dealt), "pack"
    (foundation and reserve cards beyond the pack), "kings" (more than there are, or than foundation cards), "lake"
    (fewer foundation cards, `limit` at least, than reserve cards that are gone and found no place in the work piles),
    "under_kings" (all teams' foundation cards, `limit` at least, are too few to lie under their kings).
    """

    rule: str
    given: tuple[int, ...]
    limit: int


class NertzHand(Value, tag="nertz_hand"):
    """One hand as it was counted.

    end: "call", "stuck" or "abandoned". callers: whose call stands, the first in time first; with "call" only.
    counts: the teams that played. false_calls: teams whose call did not stand, once for each such call. shares: the
    bonus as the table divided it. reserves: sizes that were dealt, where they are not those of `reserve_sizes`.
    corrected: teams whose count was corrected after the hand was sealed.
    """

    end: str
    callers: tuple[str, ...]
    counts: Mapping[str, NertzCount]
    false_calls: tuple[str, ...] = ()
    shares: Mapping[str, Fraction] | None = None
    reserves: Mapping[str, int] = field(default_factory=dict)
    corrected: tuple[str, ...] = ()


class NertzTally(Value):
    """What the scored hands of a match add up to; mappings are in the order of the teams.

    calls: standing calls. present: teams that take part (a newcomer from its first hand on). below: scored hands
    running after which the total was negative. won: who had the last hand's highest score. paid: what the settlements
    of the hands, one by one, come to.
    """

    hands: int
    totals: Mapping[str, Fraction]
    calls: Mapping[str, int]
    present: frozenset[str]
    below: Mapping[str, int]
    won: frozenset[str]
    paid: Mapping[str, Fraction]


class Standing(Value):
    """How a match stands after its last hand; mappings are in the order of the teams.

    ranks share a place (1, 1, 3). over: `winners` have won. tiebreak: the teams that play a tie-break hand.
    settlement: what each team gets (above zero) or pays, summing to zero; empty while there is nothing to settle.
    """

    totals: Mapping[str, Fraction]
    ranks: Mapping[str, int]
    over: bool
    winners: tuple[str, ...]
    tiebreak: tuple[str, ...]
    settlement: Mapping[str, Fraction]


# -- a hand ---------------------------------------------------------------------------------------------------------


def check_count(ruleset: NertzRules, count: NertzCount, reserve: int, *, caller: bool) -> Miscount | None:
    """Why this count cannot be, or None. `reserve`: the team's own reserve size; `caller`: its call stands."""
    lowest = min(count.foundation, count.reserve, count.kings)
    kings = min(ruleset.kings, count.foundation)
    least = reserve - count.reserve - ruleset.river_room
    broken = (
        (lowest < 0, Miscount("low", (lowest,), 0)),
        (caller and count.reserve > 0, Miscount("caller", (count.reserve,), 0)),
        (count.reserve > reserve, Miscount("reserve", (count.reserve,), reserve)),
        (
            count.foundation + count.reserve > ruleset.pack,
            Miscount("pack", (count.foundation, count.reserve), ruleset.pack),
        ),
        (count.kings > kings, Miscount("kings", (count.kings,), kings)),
        (count.foundation < least, Miscount("lake", (count.foundation,), least)),
    )
    return next((miscount for is_broken, miscount in broken if is_broken), None)


def check_kings(ruleset: NertzRules, counts: Collection[NertzCount]) -> Miscount | None:
    """Why the counts of all teams of a hand cannot be together, or None: a king lies on the twelve cards below it."""
    lake, kings = sum(count.foundation for count in counts), sum(count.kings for count in counts)
    piles = kings
    if (
        ruleset.same_place == "both"
    ):  # kings of several packs may then lie on each other, one pack's only by other rules
        one_pile = ruleset.jokers or ruleset.foundations != "suit"
        piles = min(kings, 1) if one_pile else max((count.kings for count in counts), default=0)
    least = piles * (_BELOW_KING + 1) + kings - piles
    return Miscount("under_kings", (lake,), least) if lake < least else None


_BELOW_KING = 12


def bonus_shares(ruleset: NertzRules, callers: Sequence[str]) -> Mapping[str, Fraction]:
    """The bonus divided equally, rounded down to a half; the first caller gets the rest.

    >>> from referee.core.games.nertz.rules import PRESETS
    >>> {team: str(share) for team, share in bonus_shares(PRESETS["pagat25"], ("Red", "Blue")).items()}
    {'Red': '25/2', 'Blue': '25/2'}
    """
    if not callers:
        return {}
    share = Fraction(2 * ruleset.bonus // len(callers), 2)
    return dict.fromkeys(callers, share) | {callers[0]: ruleset.bonus - share * (len(callers) - 1)}


def score_hand(ruleset: NertzRules, hand: NertzHand) -> Mapping[str, Fraction]:
    """Each team's score in a hand whose counts have been checked; an abandoned hand scores nothing for anyone."""
    if hand.end == "abandoned":
        return {}
    shares = bonus_shares(ruleset, hand.callers) if hand.shares is None else hand.shares
    return {team: _score(ruleset, hand, team, shares.get(team, _ZERO)) for team in hand.counts}


def _score(ruleset: NertzRules, hand: NertzHand, team: str, share: Fraction) -> Fraction:
    false_calls = hand.false_calls.count(team)
    if false_calls and ruleset.false_call == "zero":
        return _ZERO
    count = hand.counts[team]
    cards = count.foundation - ruleset.penalty * count.reserve + ruleset.king_bonus * count.kings
    return cards + share - ruleset.false_points * false_calls


# -- a match --------------------------------------------------------------------------------------------------------


def opening(teams: Sequence[str], joined: Mapping[str, Fraction] | None = None) -> NertzTally:
    """The tally before the first hand; `joined`: where newcomers start."""
    joined = joined or {}
    none = dict.fromkeys(teams, 0)
    totals = {team: joined.get(team, _ZERO) for team in teams}
    present = frozenset(team for team in teams if team not in joined)
    return NertzTally(0, totals, none, present, none, frozenset(), dict.fromkeys(teams, _ZERO))


def after(
    ruleset: NertzRules, tally: NertzTally, hand: NertzHand, given: Mapping[str, Fraction] | None = None
) -> NertzTally:
    """The tally with one more hand. given: the points that are paid with it (`paid_with`)."""
    if hand.end == "abandoned":
        return tally
    scores = score_hand(ruleset, hand)
    totals = {team: total + scores.get(team, _ZERO) for team, total in tally.totals.items()}
    present = tally.present | scores.keys()
    won = _highest(scores)
    paid = _pay_hand(scores, given)
    return NertzTally(
        hands=tally.hands + 1,
        totals=totals,
        calls={team: calls + (team in hand.callers) for team, calls in tally.calls.items()},
        present=present,
        below={team: run + 1 if team in present and totals[team] < 0 else 0 for team, run in tally.below.items()},
        won=frozenset(won),
        paid={team: sum_ + paid.get(team, _ZERO) for team, sum_ in tally.paid.items()},
    )


def paid_with(adjustments: Collection[Adjustment], hands: int) -> Mapping[str, Fraction]:
    """The points that are paid with that hand (1, 2, ...) where each is settled by itself, by team."""
    paid: dict[str, Fraction] = {}
    for one in adjustments:
        if max(one.after, 1) == hands:
            paid[one.team] = paid.get(one.team, _ZERO) + one.points
    return paid


def add_points(tally: NertzTally, adjustments: Collection[Adjustment], hands: int) -> NertzTally:
    """The tally with the points that the table gave after that many hands, abandoned ones included."""
    given = [one for one in adjustments if one.after == hands]
    if not given:
        return tally
    own = {team: sum((one.points for one in given if one.team == team), _ZERO) for team in tally.totals}
    return replace(tally, totals={team: total + own[team] for team, total in tally.totals.items()})


def outcome(ruleset: NertzRules, tally: NertzTally) -> Standing:
    """Who stands where, and whether the match is over."""
    winners, tied = _decide(ruleset, tally)
    return Standing(
        totals=tally.totals,
        ranks={team: 1 + sum(other > own for other in tally.totals.values()) for team, own in tally.totals.items()},
        over=bool(winners),
        winners=winners,
        tiebreak=tied,
        settlement=_settlement(ruleset, tally, winners),
    )


def end_standing(ruleset: NertzRules, tally: NertzTally) -> Standing:
    """How a match stands that the table ends by its will: who leads has won, if nobody has yet, and is paid."""
    now = outcome(ruleset, tally)
    leaders = _highest({team: total for team, total in tally.totals.items() if team in tally.present})
    if now.over or not leaders:
        return now
    return replace(now, over=True, winners=leaders, tiebreak=(), settlement=_settlement(ruleset, tally, leaders))


def transfers(settlement: Mapping[str, Fraction]) -> tuple[tuple[str, str, Fraction], ...]:
    """Who pays whom how much: what a settlement comes to, in as few payments as its order allows.

    >>> transfers({"Red": Fraction(9), "Blue": Fraction(-5), "Gold": Fraction(-4)})
    (('Blue', 'Red', Fraction(5, 1)), ('Gold', 'Red', Fraction(4, 1)))
    """
    open_ = dict(settlement)
    paid: list[tuple[str, str, Fraction]] = []
    for payer in (team for team, amount in settlement.items() if amount < 0):
        for payee in (team for team, amount in settlement.items() if amount > 0):
            amount = min(-open_[payer], open_[payee])
            if amount:
                paid.append((payer, payee, amount))
                open_[payer] += amount
                open_[payee] -= amount
    return tuple(paid)


def hand_settled(
    ruleset: NertzRules, hand: NertzHand, given: Mapping[str, Fraction] | None = None
) -> Mapping[str, Fraction]:
    """What each team gets (above zero) or pays for that hand, where each hand is settled by itself; else nothing."""
    scores = score_hand(ruleset, hand) if ruleset.settlement == "each-hand" else {}
    return _pay_hand(scores, given) if scores else {}


def _pay_hand(scores: Mapping[str, Fraction], given: Mapping[str, Fraction] | None) -> Mapping[str, Fraction]:
    """What a hand comes to between those who played it, with the points given behind it."""
    points = {team: score + (given or {}).get(team, _ZERO) for team, score in scores.items()}
    return _paid_differences(points, _highest(points))


def standing(
    ruleset: NertzRules,
    teams: Sequence[str],
    hands: Iterable[NertzHand],
    joined: Mapping[str, Fraction] | None = None,
    adjustments: Collection[Adjustment] = (),
) -> Standing:
    """How the match stands after these hands. Counts are taken as checked, hands after the end as played on."""
    return outcome(ruleset, tally_of(ruleset, teams, hands, joined, adjustments))


def tally_of(
    ruleset: NertzRules,
    teams: Sequence[str],
    hands: Iterable[NertzHand],
    joined: Mapping[str, Fraction] | None = None,
    adjustments: Collection[Adjustment] = (),
) -> NertzTally:
    """What these hands add up to, with the points that the table gave up to the last one of them."""
    tally = add_points(opening(teams, joined), adjustments, 0)
    for number, hand in enumerate(hands, 1):
        tally = add_points(after(ruleset, tally, hand, paid_with(adjustments, number)), adjustments, number)
    return tally


def _highest(scores: Mapping[str, Fraction]) -> tuple[str, ...]:
    best = max(scores.values(), default=_ZERO)
    return tuple(team for team, score in scores.items() if score == best)


def _decide(ruleset: NertzRules, tally: NertzTally) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(winners, ()), ((), the teams of a tie-break hand), or nothing yet."""
    leaders = _highest({team: total for team, total in tally.totals.items() if team in tally.present})
    if ruleset.target is None or not leaders or tally.totals[leaders[0]] < ruleset.target:
        return (), ()
    if ruleset.tiebreak == "share":
        return leaders, ()
    if ruleset.tiebreak == "calls":
        most = max(tally.calls[team] for team in leaders)
        leaders = tuple(team for team in leaders if tally.calls[team] == most)
    if len(leaders) == 1:
        return leaders, ()
    return (), tuple(tally.totals) if ruleset.tiebreak_teams == "all" else leaders


def _settlement(ruleset: NertzRules, tally: NertzTally, winners: tuple[str, ...]) -> Mapping[str, Fraction]:
    if ruleset.settlement == "each-hand" and tally.hands:
        return tally.paid
    if ruleset.settlement == "difference" and winners:
        paid = _paid_differences({team: tally.totals[team] for team in tally.totals if team in tally.present}, winners)
        return {team: paid.get(team, _ZERO) for team in tally.totals}
    return {}


def _paid_differences(scores: Mapping[str, Fraction], winners: tuple[str, ...]) -> Mapping[str, Fraction]:
    """Each loser pays the difference to the winners' score once; the winners share what is paid."""
    pays = {team: scores[winners[0]] - score for team, score in scores.items()}
    each = sum(pays.values(), _ZERO) / len(winners)
    return {team: each if team in winners else -owed for team, owed in pays.items()}


# -- handicaps ------------------------------------------------------------------------------------------------------


def reserve_sizes(ruleset: NertzRules, tally: NertzTally) -> Mapping[str, int]:
    """How many reserve cards each team deals in the coming hand."""
    most = ruleset.largest_reserve
    extra = _HANDICAPS[ruleset.handicap]
    return {team: max(LEAST_RESERVE, min(most, ruleset.reserve + extra(tally, team))) for team in tally.totals}


def _by_distance(tally: NertzTally, team: str) -> int:
    last = min(total for other, total in tally.totals.items() if other in tally.present or other == team)
    return max(0, (tally.totals[team] - last - 10) // 5)


_HANDICAPS: Mapping[str, Callable[[NertzTally, str], int]] = {
    "none": lambda tally, team: 0,
    "winner": lambda tally, team: int(team in tally.won),
    "negative": lambda tally, team: -int(tally.totals[team] < 0),
    "negative-three": lambda tally, team: -int(tally.below[team] >= 3),
    "distance": _by_distance,
}
"""Cards more (or fewer) than the usual reserve (docs/rules.md 9)."""
