"""What goes wrong around a table: the display's plug, a daemon that dies, hangs, finds its configuration wrong.

The hand survives all.

Runs in the guest, beside the service, with two players. Leaves /share/trouble.json: what systemd says at the end.
"""

from __future__ import annotations

import json
from pathlib import Path

from referee.config import ConfigError, load
from referee.core.model.view import CountdownScreen, PowerBackScreen, VerdictScreen
from referee.screens.trouble import draw_trouble
from tests.rig.match import run
from tests.rig.oled import HEIGHT, WIDTH
from tests.rig.people import ANNA, BEN, NERTZ, QUESTION_S, TIE_WINDOW_NS, lobby, playing
from tests.rig.service import UNIT, property_of, systemctl
from tests.rig.table import Table, UnexpectedError

SHARE = Path("/share")
CONFIG = Path("/etc/referee/referee.toml")
MISTAKE = ("target = 60", 'target = "sixty"')
STANDS_S = 8  # a unit that spins is started anew every second or two
NOTHING = (0, 0)
LARGE_LINE = slice(12, 36)  # of the screen after a power cut: how long it was off stands above, the clock below
RESTART_S = 60  # the watchdog's 10 s, the pause before a restart, and the emulated start of Python
DISPLAY_BACK_S = 30  # a lost display is tried again after 8 s at most


def begin(table: Table) -> None:
    """Two sit down and play."""
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
    """Nothing answers on the bus for 3 s of play; then the whole picture is there again."""
    table.unplug_display(3)
    table.expect(*playing(1, NOTHING, 4, 40), within_s=DISPLAY_BACK_S)


def back_at_the_table(table: Table) -> None:
    """The same hand, clocks stopped; all tap, and it goes on by three beats."""
    table.expect(PowerBackScreen(1, 1, 0, "", (ANNA, BEN)), rows=LARGE_LINE, within_s=RESTART_S)
    table.keep_together()
    table.wait(QUESTION_S)
    table.tap(1, 2)
    table.expect(*(CountdownScreen(word, resuming=True) for word in (3, 2, 1)))
    table.expect(*playing(1, NOTHING, 2, 60))


def die(table: Table) -> None:
    """kill -9, as a power cut would."""
    systemctl("kill", "--signal=KILL", "--kill-whom=main", UNIT)
    back_at_the_table(table)


def hang(table: Table) -> None:
    """It stops where it stands, feeds no watchdog, and is replaced."""
    systemctl("kill", "--signal=STOP", "--kill-whom=main", UNIT)
    back_at_the_table(table)


def mistake(table: Table) -> None:
    """Somebody has written nonsense into the configuration, and the device starts anew: it says so, and does not spin.

    As soon as the file is well again, so is the table.
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
    """What is wrong with the configuration."""
    try:
        load(CONFIG)
    except ConfigError as error:
        return str(error)
    raise UnexpectedError("nothing is wrong with the configuration")


def call(table: Table) -> None:
    """After all that, Ben calls, alone."""
    table.tap(2)
    table.expect(
        VerdictScreen("clear", False, (BEN,), None, None, TIE_WINDOW_NS, **NERTZ),
        rows=LARGE_LINE,
    )
    table.expect_lit(2)


def play(table: Table) -> None:
    """All of it, and what systemd says then."""
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
