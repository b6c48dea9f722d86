"""Slap: a claim stops the table, everybody answers, and play goes on within half a second."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.chronicle import records
from referee.core.documents.match import DocumentError, score_document
from referee.core.documents.record import from_document, to_document
from referee.core.games.slap import GAME
from referee.core.match.engine import Engine
from referee.core.model.events import Played, Ruled, Voided
from referee.core.model.options import RuleError
from referee.core.model.paper import renamed_match
from referee.core.model.table import Setup, Table
from referee.core.model.transitions import Place
from referee.core.model.view import MenuScreen, OverScreen, PhotoScreen, PlayingScreen, VerdictScreen
from referee.core.phases.call import Called
from referee.core.phases.race import Race
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.language.speech import speech_of
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting
from tests.english import en

NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))
LOCKOUT_NS = 2 * S


def dealt(preset: str = "snap", **options: int) -> Sitting:
    setup = Setup(preset, tuple(options.items()), ("1", "2", "3"), NAMES)
    return Sitting(setup).seated("1", "2", "3").wait(BREATH_NS).tap("1", "2", "3").wait(BREATH_NS)


def slapped(table: Sitting, *stations: str) -> Sitting:
    """Slap by these, 30 ms apart, and wait for the end of the lockout."""
    rows = [(s, True, n * 30 * MS) for n, s in enumerate(stations)]
    rows += [(s, False, 200 * MS + n * MS) for n, s in enumerate(stations)]
    return table.edges(*rows).wait(LOCKOUT_NS)


def places_of(table: Sitting) -> list[Place]:
    """Return everybody's place, in seat order."""
    return list(GAME.standings(table.engine.state.table))


def totals(table: Sitting) -> list[int]:
    return [int(place.total) for place in places_of(table)]


RULES = {
    "snap": {"target": 20, "penalty": 1, "gift": 0, "tie_ms": 20},
    "slapjack": {"target": 20, "penalty": 1, "gift": 0, "tie_ms": 20},
    "ratscrew": {"target": 20, "penalty": 1, "gift": 0, "tie_ms": 20},
    "halli-galli": {"target": 20, "penalty": 0, "gift": 1, "tie_ms": 20},
}
"""Each preset as its sources have it."""
LIMITS = {"target": (0, 999), "penalty": (0, 20), "gift": (0, 5), "tie_ms": (0, 500)}


ALIKE = "turn_cards, slap_alike, slap_button"
TAUGHT = [
    ("snap", {}, f"{ALIKE}, slap_wrong 1, device_counts, first_to 20"),
    ("slapjack", {}, "turn_cards, slap_jack, slap_button, slap_wrong 1, device_counts, first_to 20"),
    ("ratscrew", {"penalty": 0}, "turn_cards, slap_alike, slap_sandwich, slap_button, device_counts, first_to 20"),
    ("halli-galli", {}, "turn_cards, slap_fruit, slap_button, slap_gift 1, device_counts, first_to 20"),
    ("snap", {"gift": 2, "target": 0}, f"{ALIKE}, slap_wrong 1, slap_gift 2, device_counts"),
]
"""Preset, the table's settings, and the lines that newcomers read while they play."""


def test_newcomers_read_what_they_slap_for_and_what_it_brings() -> None:
    for preset, options, taught in TAUGHT:
        lines = GAME.lesson(Table(Setup(preset, tuple(options.items())), ()), "play", ())
        told = [" ".join((line.key.removeprefix("teach."), *(str(v) for _, v in line.values))) for line in lines]
        assert ", ".join(told) == taught
    assert [line.key for line in GAME.lesson(Table(Setup("snap"), ()), "deal", ())] == [
        "teach.deal_all",
        "teach.tap_ready",
    ]


def test_every_preset_has_its_values_and_every_option_its_limits() -> None:
    assert {name: GAME.rules_of(Table(Setup(name), ())) for name in GAME.PRESETS} == RULES
    for name, (least, most) in LIMITS.items():
        for value in (least, most):
            GAME.rules("snap", {name: value})
        for value in (least - 1, most + 1):
            with pytest.raises(RuleError, match=f'option "{name}": {value} is given'):
                GAME.rules("snap", {name: value})


def test_a_right_slap_brings_a_point_and_cards_move_again() -> None:
    table = slapped(dealt(), "2", "1")
    shown = table.screen(VerdictScreen)
    assert [label.name for label in shown.callers] == ["Ben"]
    assert [answer for _, answer in shown.answers or ()] == [None, None, None]
    assert set(table.asked) == {"1", "2", "3"}
    table.tap("1", "2")
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [True, True, None]
    table.tap("3")
    assert (table.phase, totals(table)) == ("PLAYING", [0, 1, 0])
    slapped(table.wait(S), "3").tap("1", "2", "3")
    assert (table.phase, totals(table)) == ("PLAYING", [0, 1, 1])
    assert [(place.place, place.shared) for place in places_of(table)] == [(3, False), (1, True), (1, True)]
    assert table.wait(S).screen(PlayingScreen).hand == 3


def test_quiet_play_is_noted_every_ten_seconds() -> None:
    """So a power cut costs the clock at most 10 s."""
    begun = dealt().engine.state.phase
    assert isinstance(begun, Race)
    for after_ns, noted_ns in ((10 * S - 1, 0), (10 * S, 10 * S), (20 * S - 1, 10 * S), (20 * S, 20 * S)):
        play = dealt().until(begun.go_at_ns + after_ns).engine.state.phase
        assert isinstance(play, Race)
        assert play.noted_at_ns == (begun.go_at_ns + noted_ns if noted_ns else begun.noted_at_ns)


def test_a_wrong_slap_pays() -> None:
    assert slapped(dealt(), "2", "1").turn(1).screen(PhotoScreen).lines
    table = slapped(dealt(), "2").hold("1", "3").tap("2").wait(BREATH_NS)
    assert totals(table) == [0, -1, 0]
    assert totals(slapped(dealt("halli-galli"), "1").hold("2", "3").tap("1").wait(BREATH_NS)) == [-2, 1, 1]


def test_what_was_decided_is_shown_said_and_heard_while_cards_move_again() -> None:
    def decided(table: Sitting) -> str:
        return f"{table.phase} {en(table.view.toast)} {table.heard()[-1]}"

    table = slapped(dealt(), "2", "1").tap("1", "2", "3")
    assert decided(table) == "PLAYING RIGHT: 2 BEN claim_right"
    assert speech_of(table.view).endswith("Ben at 2 was right.")
    assert decided(slapped(dealt(), "2").hold("2")) == "PLAYING WRONG: 2 BEN claim_wrong"
    tie = dealt().edges(("1", True, 0), ("2", True, 9 * MS), ("1", False, 99 * MS), ("2", False, 99 * MS))
    tie.wait(LOCKOUT_NS).hold("3").hold("1").hold("2")
    assert decided(tie) == "PLAYING WRONG: 1AN ~ 2BE claim_wrong"
    assert speech_of(tie.view).endswith("Anna at 1 and Ben at 2 were wrong.")
    assert decided(slapped(dealt(target=1), "2", "1").tap("1", "2", "3")) == "OVER RIGHT: 2 BEN winner"


def test_each_answers_once_and_not_in_the_lockout() -> None:
    table = dealt().press("2").wait(300 * MS).press("2").wait(300 * MS).press("1").wait(300 * MS)
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [None, None, None]
    table.wait(LOCKOUT_NS).tap("1").hold("1").press("3", ns=3 * S)
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [True, None, False]


def test_a_press_while_no_answer_counts_yet_is_seen() -> None:
    table = dealt().press("2").wait(300 * MS)
    pressed_ns = table.now_ns
    blinked_ns = table.press("1").engine.state.blinked_at_ns
    assert blinked_ns is not None
    assert blinked_ns >= pressed_ns
    table.wait(LOCKOUT_NS).press("3")
    assert table.engine.state.blinked_at_ns == blinked_ns


def test_whoever_still_holds_a_button_is_waited_for_half_a_second_at_most() -> None:
    """The owner of a held button could not slap yet."""
    table = slapped(dealt(), "2").tap("1", "3").close("2").wait(810 * MS)
    assert table.phase == "PLAYING"
    playing = table.engine.state.phase
    assert isinstance(playing, Race)
    assert (playing.go_at_ns - table.engine.state.now_ns, playing.armed_at_ns) == (400 * MS, playing.go_at_ns)
    assert not playing.resumed
    table.press("1")
    assert table.phase == "PLAYING"
    table.open("2").wait(BREATH_NS).press("1").wait(S)
    assert table.phase == "VERDICT"
    at_once = slapped(dealt(), "2").tap("1", "3", "2").engine.state
    assert isinstance(at_once.phase, Race)
    assert at_once.phase.go_at_ns <= at_once.now_ns


@pytest.mark.no_cover
@settings(max_examples=25)
@given(st.permutations(("1", "2", "3")), st.sets(st.sampled_from("123")), st.integers(45, 700), st.integers(0, 2_000))
def test_from_the_last_answer_to_play_it_takes_half_a_second_at_most(
    order: list[str], wrong: set[str], tap_ms: int, pause_ms: int
) -> None:
    """A tap ends with its release, a hold counts from 0.8 s on."""
    table = slapped(dealt(), "2").wait(BREATH_NS)
    answered_ns, down = table.now_ns, list[str]()
    for station in order:
        if table.phase != "VERDICT":
            break
        if station in wrong:
            answered_ns = table.now_ns + 800 * MS
            down.append(station)
            table.close(station).wait(1_500 * MS)
        else:
            table.wait(pause_ms * MS).press(station, ns=tap_ms * MS)
            answered_ns = table.now_ns - 50 * MS
    playing = table.engine.state.phase
    assert isinstance(playing, Race)
    assert 0 <= playing.armed_at_ns - answered_ns <= 500 * MS
    for station in down:
        table.open(station)
    table.until(playing.armed_at_ns + 10 * MS).press("1").wait(100 * MS)
    assert table.phase in ("CALLED", "VERDICT")


def test_a_tie_shares_and_a_grey_one_is_contested() -> None:
    table = dealt().edges(("1", True, 0), ("2", True, 9 * MS), ("1", False, 99 * MS), ("2", False, 99 * MS))
    shown = table.wait(LOCKOUT_NS).screen(VerdictScreen)
    assert (shown.kind, shown.grey) == ("tie", False)
    assert totals(table.tap("1", "2", "3")) == [1, 1, 0]
    table.wait(S).edges(("3", True, 0), ("1", True, 20 * MS), ("3", False, 99 * MS), ("1", False, 99 * MS))
    assert table.wait(3 * S).screen(VerdictScreen).grey
    assert en(table.wait(2 * S).screen(MenuScreen).title) == "CLOSE: 3Ma ~ 1An"
    table.choose("Someone else first").choose("1 Anna").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    assert [label.name for label in table.screen(VerdictScreen).callers] == ["Anna"]
    assert totals(table.tap("1", "2", "3")) == [2, 1, 0]


def test_the_offered_list_does_not_stop_the_answers() -> None:
    table = dealt().edges(("3", True, 0), ("1", True, 20 * MS), ("3", False, 99 * MS), ("1", False, 99 * MS))
    assert table.wait(5 * S).screen(MenuScreen)
    assert totals(table.tap("1", "2", "3")) == [1, 0, 1]
    assert table.wait(S).screen(PlayingScreen)


@pytest.mark.parametrize(("seen", "late_ns", "stands"), [("1", -5 * MS, [1, 0, 0]), ("3", 5 * MS, [0, 0, 1])])
def test_late_evidence_opens_the_contest(seen: str, late_ns: int, stands: list[int]) -> None:
    setup = Setup("snap", (), ("1", "2", "3"), NAMES, latency_ns=30 * MS, remote=("3",))
    table = Sitting(setup).seated("1", "2", "3").wait(BREATH_NS).tap("1", "2", "3").wait(2 * S)
    at = table.now_ns
    table.press(seen).wait(S)
    table.engine.intake([Edge("3", True, at + late_ns, ERR_NS, table.now_ns)], table.now_ns)
    assert en(table.wait(100 * MS).screen(MenuScreen).title) == "LATE: 3 Max"
    assert totals(table.choose("Verdict stands").wait(S)) == stands


def test_the_last_slap_ends_the_match_and_undo_asks_again() -> None:
    table = slapped(dealt(target=2), "1").tap("1", "2", "3")
    slapped(table.wait(S), "1").tap("1", "2", "3").wait(S)
    assert [label.name for label in table.screen(OverScreen).winners] == ["Anna"]
    table.choose("Undo: right").wait(S)
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [None, None, None]
    table.hold("1").wait(S)
    assert (table.phase, totals(table)) == ("PLAYING", [0, 0, 0])
    assert Engine.restored(table.rows).state == table.engine.state


def test_a_tie_and_a_slap_to_be_taken_back_are_asked_at_the_knob() -> None:
    table = slapped(dealt(), "1", "2").choose("Tie")
    assert table.wait(BREATH_NS).phase == "VOTE"
    assert [label.name for label in table.tap("1", "2", "3").wait(S).screen(VerdictScreen).callers] == ["Anna", "Ben"]
    table.choose("Void hand").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    assert (table.phase, totals(table)) == ("READY", [0, 0, 0])


def test_a_late_vote_is_no_answer_to_the_slap() -> None:
    table = slapped(dealt(), "1", "2").choose("Tie").wait(BREATH_NS).hold("1", "2", "3")
    assert table.phase == "VERDICT"
    table.tap("3")
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [None, None, None]
    table.wait(S).tap("3")
    assert [answer for _, answer in table.screen(VerdictScreen).answers or ()] == [None, None, True]


def test_a_pause_ends_in_play_or_in_a_new_deal() -> None:
    table = dealt().close("knob").wait(400 * MS).open("knob")
    assert table.choose("Go on").phase == "PLAYING"
    table.wait(S).close("knob").wait(400 * MS).open("knob")
    table.choose("Void hand").wait(BREATH_NS).tap("1", "2", "3").wait(S)
    assert (table.phase, totals(table)) == ("READY", [0, 0, 0])


def test_it_is_remembered_exported_and_scored() -> None:
    table = slapped(dealt(target=3), "2", "1").tap("1", "2", "3").wait(S)
    slapped(table, "1").hold("1").wait(S)
    (record,) = records(table.rows, {})
    assert record is not None
    assert [hand.verdict is not None and hand.verdict.first for hand in record.hands] == ["Ben", "Anna"]
    assert record.match["hands"] == [{"end": "right", "callers": ["Ben"]}, {"end": "wrong", "callers": ["Anna"]}]
    assert from_document(json.loads(json.dumps(to_document(record)))) == record
    assert score_document(record.match)["totals"] == {"Anna": -1, "Ben": 1, "Max": 0}
    for wrong, says in (
        ({"end": "left"}, r"hands\[0\].end: \"left\" is given, allowed is one of right, wrong"),
        ({"callers": ["Tom"]}, r"hands\[0\].callers\[0\]: \"Tom\" is given"),
    ):
        with pytest.raises(DocumentError, match=says):
            score_document({**record.match, "hands": [{**record.played[0], **wrong}]})
    told = renamed_match(record.match, {"Anna": "A", "Ben": "B", "Max": "M"})
    assert (told["players"], told["hands"][1]["callers"]) == (["A", "B", "M"], ["A"])


@pytest.mark.no_cover
@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.sampled_from("123"), st.lists(st.booleans(), min_size=3, max_size=3)), min_size=1, max_size=6)
)
def test_many_slaps_in_a_row_add_up(slaps: list[tuple[str, list[bool]]]) -> None:
    table, expected = dealt(target=0), dict.fromkeys("123", 0)
    for who, answers in slaps:
        slapped(table.wait(S), who)
        for station, yes in zip("123", answers, strict=True):
            if table.phase == "VERDICT":
                table.tap(station) if yes else table.hold(station)
        right = answers[int(who) - 1] and sum(answers) * 2 >= 3
        expected[who] += 1 if right else -1
    assert totals(table.wait(S)) == [*expected.values()]
    assert len(table.decisions(Played)) == len(slaps)
    assert table.phase == "PLAYING"


def test_a_decision_is_taken_where_it_was_once_taken() -> None:
    """A journal may hold decisions that today's rules do not derive."""
    state = slapped(dealt(), "1").engine.state
    assert isinstance(state.phase, Judged)
    assert state.phase.verdict is not None
    play = state.phase.play
    assert isinstance(GAME.taken_in(state, play, Ruled(1, state.phase.verdict)), Called)
    assert isinstance(GAME.taken_in(state, play, Played(1, "right", ("1",))), Judged)
    assert GAME.taken_in(state, play, Voided(1)) is None


@settings(max_examples=25)
@given(st.lists(st.booleans(), max_size=4), st.permutations("1234"))
def test_answers_that_can_change_nothing_are_awaited_for_four_seconds(answers: list[bool], order: list[str]) -> None:
    """A model tries all missing answers. The claimant, 1, can always admit a wrong claim."""
    stations = ("1", "2", "3", "4")
    table = slapped(Sitting(Setup("snap", (), stations)).seated(*stations).wait(BREATH_NS).tap(*stations).wait(S), "1")
    said: dict[str, bool] = {}
    for station, yes in zip(order, answers, strict=False):
        if table.phase != "VERDICT":
            return
        (table.tap if yes else table.hold)(station)
        said[station] = yes
    if table.phase != "VERDICT":
        assert len(said) == len(stations) or said.get("1") is False
        return
    missing = [station for station in stations if station not in said]
    ends = {
        (said | dict(zip(missing, rest, strict=True))).get("1") is not False
        and 2 * sum([*said.values(), *rest]) >= len(stations)
        for rest in product((False, True), repeat=len(missing))
    }
    assert (table.wait(5 * S).phase == "PLAYING") == (len(ends) == 1)
