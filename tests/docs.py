"""Parts of the documents that are generated: `python -m tests.docs --update`, or `--check` that they are in step.

ARCHITECTURE.md gets its diagram and table from the transition table, README.md its picture from a match that bots play.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from PIL import Image

from referee.core.match.transition_table import SHARED_ROWS, leads, rows
from referee.core.model.menu import MenuAction
from referee.core.model.phase import Phase
from referee.core.model.registry import Documents, all_games, game_named, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import Game, Transition
from referee.core.model.view import CountScreen, PlayingScreen, StandingsScreen, VerdictScreen, View
from referee.screens import draw
from referee.table.bots import Bots
from referee.table.evening import Evening
from tests.core.ways import phases

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- transitions:begin -->", "<!-- transitions:end -->"


def transitions() -> str:
    """The transition table: a diagram for each game, the shared rows, then each game's own."""
    parts: list[str] = []
    for documents, game in all_documents():
        parts += [f"**{documents.FAMILY}**", "", *diagram(game), ""]
    parts += [*kinds(), "", *table(SHARED_ROWS)]
    for documents, game in all_documents():
        parts += ["", f"**{documents.FAMILY}** alone:", "", *table(game.rows, game)]
    return "\n".join(parts)


def kinds() -> Iterator[str]:
    """Of each kind of phases that has rows of its own: what it is, and which phases are of it."""
    phases = dict.fromkeys(phase for game in all_games() for phase, _ in rows(game))
    for kind in dict.fromkeys(row.phase for row in SHARED_ROWS if not row.phase.name and row.phase is not Phase):
        members = ", ".join(phase.name for phase in phases if issubclass(phase, kind))
        yield f"- *{kind.__name__}* ({members}): {kind.__doc__}"


HEAD = ("| phase | trigger | leads to | meaning |", "|---|---|---|---|")


def table(of: Iterable[Transition], game: Game | None = None) -> list[str]:
    """The rows, but of the knob's only those that lead to another phase; where to is said for that game."""
    return [*HEAD, *(line(row, game) for row in of if row.targets or not issubclass(row.trigger, MenuAction))]


def line(row: Transition, game: Game | None) -> str:
    """A row of the table."""
    ways = (t if isinstance(t, str) else t.value for t in row.targets) if game is None else sorted(names_of(game, row))
    to = ", ".join(ways) or "stays"
    return f"| {row.phase.name or f'*{row.phase.__name__}*'} | {_triggered(row.trigger)} | {to} | {row.meaning} |"


def names_of(game: Game, row: Transition) -> set[str]:
    """The phases to which the row leads in that game, in whichever phases it stands there."""
    return {to for phase in phases(game, row) for to in leads(game)[phase, row.trigger]}


def diagram(game: Game) -> Iterator[str]:
    """Every way from one phase into another; what happens in whichever phase comes from ANYWHERE: power back, undo."""
    everywhere = {row.handler for row in SHARED_ROWS if row.phase is Phase}
    arrows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (phase, trigger), targets in leads(game).items():
        source = "ANYWHERE" if rows(game)[phase, trigger].handler in everywhere else phase.name
        for target in sorted(targets):
            arrows[source, target].append(_triggered(trigger))
    yield from ("```mermaid", "stateDiagram-v2", '    state "wherever the table is" as ANYWHERE', "    [*] --> LOBBY")
    for (one, other), triggers in arrows.items():
        yield f"    {one} --> {other}: {', '.join(dict.fromkeys(triggers))}"
    yield "```"


def _triggered(kind: type) -> str:
    return f"knob {kind.__name__}" if issubclass(kind, MenuAction) else kind.__name__


def all_documents() -> Iterator[tuple[Documents, Game]]:
    """Each game with its documents, once."""
    found = {documents.FAMILY: (documents, game_named(preset)) for preset, documents in presets().items()}
    return iter(found.values())


def generated(document: str) -> str:
    """The document with its generated part made anew."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{transitions()}\n\n{END}{after}"


def evening() -> list[View]:
    """Four moments of a demo match: play, a verdict, a count under way, the standings."""
    names = tuple(zip("1234", ("Anna", "Ben", "Max", "Lea"), strict=True))
    shown: dict[type, View] = {}

    def watch(view: View) -> None:
        late = view.seq > 900
        if late and isinstance(view.screen, PlayingScreen | VerdictScreen | CountScreen | StandingsScreen):
            shown[type(view.screen)] = view

    Evening(Setup(names=names), Bots("1234", 1), watch=watch).play()
    return [shown[kind] for kind in (PlayingScreen, VerdictScreen, CountScreen, StandingsScreen)]


def picture(scale: int = 3, gap: int = 12) -> Image.Image:
    """The four moments side by side, as the display shows them."""
    width, height = 128 * scale, 64 * scale
    sheet = Image.new("L", (2 * width + 3 * gap, 2 * height + 3 * gap), 40)
    for index, view in enumerate(evening()):
        place = (gap + index % 2 * (width + gap), gap + index // 2 * (height + gap))
        sheet.paste(draw(view).convert("L").resize((width, height), Image.Resampling.NEAREST), place)
    return sheet


def main(arguments: list[str]) -> int:
    """Update the documents, or say which of them is behind."""
    path, shot = ROOT / "ARCHITECTURE.md", ROOT / "docs" / "display.png"
    old = path.read_text(encoding="utf-8")
    new = generated(old)
    sheet = picture()
    if "--update" in arguments:
        path.write_text(new, encoding="utf-8")
        shot.parent.mkdir(exist_ok=True)
        sheet.save(shot, optimize=True)
        return 0
    if old != new:
        sys.stderr.write("ARCHITECTURE.md is behind the transition table: run `make docs`\n")
    if not shot.exists() or Image.open(shot).tobytes() != sheet.tobytes():
        sys.stderr.write("docs/display.png is behind the screens: run `make docs`\n")
        return 1
    return int(old != new)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
