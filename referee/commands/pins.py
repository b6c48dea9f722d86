"""Print the wiring table of a profile, and its conflicts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from referee.config import load
from referee.drivers.pins.lint import lint
from referee.drivers.pins.pinmap import profile
from referee.drivers.pins.table import document, text


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML; section [pins] can move pins")
    parser.add_argument("--profile", metavar="NAME", help="profile of the pin map (default: the one in the settings)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the table of pins. Return 1 if the profile has conflicts."""
    from referee.device.assembly import profile_of

    config = load(args.config)
    if args.profile:
        wiring = profile(args.profile, dict(config.moved), sync=config.pins.sync_wire)
    else:
        wiring = profile_of(config)
    conflicts = lint(wiring)
    print(json.dumps(document(wiring, conflicts), indent=2) if args.json else text(wiring, conflicts))
    return 1 if conflicts else 0
