"""Draw the lobby: the seats. Up to four with whole names, up to eight with two letters."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import ON_A_PAGE, LobbyScreen, SeatCell
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, SMALL, Area, Canvas
from referee.screens.fonts import font
from referee.screens.labels import BADGE_PX, NAME_GAP_PX, NO_DESCENDERS_PX, badge, badges_px, grid, on_page
from referee.screens.parts import (
    ALWAYS,
    Band,
    Pictures,
    baseline_y,
    capitals,
    header,
    line,
    paragraph,
    put,
    shorten,
    stack,
)

PAIR_PX = 6  # width of the partner's number after a name
SQUEEZE_PX = 4
"""Height taken from the seats for the line below them."""
WHOLE_PX = 64  # width of a seat with a whole name and a partner's number


def lobby(canvas: Canvas, area: Area, screen: LobbyScreen) -> None:
    letters = area.w // font(SMALL).width
    game, teams = _game(screen, letters)
    naming = next((s for s in screen.seats if s.number == screen.naming and s.name), None)
    size = HINT if screen.teams > 1 else SMALL
    full = screen.teams > 1 and all(seat.name for seat in screen.seats)
    coming = display_text(screen.coming)
    foot = word("push_to_start") if screen.starts and not full else coming or word("hold_two")
    if naming:
        foot = word("push_for_name") if screen.fresh else word("turn_for_name")
    asked = word("push_start" if full else "tap_to_join")
    text = display_text(screen.hint) or asked
    if screen.coming and screen.coming.key != "note.next" and not screen.hint:
        text, foot = coming, word("push_to_set")
    is_long = len(text) * font(MIDDLE).width > area.w
    middle = paragraph(text, letters, 5, 0.5) if is_long else line(text, keep=5, align=0.5, name=MIDDLE)
    rows = [
        header(game, _page(canvas, screen, teams), keep=4),
        _naming_row(naming, word("new_name") if screen.fresh else naming.name or "") if naming else middle,
        Band(32, lambda c, a: seats(c, a, screen.seats), ALWAYS, least=28),
        line(foot, keep=2, align=0.5, name=size),
    ]
    stack(canvas, area, rows, SQUEEZE_PX)


def _page(canvas: Canvas, screen: LobbyScreen, teams: str) -> str:
    """Return the page number of the seats if they need several pages, else the text `teams`."""
    return (not canvas.area.is_wide and on_page(canvas, screen.seats)[1]) or teams


def _game(screen: LobbyScreen, letters: int) -> tuple[str, str]:
    """Return the game and the number of teams as two texts that fit on one line.

    If room is short, first the number of teams is left out, then the target.
    """
    teams, name = word("teams", count=screen.teams), screen.preset
    goal = name if screen.target is None else word("to_target", preset=name, target=screen.target)
    if len(goal) + len(teams) < letters:
        return goal, teams
    return (goal if len(goal) <= letters else shorten(name, letters)), ""


def _naming_row(seat: SeatCell, turned: str) -> Band:
    """Return the row of a seat whose name is being changed: the knob's choice between arrows."""

    def paint(canvas: Canvas, area: Area) -> None:
        badge_px = badges_px((seat.number,))
        most = (area.w - badge_px - 4) // 8 - 2
        text = f"◄ {turned} ►" if len(turned) <= most - 2 else f"◄{turned[:most]}►"
        x = area.x + (area.w - badge_px - 4 - 8 * len(text)) // 2
        x = badge(canvas, x, area, seat.number) + 4
        put(canvas, Area(x, area.y, area.x + area.w - x, area.h), text, MIDDLE)

    return Band(16, paint, keep=6)


def seats(canvas: Canvas, area: Area, cells: Sequence[SeatCell]) -> None:
    """Draw the seats in two rows: two in a row for up to four seats, four for up to eight.

    More than eight seats are on several pages; a wide display shows them in two longer rows.
    """
    if len(cells) > ON_A_PAGE:
        cells, _ = (cells, "") if area.is_wide else on_page(canvas, cells)
        columns, letters = -(-len(cells) // 2), 2
    else:
        columns = 2 if len(cells) <= 4 else 4
        letters = 2 if area.w // columns < WHOLE_PX else (area.w // columns - BADGE_PX - NAME_GAP_PX - PAIR_PX) // 8
    grid(canvas, area, len(cells), columns, 2, lambda a, i: _seat(canvas, a, cells[i], letters))


def _seat(canvas: Canvas, area: Area, cell: SeatCell, letters: int) -> None:
    x = badge(canvas, area.x, area, cell.number) + NAME_GAP_PX
    if cell.name is None:
        canvas.text(x, baseline_y(area, MIDDLE), "––" if letters == 2 else "– –", font(MIDDLE))
        return
    name = capitals(cell.name) if area.h < NO_DESCENDERS_PX else cell.name
    if cell.pair is not None and cell.pair > 9:
        letters = min(letters, (area.x + area.w - x - 2 * PAIR_PX) // 8)
    x = canvas.text(x, baseline_y(area, MIDDLE), name[:letters], font(MIDDLE))
    if cell.pair is not None:
        canvas.text(x, area.y - 1, "+", font(SMALL))
        canvas.text(x, area.y + 6, str(cell.pair), font(SMALL))


SCREENS: Pictures = {LobbyScreen: lobby}
