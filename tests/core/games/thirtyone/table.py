"""A table that plays 31 in a test: turns, knocks and values through the Engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from referee.core.games.thirtyone.table import tally_at
from referee.core.model.table import Setup
from referee.core.model.view import TurnScreen
from referee.core.units import MS, S
from tests.core.sitting import Sitting

NAMES = tuple(zip("123456789", ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom", "Eva"), strict=True))
PAUSE_NS = 900 * MS


class Thirtyone(Sitting):
    """People who play 31."""

    @property
    def on_turn(self) -> str:
        return str(self.screen(TurnScreen).turn.numbers[0])

    def dealt(self) -> Self:
        """Tap for everybody from READY to the first turn."""
        self.wait(5 * S)
        for label in self.view.screen.waiting:  # type: ignore[attr-defined]
            self.press(str(label.numbers[0]))
        return self.rested()

    def rested(self) -> Self:
        """Wait until the next answer counts."""
        self.wait(PAUSE_NS)
        return self

    def done(self, times: int = 1) -> Self:
        for _ in range(times):
            self.press(self.on_turn)
            self.rested()
        return self

    def knocks(self) -> Self:
        return self.says(self.on_turn, 1)

    def declares(self, station: str) -> Self:
        """Declare a 31: the second question on turn, the first one off turn."""
        mine = isinstance(self.view.screen, TurnScreen) and self.on_turn == station
        knocked = isinstance(self.view.screen, TurnScreen) and self.view.screen.knocker is not None
        return self.says(station, 2 if mine and not knocked else 1)

    def says(self, station: str, holds: int) -> Self:
        """Hold so many times, then tap for yes."""
        for _ in range(holds):
            self.hold(station)
            self.rested()
        self.press(station)
        return self.rested()

    def values(self, values: Mapping[str, float]) -> Self:
        """Enter everybody's value, and wait until the standings close."""
        self.rested()
        for station, value in values.items():
            self.enters(station, value)
        self.wait(4 * S)
        return self

    def enters(self, station: str, value: float) -> Self:
        """Enter one value by taps and holds."""
        fields = len(self.engine.state.phase.counts[0].values)  # type: ignore[attr-defined]
        self.taps(station, int(value) // 10).hold(station).taps(station, int(value) % 10).hold(station)
        if fields > 2:
            self.taps(station, int(value != int(value))).hold(station)
        return self

    @property
    def left(self) -> dict[str, int]:
        """Return everybody's lives, or places before the street."""
        return dict(tally_at(self.engine.state.table).left)

    @property
    def points(self) -> dict[str, int]:
        """Return everybody's points, in a game of points."""
        return dict(tally_at(self.engine.state.table).points)

    @property
    def out(self) -> set[str]:
        return set(tally_at(self.engine.state.table).out)


def table(players: int = 3, preset: str = "31", **options: object) -> Thirtyone:
    """Return a table of people who have joined and begun."""
    stations = "123456789"[: max(players, 4)]
    setup = Setup(preset, tuple(options.items()), tuple(stations), NAMES)
    sitting = Thirtyone(setup)
    sitting.seated(*stations[:players])
    return sitting
