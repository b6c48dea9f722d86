"""Read a match document of a Nertz game (docs/commands.md) and score it.

Each hand is read together with the scores so far, because the allowed contents of a hand depend on them: whether the
match is over, who plays a tie-break hand, how many reserve cards a handicap dealt.

A position's document names its preset and options in addition to the cards (core/cards/document.py) and, where pairs
play, the number of people: `{"preset": "nna", "options": {"turn": 1}, "players": 4, "teams": …, "foundations": …}`.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PAPERS, PRESETS, NertzRules, with_options
from referee.core.games.nertz.scoring import (
    LEAST_RESERVE,
    Miscount,
    NertzCount,
    NertzHand,
    NertzTally,
    Standing,
    add_points,
    after,
    check_count,
    check_kings,
    equal_shares,
    older_shares,
    opening,
    outcome,
    paid_with,
    reserve_sizes,
    score_hand,
)
from referee.core.model.account import Account, score_text
from referee.core.model.paper import Documents, refuse_after_end
from referee.core.model.registry import game_of
from referee.core.model.table import Setup, Table
from referee.core.reading import DocumentError, Part, list_text, number, quoted_value
from referee.core.values import Document, Json, replace

if TYPE_CHECKING:
    from referee.core.cards.game import CardGame
    from referee.core.cards.position import Position

_ENDS = ("call", "stuck", "abandoned")
_MOST_START = 1_000_000
"""Maximum size of a newcomer's starting score, above or below zero, so that sums are exact as floats."""


class NertzDocuments(Documents):
    """Reads and writes match documents of Nertz; paper.Documents describes the methods."""

    NAME = "nertz"
    FAMILY = "Nertz"
    PRESETS = PAPERS
    ALSO = {"pagat": ("Pounce", "Peanuts", "Squeal", "Scrooge"), "reeves": ("Nerds",)}
    OPTIONS = tuple(OPTIONS.values())
    RULEBOOK = "referee.core.games.nertz.rulebook"
    WHO = "team"

    def rules(self, preset: str, options: Mapping[str, object]) -> NertzRules:
        return with_options(PRESETS[preset], options)

    def cards(self, preset: str, options: Mapping[str, object]) -> tuple[int, int]:
        rules = self.rules(preset, options)
        return rules.pack, rules.reserve

    def card_game(self, preset: str, options: Mapping[str, object], teams: int, people: int = 0) -> CardGame:
        from referee.core.games.nertz.cards import card_game

        return card_game(self.rules(preset, options), teams, people)

    def position(self, document: Part) -> Position:
        from referee.core.cards.document import NEEDED, OPTIONAL, position_from_document
        from referee.core.games.nertz.cards import card_rules

        parts = document.keyed_parts(("preset", *NEEDED), ("options", "players", *OPTIONAL))
        ruleset = self.read_rules(parts["preset"], parts.get("options"))
        teams = len(parts["teams"].table())
        people = parts["players"].whole(teams, 2 * teams) if "players" in parts else teams
        return position_from_document(card_rules(ruleset, teams, people), parts)

    def match_document(self, table: Table, names: Mapping[str, str]) -> Document:
        hands = [hand_document(table.setup, hand, names) for hand in table.hands]
        return self.written(table, names, hands, on=_played_on(table))

    def completed(self, match: Document) -> Document:
        rules = self.rules(match["preset"], match.get("options", {}))
        return {**match, "hands": [_with_older_shares(rules, hand) for hand in match["hands"]]}

    def ending(self, hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
        return hand["end"], tuple(hand.get("callers", ()))

    def columns(self) -> tuple[str, ...]:
        return ("foundation", "reserve", "kings")

    def counts_of(self, hand: Mapping[str, Json], team: str) -> tuple[object, ...]:
        """Return a team's count: foundation cards, reserve cards left, kings.

        Kings are None if they score nothing.
        """
        foundation, reserve, *kings = hand["counts"][team]
        return foundation, reserve, *(kings or (None,))

    def called_of(self, match: Document, hand: Mapping[str, Json], team: str) -> tuple[object, object]:
        rules = self.rules(match["preset"], match.get("options", {}))
        shares = hand.get("shares") or equal_shares(rules.bonus, hand.get("callers", ()))
        return number(Fraction(shares.get(team, 0))), hand.get("false_calls", []).count(team)

    def score_match(self, document: Part) -> Document:
        scores, standing, _ = self._match(document)
        return {
            "hands": [{"scores": _numbers(hand)} for hand in scores],
            "totals": _numbers(standing.totals),
            "ranks": dict(standing.ranks),
            "over": bool(standing.winners),
            "winners": list(standing.winners),
            "tiebreak": list(standing.tiebreak),
            "settlement": _numbers(standing.settlement),
        }

    def account(self, document: Part) -> Account:
        scores, standing, notes = self._match(document)
        return Account(
            hands=tuple(_numbers(hand) for hand in scores),
            totals=_numbers(standing.totals),
            ranks=dict(standing.ranks),
            winners=tuple(standing.winners),
            ahead=_ahead(standing),
            remarks=(*notes, *_settlement_lines(standing)),
        )

    def _match(self, document: Part) -> tuple[list[Mapping[str, Fraction]], Standing, tuple[str, ...]]:
        """Return each hand's scores, the standing after the last hand, and notes for people."""
        head = self.read_head(document, halves=True)
        rules, given = head.rules, head.given
        if len(head.names) < 2:
            document.table()["teams"].refuse("a list of two or more names")
        tally = add_points(opening(head.names, _read_newcomers(head.names, head.joined, head.hands)), given, 0)
        scores: list[Mapping[str, Fraction]] = []
        for played, part in enumerate(head.hands, 1):
            hand = _hand(rules, tally, part, played_on=head.played_on)
            scores.append(score_hand(rules, hand))
            tally = add_points(after(rules, tally, hand, paid_with(given, played)), given, played)
        return scores, outcome(rules, tally, ended=head.ended), head.notes


def _ahead(standing: Standing) -> str:
    return f"A tie-break hand for {' and '.join(standing.tiebreak)}." if standing.tiebreak else "Not over yet."


def _settlement_lines(standing: Standing) -> Iterator[str]:
    for team, gets in _numbers(standing.settlement).items():
        yield f"{team} {'pays' if gets < 0 else 'gets'} {score_text(abs(gets))}"


def _numbers(scores: Mapping[str, Fraction]) -> dict[str, int | float]:
    return {team: number(score) for team, score in scores.items()}


def _read_newcomers(teams: Collection[str], whole: Part | None, hands: Sequence[Part]) -> dict[str, Fraction]:
    """Return team -> starting score, for teams that join during the match.

    The score is under the key `joined`, either of the document or of the team's first hand.
    """
    starts: dict[str, Fraction] = {}
    for part in (whole, *(hand.table().get("joined") for hand in hands)):
        for name, start in _by_team(part, teams, "teams of the match").items():
            if name in starts:
                raise DocumentError(f"{start.where}: the team joins for the second time, allowed is once")
            starts[name] = start.half(-_MOST_START, _MOST_START)
    return starts


def _by_team(part: Part | None, teams: Collection[str], what: str) -> dict[str, Part]:
    """Return a JSON object's values by team; {} without `part`.

    Raises DocumentError for a key that is not among `teams`.
    """
    return part.by_name(teams, what) if part else {}


# -- a hand ---------------------------------------------------------------------------------------------------------


def _hand(ruleset: NertzRules, tally: NertzTally, part: Part, *, played_on: bool) -> NertzHand:
    parts = part.keyed_parts(
        ("end",), ("callers", "counts", "false_calls", "shares", "reserves", "joined", "corrected")
    )
    standing = outcome(ruleset, tally)
    alone = standing.tiebreak if ruleset.tiebreak_teams == "tied" else ()
    if standing.winners and not played_on:
        refuse_after_end(part, standing.winners)
    _newcomers(tally, parts.get("joined"))
    end = _end(ruleset, parts["end"])
    counts = _read_counts(tally, alone, end, part, played_on)
    playing = counts or tally.totals
    callers = _callers(end, part, playing)
    reserves = _reserves(ruleset, parts.get("reserves"), playing)
    sizes = {**reserve_sizes(ruleset, tally), **reserves}
    counted = {team: _count(ruleset, count, sizes[team], team in callers) for team, count in counts.items()}
    miscount = check_kings(ruleset, counted.values())
    if miscount is not None:
        parts["counts"].refuse(_MISCOUNTS[miscount.rule](miscount))
    return NertzHand(
        end=end,
        callers=callers,
        counts=counted,
        false_calls=_false_calls(ruleset, parts.get("false_calls"), playing, callers),
        shares=_shares(ruleset, parts.get("shares"), callers),
        reserves=reserves,
        corrected=_corrected_teams(parts.get("corrected"), playing),
    )


def _newcomers(tally: NertzTally, part: Part | None) -> None:
    for name, start in _by_team(part, tally.totals, "teams of the match").items():
        if name in tally.present:
            start.refuse("a start only for a team that has not played before")


def _end(ruleset: NertzRules, part: Part) -> str:
    end = part.one_of(_ENDS)
    if end == "stuck" and ruleset.stuck == "abandon":
        part.refuse("call or abandoned, because these rules abandon a stuck hand without score")
    return end


def _read_counts(tally: NertzTally, alone: tuple[str, ...], end: str, hand: Part, played_on: bool) -> dict[str, Part]:
    """Return each team's count, still unchecked. An abandoned hand may have none.

    alone: the teams that must play this hand if it is a tie-break hand; else (). played_on: whether the match has hands
    that should not have been played (`_played_on`). Then other teams may have counts, too.
    """
    part = hand.table().get("counts")
    counts = _by_team(part, tally.totals, "teams of the match")
    if end == "abandoned":
        return counts
    if part is None:
        raise DocumentError(f"{hand.where}: the key counts is missing; only an abandoned hand may lack it")
    if alone and not played_on and counts.keys() != set(alone):
        tied = list_text(map(quoted_value, alone))
        given = list_text(map(quoted_value, counts))
        raise DocumentError(f"{part.where}: counts of {given} are given, needed are the tie-break hand's teams {tied}")
    if len(counts) < 2:
        part.refuse("the counts of two or more teams")
    return counts


def _callers(end: str, hand: Part, playing: Collection[str]) -> tuple[str, ...]:
    part = hand.table().get("callers")
    if end != "call":
        if part is not None and part.items():
            part.refuse(f"none in a hand that ended {end}")
        return ()
    if part is None:
        raise DocumentError(f"{hand.where}: the key callers is missing, needed are the teams that called")
    callers = tuple(caller.known_name(playing, "one of the teams that played") for caller in part.items())
    if not callers or len(set(callers)) < len(callers):
        part.refuse("one or more teams, each once")
    return callers


def _false_calls(
    ruleset: NertzRules, part: Part | None, playing: Collection[str], callers: Collection[str]
) -> tuple[str, ...]:
    """Return the teams that made a false call.

    If the rules let such a team play on, it may also make a correct call later in the hand.
    """
    false_calls = []
    for false in part.items() if part else ():
        false_calls.append(false.known_name(playing, "one of the teams that played"))
        if false_calls[-1] in callers and ruleset.false_call == "zero":
            false.refuse("a team that is not among the callers, because a false call puts it out of the hand")
    return tuple(false_calls)


def _corrected_teams(part: Part | None, playing: Collection[str]) -> tuple[str, ...]:
    return tuple(team.known_name(playing, "one of the teams that played") for team in part.items()) if part else ()


def _reserves(ruleset: NertzRules, part: Part | None, playing: Collection[str]) -> dict[str, int]:
    sizes = _by_team(part, playing, "teams that played")
    return {team: size.whole(LEAST_RESERVE, ruleset.largest_reserve) for team, size in sizes.items()}


def _shares(ruleset: NertzRules, part: Part | None, callers: Sequence[str]) -> dict[str, Fraction]:
    if part is None:
        return equal_shares(ruleset.bonus, callers)
    shares = {team: share.half(0, ruleset.bonus) for team, share in _by_team(part, callers, "callers").items()}
    if sum(shares.values()) != (ruleset.bonus if callers else 0):
        part.refuse(f"shares that sum to the bonus of {ruleset.bonus}" if callers else "none without callers")
    return shares


# -- a count --------------------------------------------------------------------------------------------------------


def _count(ruleset: NertzRules, part: Part, reserve: int, caller: bool) -> NertzCount:
    shape = f"[foundation cards, reserve cards left{', kings' if ruleset.king_bonus else ''}]"
    numbers = part.items()
    if len(numbers) != shape.count(",") + 1:
        part.refuse(shape)
    count = NertzCount(*(value.integer() for value in numbers))
    miscount = check_count(ruleset, count, reserve, caller=caller)
    if miscount is not None:
        part.refuse(_MISCOUNTS[miscount.rule](miscount))
    return count


_MISCOUNTS: Mapping[str, Callable[[Miscount], str]] = {
    "low": lambda miscount: "no number below 0",
    "caller": lambda miscount: "no card left in the reserve of a team whose call stands",
    "reserve": lambda miscount: f"at most {miscount.limit} left, the size of its reserve",
    "pack": lambda miscount: f"at most {miscount.limit} cards in all, not {' + '.join(map(str, miscount.given))}",
    "kings": lambda miscount: f"at most {miscount.limit} kings",
    "lake": lambda miscount: f"at least {miscount.limit} foundation cards, for the reserve's had no other place",
    "under_kings": lambda miscount: (
        f"counts with {miscount.limit} foundation cards in all, not {miscount.given[0]}, for each king lies on twelve"
    ),
}
"""Kind of impossible count -> the error's text on what is allowed."""


# -- writing ---------------------------------------------------------------------------------------------------------


def hand_document(setup: Setup, hand: NertzHand, names: Mapping[str, str]) -> Document:
    """Return the hand in the form of a match document. `names`: team id -> name."""
    rules = with_options(PRESETS[setup.preset], dict(setup.options))
    kings = bool(rules.king_bonus)
    document: Document = {"end": hand.end}
    if hand.end == "call":
        document["callers"] = [names[team] for team in hand.callers]
    if hand.counts:
        document["counts"] = {names[team]: _counted(count, kings) for team, count in hand.counts.items()}
    # A document cannot say that a team made a false call and later a correct one. Where a false call costs nothing, it
    # is left out.
    false_calls = [t for t in hand.false_calls if t not in hand.callers or rules.false_call != "play-on"]
    if false_calls:
        document["false_calls"] = [names[team] for team in false_calls]
    if hand.shares is not None:
        document["shares"] = {names[team]: number(share) for team, share in hand.shares.items()}
    if hand.corrected:
        document["corrected"] = [names[team] for team in hand.corrected]
    if hand.reserves:
        document["reserves"] = {names[team]: size for team, size in hand.reserves.items()}
    return _with_older_shares(rules, document)


def _with_older_shares(rules: NertzRules, hand: Document) -> Document:
    """Return the hand with the shares that older releases did not write if they were unequal."""
    shares = older_shares(rules.bonus, hand.get("callers", ()))
    if "shares" in hand or len(set(shares.values())) < 2:
        return hand
    return {**hand, "shares": {team: number(share) for team, share in shares.items()}}


def _played_on(table: Table) -> bool:
    """Return whether the match has hands that the rules do not expect, or expect of other teams.

    A later correction may end the match earlier, or show that a tie-break hand was due. Or a tied team was not there.
    """
    game = game_of(table)
    corrected = any(place.corrected for place in game.standings(table)) or bool(table.adjustments)
    for n, hand in enumerate(table.hands[1:], 1):
        before = replace(table, hands=table.hands[:n], ended=False, absent=frozenset())
        due = game.next_players(before)
        others = corrected or (hand.counts and hand.counts.keys() != {*due})
        if game.winners(before) or (others and len(due) < len(table.teams)):
            return True
    return False


def _counted(count: NertzCount, kings: bool) -> list[int]:
    return [count.foundation, count.reserve, *([count.kings] if kings else [])]


DOCUMENTS = NertzDocuments()
