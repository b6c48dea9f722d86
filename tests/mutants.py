"""Mutation tests of the core: `python -m tests.mutants [MODULE ...] [--since COMMIT] [--sample N] [--only N]`.

Each mutant is a module with one small mistake (`mistakes.py`). Tests run in a forked process that has the mutant in the
module's place (`trials.py`); a mutant that they do not notice survives. Files are never touched. Exit status 1 when
fewer than 90 % of a module's mutants die, or of a sample over several modules.

Which tests: those that have gone through the mutant's line, by the contexts in `.coverage-lines`, which `make mutants`
records once (remove it, and it does again), or in `.coverage`, which `make check` leaves (`--lines .coverage`): first
those in which words of that line stand, of its function's first line, or of what people read for its messages, then one
of each file by turns, and several of those that `test_mirror.py` says are the module's, the narrowest first; `MOST` of
them. What runs at an import has no test of its own: a constant has those of the module's own that name it, then by
turns the others of those and the tests of the lines that name it; a row of the transition table those of its handler.
Tests of the module's own that are newer than the record come first. Without a record the mirror's tests are all.
Mistakes that nobody can see are left out, and `EQUIVALENT` says why.
"""

# ruff: noqa: T201 -- a command

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from random import Random

import pytest
from coverage import CoverageData

from referee.language.words import catalogue
from tests import trials
from tests.mistakes import Mutant, mutants
from tests.swaps import Asked
from tests.test_mirror import ELSEWHERE, MODULES, TESTS, mirrored
from tests.trials import LEAST_KILLED, ROOT, Chosen, Hasty, Tally, Target, Trials

LINES = ROOT / ".coverage-lines"
MOST = 200
"""So many tests are tried on a mutant at most."""
OWN = 5
"""Where files of tests take turns, the module's own have so many tests at a time."""
COMMON = frozenset({"Row", "Setting", "msg", "field", "ClassVar", "Transition", "tuple", "str", "int", "bool"})
"""Names that say nothing of where they stand."""
STORED = "tests/core/test_stored.py"
"""These hold what a journal's values are called: they go through no line of a class, and are tried on each at a top."""
FURTHER = {
    "match/advance": (
        "core/test_knob.py",
        "core/test_spelling.py",
        "core/test_links.py",
        "core/match/test_transition_table.py",
    ),
    "presses/signals": ("core/presses/test_arbiter.py", "core/presses/test_live_calls.py"),
    "presses/arbiter": (
        "core/presses/test_promises.py",
        "core/presses/test_live_calls.py",
        "core/presses/test_last_press.py",
    ),
    "pods/wire": ("core/pods/test_link.py",),
    "pods/link": ("core/pods/test_link_lost.py", "core/pods/test_strangers.py"),
    "cards/check": ("core/cards/test_flights.py", "core/cards/test_document.py"),
    "cards/idle": ("core/cards/test_flights.py", "core/cards/test_document.py"),
    "documents/statistics": ("core/documents/test_chronicle.py", "core/documents/test_figures.py"),
    "games/nertz/document": (
        "core/documents/test_match.py",
        "commands/test_presets.py",
        "language/test_options.py",
    ),
    "games/thirtyone/document": (
        "core/documents/test_match.py",
        "core/test_messages.py",
        "commands/test_presets.py",
        "language/test_options.py",
    ),
    "games/nertz/settings": ("core/test_settings.py", "core/games/nertz/test_dialect.py"),
    "games/nertz/playing": ("core/test_argument.py",),
    "games/nertz/stuck": ("core/test_argument.py", "core/test_teams.py"),
    "games/thirtyone/play": (
        "core/test_agreement.py",
        "core/test_settings.py",
        "core/test_teaching.py",
        "core/test_hand.py",
    ),
    "games/slap/play": (
        "core/test_agreement.py",
        "language/test_options.py",
        "core/test_teaching.py",
        "core/test_settings.py",
        "core/test_messages.py",
    ),
    "games/lastone/play": (
        "core/test_agreement.py",
        "language/test_options.py",
        "core/test_teaching.py",
        "core/test_settings.py",
        "core/test_messages.py",
    ),
    "match/engine": ("core/test_corners.py",),
    "model/lamps": ("core/test_corners.py", "core/test_hand.py"),
    "phases/answers": ("core/games/slap/test_play.py",),
    "phases/call": ("core/games/lastone/test_play.py", "core/test_argument.py", "core/presses/test_live_calls.py"),
    "phases/common": (
        "core/test_lengths.py",
        "core/test_knob.py",
        "core/test_corners.py",
        "core/test_coming_and_going.py",
    ),
    "phases/late": ("core/test_links.py", "core/test_argument.py"),
    "phases/ready": ("core/test_coming_and_going.py", "core/test_lengths.py"),
    "phases/over": ("core/test_settlement.py", "core/test_phases.py", "core/test_teaching.py"),
    "phases/start": ("core/test_phases.py",),
    "phases/race": ("core/test_phases.py", "core/games/slap/test_play.py"),
    "model/transitions": ("core/model/test_registry.py",),
    "phases/pause": ("core/test_timeouts.py", "core/test_coming_and_going.py"),
    "phases/phones": ("core/test_phone_wishes.py", "core/test_phone_settings.py"),
    "phases/points": ("core/games/slap/test_play.py", "core/games/lastone/test_play.py"),
    "games/nertz/play": (
        "core/test_coming_and_going.py",
        "core/test_teams.py",
        "core/test_settings.py",
        "core/test_agreement.py",
    ),
    "match/viewer": ("core/test_settings.py",),
    "model/view": ("core/test_twelve.py",),
    "match/past": ("core/match/test_transition_table.py",),
    "model/registry": ("core/match/test_comeback.py", "test_config.py", "core/test_corners.py"),
    "model/table": ("core/test_corners.py", "core/test_stored.py", "core/match/test_sheet.py"),
    "model/state": ("core/test_links.py",),
    "phases/armed": ("core/test_settings.py",),
    "documents/record": ("core/test_adjusting.py", "core/test_timeouts.py"),
    "model/menu": ("core/match/test_transition_table.py",),
    "phases/verdict": ("core/games/lastone/test_play.py", "core/test_argument.py"),
    "games/nertz/cards": ("core/cards/test_options.py", "core/cards/test_document.py"),
    "games/thirtyone/rules": ("language/test_options.py", "core/games/thirtyone/test_document.py"),
    "documents/match": ("core/games/nertz/test_document.py", "core/games/thirtyone/test_document.py"),
    "games/nertz/options": ("core/games/nertz/test_rules.py", "language/test_options.py"),
    "games/nertz/rules": ("commands/test_presets.py", "language/test_options.py"),
    "games/slap/rulebook": ("language/test_rulebook.py",),
    "games/lastone/rulebook": ("language/test_rulebook.py",),
}
"""Tests beside those that the mirror names."""


def every_target() -> dict[str, Target]:
    """The core's modules by their paths in it ("presses/signals"), each with its own tests.

    The likeliest first: a file that mirrors it, the story of a table that is called as it is
    (`tests/core/test_fixing.py`), `FURTHER`, what `test_mirror` names for its folder.
    """
    found = {}
    for module in (module for module in MODULES if module.startswith("core/")):
        name = module.removeprefix("core/").removesuffix(".py")
        mirror, story = mirrored(module), f"core/test_{name.rpartition('/')[2]}.py"
        tests = [test for test in (mirror, story) if test in TESTS] + [*FURTHER.get(name, ())]
        if mirror not in TESTS:
            places = [place for place in ELSEWHERE if module == place or module.startswith(place)]
            tests += ELSEWHERE[max(places, key=len)]
        paths = tuple(f"tests/{test}" for test in dict.fromkeys(tests))
        found[name] = Target(f"referee.core.{name.replace('/', '.')}", paths)
    return found


TARGETS = every_target()

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {
    "games/nertz/rules": {
        ('"boxed": (True, "boxed rules: 1 to 10 in four colours"),', "'boxed rules: 1 to 10' -> another text"): (
            "the source of what is no option, which people are told nowhere: a remark beside the value"
        ),
        ('"building": (False, "Ligretto: nothing is built in the row"),', "'Ligretto: nothing is' -> another text"): (
            "the same: `building` and `few` are no options"
        ),
        ('"few": (((2, 5),), "boxed rules: five with two players"),', "'boxed rules: five wi' -> another text"): (
            "the same: `building` and `few` are no options"
        ),
        (
            '"few": (((2, 5), (3, 4)), "boxed rules: four with three players, five with two"),',
            "'boxed rules: four wi' -> another text",
        ): "the same: `building` and `few` are no options",
    },
    "games/nertz/stuck": {
        ("play: Playing = Playing(0)", "0 -> 1"): (
            "a field after one with a default must have one; whoever is stuck says which hand it is in"
        ),
    },
    "games/thirtyone/phases": {
        ("play: Turn = field(default_factory=lambda: Turn(0))", "0 -> 1"): (
            "a field after one with a default must have one; whoever declares a 31 says it"
        ),
        ("shown |= dict.fromkeys(seats_of(state.table, (self.knocker,)), (lamps.STEADY, 0))", "0 -> 1"): (
            "a lamp that is simply on looks the same whenever that began"
        ),
    },
    "games/thirtyone/turns": {
        ('_AGAIN = "the knob: shall the hand be dealt again?"', "'the knob: shall the ' -> another text"): (
            "a meaning that several rows have: said in a document alone, as every row's"
        ),
    },
    "games/thirtyone/scoring": {
        ("_SUM_IN_SUIT = (0, 31, 60, 81, 93)", "0 -> 1"): "up to eight hands of 30 are never too many",
        ("_SUM_IN_SUIT = (0, 31, 60, 81, 93)", "31 -> 32"): "the same: the bound is passed with the ninth hand",
        ("if CARDS * hands > (0 if trips else len(SUITS) * (most - 1)):", "0 -> 1"): (
            "a hand has three cards: none is too many, or one"
        ),
        ("for hands in range(1, len(highest) + 1):", "1 -> 2"): (
            "one hand is never too high; and one more than there are is worth no more, while the bound grows"
        ),
    },
    "games/nertz/scoring": {
        ("hands=tally.hands + 1,", "1 -> 2"): "whether a hand has been scored is asked, never how many have",
        ("hands=tally.hands + 1,", "Add -> Sub"): "the same: no count of hands is asked",
        ("for payer in (team for team, amount in settlement.items() if amount < 0):", "Lt -> LtE"): (
            "who is even would pay nothing"
        ),
        ("for payee in (team for team, amount in settlement.items() if amount > 0):", "Gt -> GtE"): (
            "who is even would get nothing"
        ),
    },
    "games/nertz/playing": {
        ("times.append(self.go_at_ns + lamps.GO_NS)", "call left out"): (
            "the lamps' glow, the inverted picture and BURN end at the same instant, and say so"
        ),
        ("times.append(self.go_at_ns + lamps.GO_NS)", "Add -> Sub"): "the same: an instant that is past is none",
    },
    "model/account": {
        ('sign = "-" if score < 0 else ""', "Lt -> LtE"): "0 has been written as a whole number before",
    },
    "names": {
        (
            '_SPACES = "".join(map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))',
            "8192 -> 8193",
        ): "U+2000 is U+2002 in the form NFC, in which a name is kept",
    },
    "model/menu": {
        ("value: int = 0", "0 -> 1"): "without values to turn through none is shown; who opens a line says which one",
    },
    "model/phase": {
        ("return (0, 0)", "0 -> 1"): "still an empty span, or one that was over before any table stood",
    },
    "model/state": {
        ("TRAIL = 192", "192 -> 193"): "a bound of memory: one row more than twelve contacts at sixteen edges need",
        ("rows=self.rows + 1,", "1 -> 2"): "which row came first is asked, never how many lie between",
        ("merged: int = 0", "0 -> 1"): "whether another tap has joined is asked, never how many have",
    },
    "phases/call": {
        (
            "play: Race = Race(0)",
            "0 -> 1",
        ): "a field after one with a default must have one; whoever makes a call says it",
        ("return self.asked_at_ns, self.asked_at_ns + 3_600 * S", "3600 -> 3601"): (
            "the picture stays inverted for as long as the phase lasts: any time that no call takes"
        ),
        ("return dict.fromkeys(seats_of(state.table, self.play.playing), (lamps.ALL_ON, 0))", "0 -> 1"): (
            "a lamp that is simply on looks the same whenever that began"
        ),
    },
    "phases/over": {
        (
            "turns = max(now_ns - self.asked_at_ns, 0) // NOTE_NS",
            "0 -> 1",
        ): "of four seconds no nanosecond makes a turn",
    },
    "phases/ready": {
        (
            "turns = max(now_ns - self.asked_at_ns, 0) // NOTE_NS",
            "0 -> 1",
        ): "of four seconds no nanosecond makes a turn",
    },
    "phases/counting": {
        ("last_tap_at_ns: int = 0", "0 -> 1"): "nobody has tapped yet: any time before the question",
    },
    "phases/race": {
        ("times.append(self.go_at_ns + lamps.GO_NS)", "call left out"): (
            "the lamps' glow and the inverted picture end at the same instant, and say so"
        ),
        ("times.append(self.go_at_ns + lamps.GO_NS)", "Add -> Sub"): "the same: an instant that is past is none",
    },
    "clocks/constraints": {
        ("if u_ns <= wander.turn_ns:", "LtE -> Lt"): (
            "the parabola ends where the straight line begins: at that very distance both say the same"
        ),
        ("if right[0] <= 0:", "LtE -> Lt"): (
            "a constraint at the very time bounds the height whatever the rate; a bridge that ends there has its height"
        ),
        ("if left[0] >= 0:", "GtE -> Gt"): "as on the other side: a bridge that begins at the very time has its height",
        ("if left[0] >= 0:", "0 -> 1"): "the same: times are whole numbers",
        ("left, right = (constraint, right) if constraint[0] <= 0 else (left, constraint)", "LtE -> Lt"): (
            "what stands at the very time ends the bridge on either side: its height is the constraint's"
        ),
    },
    "clocks/fit": {
        ("then = at_ns < self.newest_ns", "Lt -> LtE"): (
            "at the newest stamp itself the rates are then one part of 10^15 wider: 10^-6 ns at the farthest constraint"
        ),
        ("newest_ns: int = 0", "0 -> 1"): "where a fit knows nothing it may have every rate at any time",
    },
    "cards/fitting": {
        ("OPEN = 64", "64 -> 65"): "any number will do that is beyond all looks, and is added and taken off alike",
        ("return rules.lowest_built + above + length <= rules.highest + 1", "Add -> Sub"): (
            "a pack has two jokers at most, and more ranks than that: what lies on jokers alone always has room"
        ),
    },
    "match/sheet": {
        ("stages = [replace(table, hands=table.hands[:count]) for count in range(len(table.hands) + 1)]", "1 -> 2"): (
            "a stage more is the last one again, and nobody asks for it"
        ),
    },
    "match/transition_table": {
        ("phase = kind(0)", "0 -> 1"): "whether something stands at an instant is asked, at any",
        ("return phase.play_at_pause(0) is None and phase.under_undo(0) is phase", "0 -> 1"): (
            "as before: no phase answers this otherwise at another instant"
        ),
    },
    "model/transitions": {
        ('UPHELD = "what follows a verdict in this game"', "'what follows a verdi' -> another text"): (
            "no shared row leads there, and of a game's own the document says the phases' names"
        ),
        (
            'REFUTED = "the same as after a pause, in a game whose cards go on after a false claim, '
            'and what ends a hand there"',
            "'the same as after a ' -> another text",
        ): "the same: a game's rows alone lead there",
    },
    "match/viewer": {
        ("pattern, since = patterns.get(station, (lamps.DARK, 0))", "0 -> 1"): "a dark lamp is dark since whenever",
    },
    "pods/link": {
        ("CONTACTS = 8", "8 -> 9"): "a pod tells of eight, each a bit of one byte: a ninth would never close",
    },
    "presses/signals": {
        ("FOREVER_NS = 2**64", "2 -> 3"): "any number will do that is beyond all stamps",
        ("FOREVER_NS = 2**64", "64 -> 65"): "any number will do that is beyond all stamps",
    },
    "phases/spelling": {
        ("menu = Menu((), 0, state.now_ns + SPELLING_NS, spelling=Spelling(station, state.now_ns))", "0 -> 1"): (
            "a list without lines has no cursor"
        ),
    },
    "units": {
        ('sign = "-" if ns < 0 and scaled else ""', "Lt -> LtE"): "nought rounds to nought, and has no sign",
    },
    "clocks/spans": {
        ("NONE_NS = 2**63", "2 -> 3"): "any number will do that is beyond all instants",
        ("NONE_NS = 2**63", "63 -> 64"): "any number will do that is beyond all instants",
    },
}
"""Mistakes that nobody can see, and why: module -> (its line without the indent, what) -> the reason. None is tried."""


# -- tests ---------------------------------------------------------------------------------------------------------


class Gone:
    """Which tests went through which line of the core, as `tests/lines.py` had it kept in that file."""

    def __init__(self, lines: Path) -> None:
        self._by_line: dict[str, Mapping[int, Sequence[str]]] = {}
        self._width = Counter[str]()
        data = CoverageData(str(lines))
        data.read()
        for path in data.measured_files():
            module = Path(path).relative_to(ROOT).as_posix()
            self._by_line[module] = {
                line: [context for context in contexts if context]
                for line, contexts in data.contexts_by_lineno(path).items()
            }
            for tests in self._by_line[module].values():
                self._width.update(tests)
        self._known = {test.partition("[")[0] for test in self._width}
        self._text = {module: (ROOT / module).read_text(encoding="utf-8").splitlines() for module in self._by_line}
        self._places = defaultdict[str, list[tuple[str, int]]](list)
        for module, text in self._text.items():
            for number, line in enumerate(text, 1):
                for word in set(re.findall(r"\w+", line)):
                    self._places[word].append((module, number))

    def tests(self, target: Target, mutant: Mutant) -> tuple[str, ...]:
        """Those to be tried on that mutant, at most `MOST`."""
        module = target.path.relative_to(ROOT).as_posix()
        at = self._by_line.get(module, {})
        new = self._newer(target)
        found = set(at.get(mutant.line, ())) or {test for line in mutant.lines for test in at.get(line, ())}
        if not found and mutant.words:
            naming = [test for tests in self._naming(mutant.words) for test in tests]
            by_turns = (
                test for pair in zip_longest(self._by_turns(self._own(target), ()), naming) for test in pair if test
            )
            named = dict.fromkeys((*new, *sorted(naming_tests(target, mutant.words)), *by_turns))
            return (*list(named)[:MOST], STORED)
        in_turn = self._by_turns(found, target.tests)
        ranked = dict.fromkeys((*new, *self._saying(module, mutant, found)[: MOST // 2], *in_turn))
        return tuple(ranked)[:MOST] if found else ()

    def _by_turns(self, found: Iterable[str], own: Sequence[str]) -> list[str]:
        """These tests, one of each file by turns and `OWN` of each of the module's own files, the narrowest first."""
        turn = {}
        files = Counter[str]()
        for test in sorted(found, key=lambda test: (self._width[test], test)):
            file = test.partition("::")[0]
            turn[test] = files[file] // (OWN if file in own else 1), file not in own
            files[file] += 1
        return sorted(turn, key=lambda test: turn[test])

    def _own(self, target: Target) -> list[str]:
        """The module's own tests, those that go through the fewest lines first."""
        own = (test for test in self._width if test.partition("::")[0] in target.tests)
        return sorted(own, key=lambda test: (self._width[test], test))

    def _newer(self, target: Target) -> list[str]:
        """The functions of the module's own tests that the record does not know, and might have known."""
        here = (
            f"{path}::{name}"
            for path in target.tests
            for name, words in functions_of(path).items()
            if name.startswith("test_") and "no_cover" not in words
        )
        return [test for test in here if test not in self._known]

    def _saying(self, module: str, mutant: Mutant, found: set[str]) -> list[str]:
        """Of these tests those in which words of the mutant's statement or of its function's head stand, the rarer the
        sooner, and the sooner the fewer lines it goes through."""
        text = "\n".join((head_of(self._text[module], mutant.line), *(self._text[module][n - 1] for n in mutant.lines)))
        said = {*re.findall(r"\w+", text), *shown_words(text)}
        by_test = {test: said & words_of(test) for test in found}
        often = Counter(word for words in by_test.values() for word in words)
        score = {test: sum(1 / often[word] for word in words) / self._width[test] for test, words in by_test.items()}
        return sorted((test for test in found if score[test]), key=lambda test: (-score[test], test))

    def _naming(self, words: frozenset[str]) -> list[list[str]]:
        """The tests that went through a line of the core with one of these names, those of the least-used line first; a
        function's name means all of its lines."""
        found = [
            {test for at in self._body(module, line, word) for test in self._by_line[module].get(at, ())}
            for word in words - COMMON
            for module, line in self._places[word]
        ]
        return [sorted(tests, key=lambda test: (self._width[test], test)) for tests in sorted(found, key=len)]

    def _body(self, module: str, line: int, word: str) -> range:
        return range(line, line + 8) if f"def {word}(" in self._text[module][line - 1] else range(line, line + 1)


@cache
def functions_of(path: str) -> dict[str, frozenset[str]]:
    """The functions of a file of tests, each with the words in it and in its decorators."""
    text = (ROOT / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    return {
        node.name: frozenset(re.findall(r"\w+", "\n".join(lines[_begin(node) - 1 : node.end_lineno])))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    }


def _begin(function: ast.FunctionDef) -> int:
    """The first line of its first decorator, or its own."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def words_of(test: str) -> frozenset[str]:
    """The words in a test; none where it is gone since it was recorded."""
    path, _, name = test.partition("::")
    if not (ROOT / path).exists():
        return frozenset()
    return functions_of(path).get(name.partition("[")[0].rpartition("::")[2], frozenset())


def head_of(text: Sequence[str], line: int) -> str:
    """The line with which the function begins that this line (from 1) is in; "" where it is in none.

    >>> text = ["def one(a):", "    return a", "", "two = 2"]
    >>> head_of(text, 2), head_of(text, 4)
    ('def one(a):', '')
    """
    indent = len(text[line - 1]) - len(text[line - 1].lstrip())
    for above in reversed(text[: line - 1]):
        if above.strip() and len(above) - len(above.lstrip()) < indent:
            if above.lstrip().startswith("def "):
                return above
            indent = len(above) - len(above.lstrip())
    return ""


def shown_words(source: str) -> set[str]:
    """What people read, in English, for the messages whose keys stand in these lines: tests say it so."""
    english = catalogue("en")
    forms = (form for key in english.keys if f'"{key[-1]}"' in source for form in english.forms(key))
    return {word for form in forms for word in re.findall(r"\w+", form)}


def naming_tests(target: Target, words: frozenset[str]) -> set[str]:
    """The module's own tests in which one of these names stands: who holds a constant goes through no line of it."""
    found = set()
    for path in target.tests:
        for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
            names = {name for inner in ast.walk(node) for name in _names_in(inner)}
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and names & words:
                found.add(f"{path}::{node.name}")
    return found


def _names_in(node: ast.AST) -> tuple[str, ...]:
    """What a part of a test names: a variable, a field, a value given by its name."""
    if isinstance(node, ast.keyword):
        return (node.arg,) if node.arg else ()
    return (node.id,) if isinstance(node, ast.Name) else (node.attr,) if isinstance(node, ast.Attribute) else ()


def drawn(names: Iterable[str], sample: int, only: int, seed: int) -> dict[str, list[Mutant]]:
    """The mutants to try, by module: `sample` of all, or about `only` of each, or (0) every one.

    A sample's modules come as they were drawn: where time is short, it is not always the same ones that are tried.
    """
    every = {name: seen(name) for name in names}
    if sample:
        all_of_them = [(name, mutant) for name, found in every.items() for mutant in found]
        picked = Random(seed).sample(all_of_them, min(sample, len(all_of_them)))
        return {name: [mutant for of, mutant in picked if of == name] for name, _ in picked}
    return {name: found[:: max(len(found) // only, 1)] if only else found for name, found in every.items()}


def seen(name: str) -> list[Mutant]:
    """A module's mutants but for those that are equivalent. SystemExit where an entry of those fits no mutant."""
    source = TARGETS[name].path.read_text(encoding="utf-8")
    lines = source.splitlines()
    found = [(mutant, (lines[mutant.line - 1].strip(), mutant.what)) for mutant in mutants(source)]
    known = EQUIVALENT.get(name, {})
    if stale := known.keys() - {place for _, place in found}:
        raise SystemExit(f"{name} has no mutant {min(stale)}: EQUIVALENT is to be looked at again")
    return [mutant for mutant, place in found if place not in known]


def changed_since(commit: str) -> list[str]:
    """The modules that are otherwise than in that commit. SystemExit for one that git does not know."""
    git = ["git", "diff", "--name-only", commit, "--", "referee/core"]
    told = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode:
        raise SystemExit(f"{commit} is no commit here")
    return [path.removeprefix("referee/core/").removesuffix(".py") for path in told.stdout.split()]


def changed_since_record(names: Iterable[str], recorded_s: float) -> list[str]:
    """Those of these modules whose lines may stand elsewhere than they did when tests went through them.

    recorded_s: Unix seconds.
    """
    return [name for name in names if TARGETS[name].path.stat().st_mtime > recorded_s]


class Tried:
    """A pytest plugin: in place of running the tests that were collected, it tries the mutants on them."""

    def __init__(self, args: argparse.Namespace, chosen: Mapping[str, Sequence[Chosen]]) -> None:
        self._args, self.chosen = args, chosen
        self.asked = Asked()
        self.is_enough = True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Module after module."""
        until_s = time.monotonic() + self._args.seconds
        trying, whole = Trials(session.items, self.asked), Tally()
        trying.check_import(session.items[0].nodeid)
        for name, chosen in self.chosen.items():
            tally = trying.hunt(TARGETS[name], chosen, self._args.jobs, until_s)
            if tally.tried:
                print(f"{name}: {tally.told}", flush=True)
            whole = Tally(whole.killed + tally.killed, whole.survived + tally.survived)
            self.is_enough &= bool(self._args.sample) or not tally.tried or tally.share >= LEAST_KILLED
        print(f"all: {whole.told}", flush=True)
        self.is_enough &= not (self._args.sample and whole.is_too_few)
        return True


def chosen_tests(name: str, found: Iterable[Mutant], gone: Gone | None) -> list[Chosen]:
    """Each of the module's mutants with its tests; where no line is known, all in the module's own files."""
    target = TARGETS[name]
    return [Chosen(mutant, (gone.tests(target, mutant) if gone else ()) or target.tests) for mutant in found]


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutation tests of the core's modules, all of them if none is named.")
    parser.add_argument("targets", nargs="*", metavar="MODULE", help="its path in the core, e.g. presses/signals")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, default=0, help="try about this many mutants a module")
    parser.add_argument("--sample", type=int, default=0, help="try this many mutants of all modules together")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--lines", type=Path, default=LINES, help="which tests went through which lines")
    parser.add_argument("--since", metavar="COMMIT", help="only of modules that have changed since then")
    parser.add_argument("--cpu", type=float, default=trials.MOST_CPU_S, help="seconds of a core on one mutant, about")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further mutant after so long")
    args = parser.parse_args()
    if unknown := [name for name in args.targets if name not in TARGETS]:
        parser.error(f"{unknown[0]} is no module of the core, allowed are {', '.join(TARGETS)}")
    os.chdir(ROOT)
    trials.MOST_CPU_S = args.cpu
    names = args.targets or list(TARGETS)
    if args.since:
        names = [name for name in changed_since(args.since) if name in names]
    if not names:
        print(f"no module of the core is otherwise than in {args.since}")
        return 0
    gone = Gone(args.lines) if args.lines.exists() else None
    if gone and (moved := changed_since_record(names, args.lines.stat().st_mtime)):
        print(f"changed since {args.lines.name} was recorded, remove it to have it anew: {', '.join(moved)}")
    picked = drawn(names, args.sample, args.only, args.seed)
    tried = Tried(args, {name: chosen_tests(name, found, gone) for name, found in picked.items()})
    files = sorted({test.partition("::")[0] for of in tried.chosen.values() for one in of for test in one.tests})
    known = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is imported already
    options = ["-q", "-s", "-W", known, "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    status = pytest.main([*options, *files], plugins=[Hasty(), tried.asked, tried])
    return int(status != 0 or not tried.is_enough)


if __name__ == "__main__":
    sys.exit(main())
