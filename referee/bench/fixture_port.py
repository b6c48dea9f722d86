"""The USB connection to the test fixture, a Pico that closes contacts (firmware/fixture)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.core.values import Value
from referee.drivers.pods.lines import found_lines

PROTOCOL = 1
PATIENCE_S = 1.0
"""How long the fixture may take to answer, in s, in addition to the length of a volley."""


class FixtureError(RuntimeError):
    """The fixture is missing or does not work."""


class VolleyChange(Value):
    """A contact opens or closes `at_us` after the start of a volley (a series of changes)."""

    at_us: int
    contact: str
    closed: bool


class Fixture:
    """A connected test fixture: a Pico that closes contacts in place of people."""

    def __init__(self, line: Any, where: str) -> None:
        """`line`: pyserial's `Serial`; `where`: the port's name. Raises FixtureError."""
        self._line, self._where = line, where
        said = self._ask("hello").split()
        facts = dict(zip(said[2::2], said[3::2], strict=False))
        if said[:1] != ["fixture"] or not {"contacts", "step_ns"} <= facts.keys():
            raise FixtureError(
                f"{where} answers {' '.join(said)[:40]!r}, which no fixture does: copy firmware/fixture to the Pico"
            )
        if said[1] != str(PROTOCOL):
            raise FixtureError(
                f"the fixture on {where} speaks protocol {said[1]}, needed is {PROTOCOL}: copy firmware/fixture again"
            )
        self.contacts, self.step_ns = int(facts["contacts"]), int(facts["step_ns"])

    def play(self, moves: Iterable[VolleyChange]) -> None:
        """Open and close the contacts, and return after the last change. Raises FixtureError."""
        volley = sorted(moves, key=lambda move: (move.at_us, move.contact))
        words = " ".join(f"{m.at_us}:{m.contact}{'+' if m.closed else '-'}" for m in volley)
        said = self._ask(f"play {words}", volley[-1].at_us / 1e6)
        if said != f"played {len(volley)}":
            raise FixtureError(f"the fixture on {self._where} was to play {len(volley)} moves and says {said[:80]!r}")

    def close(self) -> None:
        """Close the port."""
        self._line.close()

    def _ask(self, line: str, longer_s: float = 0.0) -> str:
        try:
            self._line.reset_input_buffer()
            self._line.timeout = PATIENCE_S + longer_s
            self._line.write(f"{line}\n".encode())
            said: bytes = self._line.readline()
        except OSError as exc:  # pyserial's errors are subclasses of OSError
            raise FixtureError(f"the line to the fixture on {self._where} is broken ({exc})") from exc
        if not said.endswith(b"\n"):
            raise FixtureError(f"nothing answers on {self._where}: is the fixture's LED on?")
        return said.decode(errors="replace").strip()


def fixture(port: str = "") -> Fixture:
    """Open the fixture on this port, or on the only connected Pico. Raises FixtureError."""
    import serial

    where = port or _only_pico()
    try:
        line: Any = serial.Serial(where, timeout=PATIENCE_S)
    except (OSError, ValueError) as exc:
        raise FixtureError(f"{where} cannot be opened ({exc})") from exc
    try:
        return Fixture(line, where)
    except FixtureError:
        line.close()
        raise


def _only_pico() -> str:
    picos = found_lines()
    if len(picos) == 1:
        return picos[0]
    found = f"{len(picos)} are ({', '.join(picos)}): name one" if picos else "none is: plug it in, or name its port"
    raise FixtureError(f"one Pico must be plugged in, {found} with --fixture PORT")
