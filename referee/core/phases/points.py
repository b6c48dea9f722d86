"""Games without counted hands: an accepted claim earns its points at once.

Such a game defines its presets and options, the ways in which its hands may end, and the points for each of them.
Standings and documents are the same for all of them:

    {"preset": "first-to-three", "players": ["Anna", "Ben"], "hands": [{"end": "won", "callers": ["Ben"]}]}
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model.events import Decision, Played, Ruled
from referee.core.model.options import read_options
from referee.core.model.paper import Account, Documents
from referee.core.model.registry import game_of
from referee.core.model.state import Phase, Play, State, Step
from referee.core.model.table import Table, points_given
from referee.core.model.transitions import BookedHand, ClaimGame, Place, Row, Transition, places
from referee.core.phases.adjusting import points_notes
from referee.core.phases.armed import USUAL_TIE
from referee.core.phases.call import Called
from referee.core.phases.common import decide
from referee.core.phases.contest import CLAIM_ROWS
from referee.core.phases.over import go_on
from referee.core.phases.race import Racing
from referee.core.phases.verdict import OFFERED_NS, Judged
from referee.core.reading import Part
from referee.core.rulebook import Facts
from referee.core.values import Document, Json, Value, replace

Values = Mapping[str, Json]
"""Every option of the rules -> its value."""


class PointsHand(Value, tag="points_hand"):
    """A recorded hand: how it ended, the teams that ended it, and the points of each team in it."""

    end: str
    callers: tuple[str, ...]
    points: tuple[tuple[str, int], ...]


class PointsGame(ClaimGame, Documents):
    """A game whose claims earn points, with its documents.

    See transitions.Game and paper.Documents for the methods. end: how a hand ends when the players accept the verdict.
    ENDS: all ways in which a hand can end.
    """

    plays = (Racing,)
    follows = ()
    rounds = True
    counts: ClassVar[str] = "points"
    """What a total counts. Only "points" can be given or deducted by the table."""
    spelled: ClassVar[Mapping[str, str]] = {}
    """Preset -> the word ("SPOONS") of which each lost hand gives a letter. Others show numbers."""
    end: ClassVar[str]
    ENDS: ClassVar[tuple[str, ...]]
    HEAD = ("options", "joined", "ended", "adjustments", "timeouts")

    @abstractmethod
    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        """Return each team's points for a hand with this end. Teams not in the result get none."""

    def winners_at(self, rules: Values, totals: Mapping[str, int]) -> tuple[str, ...]:
        """Return the winners: the teams with the highest total, if it has reached the target."""
        target, most = rules.get("target"), max(totals.values(), default=0)
        return tuple(team for team, points in totals.items() if target and points == most >= target)

    def start(self, rules: Values) -> int:
        """Return the points with which each player begins."""
        return 0

    def shown(self, preset: str, rules: Values, points: int) -> tuple[str | None, Msg | None]:
        """Return the text and the message that replace a total; None for a plain number."""
        if self.counts != "letters":
            return None, None
        word, start = self.spelled.get(preset, ""), self.start(rules)
        return letters_sign(word, start - points, start), letters_text(word, start - points, start)

    # -- at the table ----------------------------------------------------------------------------------------------

    def rules_of(self, table: Table) -> Values:
        """Return the value of every option at this table."""
        return self.rules(table.setup.preset, dict(table.setup.options))

    def target(self, table: Table) -> int | None:
        return self.rules_of(table).get("target") or None

    def tie_ms(self, table: Table) -> Fraction | int:
        tie_ms: Fraction | int = self.rules_of(table).get("tie_ms", USUAL_TIE[0])
        return tie_ms

    def begin(self, state: State, playing: tuple[str, ...], go_at_ns: int, armed_at_ns: int) -> Play:
        play = self.plays[0](armed_at_ns, playing).running(state.table, go_at_ns, armed_at_ns)
        return replace(play, resumed=False)

    def upheld(self, state: State, judged: Phase) -> Step:
        assert isinstance(judged, Judged)
        again = replace(judged, until_at_ns=state.now_ns + OFFERED_NS)  # leaves time for a contest after an undo
        return decide(replace(state, phase=again), Played(state.now_ns, self.end_of(judged), judged.ruling.callers))

    def end_of(self, judged: Judged) -> str:
        """Return how the hand ends if its verdict is accepted: one of `ENDS`."""
        return self.end

    def taken_in(self, state: State, play: Play, event: Decision) -> Phase | None:
        assert isinstance(play, Racing)
        if isinstance(event, Ruled):
            return Called(event.at_ns, play, play.armed)
        return Judged(event.at_ns, play) if isinstance(event, Played) else None

    def hand(self, table: Table, playing: Sequence[str], event: Played) -> PointsHand:
        """Return the result of the hand that this decision ends."""
        points = self.points(self.rules_of(table), event.move, event.teams, playing)
        return PointsHand(event.move, event.teams, tuple((team, points.get(team, 0)) for team in playing))

    def totals(self, table: Table) -> dict[str, int]:
        """Return each team's total so far, with the starting points of teams that joined late."""
        start, joined = self.start(self.rules_of(table)), dict(table.joined)
        totals = {team.id: int(joined.get(team.id, start)) for team in table.teams}
        for hand in table.hands:
            totals.update({team: totals[team] + points for team, points in hand.points})
        given = points_given(table.adjustments, *range(len(table.hands) + 1))
        return {team: total + int(given.get(team, 0)) for team, total in totals.items()}

    def notes(self, table: Table, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        return points_notes(table)

    def standings(self, table: Table) -> tuple[Place, ...]:
        totals, preset, rules = self.totals(table), table.setup.preset, self.rules_of(table)
        gained = dict(table.hands[-1].points) if table.hands else None
        shown = {team: self.shown(preset, rules, total) for team, total in totals.items()}
        return places(totals, _ranks(totals), gained, shown=shown.__getitem__)

    def winners(self, table: Table) -> tuple[str, ...]:
        return self._winners(self.rules_of(table), self.totals(table), ended=table.ended)

    def _winners(self, rules: Values, totals: Mapping[str, int], *, ended: bool) -> tuple[str, ...]:
        best = tuple(team for team, place in _ranks(totals).items() if place == 1)
        return self.winners_at(rules, totals) or (best if ended else ())

    def booked_hand(self, table: Table, hand: int) -> BookedHand:
        result: PointsHand = table.hands[hand]
        return BookedHand(result.end, result.callers, tuple(team for team, _ in result.points))

    # -- match documents -------------------------------------------------------------------------------------------

    def facts(self, preset: str, options: Mapping[str, object]) -> Facts:
        rules = self.rules(preset, options)
        told = {name: value if isinstance(value, int) else f"{float(value):g}" for name, value in rules.items()}
        return {**told, **{f"has_{name}": bool(value) for name, value in rules.items()}, "preset": preset}

    def rules(self, preset: str, options: Mapping[str, object]) -> Values:
        values = {name: value for name, (value, _) in self.PRESETS[preset][1].items()}
        return values | read_options({option.name: option for option in self.OPTIONS}, options)

    def counted(self, rules: Values) -> str:
        return self.counts

    def account(self, document: Part) -> Account:
        head = self.read_head(document)
        rules, players, preset = head.rules, head.names, document.table()["preset"].one_of(self.TITLES)
        joined = head.joined.by_name(players, "players of the match") if head.joined else {}
        hands = [self._read_hand(rules, players, hand) for hand in head.hands]
        totals = {p: joined[p].integer() if p in joined else self.start(rules) for p in players}
        for hand in hands:
            totals.update({player: totals[player] + points for player, points in hand.items()})
        for one in head.given:
            totals[one.team] += int(one.points)
        winners = self._winners(rules, totals, ended=head.ended)
        signs = {player: self.shown(preset, rules, total)[0] for player, total in totals.items()}
        shown = {player: sign for player, sign in signs.items() if sign is not None}
        return Account(tuple(hands), totals, _ranks(totals), winners, shown, remarks=head.notes)

    def _read_hand(self, rules: Values, players: Sequence[str], part: Part) -> Mapping[str, int]:
        parts = part.keyed_parts(("end", "callers"), ("players",))
        playing = parts["players"].names("player of the hand") if "players" in parts else players
        for named in (*parts["callers"].items(), *(parts["players"].items() if "players" in parts else ())):
            named.known_name(players, "one of the players")
        callers = parts["callers"].names("caller")
        points = self.points(rules, parts["end"].one_of(self.ENDS), callers, playing)
        return {player: points.get(player, 0) for player in playing}

    def match_document(self, table: Table, names: Mapping[str, str]) -> Document:
        document = self.written(table, names, [_hand(hand, names) for hand in table.hands])
        return document if table.setup.options else {key: part for key, part in document.items() if key != "options"}

    def ending(self, hand: Mapping[str, Json]) -> tuple[str, tuple[str, ...]]:
        return hand["end"], tuple(hand["callers"])


def letters_sign(word: str, won: int, most: int) -> str:
    """Return the letters of `word` that a player has for lost hands, then "-" for the others.

    won: the number of lost hands. most: the number with which the player is out. If the word has fewer letters than
    `most`, return the two numbers.

    >>> letters_sign("SPOONS", 2, 5), letters_sign("PIG", 2, 4)
    ('SP---', '2/4')
    """
    return word[:won].ljust(most, "-") if most <= len(word) else f"{won}/{most}"


def letters_text(word: str, won: int, most: int) -> Msg:
    """Return the letters of `letters_sign` as a message for speech and web pages."""
    if not won:
        return msg("told.no_letter")
    if most > len(word):
        return msg("told.letters_of", number=won, most=most)
    return msg("told.spelled", letters=", ".join(word[:won]))


def _ranks(totals: Mapping[str, int]) -> dict[str, int]:
    """Return the places by total, the highest first. Equal totals share a place."""
    return {who: 1 + sum(other > own for other in totals.values()) for who, own in totals.items()}


def _hand(hand: PointsHand, names: Mapping[str, str]) -> Document:
    played = [names[team] for team, _ in hand.points]
    document: Document = {"end": hand.end, "callers": [names[team] for team in hand.callers]}
    return document if len(played) == len(names) else {**document, "players": played}


def on_played(state: State, phase: Judged, event: Played) -> Step:
    """Record the hand, then go to the next one or end the match."""
    game, table = game_of(state.table), state.table
    assert isinstance(game, PointsGame)
    hand = game.hand(table, phase.play.playing, event)
    return go_on(state, replace(table, hands=(*table.hands, hand)), event.at_ns)


ROWS: tuple[Transition, ...] = (
    *CLAIM_ROWS,
    Row(Judged, Played, on_played, ("READY", "OVER"), "the hand is in the book"),
)
