"""The two phases of 31: their screens, lamps and deadlines."""

from __future__ import annotations

from referee.core.games.thirtyone.phases import Turn
from referee.core.model.view import TurnScreen
from referee.core.units import S
from tests.core.games.thirtyone.table import Thirtyone, table

ASKED_NS = 15 * S
"""How long a question stays open, and how long others may show a 31."""


def turn_of(sitting: Thirtyone) -> Turn:
    """Return the phase in which a player is on turn."""
    phase = sitting.engine.state.phase
    assert isinstance(phase, Turn)
    return phase


# -- on turn -------------------------------------------------------------------------------------------------------


def test_a_question_and_a_look_go_away_by_themselves_and_the_earlier_one_first() -> None:
    sitting = table(4).dealt()
    assert turn_of(sitting).due_ns(()) is None
    sitting.hold("3")
    (asked_ns,) = turn_of(sitting).asks_at_ns
    sitting.wait(S).turn(1)
    looked_ns = sitting.now_ns
    assert turn_of(sitting).due_ns(()) == asked_ns + ASKED_NS
    sitting.until(asked_ns + ASKED_NS - 1)
    assert len(sitting.screen(TurnScreen).questions) == 1
    sitting.until(asked_ns + ASKED_NS)
    assert sitting.screen(TurnScreen).questions == ()
    assert sitting.screen(TurnScreen).look is not None
    assert turn_of(sitting).due_ns(()) == looked_ns + 20 * S
    assert sitting.until(looked_ns + 20 * S - 1).screen(TurnScreen).look is not None
    assert sitting.until(looked_ns + 20 * S).screen(TurnScreen).look is None


def test_a_question_takes_no_look_along_and_a_look_no_question() -> None:
    sitting = table(4).dealt().turn(1).wait(10 * S).hold("3").wait(10 * S)
    assert (sitting.screen(TurnScreen).look, len(sitting.screen(TurnScreen).questions)) == (None, 1)
    sitting = table(4).dealt().hold("3").hold("1").wait(S)
    asks = turn_of(sitting).asks_at_ns
    sitting.until(asks[0] + ASKED_NS)
    assert turn_of(sitting).asks == (("1", "31"),)
    assert turn_of(sitting).asks_at_ns == asks[1:]


def test_the_hand_s_clock_stands_in_a_pause_and_goes_on_behind_it() -> None:
    sitting = table(3).dealt()
    begun_ns = turn_of(sitting).go_at_ns
    assert [turn_of(sitting).clock_ns(begun_ns + ns) for ns in (-5 * S, 0, 7 * S)] == [0, 0, 7 * S]
    paused = turn_of(sitting.hold("3").wait(S).turn(1)).play_at_pause(begun_ns + 30 * S)
    assert (paused.played_ns, paused.clock_ns(begun_ns + 30 * S)) == (30 * S, 30 * S)
    assert (paused.asks, paused.asks_at_ns, paused.look, paused.due_ns(())) == ((), (), None, None)
    resumed = paused.running(sitting.engine.state.table, begun_ns + 90 * S, begun_ns + 91 * S)
    assert (resumed.clock_ns(begun_ns + 100 * S), resumed.asked_at_ns) == (40 * S, begun_ns + 91 * S)
