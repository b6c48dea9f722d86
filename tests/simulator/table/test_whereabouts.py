"""Players who are given another button in a match keep their name."""

from __future__ import annotations

from referee.core.model.table import Seat, Setup, Table, Team
from referee.simulator.table.whereabouts import Whereabouts


def table(*teams: str, **seats: str) -> Table:
    """Return names by station; `teams` of one station each, none in a lobby."""
    sitting = tuple(Seat(station, name) for name, station in seats.items())
    return Table(Setup(), sitting, tuple(Team(station, (station,)) for station in teams))


def test_people_follow_their_names_in_a_match() -> None:
    """One moves to an empty button, two exchange places; new or renamed players do not move."""
    whereabouts = Whereabouts()
    assert whereabouts.moves(table("1", "2", Anna="1", Ben="2")) == {}
    assert whereabouts.moves(table("3", "2", Anna="3", Ben="2")) == {"1": "3"}
    assert whereabouts.moves(table("3", "2", Anna="2", Ben="3")) == {"3": "2", "2": "3"}
    assert whereabouts.moves(table("3", "2", "5", Anna="2", Bea="3", Max="5")) == {}


def test_in_a_lobby_nobody_follows() -> None:
    """A name given to another seat there belongs to another person."""
    whereabouts = Whereabouts()
    assert whereabouts.moves(table("1", Anna="1")) == {}
    assert whereabouts.moves(table(Anna="4")) == {}
    assert whereabouts.moves(table("4", Anna="4")) == {}
