"""The scores of a hand and of a match, in exact numbers (docs/rules.md 7 to 9).

Theory of operation. A `NertzTally` is the sum of the scored hands; `after` adds one hand, `add_points` adds the points
that a table gives or deducts after it. Everything else is computed from the tally: `outcome` (totals, ranks, winners,
tie-break hand, payments) and `reserve_sizes` (the handicaps of the coming deal). An abandoned hand does not change the
tally. Points from the table count in the totals but in no hand's score. If each hand is settled (paid) by itself, they
are paid with the hand after which they were given, or with the first one if they were given before it (a decision of
this project). After an abandoned hand there are no payments.

Only the totals (and calls) decide the end of the match: the highest total at or above the target wins. A tie-break
hand is an ordinary hand with fewer teams. If all its teams then have less than the target and no other team has
reached it, all teams play on; if another team has reached it, that team has won.

Scores are Fractions: whole numbers, or halves where a bonus was halved. Payments with thirds are exact, too.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from referee.core.games.nertz.rules import NertzRules
from referee.core.model.table import Adjustment, points_given
from referee.core.values import Value, field, replace

LEAST_RESERVE = 3
"""Minimum reserve size under any handicap."""
_ZERO = Fraction(0)


class NertzCount(Value, tag="nertz_count"):
    """One team's count: own cards on the foundations, cards left in the reserve, kings.

    The kings are among the foundation cards.
    """

    foundation: int
    reserve: int
    kings: int = 0


class Miscount(Value):
    """Why a count is impossible. `given`: the counted numbers that break the rule.

    Their sum may be at most `limit`; for "low", "lake" and "under_kings" it must be at least `limit`.

    rule: "low" (below zero), "caller" (a caller has cards left), "reserve" (more left than were dealt), "pack"
    (foundation and reserve cards exceed the pack), "kings" (more than there are, or than foundation cards), "lake" (too
    few foundation cards: the cards gone from the reserve do not all fit on the work piles), "under_kings" (the
    foundation cards of all teams are too few to be below their kings).
    """

    rule: str
    given: tuple[int, ...]
    limit: int


class NertzHand(Value, tag="nertz_hand"):
    """The result of a hand.

    end: "call", "stuck" or "abandoned". callers: the teams with an accepted call, the earliest first; only for "call".
    counts: of the teams that played. false_calls: the teams that made false calls; after two, a team is listed twice.
    shares: each caller's part of the bonus; None: equal parts, or those of `older_shares`. reserves: team -> number of
    reserve cards dealt, only where `reserve_sizes` computes another number. corrected: teams whose count was corrected
    after it was final.
    """

    end: str
    callers: tuple[str, ...]
    counts: Mapping[str, NertzCount]
    false_calls: tuple[str, ...] = ()
    shares: Mapping[str, Fraction] | None = None
    reserves: Mapping[str, int] = field(default_factory=dict)
    corrected: tuple[str, ...] = ()


class NertzTally(Value):
    """The sum of a match's scored hands; mappings are in the order of the teams.

    calls: number of accepted calls. present: teams that take part (a newcomer from its first hand on). below: after how
    many hands in a row, up to the last scored one, the total was negative. won: the teams with the highest score in the
    last hand. paid: what each team would have got (above zero) or paid so far under the rule that each hand is paid by
    itself.
    """

    hands: int
    totals: Mapping[str, Fraction]
    calls: Mapping[str, int]
    present: frozenset[str]
    below: Mapping[str, int]
    won: frozenset[str]
    paid: Mapping[str, Fraction]


class Standing(Value):
    """The standing of a match after its last hand; mappings are in the order of the teams.

    ranks: equal teams share a rank (1, 1, 3). winners: empty until the match is over. tiebreak: the teams that play a
    tie-break hand. settlement: what each team gets (above zero) or pays; the sum is zero; empty if there is nothing to
    pay.
    """

    totals: Mapping[str, Fraction]
    ranks: Mapping[str, int]
    winners: tuple[str, ...]
    tiebreak: tuple[str, ...]
    settlement: Mapping[str, Fraction]


# -- a hand ---------------------------------------------------------------------------------------------------------


def check_count(ruleset: NertzRules, count: NertzCount, reserve: int, *, caller: bool) -> Miscount | None:
    """Return the reason why one team's count is impossible; None if it is possible.

    reserve: the size of the team's reserve when dealt. caller: whether the team made a correct call.
    """
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
    """Return why the counts of all teams are impossible together; None if they are possible.

    Each king needs the twelve cards below it.
    """
    lake, kings = sum(count.foundation for count in counts), sum(count.kings for count in counts)
    piles = kings
    if (
        ruleset.same_place == "both"
    ):  # kings of several packs may share a pile here; kings of one pack only under other rules
        one_pile = ruleset.jokers or ruleset.foundations != "suit"
        piles = min(kings, 1) if one_pile else max((count.kings for count in counts), default=0)
    least = piles * (_BELOW_KING + 1) + kings - piles
    return Miscount("under_kings", (lake,), least) if lake < least else None


_BELOW_KING = 12


def equal_shares(bonus: int, callers: Sequence[str]) -> dict[str, Fraction]:
    """Divide the bonus as equally as half points allow. The larger shares go to the first callers.

    >>> {team: str(share) for team, share in equal_shares(10, ("Red", "Blue", "Gold")).items()}
    {'Red': '7/2', 'Blue': '7/2', 'Gold': '3'}
    """
    halves, larger = divmod(2 * bonus, max(len(callers), 1))
    return {team: Fraction(halves + (n < larger), 2) for n, team in enumerate(callers)}


def older_shares(bonus: int, callers: Sequence[str]) -> dict[str, Fraction]:
    """Divide the bonus as older releases did: the first caller also gets what equal shares leave.

    >>> {team: str(share) for team, share in older_shares(10, ("Red", "Blue", "Gold")).items()}
    {'Red': '4', 'Blue': '3', 'Gold': '3'}
    """
    if not callers:
        return {}
    share = Fraction(2 * bonus // len(callers), 2)
    return dict.fromkeys(callers, share) | {callers[0]: bonus - share * (len(callers) - 1)}


def score_hand(ruleset: NertzRules, hand: NertzHand) -> Mapping[str, Fraction]:
    """Return each team's score in a valid hand; empty for an abandoned hand."""
    if hand.end == "abandoned":
        return {}
    shares = older_shares(ruleset.bonus, hand.callers) if hand.shares is None else hand.shares
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
    """Return the tally before the first hand.

    joined: team that joins later -> its starting score.
    """
    joined = joined or {}
    none = dict.fromkeys(teams, 0)
    totals = {team: joined.get(team, _ZERO) for team in teams}
    present = frozenset(team for team in teams if team not in joined)
    return NertzTally(0, totals, none, present, none, frozenset(), dict.fromkeys(teams, _ZERO))


def after(
    ruleset: NertzRules, tally: NertzTally, hand: NertzHand, given: Mapping[str, Fraction] | None = None
) -> NertzTally:
    """Return the tally after one more hand.

    given: adjustments that are paid with this hand (`paid_with`).
    """
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
    """Return team -> adjustment points that are paid together with hand number `hands`.

    Only a table that pays after each hand needs this. Points given before the first hand are paid with hand 1.
    """
    return points_given(adjustments, *((0, 1) if hands == 1 else (hands,)))


def add_points(tally: NertzTally, adjustments: Collection[Adjustment], hands: int) -> NertzTally:
    """Return the tally plus the adjustments that players made after this number of hands.

    Abandoned hands count, too.
    """
    given = points_given(adjustments, hands)
    totals = {team: total + given.get(team, _ZERO) for team, total in tally.totals.items()}
    return replace(tally, totals=totals) if given else tally


def outcome(ruleset: NertzRules, tally: NertzTally, *, ended: bool = False) -> Standing:
    """Return the standing. It names winners if the match is over.

    ended: the players have ended the match. Then its leaders win, unless the rules already name winners.
    """
    winners, tied = _decide(ruleset, tally)
    if ended and not winners:
        winners, tied = _leaders(tally), ()
    return Standing(
        totals=tally.totals,
        ranks={team: 1 + sum(other > own for other in tally.totals.values()) for team, own in tally.totals.items()},
        winners=winners,
        tiebreak=tied,
        settlement=_settlement(ruleset, tally, winners),
    )


def transfers(settlement: Mapping[str, Fraction]) -> tuple[tuple[str, str, Fraction], ...]:
    """Return the payments (payer, payee, amount) that settle what each team gets or pays.

    settlement: team -> points, above zero for a team that gets them. The payments are in its order.

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
    """Return what each team gets (above zero) or pays after the hand.

    The result is empty unless the rules say that each hand is paid by itself.
    """
    scores = score_hand(ruleset, hand) if ruleset.settlement == "each-hand" else {}
    return _pay_hand(scores, given) if scores else {}


def _pay_hand(scores: Mapping[str, Fraction], given: Mapping[str, Fraction] | None) -> Mapping[str, Fraction]:
    """Return what each team that played gets (above zero) or pays for these scores.

    given: adjustments, which are added to the scores first.
    """
    points = {team: score + (given or {}).get(team, _ZERO) for team, score in scores.items()}
    return _paid_differences(points, _highest(points))


def tally_of(
    ruleset: NertzRules,
    teams: Sequence[str],
    hands: Iterable[NertzHand],
    joined: Mapping[str, Fraction] | None = None,
    adjustments: Collection[Adjustment] = (),
) -> NertzTally:
    """Return the tally after these hands, including the adjustments made up to then."""
    tally = add_points(opening(teams, joined), adjustments, 0)
    for number, hand in enumerate(hands, 1):
        tally = add_points(after(ruleset, tally, hand, paid_with(adjustments, number)), adjustments, number)
    return tally


def _highest(scores: Mapping[str, Fraction]) -> tuple[str, ...]:
    best = max(scores.values(), default=_ZERO)
    return tuple(team for team, score in scores.items() if score == best)


def _leaders(tally: NertzTally) -> tuple[str, ...]:
    return _highest({team: total for team, total in tally.totals.items() if team in tally.present})


def _decide(ruleset: NertzRules, tally: NertzTally) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (winners, teams of a tie-break hand). At most one of the two is not empty."""
    leaders = _leaders(tally)
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
    """Return what each team gets or pays. A loser pays its distance to the winners' score.

    The winners share the sum equally.
    """
    pays = {team: scores[winners[0]] - score for team, score in scores.items()}
    each = sum(pays.values(), _ZERO) / len(winners)
    return {team: each if team in winners else -owed for team, owed in pays.items()}


# -- handicaps ------------------------------------------------------------------------------------------------------


def reserve_sizes(ruleset: NertzRules, tally: NertzTally) -> Mapping[str, int]:
    """Return the number of reserve cards that each team deals in the coming hand."""
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
"""Handicap -> a function for a team's extra reserve cards, or fewer (docs/rules.md 9)."""
