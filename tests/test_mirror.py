"""Where a module is tested: `tests/screens/test_menu.py` for `screens/menu.py`, or as the table below says."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    path.relative_to(ROOT / "referee").as_posix()
    for path in (ROOT / "referee").rglob("*.py")
    if not path.name.startswith("__")
)
TESTS = {path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "core/model/paper.py": ("core/test_timeouts.py", "core/test_adjusting.py"),
    "core/phases/": (
        "core/test_hand.py",
        "core/test_asked.py",
        "core/test_grammar.py",
        "core/test_settings.py",
        "core/test_lengths.py",
    ),
    "core/cards/": (
        "core/cards/test_options.py",
        "core/cards/test_sanity.py",
        "core/cards/test_perft.py",
        "core/cards/test_agreement.py",
    ),
    "core/cards/notation.py": ("core/cards/test_document.py",),
    "core/cards/moves.py": ("core/cards/test_document.py", "core/cards/test_agreement.py"),
    "core/games/nertz/": ("core/test_hand.py", "core/test_argument.py", "core/games/nertz/test_scoring.py"),
    "core/games/nertz/rulebook.py": ("core/rulebook/test_book.py", "language/test_rulebook.py"),
    "core/games/thirtyone/rulebook.py": ("core/rulebook/test_book.py", "language/test_rulebook.py"),
    "core/games/slap/": ("core/rulebook/test_book.py",),
    "core/games/lastone/": ("core/rulebook/test_book.py",),
    "core/games/thirtyone/": (
        "core/games/thirtyone/test_table.py",
        "core/games/thirtyone/test_document.py",
        "core/test_lengths.py",
    ),
    "core/match/advance.py": (
        "core/test_hand.py",
        "core/test_corners.py",
        "core/test_coming_and_going.py",
        "core/test_lengths.py",
    ),
    "core/model/state.py": ("core/test_hand.py", "core/test_stored.py"),
    "core/model/phase.py": ("core/test_hand.py", "core/test_grammar.py"),
    "core/model/table.py": ("core/test_teams.py", "core/test_stored.py"),
    "core/model/menu.py": ("core/test_knob.py",),
    "core/model/usual.py": ("test_config.py",),
    "core/match/viewer.py": ("core/test_grammar.py", "core/test_asked.py", "core/test_lengths.py"),
    "core/model/transitions.py": ("core/match/test_transition_table.py", "core/test_phases.py"),
    "core/model/events.py": ("core/test_stored.py",),
    "core/model/options.py": ("core/games/nertz/test_rules.py",),
    "core/match/aside.py": ("core/match/test_comeback.py",),
    "core/documents/record.py": ("core/documents/test_chronicle.py", "commands/test_forget.py"),
    "core/documents/statistics.py": ("commands/test_history.py",),
    "core/documents/summary.py": ("core/documents/test_figures.py",),
    "core/documents/course.py": ("core/documents/test_figures.py",),
}
"""Module, or folder and all in it that has no file of its own -> where it is tested."""


def mirrored(module: str) -> str:
    """The test's path of a module's path."""
    folder, _, name = module.rpartition("/")
    return f"{folder}/test_{name}" if folder else f"test_{name}"
