"""The fixture's USB line: a volley out, its reply in. What the fixture is and says: firmware/fixture/README.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from referee.core.values import Value
from referee.drivers.pods.lines import found_lines

PROTOCOL = 1
PATIENCE_S = 1.0
"""How long the fixture may take to answer; a volley's own length comes on top."""


class FixtureError(RuntimeError):
    """The fixture is not there or does not do as told, in one sentence."""


class VolleyChange(Value):
    """One change of a contact, at_us after the volley's start. The fixture's times are whole microseconds."""

    at_us: int
    contact: str
    closed: bool


class Fixture:
    """A fixture that has said who it is."""

    def __init__(self, line: Any, where: str) -> None:
        """`line`: pyserial's `Serial`; `where`: the port's name. Raises FixtureError when something else answers."""
        self._line, self._where = line, where
        said = self._ask("hello").split()
        facts = dict(zip(said[2::2], said[3::2], strict=False))
        if said[:1] != ["fixture"] or not {"contacts", "step_ns"} <= facts.keys():
            raise FixtureError(
                f"{where} answers {' '.join(said)[:40]!r}, which no fixture says: copy firmware/fixture to the Pico"
            )
        if said[1] != str(PROTOCOL):
            raise FixtureError(
                f"the fixture on {where} speaks protocol {said[1]}, known is {PROTOCOL}: copy firmware/fixture anew"
            )
        self.contacts, self.step_ns = int(facts["contacts"]), int(facts["step_ns"])

    def play(self, moves: Iterable[VolleyChange]) -> None:
        """Close and open contacts, and return when it is over. Raises FixtureError."""
        volley = sorted(moves, key=lambda move: (move.at_us, move.contact))
        words = " ".join(f"{m.at_us}:{m.contact}{'+' if m.closed else '-'}" for m in volley)
        said = self._ask(f"play {words}", volley[-1].at_us / 1e6)
        if said != f"played {len(volley)}":
            raise FixtureError(f"the fixture on {self._where} was to play {len(volley)} moves and says {said[:80]!r}")

    def close(self) -> None:
        """Give the port back; nothing can be asked any more."""
        self._line.close()

    def _ask(self, line: str, longer_s: float = 0.0) -> str:
        try:
            self._line.reset_input_buffer()
            self._line.timeout = PATIENCE_S + longer_s
            self._line.write(f"{line}\n".encode())
            said: bytes = self._line.readline()
        except OSError as exc:  # pyserial's own error is one
            raise FixtureError(f"the line to the fixture on {self._where} is broken ({exc})") from exc
        if not said.endswith(b"\n"):
            raise FixtureError(f"nothing answers on {self._where}: is the fixture's LED on?")
        return said.decode(errors="replace").strip()


def fixture(port: str = "") -> Fixture:
    """The fixture on that port, or on the only Pico that is plugged in. Raises FixtureError."""
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
