"""What commands share: UsageError, types of arguments, colours and small charts; plain text for files and pipes.

Colours and charts are also off with `NO_COLOR` (https://no-color.org), `TERM=dumb`, and encodings without block
characters.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

BLOCKS = " ▏▎▍▌▋▊▉█"
"""Cells filled by 0 to 8 eighths, from the left."""
STEPS = "▁▂▃▄▅▆▇█"
"""Cells filled by 1 to 8 eighths, from the bottom."""
STYLES = {"strong": 1, "weak": 2, "bad": 31, "good": 32, "bar": 36}


class Terminal:
    """How to write output. `rich`: a terminal with colours and block characters."""

    def __init__(self, rich: bool) -> None:
        self.rich = rich

    def paint(self, text: str, style: str) -> str:
        """Return the text in a style of STYLES.

        >>> Terminal(True).paint("won", "good"), Terminal(False).paint("won", "good")
        ('\\x1b[32mwon\\x1b[0m', 'won')
        """
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.rich and text else text

    def bar(self, share: float, cells: int) -> str:
        """Return a bar of `cells` characters, filled by `share` (limited to 0..1); "" in plain text.

        >>> Terminal(True).bar(0.5, 3)
        '█▌ '
        """
        if not self.rich:
            return ""
        whole, eighths = divmod(round(min(max(share, 0), 1) * cells * 8), 8)
        return (BLOCKS[8] * whole + BLOCKS[eighths])[:cells].ljust(cells)

    def curve(self, values: Sequence[float], least: float, most: float) -> str:
        """Return a character per value, on a scale from `least` to `most`; "" in plain text.

        >>> Terminal(True).curve([0, 10, 5, 20], 0, 20)
        '▁▅▃█'
        """
        if not self.rich:
            return ""
        span = (most - least) or 1
        return "".join(STEPS[min(max(round((value - least) / span * 7), 0), 7)] for value in values)


def terminal() -> Terminal:
    """Return the Terminal for standard output.

    It is rich if standard output is a terminal with block characters.
    """
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Terminal(wanted and sys.stdout.isatty() and _has_blocks(sys.stdout.encoding or "ascii"))


def _has_blocks(encoding: str) -> bool:
    try:
        (BLOCKS + STEPS).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


class UsageError(Exception):
    """The command cannot be carried out as given, or with this input. The exit status is 2.

    The message goes to standard error.
    """


def drop_output() -> None:
    """Discard all further standard output, including what is still in the buffer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 18 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read


def seed(text: str) -> int:
    """Parse a random seed (an argparse type)."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"must be a whole number of at most 18 digits, not {text!r}")
    return int(text)


def picture_file(text: str) -> Path:
    """Parse the name of a picture's file (an argparse type)."""
    if Path(text).suffix.lower() not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"must be a file that ends in .svg or .png, not {text!r}")
    return Path(text)


def given_preset(command: str, text: str) -> str:
    """Return the name of the preset given with `--preset`. Raises UsageError."""
    from referee.core.model.registry import allowed_presets, preset_called, presets

    preset = preset_called(text)
    if preset is None:
        raise UsageError(f"referee {command}: --preset {text!r} is no preset; {allowed_presets(text, presets())}")
    return preset


def add_options(parser: Any) -> None:
    """Add the repeatable argument `--option NAME=VALUE` to a parser. `given_options` reads it."""
    told = "change a rule, for example turn=1; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=told)


def given_options(command: str, preset: str, texts: Sequence[str]) -> Mapping[str, object]:
    """Return the values of `--option` by name. Raises UsageError if the preset forbids them."""
    from referee.core.model.options import RuleError
    from referee.core.model.registry import presets

    found: dict[str, object] = {}
    for text in texts:
        name, is_there, value = text.partition("=")
        if not is_there or not name:
            raise UsageError(f"referee {command}: --option {text!r} is given, allowed is NAME=VALUE")
        if name in found:
            raise UsageError(f"referee {command}: --option {name} is given twice")
        found[name] = _value(value)
    try:
        presets()[preset].rules(preset, found)
    except RuleError as exc:
        raise UsageError(f"referee {command}: --option {exc.option}: {exc.problem}") from None
    return found


def _value(text: str) -> object:
    """Parse True, False or a number. Other words are returned as text."""
    try:
        value = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, (bool, int, float)) else text
