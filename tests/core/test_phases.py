"""Each phase's module alone defines its behaviour."""

from __future__ import annotations

from typing import ClassVar

import pytest

from referee.core.match.advance import advance
from referee.core.match.transition_table import rows
from referee.core.match.viewer import view
from referee.core.model.events import Tick
from referee.core.model.registry import all_games
from referee.core.model.state import Count, Listed, Phase
from referee.core.model.table import Setup
from referee.core.phases.agreement import Agreement
from referee.core.phases.call import Called
from referee.core.phases.counting import Counting
from referee.core.phases.lobby import new_state
from referee.core.phases.over import Over
from referee.core.phases.ready import Ready
from referee.core.phases.start import Stopped
from referee.core.phases.verdict import Judged
from referee.core.presses.signals import Edge
from referee.core.units import MS
from referee.core.values import replace
from tests.core.sitting import Sitting

EVERY = sorted({phase for game in all_games() for phase, _ in rows(game)}, key=lambda phase: phase.name)


@pytest.mark.parametrize("phase", EVERY, ids=lambda phase: phase.name)
def test_a_phase_shows_something(phase: type[Phase]) -> None:
    assert (phase.screen is not Phase.screen) is not issubclass(phase, Listed)
    assert not issubclass(phase, Listed) or phase.list_title


def test_a_count_that_is_entered_binds_nobody_and_everything_else_does() -> None:
    """Only the cells of a count may be shown before they are durable."""
    empty = Counting(0, counts=(Count("1", (0, 0), (False, False)),))
    typed = replace(empty, counts=(Count("1", (3, 0), (True, False)),), last_tap_at_ns=5)
    assert empty.without_entries() == typed.without_entries() != typed
    assert replace(typed, seals_at_ns=9).without_entries() != typed.without_entries()
    for phase in EVERY:
        assert phase.without_entries is Phase.without_entries or phase is Counting
    over = Over(0, ready=frozenset("1"))
    assert over.without_entries() is over


class Asking(Phase):
    """A question over the lobby, before there are teams."""

    name: ClassVar[str] = "ASKING"
    guarded: ClassVar[bool] = True


@pytest.mark.parametrize(("station", "blinks"), [("1", True), ("2", False)])
def test_a_tap_too_early_is_seen_before_there_are_teams(station: str, blinks: bool) -> None:
    lobby = Sitting().tap("1").engine.state
    assert not lobby.table.teams
    asked = replace(lobby, phase=Asking(lobby.now_ns), winks=())
    down = advance(asked, Edge(station, True, asked.now_ns + 1)).state
    pressed = advance(down, Tick(down.now_ns + 20 * MS)).state
    assert [hold.press.station for hold in pressed.holds] == [station]
    assert (pressed.blinked_at_ns is not None) is blinks


TWO = frozenset({"2", "3"})
PENS = Counting(5, counts=(Count("a", (3,), (True,), 1, "2", "too many"), Count("b", (4,), (True,), 1, "3")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Ready(5, ready=TWO), Ready(5, ready=frozenset("3"))),
        (Over(5, winners=("2",), ready=TWO), Over(5, winners=("2",), ready=frozenset("3"))),
        (Agreement(5, ready=TWO), Agreement(5, ready=frozenset("3"))),
        (Stopped(5, stoppers=("2", "3")), Stopped(5, stoppers=("4", "3"))),
        (PENS, replace(PENS, counts=(replace(PENS.counts[0], pen=None), PENS.counts[1]))),
        (Called(5), Called(5)),
    ],
    ids=lambda phase: phase.name,
)
def test_who_takes_another_button_taps_again_there(before: Phase, after: Phase) -> None:
    assert before.after_move("2", "4") == after


def test_a_muted_stopper_is_not_waited_for() -> None:
    stopped = Stopped(5, stoppers=("2", "3"))
    assert stopped.after_mute("2") == Stopped(5, stoppers=("3",))
    assert stopped.after_mute("2").after_mute("3") == Stopped(5)
    assert PENS.after_mute("2") is PENS


@pytest.mark.parametrize(
    ("before", "cut", "undone"),
    [
        (Ready(5, ready=TWO), Ready(5), Ready(5, ready=TWO)),
        (Ready(5, newcomer="4"), Ready(5, newcomer="4"), Ready(5)),
        (Over(5, winners=("2",), ready=TWO), *[Over(5, winners=("2",))] * 2),
        (Agreement(5, ready=TWO, page=1), *[Agreement(5, page=1)] * 2),
        (Judged(5, asks=True, answers=(("a", True),)), *[Judged(5, asks=True)] * 2),
        (
            replace(PENS, seals_at_ns=9),
            replace(PENS, seals_at_ns=9),
            Counting(5, counts=(Count("a", (3,), (True,), 0), Count("b", (4,), (True,), 0))),
        ),
    ],
    ids=lambda phase: phase.name,
)
def test_what_was_only_tapped_is_asked_again_after_a_cut_and_after_an_undo(
    before: Phase, cut: Phase, undone: Phase
) -> None:
    """Otherwise a restored question would decide itself again at once."""
    assert before.after_cut() == cut
    assert before.after_undo() == undone


def test_what_has_neither_a_picture_nor_a_list_cannot_be_shown() -> None:
    with pytest.raises(LookupError, match="there is neither a screen nor a list for"):
        view(replace(new_state(Setup(), 0, "boot"), phase=Phase(0)), 0)
