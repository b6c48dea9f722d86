"""Answer a dispute by the rules of a preset, with their sources.

Without TOPIC, list the topics.

`referee rules check POSITION MOVE` says whether a move of cards is legal, and by which rule.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from referee.commands.score import plain, read, refusing
from referee.commands.terminal import Terminal, UsageError, add_options, given_options, terminal
from referee.core.cards.check import allowed_by, breach
from referee.core.cards.notation import move_from_text, move_text
from referee.core.model.registry import allowed_presets, position_of, preset_called, presets, rulebook
from referee.core.model.table import PRESET
from referee.core.reading import parse, quoted_value
from referee.core.rulebook import RuleAnswer
from referee.language.display import display_text, sources_of
from referee.language.rules.search import find
from referee.language.words import ENGLISH, LANGUAGES, speaking, text_at

CHECK = "check"
"""The first word, if a move of cards is to be checked instead of a topic looked up."""
WIDE = 100


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic",
        metavar="TOPIC",
        nargs="*",
        help='the dispute in your own words, for example: burn, "half a pile"; or check POSITION MOVE, with a position '
        'in JSON (- reads standard input) and a move such as "Red: reserve > foundation 2" or "Red: turn"',
    )
    parser.add_argument("--preset", metavar="P", help=f"preset (default: {PRESET})")
    parser.add_argument("--lang", choices=LANGUAGES, help="language (default: that of TOPIC)")
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the rules' answer. Return 1 for an illegal move or an unknown topic.

    Raises UsageError.
    """
    if args.topic[:1] == [CHECK]:
        return check(args)

    answers = _rulebook(args)
    words = " ".join(args.topic)
    hits = answers
    near: tuple[RuleAnswer, ...] = ()
    if words:
        found = find(answers, words, args.lang)
        hits, near, args.lang = found.topics, found.nearest, found.language
    args.lang = args.lang or ENGLISH
    with speaking(args.lang):
        if args.json:
            print(json.dumps(document(args, hits, near)))
        else:
            said = replies(words, hits, near) if words else overview(hits, terminal())
            _print("\n".join(said))
    return 0 if hits else 1


def _print(text: str) -> None:
    print(plain(text))


# -- arguments -----------------------------------------------------------------------------------------------------


def _rulebook(args: argparse.Namespace) -> tuple[RuleAnswer, ...]:
    """Return the rulebook's answers for the chosen preset and options. Raises UsageError."""
    books = [name for name, game in presets().items() if game.RULEBOOK]
    given = args.preset or PRESET
    preset = preset_called(given)
    if preset not in books:
        what = "rulebook for" if preset in presets() else "preset"
        raise UsageError(f"referee rules: there is no {what} {quoted_value(given)}; {allowed_presets(given, books)}")
    args.preset = preset
    return rulebook(preset, given_options("rules", preset, args.option))


# -- text ----------------------------------------------------------------------------------------------------------


def overview(answers: Sequence[RuleAnswer], terminal: Terminal) -> Iterator[str]:
    """Yield a line per topic: its title and the beginning of its answer."""

    for answer in answers:
        yield f"{terminal.paint(f'{display_text(answer.title):<18}', 'strong')}{display_text(answer.pages[0].text)}"


def sheets(answers: Sequence[RuleAnswer], terminal: Terminal) -> Iterator[str]:
    """Yield for each topic its title and all sentences of its answer, with their sources."""

    for answer in answers:
        yield terminal.paint(display_text(answer.title), "strong")
        for page in answer.pages:
            text = f"{display_text(page.text)} ({sources_of(page.sources)})"
            yield from textwrap.wrap(text, WIDE, initial_indent="  ", subsequent_indent="    ")


def replies(words: str, hits: Sequence[RuleAnswer], near: Sequence[RuleAnswer]) -> Iterator[str]:
    """Yield the answer to a question, then the similar topics `near`."""
    yield from sheets(hits, terminal())
    topics = ", ".join(display_text(answer.title) for answer in near)
    yield text_at("answer", "answer.or" if hits else "answer.none", words=quoted_value(words), topics=topics)


# -- JSON ----------------------------------------------------------------------------------------------------------


def document(args: argparse.Namespace, answers: Sequence[RuleAnswer], near: Sequence[RuleAnswer]) -> dict[str, Any]:
    """Return the found topics as JSON data. `nearest` names similar topics."""
    return {
        "preset": args.preset,
        "language": args.lang,
        "topics": [_topic(answer) for answer in answers],
        "nearest": [answer.topic for answer in near],
    }


def _topic(answer: RuleAnswer) -> dict[str, Any]:

    return {
        "topic": answer.topic,
        "title": display_text(answer.title),
        "answer": [
            {"text": display_text(page.text), "sources": [source.key.partition(".")[2] for source in page.sources]}
            for page in answer.pages
        ],
    }


# -- a move of cards -----------------------------------------------------------------------------------------------


def check(args: argparse.Namespace) -> int:
    """Print whether a move is legal. Return 1 if it is not.

    Raises UsageError for a move that cannot be read.
    """

    _refuse_what_no_check_takes(args)
    _, path, text = args.topic
    with refusing("rules check", path):
        position = position_of(parse(read(path)))
        move = move_from_text(position, text)
    broken = breach(position, move)
    with speaking(args.lang or ENGLISH):
        rule = allowed_by(position, move) if broken is None else broken
        _tell_legality(args.json, broken is None, move_text(position, move), rule)
    return 1 if broken else 0


def _refuse_what_no_check_takes(args: argparse.Namespace) -> None:
    """Raise UsageError unless there are two words, POSITION and MOVE, and no options for rules."""
    if len(args.topic) != 3:
        raise UsageError(f"referee rules check: {len(args.topic) - 1} words are given, needed are POSITION and MOVE")
    for option, given in (("--preset", args.preset), ("--option", args.option)):
        if given:
            raise UsageError(f"referee rules check: {option} is not allowed, because POSITION contains its rules")


def _tell_legality(as_json: bool, legal: bool, move: str, rule: str) -> None:
    meaning = text_at("move", f"move.{rule.replace(' ', '_')}")
    if as_json:
        print(json.dumps({"legal": legal, "move": move, "rule": rule, "meaning": meaning}))
        return
    answer = text_at("move", "move.legal" if legal else "move.illegal")
    painted = terminal().paint(answer, "good" if legal else "bad")
    line = text_at("move", "move.answer", answer=painted, rule=rule, move=move)
    _print(f"{line}\n{meaning[:1].upper()}{meaning[1:]}.")
