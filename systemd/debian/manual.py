"""The manual page, made from the command line's own help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

FILES = (
    ("/etc/referee/referee.toml", "Settings, each with its meaning and default."),
    (
        "/var/lib/referee",
        "Evenings and records. Removing the package keeps them, purging it deletes them.",
    ),
)
STATUS = (
    ("0", "Done."),
    ("1", "Done, and the answer is no: a fault or a difference was found."),
    ("2", "Bad usage or bad input, explained in one sentence."),
)


def page(top: argparse.ArgumentParser, version: str, day: str) -> str:
    """roff of section 1. day: YYYY-MM-DD."""
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    parts = [
        f'.TH REFEREE 1 "{day}" "referee {_text(version)}" "User Commands"',
        ".SH NAME",
        "referee \\- referee for card tables",
        ".SH SYNOPSIS",
        ".B referee\n.I COMMAND\n[\\fIOPTIONS\\fR]",
        ".br\n.B referee \\-\\-version",
        ".SH DESCRIPTION",
        _text(top.description or ""),
        ".SH COMMANDS",
    ]
    for name, command in commands.choices.items():
        parts += _command(name, summaries[name], command)
    parts += [".SH FILES", *_list_rows(FILES), ".SH EXIT STATUS", *_list_rows(STATUS)]
    return "\n".join(parts) + "\n"


def _command(name: str, summary: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield f'.SS "referee {_text(name)}"'
    yield _text(f"{summary[:1].upper()}{summary[1:]}.")
    for action in command._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        yield ".TP"
        yield ", ".join(f"\\fB{_text(option)}\\fR" for option in action.option_strings) + _value(action)
        yield _text((action.help or "") % {**vars(action), "prog": command.prog})


def _value(action: argparse.Action) -> str:
    """The text after an option's name, or in place of an argument."""
    if action.nargs == 0:
        return ""
    name = action.metavar or "|".join(map(str, action.choices or ())) or action.dest
    text = f"\\fI{_text(name if isinstance(name, str) else ' '.join(name))}\\fR"
    text = f"[{text}]" if action.nargs in ("?", "*") else text
    return f" {text}" if action.option_strings else text


def _list_rows(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for what, said in rows:
        yield f".TP\n\\fB{_text(what)}\\fR\n{_text(said)}"


def _text(text: str) -> str:
    """Escape for roff: no line starts a request, and hyphens can be copied."""
    text = re.sub(r"\s+", " ", text).strip().replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
