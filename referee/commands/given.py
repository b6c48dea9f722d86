"""Options of a rule set on the command line, as `--option NAME=VALUE`, several times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def add_options(parser: Any) -> None:
    """Adds `--option NAME=VALUE`, as often as wanted, to a command's parser (argparse); `given_options` reads it."""
    told = "change a rule, for example turn=1; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=told)


def given_options(command: str, preset: str, texts: Sequence[str]) -> Mapping[str, object]:
    """What was given, as a match document has it, and as the preset takes it. UsageError, one sentence, else."""
    from referee.cli import UsageError
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
