"""Record the response times of an emulated pod: `python -m tests.benchmarks.record_delays` writes pod_delays.json.

The whole firmware on an emulated Pico (tests/firmware/emulated) is asked for its clock at any moment, at rest and while
players press. Of each exchange three times are kept, in microseconds: from the question's leaving to its arrival by the
pod's stamp, from there to the stamp of the answer's leaving, and from there to its arrival at the host. A press at a
known instant gives the offset of the two clocks, so both ways are known separately, which no host can measure. The
delay of the host's scheduler is not in it: link.py adds that. It needs what `make pod-emulated` needs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from referee.core.pods.link import Link, News
from referee.core.pods.wire import Answer
from referee.core.units import MS, US
from tests.firmware.emulated import desk as desks
from tests.firmware.emulated.desk import Desk, installed
from tests.firmware.emulated.pico import image, missing

DELAYS = Path(__file__).with_name("pod_delays.json")
AT_REST, PRESSED = 700, 300
"""Number of exchanges of each kind."""


class Noting(Link):
    """The host's end; it asks again a few ms after each answer, and records the answers."""

    def __init__(self, dice: Random) -> None:
        super().__init__(0)
        self._dice = dice
        self.asked: list[tuple[int, int, int, int]] = []
        """Sent, came, left, received: the first and the last on the host's clock, the others on the pod's."""
        self.first_stamp_ns: int | None = None
        """The pod's clock at the first change of a contact."""

    def _take_answer(self, answer: Answer, now_ns: int) -> Iterator[News]:
        if self._token is not None and self._token[0] == answer.token:
            self.asked.append((self._token[1], self._ns(answer.came), self._ns(answer.left), now_ns))
        yield from super()._take_answer(answer, now_ns)
        self.due_ns = now_ns + self._dice.randrange(2 * MS, 12 * MS)

    def _change_row(self, item: Any, *rest: Any) -> Any:
        if self.first_stamp_ns is None:
            self.first_stamp_ns = self._ns(item.ticks)
        return super()._change_row(item, *rest)


def recorded(flash: Path) -> dict[str, list[tuple[int, int, int]]]:
    """Return the times of both kinds of exchanges, in µs."""
    dice = Random(1)
    with Desk(flash, ppm=0) as desk:  # otherwise the two clocks would drift apart
        desk.link = noting = Noting(dice)
        desk.meet()
        pressed_ns = desk.now_ns + 5 * MS
        desk.move(0, [(pressed_ns, True), (pressed_ns + 50 * MS, False)])
        desk.run(200 * MS)
        assert noting.first_stamp_ns is not None
        ahead_ns = pressed_ns - noting.first_stamp_ns
        found = {"at_rest": _exchanges(desk, noting, AT_REST, None), "pressed": _exchanges(desk, noting, PRESSED, dice)}
    return {kind: [_ways(asked, ahead_ns) for asked in exchanges] for kind, exchanges in found.items()}


def _exchanges(desk: Desk, noting: Noting, count: int, dice: Random | None) -> list[tuple[int, int, int, int]]:
    """Make exchanges; with dice, players press at times meanwhile and each contact bounces."""
    noting.asked.clear()
    while len(noting.asked) < count:
        if dice is not None:
            desk.volley(dice, edges=dice.randrange(1, 14), players=dice.randrange(1, 9))
        desk.run(400 * MS)
    return noting.asked[:count]


def _ways(asked: tuple[int, int, int, int], ahead_ns: int) -> tuple[int, int, int]:
    """Return out, stay and back of an exchange in µs, without the harness's simulated host delay."""
    sent_ns, came_ns, left_ns, received_ns = asked
    back_ns = received_ns - desks.WAKE_NS - left_ns - ahead_ns
    return tuple(max(round(ns / US), 0) for ns in (came_ns + ahead_ns - sent_ns, left_ns - came_ns, back_ns))  # type: ignore[return-value]


def main() -> None:
    found = image()
    if found is None or missing():
        sys.exit(missing())
    with TemporaryDirectory() as folder:
        delays = recorded(installed(found, Path(folder) / "flash.bin"))
    rows = ",\n".join(f'"{kind}": {json.dumps(ways, separators=(",", ":"))}' for kind, ways in delays.items())
    DELAYS.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
