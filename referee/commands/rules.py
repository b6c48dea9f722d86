"""`referee rules check POSITION.json MOVE`: whether that move is legal there, and by which rule."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add(commands: Any) -> None:
    """Add this command and its arguments to the command line."""
    parser = commands.add_parser("rules", help="whether a move of cards is legal, and by which rule")
    topics = parser.add_subparsers(dest="topic", metavar="TOPIC", required=True)
    said = "whether a move is legal in a position, and by which rule"
    check = topics.add_parser("check", help=said, description=__doc__)
    check.add_argument("position", metavar="POSITION", help="a position document in JSON; - reads standard input")
    check.add_argument(
        "move", metavar="MOVE", help='as people say it: "Red: reserve > foundation 2", "Red: turn", "table: burn stock"'
    )
    check.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the answer; 1 when the move is illegal. Raises UsageError where there is no such position or move."""
    from referee.commands.score import plain, read, refusing
    from referee.commands.terminal import terminal
    from referee.core.cards.check import allowed_by, breach
    from referee.core.cards.moves import GROUNDS, RULES
    from referee.core.cards.notation import move_from_text, move_text
    from referee.core.model.registry import position_of
    from referee.core.reading import parse

    with refusing("rules check", args.position):
        position = position_of(parse(read(args.position)))
        move = move_from_text(position, args.move)
    broken = breach(position, move)
    rule = allowed_by(position, move) if broken is None else broken
    meaning = GROUNDS[rule] if broken is None else RULES[rule]
    done = move_text(position, move)
    if args.json:
        print(json.dumps({"legal": broken is None, "move": done, "rule": rule, "meaning": meaning}))
    else:
        answer = terminal().paint("illegal", "bad") if broken else terminal().paint("legal", "good")
        print(plain(f'{answer} by the rule "{rule}": {done}\n{meaning[:1].upper()}{meaning[1:]}.'))
    return 1 if broken else 0
