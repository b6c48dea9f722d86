"""Edge cases of a match: accidental actions and what must not happen then."""

from __future__ import annotations

import pytest

from referee.core.games.nertz.playing import Playing
from referee.core.games.nertz.stuck import Burning
from referee.core.match.advance import advance
from referee.core.match.engine import Engine
from referee.core.model.events import Began, Joined, Named, Redone, Ruled, Tick, Turned, Undone
from referee.core.model.labels import seat_label
from referee.core.model.lamps import (
    ALTERNATE,
    DOUBLE,
    FAULT,
    PULSE3,
    SLOW,
    Pattern,
    changes_ns,
    is_lit,
    wink,
)
from referee.core.model.phase import Play
from referee.core.model.state import Wink
from referee.core.model.table import Setup, Table
from referee.core.model.view import CountScreen, LobbyScreen
from referee.core.phases.common import stay
from referee.core.phases.counting import Counting, on_doubted
from referee.core.phases.verdict import Judged, on_judged_doubted
from referee.core.presses.signals import KNOB, Doubted, Edge
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en


def test_what_falls_due_between_two_rows_that_come_together_falls_between_them() -> None:
    sitting = Sitting().seated("1", "2").wait(BREATH_NS).tap("1")
    sitting.edges(("2", True, 0), ("2", False, 100 * MS), ("1", True, 6 * S)).wait(200 * MS)
    assert sitting.phase == "VERDICT"
    (ruled,) = sitting.decisions(Ruled)
    assert ruled.verdict.callers == ("1",)


def let_go_while_touched(sitting: Sitting, station: str, other: str) -> Sitting:
    """Tap the station. As its release becomes certain, another is touched too lightly to press."""
    touched = (other, True, 40 * MS - 300_000), (other, False, 40 * MS + 300_000)
    return sitting.close(station).wait(100 * MS).edges((station, False, 0), *touched).wait(1 * S)


def test_a_touch_that_is_no_press_keeps_no_hand_from_beginning() -> None:
    sitting = Sitting().seated("1", "2").wait(BREATH_NS).tap("1")
    assert let_go_while_touched(sitting, "2", "1").phase == "STARTING"


def test_a_dirty_contact_does_not_split_a_hold() -> None:
    sitting = Sitting().counting("1", "1", "2")
    sitting.close("2").wait(400 * MS).edges(("2", False, 0)).edges(("2", True, 20 * MS)).wait(600 * MS).open("2")
    cell = sitting.screen(CountScreen).cells[1]
    assert (cell.cursor, cell.fields[0]) == (1, "0")


def test_a_decision_out_of_its_place_changes_nothing() -> None:
    """Only the number of a forged or stale decision is used."""
    sitting = Sitting().playing("1", "2")
    state = sitting.engine.state
    for event in (Began(sitting.now_ns), Undone(sitting.now_ns, 999), Redone(sitting.now_ns, 999)):
        after = advance(state, event).state
        assert after.phase == state.phase
        assert after.table == state.table
        assert after.seq == state.seq + 1


def test_setups_come_back_from_their_documents() -> None:
    setup = Setup("nna", (("target", 50),), ("1", "2"), (("1", "Anna"),), 1200 * MS)
    assert Setup.from_document(setup.document()) == setup
    assert Setup.from_document({"preset": "nna"}) == replace(Setup(), age_ns=None, draws_shares=False)
    with pytest.raises(ValueError, match=r"^colour, later is no setting that this release knows$"):
        Setup.from_document({"preset": "nna", "later": 1, "colour": "red"})


def test_a_seat_that_nobody_has_named_is_called_by_its_deck_back() -> None:
    """An older journal may have a blank name."""
    state = Sitting().engine.state
    for event in (Joined(S, "1", "Anna"), Joined(S, "3", "")):
        state = advance(state, event).state
    assert [seat_label(state.table, station).name for station in ("1", "3")] == ["Anna", "Green"]


def test_a_hand_that_never_lets_go_is_named_only_after_a_while() -> None:
    """Ten seconds of holding in the lobby mean that an object is on the button."""
    sitting = Sitting().close("1").wait(9 * S)
    assert sitting.screen(LobbyScreen).hint is None
    assert en(sitting.wait(2 * S).screen(LobbyScreen).hint) == "1: LET GO"


@pytest.mark.parametrize("pattern", [SLOW, DOUBLE, PULSE3, FAULT, *ALTERNATE, wink(Wink("1", 0, 2))])
def test_no_lamp_flashes_more_than_three_times_a_second(pattern: Pattern) -> None:
    """For people with photosensitive epilepsy: counted over every window of one second."""
    ons, now = [], 0
    while (change := changes_ns(pattern, 0, now)) is not None and change < 6 * S:
        if is_lit(pattern, 0, change) and not is_lit(pattern, 0, change - 1):
            ons.append(change)
        assert all(is_lit(pattern, 0, t) == is_lit(pattern, 0, now) for t in (now, (now + change) // 2, change - 1))
        now = change
    assert all(sum(start <= on < start + S for on in ons) <= 3 for start in ons)


def test_the_knob_is_no_seat() -> None:
    sitting = Sitting().tap("1", "2").close(KNOB, "1").wait(900 * MS)
    assert [seat.partner for seat in sitting.engine.state.table.seats] == [None] * 4
    sitting.wait(1500 * MS).open(KNOB, "1")
    assert [seat.name for seat in sitting.engine.state.table.seats] == [None, "Blue", None, None]


def test_play_that_keeps_no_clock_of_its_own_stops_and_runs_as_it_is() -> None:
    play = Play(1, ("1", "2"))
    assert play.play_at_pause(7) == play
    assert play.running(Table(Setup(), ()), 5, 9) == Play(9, ("1", "2"))
    assert Burning(3, Playing(2)).play_at_pause(5) == Playing(2)


def test_a_count_that_no_call_led_to_has_no_late_evidence() -> None:
    sitting = Sitting().counting("1", "1", "2")
    state = sitting.engine.state
    counting = Counting(state.now_ns, inner=Playing(0))
    step = on_doubted(state, counting, Doubted("1", state.now_ns))
    assert (step.state, step.decisions) == (state, ())


def test_what_a_contact_did_long_before_the_call_casts_no_doubt_on_it() -> None:
    sitting = Sitting().playing("1", "2").press("1").wait(S)
    state, judged = sitting.engine.state, sitting.engine.state.phase
    assert isinstance(judged, Judged)
    assert judged.verdict is not None
    called_ns = judged.verdict.presses[0].t_ns
    assert on_judged_doubted(state, judged, Doubted("2", called_ns - S)) == stay(state)
    assert on_judged_doubted(state, judged, Doubted("2", called_ns)).state.menu is not None


@pytest.mark.parametrize(("late_ns", "told_ns"), [(1, 1), (0, 1), (-1, 1), (-2, 2)])
def test_a_row_that_comes_after_its_time_arrives_behind_what_was_done(late_ns: int, told_ns: int) -> None:
    table = Sitting().playing("1", "2").wait(S)
    acted_ns = table.now_ns
    table.engine.intake([Edge("1", True, acted_ns - 5, 0, acted_ns - late_ns)], acted_ns + S)
    (row,) = (event for _, event in table.engine.take().rows if isinstance(event, Edge))
    assert (row.arrived_ns, row.t_ns) == (acted_ns + told_ns, acted_ns - 5)


def test_a_stopper_who_presses_twice_at_once_still_taps_again() -> None:
    sitting = Sitting().seated("1", "2").tap("1", "2").wait(1500 * MS).taps("1", 3)
    assert sitting.phase == "STOPPED"
    assert sitting.wait(BREATH_NS).tap("1").phase == "STARTING"


def test_a_replay_needs_no_name_that_another_device_would_have_offered() -> None:
    sitting = Sitting().tap("1").turn(1)
    turned = max(n for n, (_, event) in enumerate(sitting.rows) if isinstance(event, Turned))
    assert isinstance(sitting.rows[turned + 1][1], Named)
    rows = sitting.rows[: turned + 1]
    tick = (rows[-1][0] + 1, Tick(sitting.now_ns + S))
    assert Engine.derived([*rows, tick]).state.seq == tick[0]
