"""Print the transition table as Markdown: `make transitions`.

For each game a diagram, then the rows.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator

from referee.core.match.transition_table import SHARED_ROWS, leads, rows
from referee.core.model.menu import MenuAction
from referee.core.model.paper import Documents
from referee.core.model.registry import all_games, game_named, presets
from referee.core.model.state import Phase
from referee.core.model.transitions import Game, Transition

HEAD = ("| phase | trigger | leads to | meaning |", "|---|---|---|---|")


def document() -> str:
    """Return the whole table: a diagram for each game, the shared rows, then each game's own rows."""
    parts: list[str] = []
    for documents, game in all_documents():
        parts += [f"**{documents.FAMILY}**", "", *diagram(game), ""]
    parts += [*kinds(), "", *table(SHARED_ROWS)]
    for documents, game in all_documents():
        parts += ["", f"**{documents.FAMILY}** alone:", "", *table(game.rows, game)]
    return "\n".join(parts)


def kinds() -> Iterator[str]:
    """Yield each kind of phase that has rows, with its docstring and its members."""
    phases = dict.fromkeys(phase for game in all_games() for phase, _ in rows(game))
    for kind in dict.fromkeys(row.phase for row in SHARED_ROWS if not row.phase.name and row.phase is not Phase):
        members = ", ".join(phase.name for phase in phases if issubclass(phase, kind))
        yield f"- *{kind.__name__}* ({members}): {kind.__doc__}"


def table(of: Iterable[Transition], game: Game | None = None) -> list[str]:
    """Return the rows as a table, without lines of the knob's list that stay in their phase."""
    return [*HEAD, *(line(row, game) for row in of if row.targets or not issubclass(row.trigger, MenuAction))]


def line(row: Transition, game: Game | None) -> str:
    """Return one row. With a game, resolve its targets to that game's phases."""
    ways = (t if isinstance(t, str) else t.value for t in row.targets) if game is None else sorted(names_of(game, row))
    to = ", ".join(ways) or "stays"
    return f"| {row.phase.name or f'*{row.phase.__name__}*'} | {_triggered(row.trigger)} | {to} | {row.meaning} |"


def names_of(game: Game, row: Transition) -> set[str]:
    """Return the phases to which the row can lead in that game."""
    return {
        to
        for (phase, trigger), found in rows(game).items()
        if trigger is row.trigger and found.handler == row.handler and issubclass(phase, row.phase)
        for to in leads(game)[phase, trigger]
    }


def diagram(game: Game) -> Iterator[str]:
    """Yield the lines of a Mermaid state diagram.

    ANYWHERE is the source of rows that apply in every phase: power back, undo, redo.
    """
    everywhere = {row.handler for row in SHARED_ROWS if row.phase is Phase}
    arrows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (phase, trigger), targets in leads(game).items():
        source = "ANYWHERE" if rows(game)[phase, trigger].handler in everywhere else phase.name
        for target in sorted(targets):
            arrows[source, target].append(_triggered(trigger))
    yield from ("```mermaid", "stateDiagram-v2", '    state "any phase" as ANYWHERE', "    [*] --> LOBBY")
    for (one, other), triggers in arrows.items():
        yield f"    {one} --> {other}: {', '.join(dict.fromkeys(triggers))}"
    yield "```"


def _triggered(kind: type) -> str:
    return f"knob {kind.__name__}" if issubclass(kind, MenuAction) else kind.__name__


def all_documents() -> Iterator[tuple[Documents, Game]]:
    """Yield each game with its documents, once."""
    found = {documents.FAMILY: (documents, game_named(preset)) for preset, documents in presets().items()}
    return iter(found.values())


if __name__ == "__main__":
    sys.stdout.write(document() + "\n")
