"""A schematic's queries for the electrical rules: parts on a net, other ends, pins by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.make.catalogue import Catalogue
from hardware.make.netlist import Netlist, Terminal
from hardware.make.skew import farads, ohms
from referee.drivers.pins.pinmap import Profile

LAMP_RAIL = "+5V_LAMP"
Complaints = Iterator[str]


@dataclass(frozen=True)
class Sheet:
    """A schematic, the catalogue and its pin profile.

    `header`: the reference of the processor's board.
    """

    nets: Netlist
    parts: Catalogue
    profile: Profile
    header: str

    def symbol(self, ref: str) -> str:
        """The symbol of that part."""
        return self.nets.components[ref].symbol

    def of(self, *symbols: str) -> list[str]:
        """The parts with one of these symbols, sorted by reference."""
        return sorted(ref for ref, part in self.nets.components.items() if part.symbol in symbols)

    def on(self, net: str, *symbols: str) -> list[Terminal]:
        """The pins on a net that belong to parts with one of these symbols."""
        return sorted(t for t in self.nets.nets.get(net, ()) if self.symbol(t[0]) in symbols)

    def net_named(self, ref: str, name: str) -> str:
        """The net at the pin of that name; "" if there is no such pin."""
        return next(
            (self.nets.net(r, n) for (r, n), known in self.nets.pin_names.items() if (r, known) == (ref, name)), ""
        )

    def across(self, terminal: Terminal) -> str:
        """The net at the other end of a part with two pins."""
        return self.nets.net(terminal[0], {"1": "2", "2": "1"}[terminal[1]])

    def ohm(self, ref: str) -> float:
        """A resistor's value. Raises ValueError if it is invalid."""
        return ohms(self.nets.components[ref].value)

    def farad(self, ref: str) -> float:
        """A capacitor's value. Raises ValueError if it is invalid."""
        return farads(self.nets.components[ref].value)

    def gpio_net(self, net: str) -> int | None:
        """The processor's pin that carries a net."""
        return next((pin.gpio for pin in (*self.profile.pins, *self.profile.sync) if pin.net == net), None)
