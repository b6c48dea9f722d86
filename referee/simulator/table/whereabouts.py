"""Moves bots along when a match gives people other buttons, by their names."""

from __future__ import annotations

from referee.core.model.table import Table


class Whereabouts:
    """Remembers which person has which button, to find out who has moved."""

    def __init__(self) -> None:
        self._named: dict[str, str] = {}

    def moves(self, table: Table) -> dict[str, str]:
        """Return old -> new station of each person who has moved to another button.

        Moves are counted since the method was last used. {} in a lobby.
        """
        playing = any(team.stations for team in table.teams)
        named = {seat.name: seat.station for seat in table.seats if seat.name is not None} if playing else {}
        before, self._named = self._named, named
        return {before[name]: station for name, station in named.items() if before.get(name, station) != station}
