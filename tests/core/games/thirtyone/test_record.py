"""A match of 31 as a record: its document, its table, and its names."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from referee.core.documents.chronicle import records
from referee.core.documents.match import score_document
from referee.core.documents.record import Record, columns, table
from referee.core.games.thirtyone.document import DOCUMENTS
from referee.core.games.thirtyone.scoring import ThirtyOneHand
from referee.core.model.registry import presets
from referee.core.model.table import Adjustment, Setup, Table, Team
from referee.core.units import S
from tests.core.games.thirtyone.table import Thirtyone
from tests.core.games.thirtyone.table import table as seated


def evening() -> Thirtyone:
    """Return a knock, a 31 after a knock with a player sitting out, and a 31."""
    sitting = seated(3).dealt().knocks().done(2).values({"1": 20, "2": 20, "3": 25})
    sitting.wait(5 * S).press("1").press("2").wait(S).choose("Start without").rested()
    sitting.knocks().declares("2").wait(16 * S)
    sitting.wait(5 * S).press("3").dealt().done().declares("1").wait(16 * S)
    return sitting


def record() -> Record:
    (found,) = records(evening().rows, {seq: seq for seq, _ in evening().rows})
    assert found is not None
    return found


def test_a_match_is_remembered_as_a_document_that_score_reads() -> None:
    found = record()
    assert found.match == {
        "preset": "31",
        "options": {},
        "players": ["Anna", "Ben", "Max"],
        "hands": [
            {"knocker": "Ben", "values": {"Anna": 20, "Ben": 20, "Max": 25}},
            {"players": ["Anna", "Ben"], "knocker": "Anna", "thirtyone": ["Ben"]},
            {"thirtyone": ["Anna"]},
        ],
    }
    assert score_document(json.loads(json.dumps(found.match)))["lives"] == {"Anna": 1, "Ben": 2, "Max": 2}
    assert [hand.scores for hand in found.hands] == [
        {"Anna": -1, "Ben": 0, "Max": 0},
        {"Anna": -1, "Ben": 0},
        {"Anna": 0, "Ben": -1, "Max": -1},
    ]
    assert all(hand.played_ms and hand.verdict is None for hand in found.hands)


def test_the_table_of_a_match_has_the_values() -> None:
    rows = [dict(zip(columns(record()), row, strict=True)) for row in table("7", record())]
    told = [(r["hand"], r["end"], r["team"], r["caller"], r["value"], r["score"], r["total"]) for r in rows]
    assert told == [
        (1, "knock", "Anna", 0, 20, -1, 2),
        (1, "knock", "Ben", 1, 20, 0, 3),
        (1, "knock", "Max", 0, 25, 0, 3),
        (2, "31", "Anna", 0, None, -1, 1),
        (2, "31", "Ben", 1, None, 0, 3),
        (3, "31", "Anna", 1, None, 0, 1),
        (3, "31", "Ben", 0, None, -1, 2),
        (3, "31", "Max", 0, None, -1, 2),
    ]
    cards: dict[str, Any] = {"knocker": "A", "values": {"A": ["AH", "KH", "4C"]}}
    assert presets()["31"].counts_of(cards, "A") == ("AH KH 4C",)


# -- written and read ----------------------------------------------------------------------------------------------

NAMES = {"1": "Anna", "2": "Ben", "3": "Max"}


def ended_by(by: str, players: str = "123", **more: Any) -> ThirtyOneHand:
    """Return a hand that a 31 ended."""
    return ThirtyOneHand(tuple(players), None, {}, tuple(by), **more)


def match(*hands: ThirtyOneHand, preset: str = "31", **more: Any) -> Table:
    """Return a match of three with these hands in its book."""
    setup = Setup(preset, (("lives", 1),) if preset == "31" else (), tuple(NAMES))
    teams = tuple(Team(seat, (seat,)) for seat in NAMES)
    return Table(setup, (), teams, hands, **more)


OUT = (ended_by("1"), ended_by("1"))
"""Two hands that put the two other players out."""


@pytest.mark.parametrize(
    ("table", "played_on"),
    [
        (match(*OUT), False),
        (match(ended_by("12"), ended_by("12")), False),
        (match(ended_by("12"), ended_by("12"), ended_by("1", "12")), False),
        (match(*OUT, ended_by("1")), True),
        (match(*OUT, ended_by("1", "12")), True),
        (match(ended_by("12"), ended_by("12"), ended_by("1")), True),
        (match(ended_by("1"), preset="31-quebec"), False),
        (match(ended_by("1"), ended_by("2"), preset="31-quebec"), True),
    ],
)
def test_hands_behind_the_end_or_of_somebody_who_is_out_say_so(table: Table, played_on: bool) -> None:
    document = DOCUMENTS.match_document(table, NAMES)
    assert document.get("played_on", False) == played_on
    assert score_document(document)["winners"] is not None


def test_a_hand_says_who_played_only_where_somebody_sat_out() -> None:
    hands = (
        ThirtyOneHand(("1", "2", "3"), "2", {"1": Fraction(20), "2": Fraction(61, 2), "3": Fraction(9)}),
        ended_by("1", "12"),
        ended_by("1", corrected=("2",)),
        ended_by("13", levels=1),
    )
    document = DOCUMENTS.match_document(match(*hands, preset="ride-the-bus"), NAMES)
    assert document["hands"] == [
        {"knocker": "Ben", "values": {"Anna": 20, "Ben": 30.5, "Max": 9}},
        {"players": ["Anna", "Ben"], "thirtyone": ["Anna"]},
        {"thirtyone": ["Anna"], "corrected": ["Ben"]},
        {"thirtyone": ["Anna", "Max"], "levels": 1},
    ]


def test_a_match_says_who_joined_and_that_the_table_ended_it() -> None:
    bare = DOCUMENTS.match_document(match(ended_by("1")), NAMES)
    assert bare.keys() == {"preset", "options", "players", "hands"}
    given = (Adjustment(0, "2", Fraction(4)), Adjustment(1, "3", Fraction(-1)))
    table = match(ended_by("1", "12"), preset="31-quebec", joined=(("3", Fraction(2)),), ended=True, adjustments=given)
    document = DOCUMENTS.match_document(table, NAMES)
    assert (document["joined"], document["ended"], len(document["adjustments"])) == ({"Max": 2}, True, 2)
    assert score_document(document)["points"] == {"Anna": 1, "Ben": 4, "Max": 1}
    assert document["hands"] == [{"players": ["Anna", "Ben"], "thirtyone": ["Anna"]}]


def test_what_people_ask_of_a_written_hand() -> None:
    game = presets()["31"]
    assert game.ending({"knocker": "Anna", "values": {"Anna": 20}}) == ("knock", ("Anna",))
    assert game.ending({"knocker": "Anna", "thirtyone": ["Ben", "Max"]}) == ("31", ("Ben", "Max"))
    assert game.columns() == ("value",)
    assert game.counts_of({"values": {"Anna": 20}}, "Anna") == (20,)
    assert game.counts_of({"values": {"Anna": 20}}, "Ben") == game.counts_of({}, "Ben") == (None,)
