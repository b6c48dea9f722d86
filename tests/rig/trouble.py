"""Faults around a table: an unplugged display, a daemon that dies, hangs or has a wrong configuration.

The hand survives all. Runs in the guest, next to the service, with two players. Writes /share/trouble.json with the
systemd state at the end.
"""

from __future__ import annotations

import json
from pathlib import Path

from referee.config import ConfigError, load
from referee.core.model.view import CountdownScreen, PowerBackScreen, VerdictScreen
from referee.screens.dialogs import draw_trouble
from tests.rig.match import run
from tests.rig.oled import HEIGHT, WIDTH
from tests.rig.people import ANNA, BEN, NERTZ, QUESTION_S, TIE_WINDOW_NS, lobby, playing
from tests.rig.service import UNIT, property_of, systemctl
from tests.rig.table import Table, UnexpectedError

SHARE = Path("/share")
CONFIG = Path("/etc/referee/referee.toml")
MISTAKE = ("target = 60", 'target = "sixty"')
STANDS_S = 8  # a unit that spins restarts every second or two
NOTHING = (0, 0)
LARGE_LINE = slice(12, 36)  # rows of the screen after a power cut; the time without power is above, the clock below
RESTART_S = 60  # the watchdog's 10 s, the pause before a restart, and the emulated start of Python
DISPLAY_BACK_S = 30  # a lost display is tried again after 8 s at most


def begin(table: Table) -> None:
    """Let two players join and play."""
    table.expect(lobby(0))
    table.tap(1, 2)
    table.expect(lobby(2))
    table.push()
    table.wait(1)
    table.push()
    table.wait(QUESTION_S)
    table.tap(1, 2)
    table.expect(*playing(1, NOTHING, 1))


def unplug_display(table: Table) -> None:
    """Disconnect the display for 3 s of play; then the whole picture must return."""
    table.unplug_display(3)
    table.expect(*playing(1, NOTHING, 4, 40), within_s=DISPLAY_BACK_S)


def back_at_the_table(table: Table) -> None:
    """Check that the same hand is there with stopped clocks.

    All tap, and it goes on after three beats.
    """
    table.expect(PowerBackScreen(1, 1, 0, "", (ANNA, BEN)), rows=LARGE_LINE, within_s=RESTART_S)
    table.keep_together()
    table.wait(QUESTION_S)
    table.tap(1, 2)
    table.expect(*(CountdownScreen(word, resuming=True) for word in (3, 2, 1)))
    table.expect(*playing(1, NOTHING, 2, 60))


def die(table: Table) -> None:
    """Kill the daemon with kill -9, as a power cut would."""
    systemctl("kill", "--signal=KILL", "--kill-whom=main", UNIT)
    back_at_the_table(table)


def hang(table: Table) -> None:
    """Stop the daemon's process: it feeds no watchdog and is replaced."""
    systemctl("kill", "--signal=STOP", "--kill-whom=main", UNIT)
    back_at_the_table(table)


def mistake(table: Table) -> None:
    """Write an invalid configuration and restart: the device shows the error and does not spin.

    After the file is corrected, the table returns.
    """
    well = CONFIG.read_text()
    CONFIG.write_text(well.replace(*MISTAKE))
    systemctl("kill", "--signal=KILL", "--kill-whom=main", UNIT)
    table.expect_image(draw_trouble(sentence(), 0, (WIDTH, HEIGHT), "en"), within_s=RESTART_S)
    before = property_of("NRestarts")
    table.wait(STANDS_S)
    left = {name: property_of(name) for name in ("NRestarts", "ActiveState", "StatusText")}
    wanted = {"NRestarts": before, "ActiveState": "active", "StatusText": f"cannot start: {sentence()}"}
    if left != wanted:
        raise UnexpectedError(f"with a wrong configuration systemd says {left}, not {wanted}")
    CONFIG.write_text(well)
    back_at_the_table(table)


def sentence() -> str:
    """Return the error message for the configuration."""
    try:
        load(CONFIG)
    except ConfigError as error:
        return str(error)
    raise UnexpectedError("nothing is wrong with the configuration")


def call(table: Table) -> None:
    """Let Ben call alone, after all the faults."""
    table.tap(2)
    table.expect(
        VerdictScreen("clear", False, (BEN,), None, None, TIE_WINDOW_NS, **NERTZ),
        rows=LARGE_LINE,
    )
    table.expect_lit(2)


def play(table: Table) -> None:
    """Play all of it, and write the systemd state."""
    table.keep_together()
    begin(table)
    unplug_display(table)
    die(table)
    hang(table)
    mistake(table)
    call(table)
    properties = {name: property_of(name) for name in ("NRestarts", "ActiveState")}
    (SHARE / "trouble.json").write_text(json.dumps(properties))


if __name__ == "__main__":
    run(Table(), SHARE, play)
