"""Home by: when the table wants to be home, and how many hands fit until then."""

from __future__ import annotations

from referee.core.match.engine import Engine
from referee.core.model.events import HomeBySet, Linked
from referee.core.model.view import MenuScreen, ReadyScreen
from referee.core.units import S
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import all_en, en

TEN_PM_S = 22 * 3600
MINUTE = 60 * S


def told(table: Sitting, local_s: int) -> Sitting:
    """Tell the table the local time."""
    clock = Linked(table.now_ns, f"clock:{local_s - table.now_ns // S}", True)
    table.engine.intake([clock], table.now_ns)
    return table


def at_ten(hands: int = 0) -> Sitting:
    """Return a table at 22:00, at READY after some hands of about four minutes."""
    table = told(Sitting().seated("1", "2"), TEN_PM_S - 240 * hands)
    for _ in range(hands):
        table.wait(BREATH_NS).tap("1", "2").wait(4 * S).wait(100 * S)
        counted(table, "1", 20, "2")
        clock_s = table.engine.state.clock_s
        assert clock_s is not None
        table.wait(240 * S - (table.now_ns + clock_s * S) % (240 * S))
    return table


def home_at(table: Sitting, time: str) -> Sitting:
    """Choose the time at the knob."""
    table.choose("More").choose("Home by")
    while en(table.screen(MenuScreen).value) != time:
        table.turn(1)
    return table.push()


def notes(table: Sitting) -> tuple[str, ...]:
    screen = table.screen(ReadyScreen)
    return tuple(note for note in all_en(screen.notes) if ":" in note)


def test_home_by_is_not_offered_without_a_trusted_clock() -> None:
    table = Sitting().seated("1", "2").choose("More")
    assert not any(line.startswith("Home by") for line in all_en(table.screen(MenuScreen).items))


def test_the_knob_offers_quarter_hours() -> None:
    table = at_ten().choose("More").choose("Home by: no")
    values = [en(table.turn(1).screen(MenuScreen).value) for _ in range(17)]
    assert values[:4] == ["22:30", "22:45", "23:00", "23:15"]
    assert values[-1] == values[-2] == "2:15"
    table.push()
    assert table.decisions(HomeBySet)[0].by_s == TEN_PM_S + 17 * 900
    table.choose("More").choose("Home by: 2:15")
    assert en(table.screen(MenuScreen).value) == "2:15"
    table.turn(-99).push()
    assert table.decisions(HomeBySet)[1].by_s == 0
    assert Engine.derived(table.rows).state == table.engine.state


def test_before_the_pace_is_known_ready_only_shows_the_time() -> None:
    table = home_at(at_ten(1), "22:30")
    assert notes(table) == ("home by 22:30",)
    assert notes(table.choose("Undo: home by")) == ()


def test_ready_says_how_many_hands_fit_and_proposes_the_last_one() -> None:
    table = home_at(at_ten(3), "22:30")
    seen = []
    for _ in range(30):
        seen += [note for note in notes(table) if note not in seen]
        table.wait(MINUTE)
    assert seen == [*(f"by 22:30: {n} hands" for n in range(7, 1, -1)), "22:30: last hand?", "22:30: time to stop"]
    assert notes(table.wait(62 * MINUTE)) == ()  # it was another evening's


def test_after_a_power_cut_the_clock_must_be_trusted_again() -> None:
    table = home_at(at_ten(3), "22:30").power_cut(away_s=5)
    assert notes(table) == ()
    assert notes(told(table, TEN_PM_S + 20 * 60)) == ("by 22:30: 2 hands",)


def test_a_break_does_not_count_as_a_hand() -> None:
    table = at_ten(3)
    told(table, TEN_PM_S + 2 * 3600)
    table.wait(BREATH_NS).tap("1", "2").wait(4 * S).wait(100 * S)
    home_at(counted(table, "1", 20, "2").wait(6 * S), "0:30")
    assert notes(table)[0].startswith("by 0:30: 6 hands")
