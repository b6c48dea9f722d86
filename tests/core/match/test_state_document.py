"""A journal that begins in the middle: the state as a document, and a table that goes on from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.core.match.advance import advance
from referee.core.match.engine import REST_NS, Engine, rests
from referee.core.match.state_document import state_from_document, state_to_document
from referee.core.model.events import Opened
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.stored.codec import CodecError, decode, encode
from referee.core.units import MS, S
from referee.core.values import replace
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.core.evenings import at_table, counted
from tests.core.games.thirtyone.table import NAMES, Thirtyone
from tests.core.sitting import BREATH_NS, Sitting

THREE = ("1", "2", "3")
VECTOR = Path(__file__).parent.parents[1] / "vectors" / "opened-underway.json"


def evening(preset: str) -> list[tuple[int, object]]:
    """The rows of a match of bots."""
    rows: list[tuple[int, object]] = []
    Evening(Setup(preset), Bots(list(THREE), 5, pace_percent=20), journal=rows.extend).play(1)
    return rows


@pytest.mark.no_cover
@pytest.mark.parametrize("preset", ["nna", "racing-demon", "31", "31-quebec"])
def test_every_state_of_a_match_comes_back_from_its_document(preset: str) -> None:
    """Whatever is in it, but for what could be undone, the knob's list and the short answer."""
    (seq, opened), *rows = evening(preset)
    assert isinstance(opened, Opened)
    state = Engine(opened, seq - 1).state
    for number, (_, event) in enumerate(rows):
        state = advance(state, event).state  # type: ignore[arg-type]
        if number % 40 == 0:
            again = state_from_document(json.loads(json.dumps(state_to_document(state))))
            assert again == replace(state, undo=None, redo=None, menu=None, toast=None)


def test_the_evidence_holds_twelve_buttons_that_bounce_sixteen_times_each() -> None:
    """The newest rows of all that there were, whatever came before them, and with each row that comes after them."""
    stations = tuple(str(n) for n in range(1, 13))
    table, sent = Sitting(Setup(stations=stations)), list[tuple[str, bool, int]]()
    bounces = [(s, n % 2 == 0, (n * 12 + at) * MS) for n in range(16) for at, s in enumerate(stations)]
    for rows in (bounces, bounces, [("1", True, 0)], [("1", False, 0)]):
        begun_ns = table.now_ns
        table.edges(*rows)
        sent += [(station, closed, begun_ns + at_ns) for station, closed, at_ns in rows]
        trail = [(edge.station, edge.closed, edge.t_ns) for edge in table.engine.state.trail]
        assert trail[-len(bounces) :] == sent[-len(bounces) :]
        table.wait(S)


@pytest.mark.parametrize(
    ("field", "held", "fits"),
    [
        ("phones", [["1", "phone-1"]], True),
        ("phones", [["1", 7]], False),
        ("phones", [[7, "phone-1"]], False),
        ("phones", [["1"]], False),
        ("phones", [["1", "phone-1", "2"]], False),
        ("away", ["1", "2"], True),
        ("away", ["1", 2], False),
        ("away", "12", False),
        ("rows", True, False),
        ("rows", 7, True),
        ("address", None, True),
        ("address", "host", True),
    ],
)
def test_a_field_holds_what_it_can_hold_and_nothing_else(field: str, held: object, fits: bool) -> None:
    """Down to the last part of what stands in it: a text is no number, a pair has two, true is not one."""
    document = json.loads(json.dumps(state_to_document(at_table("1", "2").engine.state)))
    (written,) = (value for value in document["values"] if value["is"] == "state")
    written[field] = held
    if fits:
        state_from_document(document)
        return
    with pytest.raises(CodecError, match=rf"state\.{field}: does not fit"):
        state_from_document(document)


def test_a_question_of_an_earlier_release_is_read_by_its_key() -> None:
    """Who asked to knock, or for a 31, is asked the same after the update."""
    for holds, asked, was in ((1, "knock", "KNOCK?"), (2, "31", "31?")):
        table = Thirtyone(Setup("31", (), ("1", "2", "3"), NAMES[:3])).seated("1", "2", "3").dealt()
        for _ in range(holds):
            table.hold(table.on_turn).rested()
        state = table.engine.state
        assert [question for _, question in state.phase.asks] == [asked]  # type: ignore[attr-defined]
        old = json.loads(json.dumps(state_to_document(state)).replace(f'"{asked}"', f'"{was}"'))
        assert state_from_document(old).phase == state.phase


def test_what_is_shared_is_written_once() -> None:
    """The settings stand in the table, in the kept table and in every hand's rules, and once in the document."""
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2")
    values = state_to_document(table.engine.state)["values"]
    assert isinstance(values, list)
    assert sum(value["is"] == "setup" for value in values) == 1


def test_reserves_that_stood_in_the_table_of_every_game_are_the_game_s_own_now() -> None:
    """A journal of before: what its table has dealt is kept, and one that has dealt nothing keeps what its game had."""
    state = at_table("1", "2").engine.state
    document = json.loads(json.dumps(state_to_document(state)))
    (written,) = (value for value in document["values"] if value["is"] == "table")
    assert "dealt" not in written
    for was, own, now in (([["1", 14]], [], (("1", 14),)), ([], [["levels", 2]], (("levels", 2),))):
        written["dealt"], written["own"] = was, own
        assert state_from_document(document).table == replace(state.table, own=now)


def test_a_match_goes_on_in_a_journal_that_lacks_its_beginning() -> None:
    """A second power cut finds the same hand, the same scores, the same phase."""
    table = counted(at_table(*THREE).playing(*THREE), "1", 20, "2", "3").wait(BREATH_NS)
    table.playing(*THREE).wait(20 * S).reopened().wait(3 * S)
    shown = table.view
    assert Engine.restored(table.chapter).view(table.now_ns) == shown
    table.power_cut().wait(BREATH_NS).tap(*THREE).wait(4 * S)
    assert table.phase == "PLAYING"
    assert [len(table.engine.state.table.hands), table.rows[-1][0]] == [1, table.engine.state.seq]


def test_nothing_is_to_be_undone_that_the_journal_does_not_hold() -> None:
    """What was decided before is beyond undo; what is decided from then on is not."""
    table = at_table(*THREE).playing(*THREE).press("1").wait(200 * MS).reopened()
    assert table.engine.state.undo is None
    table.wait(5 * S).wait(BREATH_NS).choose("Void hand").wait(BREATH_NS).tap(*THREE).choose("Undo: void")
    assert table.phase == "COUNTING"


def test_a_row_that_opens_anew_can_be_read_again() -> None:
    """It goes through the journal like any other; what it opened the journal with stands in it, too."""
    table = at_table(*THREE).playing(*THREE).reopened()
    _, row = table.chapter[0]
    assert isinstance(row, Opened)
    assert decode(encode(row)) == row
    assert row.setup == table.setup.document()
    assert row.underway


def test_only_a_match_under_way_begins_in_the_middle() -> None:
    """An empty lobby has none; a lobby that can go on with one has."""
    assert [event.underway for _, event in Sitting().tap("1").reopened().chapter if isinstance(event, Opened)] == [
        False
    ]
    table = counted(at_table("1", "2").playing("1", "2"), "1", 20, "2").power_cut(away_s=20_000)
    assert table.phase == "LOBBY"
    assert [event.underway for _, event in table.reopened().chapter if isinstance(event, Opened)] == [True]
    assert [event.underway for _, event in table.reopened(lost=False).chapter if isinstance(event, Opened)] == [False]


def resting(table: Sitting, at_ns: int = 0) -> bool:
    """Whether the evening is over by then."""
    return rests(table.engine.state, table.now_ns + at_ns)


def test_an_evening_is_over_in_the_lobby_and_an_hour_after_a_match() -> None:
    """While somebody may still take something back, or has a match to go on with, it is not."""
    table = at_table("1", "2")
    assert resting(table)
    assert not resting(table.push())
    table.wait(20 * S).close("1")
    assert not resting(table)
    table.open("1").playing("1", "2")
    assert not resting(table, 2 * REST_NS)
    counted(table, "1", 20, "2")
    away = table.power_cut(away_s=20_000)
    assert away.phase == "LOBBY"
    assert not resting(away)


def test_an_hour_after_the_last_touch_a_match_that_is_over_rests() -> None:
    """Until then its last count may be undone."""
    table = Sitting(Setup(options=(("target", 10),), stations=("1", "2"))).playing("1", "2")
    counted(table, "1", 20, "2").wait(BREATH_NS)
    assert table.phase == "OVER"
    assert not resting(table, REST_NS - 10 * S)
    assert resting(table, REST_NS)
    table.power_cut(away_s=20_000)
    assert (table.phase, resting(table)) == ("LOBBY", True)


def test_only_a_long_evening_is_left_behind() -> None:
    """Of five thousand rows: a device that is switched on and off writes no more than it must."""
    table = at_table("1", "2").wait(20 * S)
    assert not table.engine.has_rested(table.now_ns)
    while table.engine.state.seq < 5_000:
        table.turn(1)
    assert not table.engine.has_rested(table.now_ns)
    table.turn(1)
    assert table.engine.has_rested(table.now_ns)
    assert not table.reopened(lost=False).engine.has_rested(table.now_ns)


TEAM = {"is": "team", "id": "1", "stations": ["1"]}
BROKEN: dict[str, tuple[dict[str, object], str]] = {
    "no list": ({"format": 2}, "KeyError: 'values'"),
    "an empty list": ({"values": []}, "IndexError"),
    "a newer format": ({"format": 3}, "it has format 3, written by a newer referee; this one reads up to 2"),
    "no format": ({"format": "2"}, "its format must be a number from 1 to 2, not '2'"),
    "format 0": ({"format": 0}, "its format must be a number from 1 to 2, not 0"),
    "a kind that is none of ours": ({"format": 2, "values": [{"is": "os.environ"}]}, "'os.environ' is no kind of"),
    "an old name": ({"format": 2, "values": [{**TEAM, "is": "state.Team"}]}, "'state.Team' is no kind of value"),
    "a new name in the old format": ({"values": [TEAM]}, "'team' is no kind of value that is stored"),
    "a function": ({"values": [{"is": "match.advance"}]}, "'match.advance' is no kind of value"),
    "a field that is missing": ({"format": 2, "values": [{"is": "state"}]}, "values[0]: TypeError: "),
    "a field nobody knows": ({"format": 2, "values": [{**TEAM, "colour": "red"}]}, "values[0]: TypeError: "),
    "a field of another type": ({"format": 2, "values": [{**TEAM, "id": 1}]}, "team.id: does not fit, got 1"),
    "another value": ({"format": 2, "values": [TEAM]}, "this is no state: Team(id='1'"),
    "a place that is not there": ({"format": 2, "values": [TEAM, {**TEAM, "id": {"at": 7}}]}, "values[1]: IndexError"),
    "half of nothing": ({"format": 2, "values": [{**TEAM, "id": {"fraction": "1/0"}}]}, "ZeroDivisionError"),
    "a list of numbers": ({"values": [1, 2]}, "values[0]: TypeError: "),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_document_that_is_no_state_is_one_sentence(kind: str) -> None:
    """Never another error than the codec's."""
    with pytest.raises(CodecError) as caught:
        state_from_document(BROKEN[kind][0])
    assert BROKEN[kind][1] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_value_of_the_core_is_not_written() -> None:
    """A mistake of the program, told when it is made."""
    state = Sitting().engine.state
    with pytest.raises(CodecError, match="no value that is stored: <class"):
        state_to_document(replace(state, table=replace(state.table, hands=(Engine,))))
    with pytest.raises(CodecError, match=r"state\.address: does not fit, got 1\.5"):
        state_to_document(replace(state, address=1.5))  # type: ignore[arg-type]


def test_a_journal_of_today_can_be_read_tomorrow() -> None:
    """The vector was written once and is not written again: a class or field it names must be read for ever."""
    opened = decode(VECTOR.read_text(encoding="utf-8"))
    assert isinstance(opened, Opened)
    state: State = Engine(opened, 0).state
    assert [len(state.table.hands), state.phase.name, state.table.seats[0].name] == [1, "VERDICT", "Anna"]
