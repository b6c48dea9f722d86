"""The command line. Each command imports the modules that it needs only when it runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from keyword import iskeyword
from types import ModuleType
from typing import NoReturn

from referee import __version__
from referee.commands.owner import as_owner
from referee.commands.terminal import UsageError, drop_output

COMMANDS = {
    "run": "run the device",
    "hall": "run a hall of many tables",
    "demo": "play a match with bots in fast time",
    "simulate": "play many hands of cards and print statistics",
    "arbitrate": "judge who called first from recorded edges",
    "score": "compute scores, ranks and settlement from counts",
    "presets": "list presets and their options",
    "rules": "answer a dispute; check a move of cards",
    "pins": "print the wiring table and its conflicts",
    "pod": "list, identify, test and install button pods",
    "keys": "list keyboards, and learn keys as buttons",
    "replay": "derive an evening's decisions again and compare",
    "history": "list past matches and statistics",
    "export": "write a match as JSON, as CSV or for BG Stats",
    "import": "add an exported match",
    "backup": "write every match to a folder, such as a USB stick",
    "forget": "remove a person's name from all matches",
    "doctor": "check pins, display, sound, pods and storage",
}
"""Each command with its line in the help, which needs no import of the command."""


class Parser(argparse.ArgumentParser):
    """An argparse parser that reports each error in one sentence.

    Options may stand between the words of a command.
    """

    def parse_known_args(  # type: ignore[override]  # argparse's overloads say that a given namespace is returned
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse arguments. Accept words after options, too.

        argparse ends a list of words at the next option. This method adds the words after that option to the list. It
        is for commands that take any number of words: `referee rules check --json POSITION MOVE`.
        """
        found, extra = super().parse_known_args(args, namespace)
        words = [action.dest for action in self._actions if action.nargs == "*" and not action.option_strings]
        if not words:
            return found, extra
        options = [word for word in extra if word.startswith("-") and len(word) > 1]
        getattr(found, words[0]).extend(word for word in extra if word not in options)
        return found, options

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message instead of printing it. argparse calls this."""
        raise UsageError(f"{self.prog}: {plain_mistake(message)} (see {self.prog} --help)")


def plain_mistake(message: str) -> str:
    """Rewrite argparse's error message in plain words.

    >>> plain_mistake("argument COMMAND: invalid choice: 'demmo' (choose from 'run', 'demo')")
    'there is no command "demmo"; did you mean demo?'
    >>> plain_mistake("argument --format: invalid choice: 'xml' (choose from 'json', 'csv')")
    '--format has no "xml"; there are json, csv'
    >>> plain_mistake("the following arguments are required: DIR")
    'DIR is missing'
    >>> plain_mistake("unrecognized arguments: --fly")
    '--fly is unknown'
    >>> plain_mistake("argument --seed: expected one argument")
    '--seed: a value is missing'
    """
    import re
    from difflib import get_close_matches

    if found := re.fullmatch(r"(?s)argument (.+?): invalid choice: ['\"](.*)['\"] \(choose from (.*)\)", message):
        name, given, there = found[1], found[2], found[3].replace("'", "")
        if name != "COMMAND":
            return f'{name} has no "{given}"; there are {there}'
        near = get_close_matches(given, there.split(", "), 1)
        return f'there is no command "{given}"; ' + (f"did you mean {near[0]}?" if near else f"there are {there}")
    if found := re.fullmatch(r"the following arguments are required: (.*)", message):
        return "a command is missing" if found[1] == "COMMAND" else f"{found[1]} is missing"
    if found := re.fullmatch(r"(?s)unrecognized arguments: (.*)", message):
        return f"{found[1]} is unknown"
    return message.removeprefix("argument ").replace("expected one argument", "a value is missing")


def parser(named: Iterable[str] = COMMANDS) -> Parser:
    """Return the parser of the command line, which knows the `named` commands.

    If none of them exists, it lists all commands but imports none.
    """
    top = Parser(prog="referee", description=__import__("referee").__doc__)
    top.add_argument("--version", action="version", version=f"referee {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    known = [name for name in named if name in COMMANDS]
    for name in known or COMMANDS:
        command = commands.add_parser(name, help=COMMANDS[name])
        if known:
            command.description = _module(name).__doc__
            _module(name).add(command)
    return top


def _module(command: str) -> ModuleType:
    """Return a command's module. Names that are Python keywords end in an underscore."""
    return import_module(f"referee.commands.{command}{'_' * iskeyword(command)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Return 0: done; 1: done, with a negative result; 2: bad usage or input."""
    argv = sys.argv[1:] if argv is None else argv
    _replace_closed_streams()
    try:
        try:
            if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # from now on Ctrl-C raises an exception
                signal.signal(signal.SIGINT, signal.default_int_handler)
            args = parser(argv[:1]).parse_args(argv)
            with as_owner(args.state if "owned" in args else None):
                status: int = _module(args.command).run(args)
        finally:  # also after --help, which raises SystemExit
            _flush()
        return status
    except UsageError as exc:
        _tell_mistake(str(exc))
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    except ValueError as exc:
        _tell_mistake(f"referee: {exc}")
    except OSError as exc:
        _tell_mistake(f"referee: {exc.filename or 'system'}: {exc.strerror or exc}")
    return 2


def _replace_closed_streams() -> None:
    """Replace standard streams that the caller has closed (`>&-`), so that printing works."""
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def _tell_mistake(sentence: str) -> None:
    """Print the sentence on standard error in one line."""
    from referee.core.names import isolate
    from referee.core.reading import short_sentence

    print(isolate(short_sentence(sentence)), file=sys.stderr)


def _flush() -> None:
    """Flush standard output. If that fails, drop the output, so that Python's exit works."""
    try:
        sys.stdout.flush()
    except OSError as exc:
        drop_output()
        if not isinstance(exc, BrokenPipeError):
            raise UsageError(f"referee: standard output: {exc.strerror or exc}") from exc
