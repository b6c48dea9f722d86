"""A match as the BG Stats app takes it by its link."""

from __future__ import annotations

import pytest

from referee.core.documents.bgstats import play_link
from referee.core.values import replace
from tests.core.evenings import at_table, counted, only

PLACE = "at home"


def test_a_match_s_link_has_everybody_with_score_and_place() -> None:
    """What the link must have; the same person has the same id in every match."""
    record = only(counted(at_table("1", "2").playing("1", "2"), "1", 20, "2"))
    made = play_link(record, PLACE, lambda name: f"id of {name}", lambda s: f"at {s}")
    assert (made["sourcePlayId"], made["playDate"], made["location"]) == (
        f"id of play {record.id}",
        f"at {record.ended_s or record.begun_s}",
        PLACE,
    )
    people = {player["name"]: player for player in made["players"]}
    assert people.keys() == {"Anna", "Ben"}
    assert [people[name]["sourcePlayerId"] for name in ("Anna", "Ben")] == ["id of player Anna", "id of player Ben"]
    assert [(people[name]["rank"], people[name]["score"]) for name in ("Anna", "Ben")] == [(1, 20), (2, 10)]
    assert not any(person["winner"] for person in people.values()), "the match goes on"


def test_a_match_without_a_date_has_no_link() -> None:
    """The app wants one."""
    record = replace(only(counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")), begun_s=None)
    with pytest.raises(ValueError, match="no date"):
        play_link(record, PLACE, str, str)
