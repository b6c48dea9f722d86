"""A match as a play file (.bgsplay) of the app BG Stats, which keeps statistics of games.

The file links tables of players, places, games and plays.

The app's maker does not document this file. The fields are those on which public programs that write and read it agree
(a converter for Board Game Arena, two importers). Scores are texts, dates "YYYY-MM-DD HH:MM:SS", taken as UTC. Ids are
numbers within the file; UUIDs are the same in every export, so that the app recognizes people and plays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from referee.core.documents.match import account
from referee.core.documents.record import PlayerRecord, Record, TeamRecord
from referee.core.model.registry import presets
from referee.core.values import Document, Json


def play_file(record: Record, place: str, uuid_of: Callable[[str], str], date_of: Callable[[int], str]) -> Json:
    """Return the match as the JSON value of a play file for the app BG Stats.

    uuid_of: returns the same UUID for the same name every time. date_of: formats Unix seconds as a date.
    """
    begun = date_of(record.begun_s or 0)
    uuids = _uuids(record, uuid_of)
    people = [player for team in record.teams for player in team.players]
    return {
        "about": "",
        "players": [_person(n, player, uuids[player.seat], begun) for n, player in enumerate(people, 1)],
        "locations": [{"id": 1, "name": place, "uuid": uuid_of(f"place {place}"), "modificationDate": begun}],
        "games": [_game(presets()[record.preset].FAMILY, uuid_of, begun)],
        "plays": [_play(record, uuid_of, date_of)],
        "userInfo": {"meRefId": 0},
    }


def _uuids(record: Record, uuid_of: Callable[[str], str]) -> Mapping[int, str]:
    """Return seat -> UUID, made from the name; for a shared name, also from match and seat."""
    people = [player for team in record.teams for player in team.players]
    named = Counter(player.name for player in people)
    who = {p.seat: p.name if named[p.name] == 1 else f"{p.name} at {p.seat} in {record.id}" for p in people}
    return {seat: uuid_of(f"player {name}") for seat, name in who.items()}


def _person(number: int, player: PlayerRecord, uuid: str, begun: str) -> Document:
    return {"id": number, "uuid": uuid, "name": player.name, "isAnonymous": False, "modificationDate": begun}


def _game(name: str, uuid_of: Callable[[str], str], begun: str) -> Document:
    """Return the play file's entry for the game.

    The preset is not part of it: it is the play's "board", the app's term for a variant.
    """
    return {
        "id": 1,
        "uuid": uuid_of(f"game {name}"),
        "name": name,
        "modificationDate": begun,
        "cooperative": False,
        "highestWins": True,
        "noPoints": False,
        "usesTeams": False,
        "bggId": 0,
        "bggYear": 0,
    }


def _play(record: Record, uuid_of: Callable[[str], str], date_of: Callable[[int], str]) -> Document:
    begun_s, ended_s = _span(record)
    return {
        "uuid": uuid_of(f"play {record.id}"),
        "modificationDate": date_of(ended_s),
        "entryDate": date_of(ended_s),
        "playDate": date_of(begun_s),
        "usesTeams": any(len(team.players) > 1 for team in record.teams),
        "durationMin": _minutes(record),
        "ignored": not record.winners,
        "manualWinner": True,
        "rounds": len(record.hands),
        "rating": 0,
        "scoringSetting": 0,
        "playImages": "[]",
        "board": record.preset,
        "locationRefId": 1,
        "gameRefId": 1,
        "playerScores": list(_scores(record)),
    }


def _span(record: Record) -> tuple[int, int]:
    """Return the match's start and end in Unix seconds; the end is never before the start."""
    begun_s = record.begun_s or 0
    return begun_s, max(record.ended_s or begun_s, begun_s)


def _minutes(record: Record) -> int:
    begun_s, ended_s = _span(record)
    return (ended_s - begun_s + 30) // 60


def _results(record: Record) -> Iterator[tuple[TeamRecord, PlayerRecord, Document]]:
    """Yield each player with the result fields that the file and the link have in common."""
    totals: Document = record.totals
    ranks = account(record.match).ranks
    for team in record.teams:
        won = {"winner": team.name in record.winners, "rank": ranks[team.name], "startPlayer": False}
        yield from ((team, player, {"score": totals[team.name], **won}) for player in team.players)


def _scores(record: Record) -> Iterator[Document]:
    for number, (team, player, result) in enumerate(_results(record), 1):
        partners = {"team": team.name} if len(team.players) > 1 else {}
        own = {"score": str(result["score"]), "seatOrder": player.seat, "newPlayer": False}
        yield {"playerRefId": number, **result, **own, **partners}


# -- the play as a link --------------------------------------------------------------------------------------------


def play_link(record: Record, place: str, uuid_of: Callable[[str], str], date_of: Callable[[int], str]) -> Document:
    """Return the match as JSON data for the link (`LINK`) that opens the app BG Stats.

    Raises ValueError for a match without a date. The link has no teams, so a player with a partner has the team's name
    as "role". Source: the app's maker describes the link at
    bgstatsapp.com/support/push-plays-to-bg-stats-from-other-apps-or-websites (as implemented by five public programs
    that make such links: required are sourceName, sourcePlayId, playDate, which is the end in UTC, game and players).
    """
    if record.begun_s is None:
        raise ValueError("the match has no date, which BG Stats needs")
    game = presets()[record.preset].FAMILY
    return {
        "sourceName": "Card table referee",
        "sourcePlayId": uuid_of(f"play {record.id}"),
        "playDate": date_of(_span(record)[1]),
        "durationMin": _minutes(record),
        "location": place,
        "board": record.preset,
        "game": {
            "name": game,
            "sourceGameId": uuid_of(f"game {game}"),
            "highestWins": True,
            "noPoints": False,
        },
        "players": list(_player_scores(record, uuid_of)),
    }


LINK = "https://app.bgstatsapp.com/createPlay.html?data="
"""The link opens the app if it is installed, or a page that says where to get it."""


def _player_scores(record: Record, uuid_of: Callable[[str], str]) -> Iterator[Document]:
    uuids = _uuids(record, uuid_of)
    for team, player, result in _results(record):
        role = team.name if len(team.players) > 1 else ""
        yield {"name": player.name, "sourcePlayerId": uuids[player.seat], "role": role, **result}
