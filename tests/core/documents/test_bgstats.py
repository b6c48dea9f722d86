"""A match in the formats of the BG Stats app: its file and its link."""

from __future__ import annotations

import pytest

from referee.core.documents.bgstats import LINK, play_file, play_link
from referee.core.documents.record import PlayerRecord, Record, TeamRecord
from referee.core.values import replace
from tests.core.evenings import at_table, counted, only

PLACE = "at home"
GAME = {
    "cooperative": False,
    "highestWins": True,
    "noPoints": False,
    "usesTeams": False,
    "bggId": 0,
    "bggYear": 0,
}
PLAY = {
    "usesTeams": True,
    "ignored": False,
    "manualWinner": True,
    "rating": 0,
    "scoringSetting": 0,
    "playImages": "[]",
}
"""Fields that the app's files also have."""


def test_a_match_that_goes_on_is_ignored_and_one_without_a_date_has_no_link() -> None:
    record = replace(only(counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")), begun_s=None)
    (play,) = play_file(record, PLACE, str, str)["plays"]
    assert (play["ignored"], play["usesTeams"]) == (True, False)
    assert not any("team" in score or score["winner"] for score in play["playerScores"])
    with pytest.raises(ValueError, match="no date"):
        play_link(record, PLACE, str, str)


def a_pair_beaten() -> Record:
    """Return a finished match of 10 min 29 s: Ben has beaten the pair of Anna and Max."""
    record = only(counted(at_table("1", "2").playing("1", "2"), "2", 20, "1"))
    pair, alone = record.teams
    partners = TeamRecord(pair.name, (*pair.players, PlayerRecord(3, "Max")))
    return replace(record, id="m", begun_s=100, ended_s=729, teams=(partners, alone), winners=(alone.name,))


def test_a_match_s_file_has_every_table_of_the_app() -> None:
    made = play_file(a_pair_beaten(), PLACE, lambda name: f"<{name}>", lambda s: f"at {s}")
    person = {"isAnonymous": False, "modificationDate": "at 100"}
    score = {"startPlayer": False, "newPlayer": False}
    losing = {"score": "10", "winner": False, "rank": 2, "team": "Anna", **score}
    (play,) = made.pop("plays")
    scores = play.pop("playerScores")
    assert scores == [
        {"playerRefId": 1, "seatOrder": 1, **losing},
        {"playerRefId": 2, "seatOrder": 3, **losing},
        {"playerRefId": 3, "seatOrder": 2, "score": "20", "winner": True, "rank": 1, **score},
    ]
    assert made == {
        "about": "",
        "players": [
            {"id": 1, "uuid": "<player Anna>", "name": "Anna", **person},
            {"id": 2, "uuid": "<player Max>", "name": "Max", **person},
            {"id": 3, "uuid": "<player Ben>", "name": "Ben", **person},
        ],
        "locations": [{"id": 1, "name": PLACE, "uuid": f"<place {PLACE}>", "modificationDate": "at 100"}],
        "games": [{"id": 1, "uuid": "<game Nertz>", "name": "Nertz", "modificationDate": "at 100", **GAME}],
        "userInfo": {"meRefId": 0},
    }
    times = {"modificationDate": "at 729", "entryDate": "at 729", "playDate": "at 100", "durationMin": 10}
    assert play == {
        "uuid": "<play m>",
        "board": "nna",
        "rounds": 1,
        "locationRefId": 1,
        "gameRefId": 1,
        **times,
        **PLAY,
    }


def test_a_match_s_link_has_all_that_the_file_has() -> None:
    """The end is the date. The role names the partners, because the link has no teams."""
    assert LINK.endswith("?data=")
    losing = {"startPlayer": False, "role": "Anna", "score": 10, "rank": 2, "winner": False}
    winning = {"startPlayer": False, "role": "", "score": 20, "rank": 1, "winner": True}
    assert play_link(a_pair_beaten(), PLACE, lambda name: f"<{name}>", lambda s: f"at {s}") == {
        "sourceName": "Card table referee",
        "sourcePlayId": "<play m>",
        "playDate": "at 729",
        "durationMin": 10,
        "location": PLACE,
        "board": "nna",
        "game": {"name": "Nertz", "sourceGameId": "<game Nertz>", "highestWins": True, "noPoints": False},
        "players": [
            {"name": "Anna", "sourcePlayerId": "<player Anna>", **losing},
            {"name": "Max", "sourcePlayerId": "<player Max>", **losing},
            {"name": "Ben", "sourcePlayerId": "<player Ben>", **winning},
        ],
    }


@pytest.mark.parametrize(
    ("begun_s", "ended_s", "minutes", "end"),
    [(100, 129, 0, 129), (100, 130, 1, 130), (100, 90, 0, 100), (100, None, 0, 100), (None, None, 0, 0)],
)
def test_a_match_lasts_whole_minutes_and_never_less_than_none(
    begun_s: int | None, ended_s: int | None, minutes: int, end: int
) -> None:
    """Half a minute counts as one.

    A match without an end, or with a clock set back, has zero minutes.
    """
    record = replace(a_pair_beaten(), begun_s=begun_s, ended_s=ended_s)
    (play,) = play_file(record, PLACE, str, lambda s: f"at {s}")["plays"]
    assert (play["durationMin"], play["entryDate"]) == (minutes, f"at {end}")
    if begun_s is not None:
        link = play_link(record, PLACE, str, lambda s: f"at {s}")
        assert (link["durationMin"], link["playDate"]) == (minutes, f"at {end}")
