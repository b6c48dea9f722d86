"""Head start: a player who begins later than the others, with a Go of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.match.engine import Engine
from referee.core.model.events import HeadStartSet, Linked, Ruled
from referee.core.model.table import Setup
from referee.core.model.view import MenuScreen, PlayingScreen, ReadyScreen
from referee.core.presses.arbiter import Verdict
from referee.core.presses.signals import KNOB, Edge
from referee.core.units import MS, S
from tests.core.evenings import counted, only
from tests.core.sitting import BREATH_NS, ERR_NS, Sitting
from tests.english import all_en, en

NAMES = (("1", "Anna"), ("2", "Ben"), ("3", "Lea"), ("4", "Max"))


def at_ready(seconds: int = 10, preset: str = "nna", *, remote: tuple[str, ...] = (), latency_ns: int = 0) -> Sitting:
    """Return Anna, Ben and Lea at READY. Lea starts later."""
    setup = Setup(preset, stations=("1", "2", "3", "4"), names=NAMES, remote=remote, latency_ns=latency_ns)
    table = Sitting(setup)
    table.engine.intake([Linked(table.now_ns, "pod:ab12", True, remote)], table.now_ns)
    table.seated("1", "2", "3")
    steps = seconds // 5
    return table.choose("Players").choose("Start later").choose("3 Lea").turn(steps).push() if steps else table


def at_go(table: Sitting) -> Sitting:
    """Continue from READY to the table's Go."""
    table.wait(BREATH_NS).tap("1", "2", "3").wait(100 * MS)
    assert table.view.go_ns is not None
    return table.until(table.view.go_ns)


def playing(seconds: int = 10, at_ns: int = 0) -> Sitting:
    """Return the table so long after its Go."""
    return at_go(at_ready(seconds)).wait(at_ns)


def notes(table: Sitting) -> tuple[str, ...]:
    """Return READY's notes on head starts."""
    return tuple(note for note in all_en(table.screen(ReadyScreen).notes) if "starts" in note)


def verdict(table: Sitting) -> Verdict:
    found: Verdict = table.decisions(Ruled)[-1].verdict
    return found


def lit(table: Sitting) -> list[bool]:
    return [lamp.lit for lamp in table.view.lamps[:3]]


# -- the setting ---------------------------------------------------------------------------------------------------


def test_a_head_start_is_set_at_the_knob_and_shown_at_ready() -> None:
    table = at_ready(0).choose("Players").choose("Start later")
    assert all_en(table.screen(MenuScreen).items) == ("1 Anna: +0 s", "2 Ben: +0 s", "3 Lea: +0 s", "Back")
    table.choose("3 Lea")
    assert en(table.turn(9).screen(MenuScreen).value) == "+30 s"
    table.turn(-4).push()
    assert table.decisions(HeadStartSet)[0].seconds == 10
    assert notes(table) == ("3Le starts +10 s",)
    assert Engine.derived(table.rows).state == table.engine.state
    assert notes(table.choose("Undo: later start")) == ()


def test_a_head_start_is_kept_with_the_name() -> None:
    table = at_ready().choose("Players").choose("Name").choose("3: Lea").turn(1).push()  # Max has none
    assert notes(table) == ()
    table.choose("Players").choose("Name").choose("2: Ben").turn(1).push()  # Lea sits at 2 now
    assert notes(table) == ("2Le starts +10 s",)


def test_the_name_keeps_its_head_start_for_another_evening() -> None:
    table = at_ready().choose("Players").choose("Other button").choose("3").choose("Button 4")
    assert notes(table) == ("4Le starts +10 s",)
    known = table.engine.state.known
    assert [(one.name, one.head_start_s) for one in known] == [("Anna", 0), ("Ben", 0), ("Lea", 10)]
    assert table.reopened().engine.state.known == known


def test_a_game_without_beats_has_no_head_start() -> None:
    table = at_ready(0, "31").choose("Players")
    assert not any(en(line).startswith("Start later") for line in table.screen(MenuScreen).items)


# -- the own Go ----------------------------------------------------------------------------------------------------


def test_the_own_lamp_and_tone_give_the_own_go() -> None:
    table = playing()
    assert lit(table) == [True, True, False]
    assert lit(table.wait(S)) == [False, False, False]
    table.heard()
    assert lit(table.wait(7 * S)) == [False, False, True]  # two flashes before
    assert table.heard() == []
    table.wait(2 * S)
    assert (lit(table), table.heard()) == ([False, False, True], ["own_go"])
    assert lit(table.wait(S)) == [False, False, False]
    assert table.wait(60 * S).heard() == []


def test_the_display_counts_down_to_the_own_go() -> None:
    table = playing(at_ns=S)
    seen = []
    for _ in range(12):
        screen = table.screen(PlayingScreen)
        seen.append((tuple(label.name for label in screen.later), screen.later_s))
        table.wait(S)
    assert seen == [*((("Lea",), s) for s in range(9, 0, -1)), (("Lea",), 0), (("Lea",), 0), ((), 0)]


@pytest.mark.parametrize(("early_ns", "called"), [(1, False), (0, True)])
def test_a_press_is_a_call_from_the_own_go_on(early_ns: int, called: bool) -> None:
    table = playing(at_ns=10 * S - early_ns).press("3", ns=30 * MS)
    assert table.phase == ("CALLED" if called else "PLAYING") or (called and table.phase == "VERDICT")
    assert bool(table.decisions(Ruled)) is False or called
    toast = table.view.toast
    assert called or (toast is not None and en(toast) == "3 LEA: NOT YET")
    assert Engine.derived(table.rows).state == table.engine.state


@pytest.mark.parametrize(("early_ns", "phase"), [(1, "PLAYING"), (0, "VERDICT")])
def test_the_stamp_decides_and_not_the_arrival(early_ns: int, phase: str) -> None:
    """A pod's press, stamped before the own Go and delivered after it, is no call."""
    table = at_go(at_ready(remote=("3",), latency_ns=40 * MS)).wait(10 * S + 30 * MS)
    pressed_ns = table.now_ns - 30 * MS - early_ns
    table.engine.intake([Edge("3", True, pressed_ns, ERR_NS, table.now_ns)], table.now_ns)
    assert table.wait(500 * MS).phase == phase


def test_others_call_while_a_player_waits() -> None:
    table = playing(at_ns=4 * S).press("1")
    assert verdict(table.wait(S)).callers == ("1",)


def test_a_press_before_the_own_go_is_not_listed_in_a_call() -> None:
    table = playing(at_ns=9 * S)
    table.edges(("1", True, 0), ("3", True, 5 * MS), ("1", False, 90 * MS), ("3", False, 90 * MS)).wait(S)
    assert [press.station for press in verdict(table).presses] == ["1"]
    assert verdict(table).ignored == ()


def test_a_player_who_waits_can_stop_the_start() -> None:
    table = at_ready().wait(BREATH_NS).tap("1", "2", "3").wait(1500 * MS)
    assert table.press("3").phase == "STOPPED"


def test_a_time_out_stops_the_clock_of_a_head_start() -> None:
    table = playing(at_ns=4 * S).press(KNOB, ns=400 * MS).wait(20 * S).choose("Go on")
    table.until(table.engine.state.phase.go_at_ns)  # type: ignore[attr-defined]
    assert lit(table) == [True, True, False]
    assert table.wait(5500 * MS).press("3").phase == "PLAYING"
    assert "own_go" not in table.heard()
    assert table.wait(500 * MS).press("3").wait(S).phase == "VERDICT"
    assert "own_go" in table.heard()


def test_a_power_cut_stops_the_clock_of_a_head_start() -> None:
    table = playing(at_ns=4 * S).power_cut().wait(BREATH_NS).tap("1", "2", "3")
    table.until(table.engine.state.phase.go_at_ns)  # type: ignore[attr-defined]
    table.wait(5 * S).press("3").wait(S)
    assert (table.phase, "own_go" in table.heard()) == ("PLAYING", False)
    assert table.wait(15 * S).press("3").wait(S).phase == "VERDICT"
    assert table.heard().count("own_go") == 1


def test_a_time_out_after_the_own_go_asks_for_no_other() -> None:
    table = playing(at_ns=12 * S).press(KNOB, ns=400 * MS).wait(S).choose("Go on").wait(4 * S)
    assert table.press("3").wait(S).phase == "VERDICT"
    assert table.heard().count("own_go") == 1


# -- the record ----------------------------------------------------------------------------------------------------


def test_the_record_says_who_started_later_in_each_hand() -> None:
    table = counted(playing(at_ns=20 * S), "3", 20, "1", "2")
    table.choose("Players").choose("Start later").choose("3 Lea").turn(-9).push()
    table.choose("Players").choose("Other button").choose("3").choose("Button 4")
    table.wait(BREATH_NS).tap("1", "2", "4").wait(4 * S)
    counted(table, "1", 20, "2", "4")
    assert [hand.head_starts for hand in only(table).hands] == [((4, 10),), ()]


# -- against a model -----------------------------------------------------------------------------------------------

PRESS_NS = 60 * MS
SECONDS = st.sampled_from([0, 5, 10])
TIMES_MS = st.lists(
    st.one_of(st.integers(200, 12_000), *(st.integers(s * 1000 - 40, s * 1000 + 40) for s in (5, 10))), max_size=3
)


def pressed(own: dict[str, int], times_ms: dict[str, list[int]]) -> Sitting:
    """Return the table after these presses, in ms after the table's Go."""
    table = Sitting(Setup(stations=("1", "2", "3", "4"), names=NAMES)).seated("1", "2", "3")
    for station, seconds in own.items():
        if seconds:
            table.choose("Players").choose("Start later").choose(station).turn(seconds // 5).push()
    go_ns = at_go(table).now_ns
    rows = sorted(
        (go_ns + ms * MS + after_ns, station, after_ns == 0)
        for station, times in times_ms.items()
        for ms in times
        for after_ns in (0, PRESS_NS)
    )
    for t_ns, station, closed in rows:
        table.until(t_ns).edges((station, closed, 0))
    return table.wait(3 * S)


@given(st.fixed_dictionaries(dict.fromkeys("123", SECONDS)), st.fixed_dictionaries(dict.fromkeys("123", TIMES_MS)))
def test_early_presses_count_as_if_they_had_not_been_made(own: dict[str, int], times_ms: dict[str, list[int]]) -> None:
    """Compare with the same table without the presses before an own Go, and without head starts."""
    spaced = {
        station: [ms for n, ms in enumerate(sorted(times)) if n == 0 or ms - sorted(times)[n - 1] > 150]
        for station, times in times_ms.items()
    }
    table = pressed(own, spaced)
    valid = {station: [ms for ms in times if ms >= 1000 * own[station]] for station, times in spaced.items()}
    model = pressed(dict.fromkeys("123", 0), valid)
    shift_ns = 0 if not any(own.values()) else _go(table) - _go(model)
    assert [_plain(ruled.verdict, shift_ns) for ruled in table.decisions(Ruled)] == [
        _plain(ruled.verdict, 0) for ruled in model.decisions(Ruled)
    ]
    assert Engine.derived(table.rows).state == table.engine.state


def _go(table: Sitting) -> int:
    return next(cue.at_ns for cue in table.cues if cue.name == "go")


def _plain(verdict: Verdict, shift_ns: int) -> tuple[object, ...]:
    presses = [[(p.station, p.t_ns - shift_ns) for p in part] for part in (verdict.presses, verdict.ignored)]
    return verdict.kind, verdict.grey, verdict.callers, presses
