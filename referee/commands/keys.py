"""List keyboards, number pads and quiz sets, and learn which of their keys are buttons."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import selectors
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from referee.app.assembly import NO_EVDEV
from referee.commands.findings import Finding, fault, fine
from referee.commands.usage import UsageError
from referee.config import KEY_STATIONS, Config, load
from referee.core.presses.signals import Edge
from referee.core.reading import list_text
from referee.core.units import MS, ns_from_ms
from referee.core.values import Value
from referee.drivers.keys.keys import NO_RIGHTS, reason
from referee.drivers.keys.nodes import Device, Node, device_name, found_nodes, name_of_code, open_node
from referee.drivers.keys.reader import Reader
from referee.files import rewrite

PATIENCE_S = 60.0
"""How long to wait for a key, in seconds."""
Change = tuple[Node, int, bool]
"""A key of a keyboard, and whether it went down."""
NEW_FILE = '[pins]\nprofile = "none"  # all buttons are keys\n'
"""Start of a new configuration file: that of a laptop."""


def add(commands: Any) -> None:
    parser = commands.add_parser("keys", help="list keyboards, and learn keys as buttons", description=__doc__)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (_, said) in ACTIONS.items():
        action = actions.add_parser(name, help=said, description=said)
        action.add_argument("--config", type=Path, metavar="FILE", help=FILE_HELP[name])
        if name == "list":
            action.add_argument("--json", action="store_true", help="print one JSON document")
        else:
            stations = f"the stations to ask for: {list_text(KEY_STATIONS)} (default: 1 2 3 4)"
            action.add_argument("stations", nargs="*", metavar="STATION", help=stations)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action and return the exit status."""
    status: int = ACTIONS[args.action][0](args)
    return status


# -- list ----------------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace) -> int:
    config, nodes = load(args.config), found_nodes()
    keyboards = {(node.kind, node.port): node for node in reversed(nodes)}  # the first device file of each
    found = [_document(node, nodes, config) for node in reversed(keyboards.values())]
    if args.json:
        print(json.dumps({"keyboards": found}))
    else:
        print("\n".join(map(_sentence, found)) or "No keyboard is plugged in.")
    return 0


def _document(node: Node, nodes: Sequence[Node], config: Config) -> dict[str, Any]:
    return {
        "device": device_name(node, nodes),
        "name": node.name,
        "port": node.port,
        "uniq": node.uniq,
        "readable": os.access(node.path, os.R_OK),
        "polling_ms": node.polling_ns and node.polling_ns / MS,
        "error_ms": node.delay_ns(ns_from_ms(config.keys.debounce_ms), ns_from_ms(config.keys.polling_ms)) / 2 / MS,
        "lamps": len(node.lamps),
        "stations": next((dict(one.keys) for one in config.keyboards if node.is_meant_by(one.device)), {}),
    }


def _sentence(found: Mapping[str, Any]) -> str:
    stations = f"stations {', '.join(found['stations'].values())}" if found["stations"] else "no stations"
    rights = "" if found["readable"] else f"; {NO_RIGHTS}"
    return f"{found['device']}  {found['name']} on {found['port']}: ±{found['error_ms']:g} ms, {stations}{rights}"


def findings(config: Config) -> Iterator[Finding]:
    """Check the configured keyboards, for `referee doctor`."""
    nodes = found_nodes()
    if config.keyboards and find_spec("evdev") is None:
        yield fault("keys", f"The section [keys.buttons] {NO_EVDEV}.")
    for one in config.keyboards:
        node = next((node for node in nodes if node.is_meant_by(one.device)), None)
        if node is None:
            stations = ", ".join(station for _, station in one.keys)
            told = f"The keyboard {one.device} (stations {stations}) is not plugged in"
            yield fault("keys", f"{told}: plug it in; `referee keys list` names those that are.")
        elif not os.access(node.path, os.R_OK):
            yield fault("keys", f"{node.name} on {node.port}: {NO_RIGHTS}.")
        else:
            yield fine("keys", f"{_sentence(_document(node, nodes, config))}.")


# -- learn ---------------------------------------------------------------------------------------------------------


class Learned(Value):
    """A key that a player has pressed for a station."""

    station: str
    node: Node
    code: int


def _learn(args: argparse.Namespace) -> int:
    stations = tuple(args.stations or ("1", "2", "3", "4"))
    _check(stations, args.config)
    nodes = found_nodes()
    with contextlib.ExitStack() as held:
        board = changes(_opened(nodes, held))
        held.enter_context(_silent_terminal())
        learned: list[Learned] = []
        for station in stations:
            learned.append(_ask(board, station, learned))
        unheard = [one for group in _groups(learned) for one in _hold(board, group)]
    section = section_text(learned, nodes)
    if args.config:
        old = args.config.read_text("utf-8") if args.config.exists() else NEW_FILE
        args.config.touch()
        rewrite(args.config, f"{old.rstrip()}\n\n{section}".encode())
    print(f"{args.config} now has these keys." if args.config else f"\nPut this into the settings:\n\n{section}")
    return 1 if unheard else 0


def _check(stations: Sequence[str], path: Path | None) -> None:
    """Raise UsageError for unknown or repeated stations, and for a file that has keys already."""
    if not set(stations) <= set(KEY_STATIONS) or len(set(stations)) < len(stations):
        given = f"the stations {' '.join(stations)} are given"
        raise UsageError(f"referee keys learn: {given}; allowed are {list_text(KEY_STATIONS)}, each once")
    if path is not None and path.exists() and load(path).keyboards:
        raise UsageError(f"referee keys learn: {path} has a section [keys.buttons] already; take it out first")


def _opened(nodes: Sequence[Node], held: contextlib.ExitStack) -> list[tuple[Node, Device]]:
    """Open all keyboards that this user may read. Raises UsageError if there are none."""
    opened, reasons = list[tuple[Node, Device]](), list[str]()
    for node in nodes:
        try:
            device = open_node(node, grab=False)
        except ImportError:
            raise UsageError(f"referee keys learn {NO_EVDEV}") from None
        except OSError as exc:
            reasons.append(reason(exc))
            continue
        held.callback(device.close)
        opened.append((node, device))
    if not opened:
        why = f"{nodes[0].name} cannot be opened: {reasons[0]}" if nodes else "no keyboard is plugged in"
        raise UsageError(f"referee keys learn: {why}")
    return opened


@contextlib.contextmanager
def _silent_terminal() -> Iterator[None]:
    """Within this context, hide and drop what the pressed keys type into the terminal."""
    if not sys.stdin.isatty():
        yield
        return
    number = sys.stdin.fileno()
    usual = termios.tcgetattr(number)
    silent = [*usual[:3], usual[3] & ~(termios.ECHO | termios.ICANON), *usual[4:]]
    termios.tcsetattr(number, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSAFLUSH, usual)


def changes(opened: Sequence[tuple[Node, Device]]) -> Iterator[Change]:
    """Yield each key that goes down or up, with its keyboard. Stop after PATIENCE_S without any."""
    with selectors.DefaultSelector() as waiting:
        for node, device in opened:
            reader = Reader(device, {code: str(code) for code in node.codes}, "", 0, time.monotonic_ns)
            waiting.register(device.fd, selectors.EVENT_READ, (node, reader))
        while ready := waiting.select(PATIENCE_S):
            for key, _ in ready:
                node, reader = key.data
                edges = (row for row in reader.read() if isinstance(row, Edge))
                yield from ((node, int(edge.station), edge.closed) for edge in edges)


def _ask(board: Iterator[Change], station: str, learned: Sequence[Learned]) -> Learned:
    """Ask for the station's key. Return the first pressed key that has no station yet.

    Raises UsageError if none is pressed."""
    print(f"Press the key for {_title(station)}.")
    for node, code, closed in board:
        known = next((one for one in learned if (one.node, one.code) == (node, code)), None)
        if closed and known is not None:
            print(f"That is the key for {_title(known.station)}. Press another one.")
        elif closed:
            print(f"  {name_of_code(code)} of {node.name}")
            return Learned(station, node, code)
    raise UsageError(f"referee keys learn: no key was pressed for {_title(station)} within {PATIENCE_S:.0f} s")


def _title(station: str) -> str:
    return f"seat {station}" if station.isdecimal() else station


def _groups(learned: Sequence[Learned]) -> list[list[Learned]]:
    """Return the seats' keys of each keyboard that has several. Players may press them together."""
    groups: dict[tuple[str, str], list[Learned]] = {}
    for one in learned:
        if one.station.isdecimal():
            groups.setdefault((one.node.kind, one.node.port), []).append(one)
    return [group for group in groups.values() if len(group) > 1]


def _hold(board: Iterator[Change], group: Sequence[Learned]) -> list[str]:
    """Ask people to hold all keys of a keyboard. Return the stations of keys that it left out.

    Cheap keyboards cannot tell some combinations apart, and report at most six keys by USB's simple protocol.
    """
    name, wanted = group[0].node.name, {(one.node.path, one.code) for one in group}
    print(f"Hold all {len(group)} keys of {name} together, then let go.")
    down, most = set[tuple[str, int]](), set[tuple[str, int]]()
    for node, code, closed in board:
        (down.add if closed else down.discard)((node.path, code))
        most = max(most, down & wanted, key=len).copy()
        if most == wanted or (most and not down & wanted):
            break
    unheard = [one.station for one in group if (one.node.path, one.code) not in most]
    if unheard:
        print(f"{name} reports only {len(most)} of them at once, without {list_text(map(_title, unheard))}.")
        print("Presses at the same time can be lost: choose other keys, or a keyboard for each player.")
    else:
        print(f"{name} reports all {len(group)} at once.")
    return unheard


def section_text(learned: Sequence[Learned], nodes: Sequence[Node]) -> str:
    """Return the configuration's section with these keys."""
    devices: dict[str, list[Learned]] = {}
    for one in learned:
        devices.setdefault(device_name(one.node, nodes), []).append(one)
    return "\n".join(
        f"[keys.buttons.{json.dumps(device)}]  # {group[0].node.name}\n"
        + "".join(f'{name_of_code(one.code)} = "{one.station}"\n' for one in group)
        for device, group in devices.items()
    )


ACTIONS = {
    "list": (_list, "list the keyboards that are plugged in"),
    "learn": (_learn, "ask for the key of each station, and test that they are heard together"),
}
FILE_HELP = {"list": "settings in TOML", "learn": "settings in TOML to which the keys are added; made if it is missing"}
