"""Recorded time outs: team, reason and number. Tidying counts for no team."""

from __future__ import annotations

import pytest

from referee.core.documents.match import DocumentError, account, score_document
from referee.core.documents.record import columns, forget_person, from_document, table, to_document
from referee.core.model.paper import renamed_match
from referee.core.model.registry import presets
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen
from referee.core.units import S
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TWO = ("1", "2")


def paused(sitting: Sitting | None = None) -> Sitting:
    """Return two at the table in play, stopped by the knob after 0.3 s."""
    sitting = sitting or Sitting(Setup(stations=("1", "2", "3"))).playing(*TWO)
    return sitting.press("knob", ns=400_000_000).wait(BREATH_NS)


def taken(sitting: Sitting) -> list[tuple[int, str, str]]:
    return [(one.hand, one.team, one.why) for one in sitting.engine.state.table.timeouts]


def test_a_time_out_is_noted_for_a_team_with_its_reason_and_counted() -> None:
    sitting = paused().choose("Who asked")
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red 0", "2 Blue 0", "Back")
    sitting.choose("2 Blue")
    assert all_en(sitting.screen(MenuScreen).items) == ("collision", "dropped cards", "other", "Back")
    sitting.choose("collision")
    assert (sitting.phase, taken(sitting)) == ("TIMEOUT", [(1, "2", "collision")])
    assert en(sitting.view.toast) == "2 BLUE STOPS: 1"
    sitting.choose("Go on").wait(5 * S)
    assert sitting.phase == "PLAYING"
    paused(sitting).choose("Who asked")
    assert all_en(sitting.screen(MenuScreen).items) == ("1 Red 0", "2 Blue 1", "Back")


def test_tidying_is_a_pause_of_its_own() -> None:
    sitting = paused()
    assert en(sitting.screen(MenuScreen).title) == "TIME OUT"
    sitting.choose("Straighten")
    menu = sitting.screen(MenuScreen)
    assert (en(menu.title), menu.big) == ("PILES", True)
    assert "Who asked" not in all_en(menu.items)
    assert "Straighten" not in all_en(menu.items)
    assert taken(sitting) == [(1, "", "tidy")]
    assert sitting.choose("Go on").phase == "RESUMING"
    assert en(paused(sitting.wait(5 * S)).screen(MenuScreen).title) == "TIME OUT"


def test_the_match_ended_with_an_earlier_hand_has_the_time_outs_up_to_it() -> None:
    sitting = paused(counted(Sitting(Setup(stations=("1", "2"))).playing(*TWO), "1", 50, "2").playing(*TWO))
    sitting.choose("Who asked").choose("1 Red").choose("other").choose("Go on").wait(5 * S)
    counted(sitting, "1", 30, "2").wait(BREATH_NS)
    sitting.choose("Fix counts").turn(1).push().choose("Adjust points").choose("1 Red").turn(50).push()
    sitting.choose("agreed").choose("End match").choose("End match")
    assert (sitting.phase, taken(sitting)) == ("OVER", [])


# -- documents -----------------------------------------------------------------------------------------------------


def test_match_document_and_export_carry_them() -> None:
    sitting = paused().choose("Who asked").choose("2 Blue").choose("dropped").choose("Go on").wait(5 * S)
    paused(sitting).choose("Straighten").choose("Go on").wait(5 * S)
    record = only(counted(sitting, "1", 20, "2"))
    told = [{"hand": 1, "team": "Blue", "why": "dropped"}, {"hand": 1, "why": "tidy"}]
    assert record.match["timeouts"] == told
    assert from_document(to_document(record)) == record
    assert account(record.match).remarks == ("Time out in hand 1: Blue, dropped", "Time out in hand 1: nobody's, tidy")
    rows = [dict(zip(columns(record), row, strict=True)) for row in table("7", record)][2:]
    assert [(row["end"], row["hand"], row["team"], row["players"], row["reason"]) for row in rows] == [
        ("timeout", 1, "Blue", "Blue", "dropped"),
        ("timeout", 1, None, None, "tidy"),
    ]
    assert [row["score"] for row in rows] == [None, None]
    neutral = forget_person(record, "Blue").match["timeouts"]
    assert neutral == [{"hand": 1, "team": "Player 2", "why": "dropped"}, {"hand": 1, "why": "tidy"}]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"hand": 0, "why": "tidy"}, "timeouts[0].hand: 0 is given, allowed is a whole number from 1 to 100000"),
        (
            {"hand": 1, "why": "tidy", "team": "Gold"},
            'timeouts[0].team: "Gold" is given, allowed is one of the teams of the match: "Red", "Blue"',
        ),
    ],
)
def test_a_time_out_that_cannot_be_is_refused_in_one_sentence(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError) as refused:
        score_document({"preset": "nna", "teams": ["Red", "Blue"], "hands": [], "timeouts": [wrong]})
    assert str(refused.value).startswith(sentence)


# -- every game ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["31", "ratscrew", "spoons"])
def test_a_time_out_is_on_record_in_every_game(preset: str) -> None:
    table = Sitting(Setup(preset, stations=("1", "2", "3"))).seated("1", "2", "3").tap("1", "2", "3").wait(5 * S)
    table = table.choose("Time out") if preset == "31" else table.press("knob", ns=400_000_000)
    assert table.wait(BREATH_NS).phase == "TIMEOUT"
    assert "Straighten" not in all_en(table.screen(MenuScreen).items)
    table.choose("Who asked").choose("2 ").choose("collision")
    assert taken(table) == [(1, "2", "collision")]
    state = table.engine.state
    documents = presets()[preset]
    document = documents.match_document(state.table, {"1": "Anna", "2": "Ben", "3": "Max"})
    assert document["timeouts"] == [{"hand": 1, "team": "Ben", "why": "collision"}]
    assert renamed_match(document, {"Anna": "A", "Ben": "B", "Max": "M"})["timeouts"][0]["team"] == "B"
    assert account(document).remarks == ("Time out in hand 1: Ben, collision",)
    with pytest.raises(DocumentError, match="Zoe"):
        account({**document, "timeouts": [{"hand": 1, "team": "Zoe", "why": "collision"}]})
