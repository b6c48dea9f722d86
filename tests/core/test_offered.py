"""A hall says who plays next here: the screens show it, and seats offer the names. It starts nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.core.model.events import Adjusted, KnownName, Named, Offered
from referee.core.model.table import Setup
from referee.core.model.view import LobbyScreen, OverScreen
from referee.core.phases.seating import event_setup, names_for
from tests.core.evenings import NAMES, at_table, counted
from tests.core.sitting import Sitting
from tests.english import en


def offered(table: Sitting, *names: str, game: str = "", **options: int | str) -> Sitting:
    """Let the hall say who plays next, and what."""
    people = tuple(KnownName("", name) for name in names)
    table.engine.intake([Offered(table.now_ns, people, game, tuple(options.items()))], table.now_ns)
    table._collect()
    return table


def coming(table: Sitting) -> str:
    """Return the lobby's line about the next players."""
    line = table.screen(LobbyScreen).coming
    return en(line) if line is not None else ""


def test_lobby_shows_who_plays_next_until_they_sit() -> None:
    table = offered(at_table(), "Zoe", "Tom")
    assert (table.phase, coming(table)) == ("LOBBY", "Next: Zoe Tom")
    table.tap("1").turn(-2)
    assert coming(table) == "Next: Zoe Tom"
    table.tap("2").turn(-1)
    assert [event.name for event in table.decisions(Named)][-1] == "Tom"
    assert [seat.name for seat in table.engine.state.table.seats][:2] == ["Zoe", "Tom"]
    assert coming(table) == ""


def test_other_game_is_shown_until_it_is_set() -> None:
    table = offered(at_table("1", "2"), "Anna", "Ben", game="spoons")
    assert coming(table) == "Event: Spoons"
    assert not table.screen(LobbyScreen).starts
    assert coming(offered(table, "Anna", "Zoe", game="spoons")) == "Next: Anna Zoe"
    for game in ("nna", "unknown", ""):
        assert coming(offered(table, "Anna", "Ben", game=game)) == ""
    assert coming(offered(table, game="spoons")) == ""


def test_other_rules_are_shown_until_they_are_set() -> None:
    table = at_table("1", "2")
    shown: list[tuple[dict[str, int | str], str]] = [
        ({"target": 100}, ""),
        ({"start_words": "numbers"}, ""),
        ({"target": 50}, "Event: NNA Nertz to 50"),
        ({"bonus": 10}, "Event rules: NNA Nertz to 100"),
        ({"unknown": 1, "target": 50}, ""),
        ({"target": -3}, ""),
    ]
    for options, line in shown:
        assert coming(offered(table, "Anna", "Ben", game="nna", **options)) == line
    assert coming(offered(table, "Anna", "Ben", game="ratscrew", target=50)) == "Event: Egyptian Ratscrew to 50"


@given(st.permutations([("target", 0), ("settlement", "each-hand"), ("bonus", 10)]))
def test_a_person_sets_the_game_and_rules_of_the_event(options: list[tuple[str, int | str]]) -> None:
    table = offered(at_table("1", "2"), "Anna", "Ben", game="nna", **dict(options))
    assert table.decisions(Adjusted) == []
    table.push().choose("Event's game")
    assert dict(table.engine.state.table.setup.options) == dict(options)
    assert (coming(table), event_setup(table.engine.state)) == ("", None)


def test_an_offer_that_is_withdrawn_in_an_open_list_sets_nothing() -> None:
    table = offered(at_table("1", "2"), "Anna", "Ben", game="snap").push()
    before = table.engine.state.table
    offered(table).choose("Event's game")
    assert table.engine.state.table == before


def test_names_of_the_hall_come_first() -> None:
    table = offered(at_table("1"), "Zoe", "Anna")
    assert names_for(table.engine.state, "2") == ("Zoe", "Ben", "Max", "Lea")
    assert names_for(offered(table).engine.state, "2")[0] == "Ben"


def test_end_of_a_match_shows_other_players_only() -> None:
    setup = Setup(options=(("target", 20),), stations=("1", "2"), names=NAMES[:2])
    table = counted(Sitting(setup).playing("1", "2"), "1", 52, "2")
    assert table.phase == "OVER"
    names = [seat.name or "" for seat in table.engine.state.table.seats if seat.name]
    assert offered(table, *names).screen(OverScreen).notes == ()
    (note,) = offered(table, names[0], "Zoe").screen(OverScreen).notes
    assert en(note) == f"Next: {names[0]} Zoe"
    assert [en(note) for note in offered(table, "Zoe", game="pig").screen(OverScreen).notes] == [
        "Next: Zoe",
        "Event: Pig",
    ]
    assert offered(table).screen(OverScreen).notes == ()


def test_offer_survives_undo_and_power_cut() -> None:
    table = offered(at_table("1", "2").choose("Start"), "Anna", game="pig")
    table.choose("Undo: start")
    assert coming(table) == "Event: Pig"
    offered(table, "Zoe", game="pig")
    table.power_cut()
    assert [one.name for one in table.engine.state.offered] == ["Zoe"]
    assert table.engine.state.offered_game == "pig"
