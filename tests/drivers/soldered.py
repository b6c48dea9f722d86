"""Mock pins of which an output can be connected to an input."""

from __future__ import annotations

from typing import Any

from gpiozero.pins.mock import MockPin

from gpiozero_gpiod.mock import GpiodMockFactory


class SolderedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin whose output level the connected input follows."""

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self.factory.carry(self._number, int(value))


class SolderedFactory(GpiodMockFactory):
    """Mock pins with wires between them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.pin_class = SolderedPin
        self._wires: dict[int, int] = {}

    def solder(self, out: int, back: int) -> None:
        """Connect an output to an input. The input then follows it, with the clock's timestamps."""
        self._wires[out] = back

    def carry(self, gpio: int, level: int) -> None:
        """Pass an output's new level to the input connected to it."""
        back = self._wires.get(gpio)
        if back is not None and int(self.pin(back).state) != level:
            self.drive(back, level)
