"""What commands share at the command line: bad usage, numbers, a seed, a preset, `--option NAME=VALUE`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.core.model.options import RuleError
from referee.core.model.registry import preset_called, presets


class UsageError(Exception):
    """Bad usage or bad input: one sentence for standard error, exit status 2."""


def drop_output() -> None:
    """From now on what is printed goes nowhere, what waits in the buffer included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def whole(least: int, most: int) -> Callable[[str], int]:
    """An argparse type: a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 18 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read


def seed(text: str) -> int:
    """An argparse type: a random seed."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"must be a whole number of at most 18 digits, not {text!r}")
    return int(text)


def given_preset(command: str, text: str) -> str:
    """The name of the preset that `--preset` gives. Raises UsageError."""

    preset = preset_called(text)
    if preset is None:
        raise UsageError(f"referee {command}: --preset {text!r} is not one of {', '.join(presets())}")
    return preset


def add_options(parser: Any) -> None:
    """Adds `--option NAME=VALUE`, as often as wanted, to a command's parser (argparse); `given_options` reads it."""
    told = "change a rule, for example turn=1; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=told)


def given_options(command: str, preset: str, texts: Sequence[str]) -> Mapping[str, object]:
    """What was given, as a match document has it, and as the preset takes it. UsageError, one sentence, else."""

    found: dict[str, object] = {}
    for text in texts:
        name, is_there, value = text.partition("=")
        if not is_there or not name:
            raise UsageError(f"referee {command}: --option {text!r} is given, allowed is NAME=VALUE")
        if name in found:
            raise UsageError(f"referee {command}: --option {name} is given twice")
        found[name] = _value(value)
    try:
        presets()[preset].check_options(preset, found)
    except RuleError as exc:
        raise UsageError(f"referee {command}: --option {exc.option}: {exc.problem}") from None
    return found


def _value(text: str) -> object:
    """As a match document would have it: a truth value or a number where it is one, else the text."""
    try:
        value = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, (bool, int, float)) else text
