"""What the phone of one seat shows: verdict, questions and rank as they concern its player."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.model.table import Setup
from referee.core.model.view import PhoneLine
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.words import LANGUAGES, speaking
from referee.page.table_document import own_documents
from tests.core.sitting import BREATH_NS, Sitting

SEATS = ("1", "2", "3", "4")


def shown(sitting: Sitting, language: str = "en") -> dict[str, Any]:
    """Return what the phones show if every seat has one."""
    view = replace(sitting.view, phones=tuple(PhoneLine(f"phone-{n}", int(n)) for n in SEATS))
    with speaking(language):
        return own_documents(view)


def called(*presses: tuple[str, int, int]) -> Sitting:
    """Let four play and these press: (station, ms from now, bound in ms)."""
    sitting = Sitting().playing(*SEATS)
    start = sitting.now_ns
    edges = [
        Edge(station, closed, start + at_ms * MS + later, err_ms * MS)
        for station, at_ms, err_ms in presses
        for closed, later in ((True, 0), (False, 100 * MS))
    ]
    for edge in sorted(edges, key=lambda edge: edge.t_ns):
        sitting.until(edge.t_ns).engine.intake([edge], sitting.now_ns)
    return sitting.wait(500 * MS)


def lines(sitting: Sitting) -> list[str]:
    return [shown(sitting)[n]["verdict"]["line"] for n in SEATS]


def test_verdict_gives_each_presser_place_and_margin() -> None:
    sitting = called(("1", 0, 1), ("2", 180, 1), ("3", 310, 1))
    verdicts = [shown(sitting)[n]["verdict"] for n in SEATS]
    assert [(one["title"], one["names"]) for one in verdicts] == [("Nertz!", "Red")] * 4
    assert [one["called"] for one in verdicts] == [True, False, False, False]
    assert lines(sitting) == ["1st, 0.18 s before Blue", "2nd, 0.18 s after Red", "3rd, 0.31 s after Red", ""]


def test_only_press_is_the_only_call() -> None:
    assert lines(called(("3", 0, 1))) == ["", "", "1st, the only call", ""]


def test_places_that_were_not_measured_are_a_range() -> None:
    sitting = called(("1", 0, 1), ("2", 300, 18), ("3", 310, 18))
    assert lines(sitting)[1:3] == ["2nd to 3rd, 0.30 s after Red", "2nd to 3rd, 0.31 s after Red"]


def test_presses_within_their_bounds_are_too_close_to_tell() -> None:
    sitting = called(("1", 0, 1), ("2", 25, 18), ("3", 300, 1))
    verdict = shown(sitting)["1"]["verdict"]
    assert (verdict["title"], verdict["names"]) == ("Too close to tell", "Red and Blue?")
    assert lines(sitting) == ["You: too close to tell", "You: too close to tell", "3rd, 0.30 s after Red", ""]


def test_tied_callers_see_how_far_they_were_apart() -> None:
    sitting = called(("1", 0, 1), ("2", 8, 1), ("4", 200, 1))
    assert shown(sitting)["4"]["verdict"]["title"] == "Tie"
    assert lines(sitting) == ["1st, 8 ms apart", "1st, 8 ms apart", "", "3rd, 0.20 s after Red"]


def test_last_press_loses_and_is_measured_to_the_press_before() -> None:
    sitting = Sitting(Setup(stations=SEATS, preset="spoons")).playing(*SEATS)
    for station in SEATS:
        sitting.press(station)
    verdicts = shown(sitting.wait(S))
    verdict = {"title": "Last", "names": "Gold", "line": "4th, 0.15 s after Green", "called": True}
    assert verdicts["4"]["verdict"] == verdict
    assert verdicts["1"]["verdict"]["line"] == "1st, 0.46 s before Gold"


def test_ready_asks_those_who_have_not_tapped_and_names_the_others() -> None:
    sitting = Sitting().seated(*SEATS).wait(5 * S).tap("1", "2").wait(S)
    assert (shown(sitting)["1"]["ask"], shown(sitting)["1"]["waiting"]) == ("", "Waiting for Green and Gold")
    assert shown(sitting)["3"]["ask"] == "Cards dealt? Tap when you are ready"
    assert shown(sitting)["3"]["waiting"] == "Waiting for Gold"
    assert shown(sitting.close("1").tap("3", "4").wait(S))["1"]["ask"] == "Let go of your button"


def test_rank_counts_from_the_first_hand_on() -> None:
    sitting = Sitting().counting("1", "1", "2", "3").count("1", 0, 28, caller=True).count("2", 2, 10)
    sitting.count("3", 2, 10).wait(5 * S)
    ranks = [shown(sitting)[n]["rank"] for n in SEATS]
    assert ranks[0].startswith("1st · ")
    assert ranks[0].endswith("22 ahead of Blue")
    assert ranks[1] == "2nd · 6 points · 22 behind Red"
    assert ranks[3] == ""


def test_turn_asks_the_player_whose_turn_it_is() -> None:
    sitting = Sitting(Setup(stations=SEATS, preset="31")).seated("1", "2", "3").tap("1", "2", "3").wait(5 * S)
    (turn,) = sitting.asked
    asks = {n: one["ask"] for n, one in shown(sitting.wait(BREATH_NS)).items()}
    assert asks == dict.fromkeys(SEATS, "") | {turn: "Your turn. Tap: done · hold: knock"}
    assert "do you knock" in shown(sitting.hold(turn).wait(S))[turn]["ask"]


def test_stuck_table_asks_all_in_words() -> None:
    sitting = Sitting().playing(*SEATS).press("knob", ns=400 * MS)
    sitting.choose("Stuck")
    assert shown(sitting)["1"]["ask"] == "Pile empty? Press now"
    sitting.wait(5 * S).wait(BREATH_NS)
    assert shown(sitting)["1"]["ask"].startswith("Search your cards.")
    assert shown(sitting.tap("1").wait(S))["1"]["ask"] == ""


def test_phone_can_pause_a_race_and_end_the_pause() -> None:
    sitting = Sitting().seated(*SEATS)
    assert shown(sitting)["1"]["pause"] is None
    assert shown(sitting.playing(*SEATS))["1"]["pause"] is True
    assert shown(sitting.press("knob", ns=400 * MS))["1"]["pause"] is False
    turns = Sitting(Setup(stations=SEATS, preset="31")).seated("1", "2", "3").tap("1", "2", "3").wait(5 * S)
    assert shown(turns)["1"]["pause"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_phase_asks_in_each_language(language: str) -> None:
    sitting = Sitting().seated(*SEATS).wait(BREATH_NS)
    asked = shown(sitting, language)["1"]["ask"]
    assert asked
    assert (asked == shown(sitting)["1"]["ask"]) == (language == "en")


def test_each_blinking_lamp_has_its_question_in_words() -> None:
    """A table that goes through the phases which ask."""
    table = Sitting(Setup("nna", options=(("target", 20),), stations=SEATS, agreement=True)).seated("1", "2")
    asked: dict[str, str] = {}

    def look(sitting: Sitting) -> Sitting:
        sitting.wait(BREATH_NS)
        own = shown(sitting)
        for number in sitting.asked:
            assert own[number]["ask"], (sitting.phase, number)
            asked[sitting.phase] = own[number]["ask"]
        return sitting

    look(table).tap("1", "2")
    look(table).tap("1", "2").until(table.engine.state.phase.beats_at_ns[0]).tap("2")  # type: ignore[attr-defined]
    look(table).tap("2").until(table.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]
    look(table.power_cut()).tap("1", "2").until(table.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]
    look(table.press("1").wait(3 * S).choose("False call"))
    table.hold("1", "2")
    look(table.wait(S)).count("1", 0, 28, caller=True).count("2", 4, 20)
    look(table.wait(5 * S))
    look(table.choose("Fix counts"))
    look(Sitting(Setup("snap", stations=SEATS)).playing("1", "2").press("1").wait(3 * S))
    look(Sitting(Setup("spoons", stations=SEATS)).playing("1", "2", "3").press("1"))
    look(Sitting(Setup(stations=SEATS)).choose("Check"))
    between = {"AGREEMENT", "READY", "STOPPED", "POWER_BACK", "OVER", "FIXING", "CHECK"}
    assert asked.keys() >= between | {"CALLED", "VERDICT", "VOTE", "COUNTING"}
    assert len(set(asked.values())) == len(asked)
