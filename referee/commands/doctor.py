"""`referee doctor`: checks the device part by part, and says what to do about each fault."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.core.values import dataclass

if TYPE_CHECKING:
    from referee.config import Config
    from referee.drivers.pinmap import Profile

LEAST_FREE_BYTES = 64 * 2**20
"""A season of evenings is a few MB; below this a disk is about to fill up by something else."""

TRIAL_PULSES = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ok, a fault, or left out (None), and a sentence."""

    part: str
    ok: bool | None
    sentence: str


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("doctor", help="check pins, display, sound, pods and storage", description=__doc__)
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    parser.add_argument("--state", type=Path, default=Path("state"), metavar="DIR", help="where the journal is kept")
    parser.add_argument("--simulate", action="store_true", help="check a simulated table's parts")
    parser.add_argument("--buttons", action="store_true", help="ask for each button and measure its bounce")
    parser.add_argument(
        "--fixture",
        nargs="?",
        const="",
        metavar="PORT",
        help="measure the ordering error with a fixture (firmware/fixture) on that serial port, or on the only Pico",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(args: argparse.Namespace) -> int:
    """Every check, one after the other; 1 when something is at fault."""
    from referee.assembly import profile_of
    from referee.cli import UsageError
    from referee.config import load

    if args.fixture is not None and args.simulate:
        raise UsageError("referee doctor: --fixture presses real buttons, allowed is one of it and --simulate")
    config = load(args.config)
    wiring = profile_of(config)
    findings = list(_checks(args, config, wiring))
    if args.buttons:
        findings += _buttons(args.simulate, config, wiring)
    document: dict[str, Any] = {}
    if args.fixture is not None:
        told, document["fixture"] = _ordering(args.fixture, config, wiring)
        findings += told
    if args.json:
        print(json.dumps({"findings": [asdict(finding) for finding in findings], **document}))
    else:
        marks = {True: "ok", False: "FAULT", None: "-"}
        print("\n".join(f"{marks[f.ok]:>5}  {f.part:<8}  {f.sentence}" for f in findings))
    return 1 if any(finding.ok is False for finding in findings) else 0


def _checks(args: argparse.Namespace, config: Config, wiring: Profile) -> Iterator[Finding]:
    from referee import assembly
    from referee.commands import pod_check
    from referee.config import ConfigError

    try:
        factory = assembly.pin_factory(args.simulate, config)
    except ConfigError as exc:
        yield Finding("pins", False, f"{exc}.")
        yield Finding("display", None, "Left out without pins.")
    else:
        yield from _pins(factory, wiring)
        if config.pins.sync_wire and not args.simulate:
            yield sync_wire(wiring, factory, config.gpio_err_ns)
        yield _display(args.simulate, config, wiring, factory)
        factory.close()
    yield _sound(args.simulate, config, wiring)
    if not args.simulate or config.pods.lines:
        yield from (Finding("pods", ok, sentence) for ok, sentence in pod_check.lines(config))
    yield from _storage(args.state)


def _pins(factory: Any, wiring: Profile) -> Iterator[Finding]:
    from referee.drivers.buttons import Buttons
    from referee.drivers.pinlint import lint

    faults = lint(wiring, getattr(factory, "board_info", None))
    yield from (Finding("pins", False, fault) for fault in faults)
    buttons = Buttons(factory, wiring, lambda rows: None)
    try:
        down = buttons.start()
    except Exception as exc:  # gpiozero's and the kernel's errors alike: a pin that cannot be had
        yield Finding("pins", False, f"A pin cannot be had ({exc}); is the referee running? `systemctl stop referee`.")
        return
    finally:
        buttons.close()
    if not faults:
        yield Finding("pins", True, f"{wiring.name}: {len(wiring.stations())} stations, all pins can be had.")
    for station in down:
        yield Finding("buttons", False, f"{station} reads pressed: let go, or look for a short or water in its cable.")


def sync_wire(wiring: Profile, factory: Any, err_ns: int, high_s: float = 0.002) -> Finding:
    """Pulse the wire and see whether the input sees it."""
    from gpiozero.exc import GPIOZeroError

    from referee.core.units import US
    from referee.drivers.sync_wire import SyncWire

    out, back = wiring.gpio("SYNC_OUT"), wiring.gpio("SYNC_IN")
    try:
        wire = SyncWire(factory, out, back, err_ns=err_ns, high_s=high_s)
    except (GPIOZeroError, OSError) as exc:
        return Finding("sync", False, f"The wire's pins cannot be had ({exc}); is the referee running?")
    for _ in range(TRIAL_PULSES):
        wire.pulse()
    wire.close()
    if wire.heard < TRIAL_PULSES:
        heard = f"SYNC_IN on GPIO{back} saw {wire.heard} of {TRIAL_PULSES} pulses of SYNC_OUT on GPIO{out}"
        return Finding("sync", False, f"{heard}: check the wire, and that the serial console is off.")
    err_us = max(pulse.err_ns for pulse in wire.pulses()) / US
    return Finding("sync", True, f"The wire's pulses come back and are known to within {err_us:.0f} microseconds.")


def _display(simulate: bool, config: Config, wiring: Profile, factory: Any) -> Finding:
    from referee import assembly
    from referee.config import ConfigError

    try:
        connect = None if simulate else assembly.panel(config, wiring, factory)
    except ConfigError as exc:
        return Finding("display", False, f"{exc}.")
    if connect is None:
        return Finding("display", None, "Virtual, or none by the configuration.")
    try:
        connect().close(False)
    except Exception as exc:  # luma, smbus and spidev each have errors of their own
        return Finding("display", False, f"It does not answer ({exc}): check its cable and the overlay lines.")
    return Finding("display", True, "It answers.")


def _sound(simulate: bool, config: Config, wiring: Profile) -> Finding:
    from referee import assembly
    from referee.drivers.pwm_chip import PwmMissingError

    if simulate or config.sound.quiet or not wiring.find("BUZZER"):
        return Finding("sound", None, "Quiet by the configuration, or not wired.")
    try:
        place = assembly.pwm_place(config, wiring, "BUZZER")
    except PwmMissingError as exc:
        return Finding("sound", False, f"{str(exc)[0].upper()}{str(exc)[1:]}.")
    device = f" ({place.device})" if place.device else ""
    return Finding("sound", True, f"The piezo's PWM is channel {place.channel} of {place.chip}{device}.")


def _storage(state: Path) -> Iterator[Finding]:
    from referee.drivers.journal_read import JournalError, matches

    place = next(p for p in (state, *state.absolute().parents) if p.exists())
    if not os.access(place, os.W_OK):
        yield Finding("storage", False, f"{state} cannot be written: nothing would be saved.")
    free = shutil.disk_usage(place).free
    enough = free >= LEAST_FREE_BYTES
    yield Finding("storage", enough, f"{free // 2**20} MB are free{'' if enough else ': make room'}.")
    journal = state / "journal.db"
    if not journal.exists():
        yield Finding("journal", None, "There is none yet.")
        return
    try:
        yield Finding("journal", True, f"It is sound and holds {len(matches(journal))} matches.")
    except JournalError as exc:
        yield Finding("journal", False, f"{exc}.")


# -- buttons -------------------------------------------------------------------------------------------------------


def _buttons(simulate: bool, config: Config, wiring: Profile) -> list[Finding]:
    """Ask for each button in turn; the sources are drained until its press has settled."""
    import queue

    from referee import assembly
    from referee.core.signals import Edge
    from referee.drivers.buttons import Buttons

    factory = assembly.pin_factory(simulate, config)
    rows: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def take_in(batch: Sequence[Any]) -> None:
        for row in batch:
            if isinstance(row, Edge):
                rows.put(row)

    buttons = Buttons(factory, wiring, take_in)
    buttons.start()
    try:
        return [measured(station, rows.get) for station in wiring.stations()]
    finally:
        buttons.close()
        factory.close()


def measured(station: str, take: Callable[..., Any], patience_s: float = 15.0, quiet_s: float = 0.1) -> Finding:
    """Wait for a press of that station and say how long its contact bounced."""
    import queue

    print(f"Press button {station}.", flush=True)
    try:
        first = take(timeout=patience_s)
    except queue.Empty:
        return Finding("buttons", False, f"{station}: no press came in {patience_s:.0f} s; check its cable.")
    if first.station != station:
        return Finding("buttons", False, f"{station} was asked, {first.station} came: two cables are exchanged.")
    edges, last = 1, first.t_ns
    while True:
        try:
            row = take(timeout=quiet_s)
        except queue.Empty:
            break
        edges, last = (edges + 1, row.t_ns) if row.station == station else (edges, last)
        if row.t_ns - first.t_ns > 1_000_000_000:
            break
    return Finding("buttons", True, f"{station}: {edges} edges, settled after {(last - first.t_ns) / 1e6:.1f} ms.")


# -- the fixture ---------------------------------------------------------------------------------------------------


def _ordering(port: str, config: Config, wiring: Profile) -> tuple[list[Finding], dict[str, Any] | None]:
    """The device's own ordering error, measured: findings, and the figures behind them."""
    from referee import assembly
    from referee.commands.fixture import ROUNDS, against
    from referee.config import ConfigError
    from referee.drivers.fixture import FixtureError, fixture

    try:
        factory = assembly.pin_factory(False, config)
    except ConfigError:
        return [Finding("fixture", None, "Left out without pins.")], None
    try:
        pressing = fixture(port)
        try:
            sentences, figures = against(pressing, factory, wiring, config.gpio_err_ns, ROUNDS)
        finally:
            pressing.close()
    except FixtureError as exc:
        return [Finding("fixture", False, f"{exc}.")], None
    finally:
        factory.close()
    return [Finding("fixture", ok, sentence) for ok, sentence in sentences], figures
