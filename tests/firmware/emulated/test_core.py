"""The fast processor (core.mjs) and rp2040js's own: the same program, pins and bytes, equally exact."""

from __future__ import annotations

from pathlib import Path

from referee.core.pods import wire as podwire
from referee.core.units import MS
from tests.firmware.emulated.pico import CONTACT, Pico, needs_pico

pytestmark = needs_pico


def played(flash: Path, **options: object) -> list[object]:
    """Play the start of MicroPython and firmware, a question, a bouncing press.

    Return everything observed.
    """
    told: list[object] = []
    with Pico(flash, **options) as pico:
        moves = [[1100 * MS + n * 37_000, CONTACT + n % 8, n // 8 % 2] for n in range(160)]
        told.append(pico.run(1020 * MS, pins=moves, send=""))
        told.append(pico.run(20 * MS, send=(podwire.ask() + podwire.sync(7) + podwire.lamps(5)).hex()))
        told.append(pico.run(100 * MS, memory=True))
        told.append({name: pico.state[name] for name in ("now", "memory", "lamps", "missed", "restarts")})
    return told


def test_the_quick_processor_does_what_rp2040js_does(flash: Path) -> None:
    """To the byte of its memory and to the nanosecond of each packet, after a hundred million instructions."""
    quick, plain = played(flash), played(flash, plain=1)
    assert quick == plain
    assert any(quick[:3])
