"""A match as stored on the device: its record, as a document and as a table.

A record holds a match document (for `referee score`) and, for each hand, facts that have no place in that document.
Teams are identified by name, people by seat and name. Wall-clock times are for information only; no result depends on
them. The functions at the end remove a person's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

import msgspec

from referee.core.documents.delivery import STORED
from referee.core.documents.match import account, completed
from referee.core.documents.summary import PlayerRecord as PlayerRecord
from referee.core.documents.summary import TeamRecord as TeamRecord
from referee.core.model.paper import renamed_match
from referee.core.model.registry import presets
from referee.core.names import among, fold
from referee.core.reading import DocumentError, quoted_value
from referee.core.stored import CodecError, dump, load, short
from referee.core.units import MS
from referee.core.values import Document, Json, Value, replace

FORMAT, VERSION = "referee-match", 1
_HEAD = ("format", "version")
LONGEST_NS = 3_600_000_000_000
"""Maximum span of a call: one hour."""
LATEST_S = 253_402_214_400
"""9999-12-31, the last full day that calendars support."""


class RecordError(ValueError):
    """A document that is not a valid match record; the message is one sentence."""


class VerdictRecord(Value):
    """The verdict on a call, as recorded. kind: "clear" or "tie". first: the first caller.

    gap_ns: from the first caller's press to the next press of another team; None without one.
    """

    kind: str
    grey: bool
    first: str
    gap_ns: int | None

    def __post_init__(self) -> None:
        if self.kind not in ("clear", "tie") or (self.gap_ns or 0) < 0:
            raise ValueError(
                f'the kind must be "clear" or "tie", and the gap 0 ns or more, got {self.kind!r} and {self.gap_ns}'
            )


class PressRecord(Value):
    """One press of a photo finish.

    seat: the seat number of the button. The other fields are those of `view.PhotoLine`.
    """

    seat: int
    press_ns: int
    err_ns: int
    closed: tuple[tuple[int, int], ...]
    caller: bool
    late: bool = False
    common_ns: int = 0


class CallRecord(Value):
    """A call's photo finish, with times in ns from the start of its picture.

    last: in this game the last press loses.
    """

    window_ns: int
    span_ns: int
    presses: tuple[PressRecord, ...]
    last: bool = False

    def __post_init__(self) -> None:
        if self.window_ns < 0 or not 0 < self.span_ns <= LONGEST_NS or not self.presses:
            given = f"{len(self.presses)} presses in {self.span_ns} ns"
            raise ValueError(f"must show at least 1 press in 1 to {LONGEST_NS} ns, got {given}")


class HandRecord(Value):
    """What a record stores about a hand in addition to the match document.

    played_ms: play time. scores: by team, as announced.
    calls: a photo finish for each call; the last call ended the hand. reasons: the recorded reasons of corrections
    (`fixing.CORRECTIONS`). head_starts: (seat, s) of the players who started later than the others.
    """

    scores: dict[str, object]
    played_ms: int | None = None
    verdict: VerdictRecord | None = None
    counted_s: int | None = None
    calls: tuple[CallRecord, ...] = ()
    reasons: tuple[str, ...] = ()
    head_starts: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if (self.played_ms or 0) < 0:
            raise ValueError(f"played_ms must be 0 or more, got {self.played_ms}")


class Record(Value):
    """One match. `hands` has an entry for each of `match["hands"]`.

    totals, winners: as announced. id: the same for every copy of this match, even with other names. begun_s, ended_s:
    Unix seconds. agreed: the preset and the option values on which all players agreed; None if they were not asked.
    """

    id: str
    begun_s: int | None
    ended_s: int | None
    teams: tuple[TeamRecord, ...]
    hands: tuple[HandRecord, ...]
    totals: dict[str, object]
    winners: tuple[str, ...]
    match: dict[str, object]
    agreed: dict[str, bool | int | float | str] | None = None

    def __post_init__(self) -> None:
        for seconds in (self.begun_s, self.ended_s):
            if seconds is not None and not 0 <= seconds <= LATEST_S:
                raise ValueError(f"begun_s and ended_s must be from 0 to {LATEST_S}, got {seconds}")

    @property
    def preset(self) -> str:
        """Return the name of the preset."""
        return str(self.match["preset"])

    @property
    def played(self) -> list[Document]:
        """Return the hands of the match document."""
        hands: Json = self.match["hands"]
        return list(hands)

    @property
    def ended_by(self) -> list[tuple[str, ...]]:
        """Return, for each hand, the teams that ended it with a valid call."""
        game = presets()[self.preset]
        return [game.ending(hand)[1] for hand in self.played]

    @property
    def people(self) -> dict[str, str]:
        """Return player name -> team name."""
        return {player.name: team.name for team in self.teams for player in team.players}


def team_names(teams: Sequence[Sequence[PlayerRecord]]) -> list[str]:
    """Return a unique name for each team: its players' names.

    If a name occurs twice, the second gets a seat number.

    >>> anna, max_, ben, other = (PlayerRecord(s, n) for s, n in ((1, "Anna"), (3, "Max"), (2, "Ben"), (4, "Ben")))
    >>> team_names([[anna, max_], [ben], [other]])
    ['Anna & Max', 'Ben', '4 Ben']
    """
    names: list[str] = []
    for players in teams:
        name = " & ".join(player.name for player in players)
        while among(name, names) is not None:
            name = f"{players[0].seat} {name}"
        names.append(name)
    return names


# -- a record as a document ----------------------------------------------------------------------------------------


def to_document(record: Record) -> Document:
    """Return the record as JSON values, for `referee import` and `referee score`."""
    return {"format": FORMAT, "version": VERSION, **dump(Record, record)}


def from_document(document: object) -> Record:
    """Read a document written by `to_document`.

    Raises RecordError if it is invalid or inconsistent.
    """
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RecordError(f'it is no record of a match, which has "format": "{FORMAT}"')
    try:
        record: Record = load(Record, _fields(document))
        record = replace(record, match=completed(record.match))
        _check(record)
    except (CodecError, DocumentError) as error:
        raise RecordError(str(error)) from None
    return record


def read_trusted(document: Document) -> Record:
    """Read a document whose checksum is correct, checking only types. Raises RecordError."""
    try:
        record = msgspec.convert(_fields(document), Record)
    except msgspec.ValidationError as error:
        raise RecordError(str(error)) from None
    game = presets().get(record.preset)
    return replace(record, match=game.completed(record.match)) if game else record


def _fields(document: Document) -> Document:
    """Return the entries of a record's document that are fields of `Record`.

    Raises RecordError if the document has another format version than `VERSION`.
    """
    if document.get("version") != VERSION:
        raise RecordError(f"its version is {quoted_value(document.get('version'))}, this referee reads {VERSION}")
    return {key: value for key, value in document.items() if key not in (*_HEAD, *STORED)}


def _with_teams_renamed(record: Record, names: Mapping[str, str], teams: Iterable[TeamRecord]) -> Record:
    """Return the record with renamed teams.

    names: old team name -> new one, in the order of `teams`. teams: the new teams; their field `name` is ignored.
    """
    return replace(
        record,
        teams=tuple(replace(team, name=name) for team, name in zip(teams, names.values(), strict=True)),
        hands=tuple(_renamed_hand(hand, names) for hand in record.hands),
        totals={names[team]: total for team, total in record.totals.items()},
        winners=tuple(names[team] for team in record.winners),
        match=renamed_match(record.match, names),
    )


def _check(record: Record) -> None:
    """Raise RecordError or DocumentError if the record and its match document disagree."""
    told_by = account(record.match)
    told: list[tuple[str, object, object]] = [
        ("totals", record.totals, dict(told_by.totals)),
        ("winners", list(record.winners), list(told_by.winners)),
        ("teams", [team.name for team in record.teams], list(told_by.totals)),
        ("scores", [hand.scores for hand in record.hands], [dict(hand) for hand in told_by.hands]),
    ]
    for what, given, follows in told:
        if given != follows:
            raise RecordError(f"its {what} are {short(given)}, but its counts give {short(follows)}")
    seats = [player.seat for team in record.teams for player in team.players]
    if len(set(seats)) < len(seats) or not all(team.players for team in record.teams):
        raise RecordError("a team has no players, or two players have one seat")
    strangers = {hand.verdict.first for hand in record.hands if hand.verdict} - {team.name for team in record.teams}
    if strangers:
        raise RecordError(f"a verdict names {short(min(strangers))}, which is no team of the match")
    try:  # names must be spelled in all places as in `teams`
        renamed_match(record.match, {team.name: team.name for team in record.teams})
    except KeyError as error:
        raise RecordError(f"its match names {error}, which is not among its teams in this spelling") from None


# -- tables --------------------------------------------------------------------------------------------------------

HEAD = ("match", "begun_s", "preset", "hand", "end", "team", "players", "caller", "callers")
TAIL = ("score", "total", "played_ms", "gap_ms", "reason", "bonus", "false_calls")
GIVEN, TIMEOUT = "adjustment", "timeout"
"""The values in column `end` for rows that are not hands: points given, and timeouts."""


def columns(record: Record) -> tuple[str, ...]:
    """Return the names of the columns that the function `table` fills, in their order.

    The columns of the match's game are in the middle.
    """
    return (*HEAD, *presets()[record.preset].columns(), *TAIL)


def table(number_: str, record: Record) -> Iterator[tuple[object, ...]]:
    """Yield a row for each hand and each team that played the hand.

    A row's values are in the order of `columns`; a missing value is None. Points that the players gave after a hand
    have rows of their own, after the rows of that hand. The rows of timeouts come last.
    """
    game = presets()[record.preset]
    opening = {key: value for key, value in record.match.items() if key != "adjustments"} | {"hands": []}
    before: Document = dict(account(opening).totals)
    totals: Document = {team.name: before[team.name] for team in record.teams}
    yield from _adjustments_after(number_, record, 0, totals)
    for n, (hand, played) in enumerate(zip(record.hands, record.played, strict=True), 1):
        end, callers = game.ending(played)
        gap = hand.verdict.gap_ns if hand.verdict else None
        for team in record.teams:
            if team.name not in hand.scores:
                continue
            totals[team.name] += hand.scores[team.name]
            yield (
                number_, record.begun_s, record.preset, n, end, team.name,
                _players(record, team.name), int(team.name in callers), len(callers),
                *game.counts_of(played, team.name), hand.scores[team.name], totals[team.name], hand.played_ms,
                None if gap is None else gap / MS, None, *game.called_of(record.match, played, team.name),
            )  # fmt: skip
        yield from _adjustments_after(number_, record, n, totals)
    yield from _timeouts(number_, record)


def _timeouts(number_: str, record: Record) -> Iterator[tuple[object, ...]]:
    """Yield the rows of timeouts; team and players are None if no team took one."""
    told: Json = record.match.get("timeouts", [])
    for one in told:
        yield (
            *_beside(number_, record, one["hand"], TIMEOUT, one.get("team")),
            None,
            None,
            None,
            None,
            one["why"],
            None,
            None,
        )


def _adjustments_after(number_: str, record: Record, after: int, totals: Document) -> Iterator[tuple[object, ...]]:
    """Yield the rows of points given after this number of hands, and add them to `totals`."""
    told: Json = record.match.get("adjustments", [])
    for one in (one for one in told if one["after"] == after):
        team = one["team"]
        totals[team] += one["points"]
        head = _beside(number_, record, after, GIVEN, team)
        yield (*head, one["points"], totals[team], None, None, one.get("reason"), None, None)


def _beside(number_: str, record: Record, hand: int, what: str, team: str | None) -> tuple[object, ...]:
    """Return the first values of a row about given points or a timeout.

    what: the value of the column `end`. The columns of the team's count are None.
    """
    counted = (None,) * len(presets()[record.preset].columns())
    players = None if team is None else _players(record, team)
    return (number_, record.begun_s, record.preset, hand, what, team, players, 0, 0, *counted)


def _players(record: Record, team: str) -> str:
    return " & ".join(person for person, of in record.people.items() if of == team)


# -- removing names ------------------------------------------------------------------------------------------------


def forget_person(record: Record, person: str) -> Record:
    """Return the record without this person's name.

    The person is then named after the seat (`neutral_name`), and the team after its players' names (`team_names`).
    """
    if among(person, record.people) is None:
        return record
    taken = set(record.people) | {team.name for team in record.teams}
    players = [tuple(_neutral(player, person, taken) for player in team.players) for team in record.teams]
    names = dict(zip((team.name for team in record.teams), team_names(players), strict=True))
    return _with_teams_renamed(record, names, (TeamRecord("", who) for who in players))


def _neutral(player: PlayerRecord, person: str, taken: set[str]) -> PlayerRecord:
    return replace(player, name=neutral_name(player.seat, taken)) if fold(player.name) == fold(person) else player


def neutral_name(seat: int, taken: Iterable[str]) -> str:
    """Return a replacement for a removed name: "Player" and the seat, plus 10 while taken.

    >>> neutral_name(3, ["Anna", "Player 3"])
    'Player 13'
    """
    names = set(taken)
    while f"Player {seat}" in names:
        seat += 10
    return f"Player {seat}"


def _renamed_hand(hand: HandRecord, names: Mapping[str, str]) -> HandRecord:
    verdict = hand.verdict and replace(hand.verdict, first=names[hand.verdict.first])
    return replace(hand, scores={names[team]: score for team, score in hand.scores.items()}, verdict=verdict)


def _named(document: Json) -> Iterator[tuple[Document, str, str]]:
    """Yield each place of a person's name in an event's document: the object, the key, the name.

    Names are the values of the key "name" and, in the settings, of "names", which maps stations to names.
    """
    if isinstance(document, list):
        for part in document:
            yield from _named(part)
    for key, value in document.items() if isinstance(document, dict) else ():
        if key == "name" and isinstance(value, str):
            yield document, key, value
        elif key == "names" and isinstance(value, dict):
            yield from ((value, station, name) for station, name in value.items() if isinstance(name, str))
        else:
            yield from _named(value)


def renamed_event(document: Json, names: Mapping[str, str]) -> tuple[Json, int]:
    """Return a copy of an event's document with people renamed.

    The second value is the number of changed places.
    """
    changed = deepcopy(document)
    places = [(of, key, name) for of, key, name in _named(changed) if name in names]
    for of, key, name in places:
        of[key] = names[name]
    return changed, len(places)


def names_in(document: Json) -> set[str]:
    """Return every person's name in an event's document."""
    return {name for _, _, name in _named(document)}


def neutral_in(evening: Sequence[Mapping[str, Json]], person: str) -> str:
    """Return the replacement for a person's name in all events of an evening.

    evening: its events, beginning with `Opened`. The replacement is the same in all events and differs from every other
    name. So the renamed facts still lead to the renamed decisions.
    """
    setup: Json = next((event["setup"] for event in evening if "setup" in event), {})
    stations = list(setup.get("stations", ()))
    remembered = [station for station, name in setup.get("names", {}).items() if fold(name) == fold(person)]
    named = [(of, name) for event in evening for of, _, name in _named(event)]
    sat = [of["station"] for of, name in named if "station" in of and fold(name) == fold(person)]
    seats = [stations.index(station) + 1 for station in (*sat, *remembered) if station in stations]
    return neutral_name(seats[0] if seats else 1, {name for _, name in named})
