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
    "core/model/spelled.py": ("core/games/lastone/test_play.py",),
    "core/model/noted.py": ("core/test_timeouts.py", "core/test_adjusting.py"),
    # played: what people press and are shown is the test, whichever module has a hand in it
    "core/phases/": (
        "core/test_hand.py",
        "core/test_asked.py",
        "core/test_grammar.py",
        "core/test_settings.py",
        "core/test_lengths.py",
    ),
    # every rule acts in every move: two models, random walks, a test per option
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
    "core/model/gestures.py": ("core/test_hand.py", "core/test_grammar.py"),
    "core/model/usual.py": ("test_config.py",),
    "core/match/viewer.py": ("core/test_grammar.py", "core/test_asked.py", "core/test_lengths.py"),
    "core/model/transitions.py": ("core/match/test_transition_table.py", "core/test_phases.py"),
    # values that have no behaviour of their own
    "core/model/events.py": ("core/test_stored.py",),
    # one half of something that is tested whole
    "core/model/options.py": ("core/games/nertz/test_rules.py",),
    "core/match/aside.py": ("core/match/test_comeback.py",),
    "core/match/places.py": ("core/match/test_comeback.py",),
    "core/documents/record.py": ("core/documents/test_chronicle.py", "commands/test_forget.py"),
    "core/documents/statistics.py": ("commands/test_history.py",),
    "core/documents/summary.py": ("core/documents/test_figures.py",),
    "core/documents/course.py": ("core/documents/test_figures.py",),
    "drivers/records/child.py": ("web/test_history.py", "web/test_imports.py"),
    "drivers/records/elsewhere.py": ("commands/test_forget.py",),
    "drivers/records/forget.py": ("commands/test_forget.py",),
    "drivers/records/": ("drivers/records/test_store.py",),
    "drivers/gpiod/": ("drivers/gpiod/test_factory.py",),
    "drivers/evenings/": ("drivers/evenings/test_writer.py",),
    "drivers/oled/": ("drivers/oled/test_display.py",),
    "drivers/pins/": ("drivers/pins/test_pinmap.py",),
    "drivers/pods/": ("drivers/pods/test_lines.py", "commands/test_pod.py"),
    "drivers/pwm/channel.py": ("drivers/sound/test_buzzer.py", "drivers/pwm/test_chip.py"),
    "drivers/sound/motifs.py": ("drivers/sound/test_buzzer.py",),
    "drivers/fixture.py": ("commands/test_fixture.py",),
    # drawn: golden pictures, and every picture that Hypothesis can think of
    "language/told/": ("language/test_told.py", "core/test_messages.py"),
    "language/": ("language/test_catalogue.py", "language/test_speech.py", "screens/test_words.py"),
    "screens/": ("screens/test_goldens.py", "screens/test_properties.py", "screens/test_fonts.py"),
    # bots are people: whole evenings are looked at, and who may do what
    "table/player.py": ("table/test_cardhand.py",),
    "table/": ("table/test_evening.py", "table/test_manners.py", "table/test_turns.py", "table/test_race.py"),
    "web/finish.py": ("web/test_board.py",),
    "web/": ("web/test_page.py", "web/test_live.py", "web/test_serve.py", "web/test_process.py"),
    "simulate/manner.py": ("simulate/test_hand.py",),
    "drawing.py": ("simulate/test_charts.py", "web/test_charts.py"),
    # parts of commands
    "commands/findings.py": ("commands/test_doctor.py",),
    "commands/import_.py": ("commands/test_history.py",),
    "web/exports.py": ("commands/test_export.py", "web/test_history.py"),
    "web/housebook.py": ("web/test_setup.py",),
    "web/past.py": ("web/test_history.py",),
    "web/evening.py": ("web/test_history.py", "commands/test_history.py"),
    "web/frame.py": ("web/test_history.py",),
    "web/markup.py": ("web/test_history.py",),
    "commands/memory.py": ("commands/test_history.py", "commands/test_export.py"),
    "commands/pictures.py": ("commands/test_demo.py",),
    "commands/pod_check.py": ("commands/test_pod.py",),
    "commands/walk_words.py": ("commands/test_walk.py",),
    "assembly.py": ("test_daemon.py", "test_config.py"),
    "page.py": ("test_daemon.py", "web/test_process.py"),
}
"""Module, or folder and all in it that has no file of its own -> where it is tested."""


def mirrored(module: str) -> str:
    """The test's path of a module's path."""
    folder, _, name = module.rpartition("/")
    return f"{folder}/test_{name}" if folder else f"test_{name}"
