"""At the table: a touch that arrives with a claim older than A counts at its arrival."""

from __future__ import annotations

import pytest

from referee.core.messages import msg
from referee.core.model.events import RowsKnown
from referee.core.model.labels import seat_label
from referee.core.model.table import Setup
from referee.core.model.view import ReadyScreen, VerdictScreen
from referee.core.phases.verdict import judged_in, with_ages
from referee.core.presses.arbiter import AGE_NS
from referee.core.units import MS, S
from referee.core.values import replace
from tests.core.sitting import BREATH_NS, Sitting
from tests.core.test_phone_buttons import linked, touched


def racing(*, age_ns: int | None = AGE_NS) -> Sitting:
    """Three players in a race; seat 2 has its button on a phone."""
    setup = Setup(stations=("1", "2", "3"), age_ns=age_ns)
    sitting = linked(Sitting(setup).seated("1", "2", "3"), "2").wait(BREATH_NS)
    return begun(sitting)


def begun(sitting: Sitting) -> Sitting:
    """Let everybody be ready, and wait until presses are calls."""
    touched(sitting, "2", 20 * MS, False, False, False, False)
    sitting.tap("1", "3").wait(50 * MS)
    assert sitting.phase == "STARTING"
    return sitting.until(sitting.engine.state.phase.armed_at_ns).wait(S)  # type: ignore[attr-defined]


def callers(sitting: Sitting) -> list[tuple[int, ...]]:
    return [label.numbers for label in sitting.screen(VerdictScreen).callers]


@pytest.mark.parametrize(("ago_ms", "first"), [(80, 2), (90, 1)])
def test_a_claim_wins_a_call_only_up_to_a(ago_ms: int, first: int) -> None:
    """With its bound of 18 ms, the claim is 98 or 108 ms old."""
    sitting = touched(racing().close("1").wait(30 * MS), "2", ago_ms * MS, False).wait(S)
    assert callers(sitting) == [(first,)]


def test_an_old_press_makes_the_verdict_grey_and_shows_when_it_counted() -> None:
    sitting = racing().press("1", ns=30 * MS)
    touched(sitting, "2", 300 * MS, False).wait(S)
    screen = sitting.screen(VerdictScreen)
    assert (callers(sitting), screen.grey) == ([(1,)], True)
    assert [label.numbers for label in screen.doubted] == [(1,), (2,)]
    assert screen.gap_ns is not None
    assert screen.gap_ns > 0


def test_an_old_claim_from_before_go_neither_calls_nor_stops() -> None:
    sitting = racing()
    touched(sitting, "2", 1_050 * MS, False).wait(S)
    assert sitting.phase == "PLAYING"


def late_touch(sitting: Sitting) -> Sitting:
    """Let a touch from before the phone's own proof arrive."""
    sitting.engine.intake([RowsKnown(sitting.now_ns, "2", sitting.now_ns - 10 * MS)], sitting.now_ns)
    return touched(sitting, "2", 200 * MS, False)


def test_late_evidence_opens_a_contest_by_itself_once_a_hand() -> None:
    sitting = racing().press("1", ns=30 * MS)
    offers = []
    for _ in range(2):
        late_touch(sitting).wait(500 * MS)
        judged = judged_in(sitting.engine.state.phase)
        assert judged is not None
        assert judged.ruling.late
        offers.append(sitting.engine.state.menu is not None)
        sitting.engine.state = replace(sitting.engine.state, menu=None)
    assert offers == [True, False]


def test_a_verdict_notes_which_button_was_old_and_clears_the_others() -> None:
    sitting = racing()
    table = replace(sitting.engine.state.table, old_calls=(("1", 1), ("2", 1), ("3", 1)))
    sitting.engine.state = replace(sitting.engine.state, table=table)
    touched(sitting.press("1", ns=30 * MS), "2", 300 * MS, False).wait(S)
    assert sitting.engine.state.table.old_calls == (("2", 1), ("3", 1))
    table = replace(table, hands=(None,), old_calls=(("2", 1),))
    assert with_ages(table, judged_in(sitting.engine.state.phase).ruling).old_calls == (("2", 1), ("2", 2))  # type: ignore[union-attr]


@pytest.mark.parametrize(("hands", "named"), [(2, []), (3, ["2"])])
def test_a_button_that_was_old_in_three_hands_is_named_at_ready(hands: int, named: list[str]) -> None:
    sitting = linked(Sitting(Setup(stations=("1", "2", "3"), age_ns=AGE_NS)).seated("1", "2", "3"), "2").wait(BREATH_NS)
    table = replace(sitting.engine.state.table, old_calls=tuple(("2", hand) for hand in range(hands)))
    sitting.engine.state = replace(sitting.engine.state, table=table)
    notes = [note for note in sitting.screen(ReadyScreen).notes if note.key == "note.slow_link"]
    assert notes == [msg("note.slow_link", who=seat_label(table, station)) for station in named]


def test_a_table_of_an_older_release_believes_every_claim() -> None:
    sitting = racing(age_ns=None).press("1", ns=30 * MS)
    touched(sitting, "2", 300 * MS, False).wait(S)
    assert callers(sitting)[0] == (2,)
