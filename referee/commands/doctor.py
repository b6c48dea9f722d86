"""Check the device part by part, and say how to fix each fault.

The exit code is 1 if there is a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import queue
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from referee import __version__
from referee.bench import walk
from referee.bench.findings import Finding, fault, fine, open_
from referee.bench.walk import Bench, InputRow, Typist
from referee.commands import doctor_checks, keys, machine_check
from referee.commands.terminal import UsageError, terminal
from referee.config import Config, ConfigError, load
from referee.core.reading import count_text
from referee.core.units import US
from referee.drivers.buttons import Buttons
from referee.drivers.pins.lint import lint
from referee.drivers.pins.pinmap import Profile
from referee.drivers.pwm import PwmMissingError
from referee.language.words import speaking
from referee.storage.evenings.folder import evenings_in, find_latest, names
from referee.storage.records.store import Records

LEAST_FREE_BYTES = 64 * 2**20
"""Least free space on the disk, in bytes.

A season of evenings has a few MB; if there is less than this, something else is filling the disk.
"""

TRIAL_PULSES = 5


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML")
    parser.add_argument(
        "--state",
        type=Path,
        default=Path("state"),
        metavar="DIR",
        help="directory of evenings and records (default: ./state)",
    )
    parser.add_argument("--simulate", action="store_true", help="check the parts of a simulated table")
    parser.add_argument("--buttons", action="store_true", help="ask you to press each button, and measure its bounce")
    parser.add_argument(
        "--walk",
        action="store_true",
        help="try lamps, display, piezo, knob and buttons with you; prints a sheet at the end",
    )
    parser.add_argument(
        "--carrier", action="store_true", help="test only a bare carrier board, with a wire to bridge pins of its plugs"
    )
    parser.add_argument(
        "--fixture",
        nargs="?",
        const="",
        metavar="PORT",
        help="measure the ordering error with a fixture (firmware/fixture) on PORT (default: the only Pico)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Run all checks. Return 1 if one finds a fault.

    Raises UsageError for --simulate with --walk, --carrier or --fixture, and for --carrier without a lamp register.
    """
    from referee.device.assembly import profile_of

    if args.simulate and (args.walk or args.carrier or args.fixture is not None):
        one = "--walk" if args.walk else "--carrier" if args.carrier else "--fixture"
        raise UsageError(f"referee doctor: {one} needs a real device, so it cannot go with --simulate")
    config = load(args.config)
    wiring = profile_of(config)
    if args.carrier:
        return _carrier(args, config, wiring)
    findings = list(_checks(args, config, wiring))
    document: dict[str, Any] = {}
    if args.fixture is not None:
        told, document["fixture"] = _ordering(args.fixture, config, wiring)
        findings += told
        if document["fixture"] and args.config:
            findings += _offer(args.config, document["fixture"])
    if not args.json:
        print(_findings_text(findings), flush=True)
    if args.buttons or args.walk:
        walked, page = _walk(args, config, wiring)
        findings += walked
        if not args.json:
            print(page)
    if args.json:
        print(json.dumps({"findings": [asdict(finding) for finding in findings], **document}))
    return 1 if any(finding.ok is False for finding in findings) else 0


def _findings_text(findings: Sequence[Finding]) -> str:
    marks = {True: ("ok", "good"), False: ("FAULT", "bad"), None: ("-", "weak")}
    paint = terminal().paint
    return "\n".join(f"{paint(f'{marks[f.ok][0]:>5}', marks[f.ok][1])}  {f.part:<8}  {f.sentence}" for f in findings)


def _checks(args: argparse.Namespace, config: Config, wiring: Profile) -> Iterator[Finding]:
    from referee.device import assembly

    try:
        factory = assembly.pin_factory(args.simulate, config)
    except ConfigError as exc:
        yield fault("pins", f"{exc}.")
        yield open_("display", "Left out without pins.")
    else:
        yield from _pins(factory, wiring)
        if config.pins.sync_wire and not args.simulate:
            yield sync_wire(wiring, factory, config.gpio_err_ns)
        yield _display(args.simulate, config, wiring, factory)
        factory.close()
    yield _sound(args.simulate, config, wiring)
    yield _voice(args.simulate, config)
    if not args.simulate or config.pods.lines:
        yield from doctor_checks.pod_findings(config)
    yield from keys.findings(config)
    yield from doctor_checks.mqtt_findings(config)
    yield from _storage(args.state)
    yield from machine_check.findings(machine_check.Machine(), wiring, args.state, args.simulate)
    yield fine("versions", _versions())


def _pins(factory: Any, wiring: Profile) -> Iterator[Finding]:

    faults = lint(wiring, getattr(factory, "board_info", None))
    yield from (fault("pins", sentence) for sentence in faults)
    buttons = Buttons(factory, wiring, lambda rows: None)
    try:
        down = buttons.start()
    except Exception as exc:  # gpiozero and the kernel raise different errors for an unavailable pin
        yield fault("pins", f"A pin cannot be claimed ({exc}); is the referee running? `systemctl stop referee`.")
        return
    finally:
        buttons.close()
    if not faults:
        yield fine("pins", f"{wiring.name}: {len(wiring.stations())} stations, all pins can be claimed.")
    for station in down:
        yield fault("buttons", f"{station} reads pressed: let go, or look for a short or water in its cable.")


def sync_wire(wiring: Profile, factory: Any, err_ns: int, high_s: float = 0.002) -> Finding:
    """Pulse the wire that synchronizes pods, and check that its input sees every pulse.

    err_ns: the maximum delay of a kernel timestamp. high_s: how long a pulse lasts.
    """
    from gpiozero.exc import GPIOZeroError

    from referee.drivers.pods.sync_wire import SyncWire

    out, back = wiring.gpio("SYNC_OUT"), wiring.gpio("SYNC_IN")
    try:
        wire = SyncWire(factory, out, back, err_ns=err_ns, high_s=high_s)
    except (GPIOZeroError, OSError) as exc:
        return fault("sync", f"The sync wire's pins cannot be claimed ({exc}); is the referee running?")
    for _ in range(TRIAL_PULSES):
        wire.pulse()
    wire.close()
    if wire.heard < TRIAL_PULSES:
        heard = f"SYNC_IN on GPIO{back} saw {wire.heard} of {TRIAL_PULSES} pulses of SYNC_OUT on GPIO{out}"
        return fault("sync", f"{heard}: check the wire, and that the serial console is off.")
    err_us = max(pulse.err_ns for pulse in wire.pulses()) / US
    return fine("sync", f"The wire's pulses come back and are known to within {err_us:.0f} microseconds.")


def _display(simulate: bool, config: Config, wiring: Profile, factory: Any) -> Finding:
    from referee.device import assembly

    try:
        connect = None if simulate else assembly.panel(config, wiring, factory)
    except ConfigError as exc:
        return fault("display", f"{exc}.")
    if connect is None:
        return open_("display", "Virtual, or none by the configuration.")
    mute = bool(wiring.find("OLED_DC"))  # SPI displays cannot be read, so a missing one is not noticed
    try:
        connect().close(False)
    except Exception as exc:  # luma, smbus and spidev raise different errors
        wrong = "Its bus or pins cannot be opened" if mute else "It does not answer"
        return fault("display", f"{wrong} ({exc}): check its cable and the overlay lines.")
    if mute:
        return open_("display", "It cannot answer on this bus: `referee doctor --walk` asks you what it shows.")
    return fine("display", "It answers.")


def _sound(simulate: bool, config: Config, wiring: Profile) -> Finding:
    from referee.device import assembly

    if simulate or config.sound.quiet or not wiring.find("BUZZER"):
        return open_("sound", "Quiet by the configuration, or not wired.")
    try:
        place = assembly.pwm_place(config, wiring, "BUZZER")
    except PwmMissingError as exc:
        return fault("sound", f"{str(exc)[0].upper()}{str(exc)[1:]}.")
    device = f" ({place.device})" if place.device else ""
    return fine("sound", f"The piezo's PWM is channel {place.channel} of {place.chip}{device}.")


def _voice(simulate: bool, config: Config) -> Finding:
    from referee.drivers.sound.speaker import can_speak

    if simulate:
        return open_("voice", "Pages speak; a simulated table has no speaker.")
    if can_speak():
        device = config.sound.speaker or "the default one"
        return fine("voice", f"espeak-ng and aplay are installed; the speaker is {device}.")
    missing = "espeak-ng or aplay is not installed (packages espeak-ng and alsa-utils)"
    if config.sound.voice == "off":
        return open_("voice", f"Off, and {missing}.")
    return fault("voice", f"{missing[0].upper()}{missing[1:]}: only pages speak.")


def _storage(state: Path) -> Iterator[Finding]:

    for folder in (evenings_in(state), state / "records"):
        place = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if not os.access(place, os.W_OK):
            sentence = f"{place} cannot be written: nothing would be saved"
            yield fault("storage", f"{sentence}; ask with sudo, or give it to the referee's user.")
            break
    free = shutil.disk_usage(place).free
    enough = free >= LEAST_FREE_BYTES
    yield Finding("storage", enough, f"{free // 2**20} MB are free{'' if enough else ': make room'}.")
    yield from _evenings(evenings_in(state))
    yield from _records(state)
    if (old := state / "journal.db").exists():
        yield open_("journal", f"{old} is of an earlier version, and is not read any more.")


def _evenings(folder: Path) -> Iterator[Finding]:
    """Check the current evening's file, and report files that cannot be read."""

    found = find_latest(folder)
    yield from (fault("evenings", f"{trouble}.") for trouble in found.troubles)
    if found.path is not None and found.tape.damaged:
        wrong = f"{found.path} is damaged: {found.tape.damaged[0]}"
        yield fault("evenings", f"{wrong}; `referee replay {found.path}` says all.")
    elif not found.troubles:
        count = len(names(folder))
        sentence = f"{count_text(count, 'evening')}; the last one is sound." if count else "There is none yet."
        yield Finding("evenings", True if count else None, sentence)


def _records(state: Path) -> Iterator[Finding]:

    records = Records(state)
    damaged = records.find_damage()
    listed = () if damaged else records.list()
    damaged = damaged or [f"match {match.number} {match.trouble}" for match in listed if match.trouble]
    yield from (fault("records", f"{sentence}.") for sentence in damaged)
    if not damaged and (count := len(listed)):
        yield fine("records", f"They are sound and hold {count_text(count, 'match', 'matches')}.")


def _versions() -> str:
    """Return the versions of Referee, Python and the main libraries."""
    from importlib.metadata import PackageNotFoundError, version

    told = [f"Referee {__version__}", f"Python {platform.python_version()}"]
    for name in ("gpiod", "gpiozero", "luma.oled", "pyserial", "aiohttp"):
        try:
            told.append(f"{name} {version(name)}")
        except PackageNotFoundError:  # some Debian packages have no metadata
            continue
    return f"{', '.join(told)}."


# -- tests with a person -------------------------------------------------------------------------------------------


def _walk(args: argparse.Namespace, config: Config, wiring: Profile) -> tuple[list[Finding], str]:
    """Let a person test the buttons, or all parts with --walk. Return findings and their text."""

    with ExitStack() as held, speaking(config.display.language):
        try:
            bench = _bench(args, config, wiring, held)
        except ConfigError as exc:
            found = [fault("walk", f"{exc}.")]
            return found, _findings_text(found)
        except Exception as exc:  # gpiozero and the kernel raise different errors for an unavailable pin
            found = [fault("walk", f"A pin cannot be claimed ({exc}); is the referee running?")]
            return found, _findings_text(found)
        if not args.walk:
            found = list(walk.buttons(bench, walk.Typist()))
            return found, _findings_text(found)
        found = list(walk.walk(bench, walk.Typist(), random.Random()))
        return found, "\n" + walk.sheet(found, platform.node(), time.strftime("%Y-%m-%d %H:%M"))


def _carrier(args: argparse.Namespace, config: Config, wiring: Profile) -> int:
    """Test a bare carrier board. Print the findings, and return 1 if there is a fault."""
    from referee.bench import carrier
    from referee.device import assembly

    if not wiring.shifted_lamps:
        raise UsageError(
            f"referee doctor: --carrier needs a profile with a lamp register, such as full8, not {wiring.name}"
        )
    with ExitStack() as held:
        try:
            factory = assembly.pin_factory(False, config)
            held.callback(factory.close)
            lamps = assembly.lamp_driver(config, wiring, factory)
            held.callback(lamps.close)
            board = carrier.Carrier(wiring, factory, lamps, time.monotonic_ns, time.sleep)
            found = list(carrier.check(board, walk.Typist()))
        except ConfigError as exc:
            found = [fault("carrier", f"{exc}.")]
        except Exception as exc:  # gpiozero and the kernel raise different errors for an unavailable pin
            found = [fault("carrier", f"A pin cannot be claimed ({exc}); is the referee running?")]
    print(json.dumps({"findings": [asdict(one) for one in found]}) if args.json else _findings_text(found))
    return 1 if any(one.ok is False for one in found) else 0


def _bench(args: argparse.Namespace, config: Config, wiring: Profile, held: ExitStack) -> Bench:
    """Claim the parts to be tested. They are released when `held` is closed.

    Raises ConfigError and gpiozero's errors.
    """

    from referee.device import assembly

    factory = assembly.pin_factory(args.simulate, config)
    held.callback(factory.close)
    rows: queue.SimpleQueue[InputRow] = queue.SimpleQueue()

    def take_in(batch: Sequence[InputRow]) -> None:
        for row in batch:
            rows.put(row)

    contacts = Buttons(factory, wiring, take_in)
    down = contacts.start()
    held.callback(contacts.close)
    bench = Bench(wiring, None, None, assembly.glass(config), None, rows.get, down, time.monotonic_ns, time.sleep)
    if args.walk:
        if wiring.lamps() or wiring.shifted_lamps:
            bench.lamps = assembly.lamp_driver(config, wiring, factory)
            held.callback(bench.lamps.close)
        bench.connect = None if args.simulate else assembly.panel(config, wiring, factory)
        if wiring.find("BUZZER") and not config.sound.quiet and not args.simulate:
            bench.tone = assembly.piezo_pwm(config, wiring)
    return bench


# -- the fixture ---------------------------------------------------------------------------------------------------


def _ordering(port: str, config: Config, wiring: Profile) -> tuple[list[Finding], dict[str, Any] | None]:
    """Measure with the test fixture how well the device tells the order of presses.

    Return the findings, and the measured figures or None.
    """
    from referee.bench.fixture import ROUNDS, FixtureError, against, fixture
    from referee.device import assembly

    try:
        factory = assembly.pin_factory(False, config)
    except ConfigError:
        return [open_("fixture", "Left out without pins.")], None
    try:
        pressing = fixture(port)
        try:
            sentences, figures = against(pressing, factory, wiring, config.gpio_err_ns, ROUNDS)
        finally:
            pressing.close()
    except FixtureError as exc:
        return [fault("fixture", f"{exc}.")], None
    finally:
        factory.close()
    return [Finding("fixture", ok, sentence) for ok, sentence in sentences], figures


def _offer(path: Path, figures: dict[str, Any]) -> list[Finding]:
    """Offer to write the measured bound of stamps' errors to the configuration file."""
    from referee.bench.fixture import offer

    said = offer(path, figures, Typist().ask)
    return [] if said is None else [Finding("fixture", *said)]
