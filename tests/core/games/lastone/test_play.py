"""Last one: everybody presses, and the last press or no press within the limit loses."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.course import summarize
from referee.core.documents.match import DocumentError, score_document
from referee.core.documents.record import Record, from_document, to_document
from referee.core.documents.summary import result
from referee.core.games.lastone import GAME
from referee.core.match.engine import Engine
from referee.core.model.labels import team_lines
from referee.core.model.options import RuleError
from referee.core.model.table import Setup, Table
from referee.core.model.view import MenuScreen, OverScreen, PhotoScreen, ReadyScreen, StopScreen, VerdictScreen
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from referee.language.speech import speech_of
from referee.page.evening_page import shown_text
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en

NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))


def dealt(preset: str = "spoons", **options: int) -> Sitting:
    """Return three people who pass cards round."""
    return again(Sitting(Setup(preset, tuple(options.items()), ("1", "2", "3"), NAMES)).seated("1", "2", "3"))


def again(table: Sitting) -> Sitting:
    """Tap for everybody who plays, and start the next hand."""
    return table.wait(BREATH_NS).tap(*table.asked).wait(BREATH_NS)


def pressed(table: Sitting, **at_ms: float) -> Sitting:
    """Press these buttons (a=1: Anna), each so many ms from now."""
    stations = {f"s{n}": str(n) for n in range(1, 9)}
    rows = [(stations[s], True, round(ms * MS)) for s, ms in at_ms.items()]
    rows += [(s, False, ns + 100 * MS) for s, _, ns in rows]
    return table.edges(*sorted(rows, key=lambda r: r[2])).wait(20 * MS)


def totals(table: Sitting) -> list[int]:
    return [int(place.total) for place in GAME.standings(table.engine.state.table)]


def names(table: Sitting) -> list[str]:
    return [label.name for label in table.screen(VerdictScreen).callers]


RULES = {
    "spoons": {"lives": 5, "limit_s": 5, "tie_ms": 20},
    "pig": {"lives": 3, "limit_s": 5, "tie_ms": 20},
    "irish-snap": {"lives": 5, "limit_s": 5, "tie_ms": 20},
}
"""Each preset as its sources have it."""
LIMITS = {"lives": (1, 20), "limit_s": (1, 30), "tie_ms": (0, 500)}


TAUGHT = [
    ("spoons", {}, "deal", "deal_four, tap_ready"),
    ("irish-snap", {}, "deal", "deal_all, tap_ready"),
    ("pig", {}, "play", "pass_left, four_press, you_too, last_pays, letters_out 3"),
    ("irish-snap", {"lives": 6}, "play", "say_rank, rank_press, you_too, last_pays, letters_out 6"),
]
"""Preset, the table's settings, a part of a hand, and the lines that newcomers read in it."""


def test_newcomers_read_when_to_press_and_what_the_last_one_pays() -> None:
    for preset, options, part, taught in TAUGHT:
        lines = GAME.lesson(Table(Setup(preset, tuple(options.items())), ()), part, ())
        told = [" ".join((line.key.removeprefix("teach."), *(str(v) for _, v in line.values))) for line in lines]
        assert ", ".join(told) == taught


def test_a_false_start_is_written_as_one_and_scored_as_one() -> None:
    """A false start costs the first presser a letter.

    The game refuses an end that it does not have.
    """
    table = pressed(dealt(), s1=0, s2=500, s3=900).wait(3 * S).choose("False start").wait(BREATH_NS)
    table.cues.clear()
    table.tap("1")
    assert next((cue.name, cue.cancels) for cue in table.cues) == ("false_start", True)
    assert (table.wait(9 * S).phase, totals(table)) == ("READY", [4, 5, 5])
    document = {"preset": "spoons", "players": ["Anna", "Ben"], "hands": [{"end": "false", "callers": ["Anna"]}]}
    assert score_document(document)["totals"] == {"Anna": 4, "Ben": 5}
    hands = [{"end": "first", "callers": ["Anna"]}]
    with pytest.raises(DocumentError, match="allowed is one of last, false"):
        score_document({**document, "hands": hands})


def test_every_preset_has_its_values_and_every_option_its_limits() -> None:
    assert {name: GAME.rules_of(Table(Setup(name), ())) for name in GAME.PRESETS} == RULES
    for name, (least, most) in LIMITS.items():
        for value in (least, most):
            GAME.rules("pig", {name: value})
        for value in (least - 1, most + 1):
            with pytest.raises(RuleError, match=f'option "{name}": {value} is given'):
                GAME.rules("pig", {name: value})


def test_the_last_press_loses_a_letter() -> None:
    table = dealt()
    table.press("2").wait(300 * MS)
    assert [label.name for label in table.screen(StopScreen).waiting] == ["Anna", "Max"]
    assert table.asked == ("1", "3")
    table.press("3").wait(300 * MS)
    table.press("1").wait(100 * MS)
    shown = table.screen(VerdictScreen)
    assert (names(table), shown.kind, shown.grey) == (["Anna"], "clear", False)
    assert shown.last
    assert (shown.next_caller and shown.next_caller.name, shown.gap_ns) == ("Max", 452 * MS)
    assert table.wait(9 * S).screen(ReadyScreen)
    assert totals(table) == [4, 5, 5]


def test_a_verdict_on_the_last_press_falls_and_a_false_start_is_low() -> None:
    """A clear verdict has its own sound, because it names a loser."""
    assert pressed(dealt(), s1=0, s2=300, s3=600).wait(S).heard()[-1] == "verdict_last"
    assert pressed(dealt(), s1=0, s2=600, s3=605).wait(S).heard()[-1] == "verdict_tie"
    table = pressed(dealt(), s1=0, s2=500, s3=900).wait(3 * S).choose("False start").wait(BREATH_NS)
    table.heard()
    assert table.tap("1").heard()[0] == "false_start"


def test_who_never_presses_within_the_limit_is_last() -> None:
    table = pressed(dealt(), s1=0, s2=100).wait(5 * S)
    shown = table.screen(VerdictScreen)
    assert (names(table), shown.gap_ns) == (["Max"], None)
    table = pressed(dealt(limit_s=2), s3=0).wait(2500 * MS).press("1").wait(4 * S)
    assert totals(table) == [4, 4, 5]


def test_a_tie_costs_both_and_a_grey_one_is_contested() -> None:
    table = pressed(dealt(), s1=0, s2=500, s3=512)
    assert (names(table), table.screen(VerdictScreen).kind) == (["Max", "Ben"], "tie")
    assert totals(again(table.wait(9 * S))) == [5, 4, 4]
    pressed(table, s1=0, s2=500, s3=520)
    assert table.screen(VerdictScreen).grey
    assert en(table.wait(4 * S).screen(MenuScreen).title) == "CLOSE: 3Ma ~ 2Be"
    table.choose("Someone else last").choose("2 Ben").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    assert names(table) == ["Ben"]
    assert totals(table.wait(9 * S)) == [5, 3, 4]


def test_the_photo_shows_the_end_of_the_race() -> None:
    photo = pressed(dealt(), s1=0, s2=500, s3=512).turn(1).screen(PhotoScreen)
    assert [(line.label.name, line.press_ns // MS, line.caller) for line in photo.lines] == [
        ("Anna", -492, False),
        ("Ben", 8, True),
        ("Max", 20, True),
    ]


def test_a_hand_to_be_dealt_again_costs_nobody_a_letter() -> None:
    void = pressed(dealt(), s1=0, s2=500, s3=900).wait(3 * S).choose("Void hand").wait(BREATH_NS).tap("1", "2", "3")
    assert (void.phase, totals(void)) == ("READY", [5, 5, 5])
    paused = again(void).close("knob").wait(400 * MS).open("knob")
    assert paused.choose("Go on").phase == "PLAYING"
    paused.wait(S).close("knob").wait(400 * MS).open("knob").choose("Void hand").wait(BREATH_NS).tap("1", "2", "3")
    assert (paused.phase, totals(paused)) == ("READY", [5, 5, 5])


def test_where_all_were_last_together_nobody_pays() -> None:
    """Otherwise a match could end without a winner."""
    assert totals(pressed(dealt(lives=1), s1=0, s2=5, s3=9).wait(9 * S)) == [1, 1, 1]


@pytest.mark.parametrize(
    ("preset", "lives", "signs", "told"),
    [
        ("spoons", 5, ["-----", "-----", "SP---"], ["no letter", "no letter", "S, P"]),
        ("pig", 4, ["0/4", "0/4", "2/4"], ["no letter", "no letter", "2 of 4 letters"]),
        ("irish-snap", 5, ["0/5", "0/5", "2/5"], ["no letter", "no letter", "2 of 5 letters"]),
    ],
)
def test_letters_are_those_that_a_player_has(preset: str, lives: int, signs: list[str], told: list[str]) -> None:
    table = dealt(preset, lives=lives)
    for _ in range(2):
        again(pressed(table, s1=0, s2=100, s3=300).wait(9 * S))
    shown = sorted(team_lines(table.engine.state.table), key=lambda line: line.label.numbers)
    assert [line.shown for line in shown] == signs
    assert [en(line.told) for line in shown] == told
    table.press(KNOB, ns=400 * MS).choose("Void").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    spoken = speech_of(table.turn(1).view)
    assert told[2] in spoken
    assert not re.search("left|plus|minus", spoken)
    [record] = records(table.rows, {})
    assert isinstance(record, Record)
    assert f"Max {signs[2]}" in result(summarize(record), shown_text)


def test_who_has_the_whole_word_is_out_and_one_is_left() -> None:
    table = pressed(dealt(lives=1), s1=0, s2=100, s3=300).wait(9 * S)
    assert table.engine.state.phase.playing == ("1", "2")  # type: ignore[attr-defined]
    pressed(again(table), s2=0, s1=200).wait(9 * S)
    assert [label.name for label in table.screen(OverScreen).winners] == ["Ben"]
    table.choose("Undo: last").wait(S)
    assert names(table) == ["Anna"]
    assert table.choose("Verdict stands").wait(S).phase == "OVER"
    assert again(table.wait(9 * S)).phase in ("READY", "PLAYING")
    assert totals(table) == [1, 1, 1]
    assert Engine.restored(table.rows).state == table.engine.state


@pytest.mark.parametrize("late", [True, False])
def test_late_evidence_is_told_and_contested(late: bool) -> None:
    setup = Setup("spoons", (("limit_s", 1),), ("1", "2", "3"), NAMES, latency_ns=30 * MS, remote=("3",))
    table = again(Sitting(setup).seated("1", "2", "3")).wait(2 * S)
    at = table.now_ns
    pressed(table, **({"s1": 0, "s2": 50} if late else {"s1": 0, "s2": 20, "s3": 80})).wait(1500 * MS)
    assert names(table) == ["Max"]
    rows = [Edge("3", closed, at + ns, 300_000, table.now_ns) for closed, ns in ((True, 20 * MS), (False, 120 * MS))]
    table.engine.intake(rows[: 2 if late else 1], table.now_ns)
    assert en(table.wait(200 * MS).screen(MenuScreen).title) == "LATE: 3 Max"


def test_it_is_remembered_exported_and_scored() -> None:
    table = pressed(dealt("pig", lives=1), s1=0, s2=100, s3=300).wait(9 * S)
    pressed(again(table), s2=0, s1=200).wait(9 * S)
    (record,) = records(table.rows, {})
    assert record is not None
    assert record.match["hands"] == [
        {"end": "last", "callers": ["Max"]},
        {"end": "last", "callers": ["Anna"], "players": ["Anna", "Ben"]},
    ]
    assert from_document(json.loads(json.dumps(to_document(record)))) == record
    scored = score_document(record.match)
    assert (scored["totals"], scored["winners"]) == ({"Anna": 0, "Ben": 1, "Max": 0}, ["Ben"])


@pytest.mark.no_cover
@settings(max_examples=25)
@given(st.lists(st.permutations(("1", "2", "3")), min_size=1, max_size=5), st.integers(21, 400))
def test_each_hand_costs_its_last_one(orders: list[list[str]], gap_ms: int) -> None:
    table, expected = dealt(lives=9), dict.fromkeys("123", 9)
    for order in orders:
        pressed(table, **{f"s{s}": n * (gap_ms + 1) for n, s in enumerate(order)}).wait(9 * S)
        expected[order[-1]] -= 1
        again(table)
    assert totals(table) == [*expected.values()]
