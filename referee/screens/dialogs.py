"""Draw lists and questions about the device: agreement, test, rulebook, names, start, faults, updates.

Why a device cannot start is neither a phase of a match nor a view.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from PIL import Image

from referee.core.model.view import CountdownScreen, Label, NameScreen, RuleScreen, WaitScreen
from referee.core.phases.agreement import AgreementScreen
from referee.core.phases.device import CheckScreen, OffScreen
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.language.display import display_text
from referee.language.words import speaking, word, wrap_rows
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import NAME_GAP_PX, badge, grid, large_label, waiting
from referee.screens.parts import ALWAYS, Band, Pictures, baseline_y, big, both_sides, header, line, put, stack
from referee.screens.tables import labels_panel, split

TITLE_PX = 16
GAP_PX = 6
PRESET_KEEP, TITLE_KEEP = 5, 6
"""Priorities (`Band.keep`): these rows are left out first; the rules stay."""


def agreement(canvas: Canvas, area: Area, screen: AgreementScreen) -> None:
    wide = area.is_wide
    rows = [line(display_text(rule), name=HINT) for rule in screen.lines]
    if screen.page == 1 and not wide:
        name = MIDDLE if len(rows) == 1 else HINT
        rows.insert(0, line(screen.preset, PRESET_KEEP, name=name))
    free = area.h - TITLE_PX - sum(row.px for row in rows)
    below = _below(screen, MIDDLE if free >= TITLE_PX else HINT)
    gap = Band(max(0, free - below.px), lambda c, a: None, least=0)
    return stack(canvas, area, [_title(screen, screen.preset if wide else ""), *rows, gap, below])


def _title(screen: AgreementScreen, preset: str) -> Band:
    """Return the row with the title and the page number.

    The title is "WE PLAY", and "AGREED?" once a player has tapped.
    """

    def paint(canvas: Canvas, area: Area) -> None:
        title = word("agreed") if screen.waiting else word("we_play")
        page = f"{screen.page}/{screen.pages}" if screen.pages > 1 else ""
        free = area.inset(right=width_of(f" {page}", MIDDLE) if page else 0)
        put(canvas, free, " ".join(filter(None, (title, preset))), MIDDLE)
        put(canvas, area, page, MIDDLE, 1.0)

    return Band(TITLE_PX, paint, TITLE_KEEP)


def _below(screen: AgreementScreen, name: str) -> Band:
    """Return the bottom row: what a tap means or, once a player has tapped, who is missing.

    name: the row's font.
    """
    if screen.waiting:
        return waiting(screen.waiting, name, lead=word("tap"), must_lead=True)

    def paint(canvas: Canvas, area: Area) -> None:
        tap, more = word("tap_agreed"), word("turn_more")
        put(canvas, area, tap, name)
        free = area.inset(left=width_of(tap, name) + GAP_PX)
        if screen.pages > 1 and free.w >= width_of(more, SMALL):
            put(canvas, free, more, SMALL, 1.0)

    return Band(font(name).height, paint)


def check(canvas: Canvas, area: Area, screen: CheckScreen) -> None:
    """Draw every seat's number, with a tick if its button has been pressed."""
    rows = [
        header(word("press_each"), "" if not screen.turned else f"{screen.turned:+}", keep=5),
        Band(47, lambda c, a: _buttons(c, a, screen), ALWAYS, least=32),
        line(word("push_done"), keep=3),
    ]
    stack(canvas, area, rows)


def off(canvas: Canvas, area: Area, screen: OffScreen) -> None:
    """Draw the picture that stays on the display when the program has ended."""
    rows = [
        Band(40, lambda c, a: big(c, a, word("off")), ALWAYS, least=24),
        line(word("pull_plug"), name=MIDDLE, align=0.5),
        line(word("plug_when", n=screen.unplug_s), keep=5, align=0.5),
    ]
    stack(canvas, area, rows)


def _buttons(canvas: Canvas, area: Area, screen: CheckScreen) -> None:
    columns = 2 if len(screen.seats) <= 4 else 4
    rows = max(-(-len(screen.seats) // columns), 2)
    grid(canvas, area, len(screen.seats), columns, rows, lambda a, i: _button(canvas, a, *screen.seats[i]))


def _button(canvas: Canvas, area: Area, number: int, pressed: bool) -> None:
    x = badge(canvas, area.x, area, number) + NAME_GAP_PX
    canvas.text(x, baseline_y(area, MIDDLE), "✓" if pressed else "–", font(MIDDLE))


TEXT_PX = 48


def page(canvas: Canvas, area: Area, screen: RuleScreen) -> None:
    """Draw a page of the rulebook. If its sentence fits in the larger font, use that font."""
    place = f"{screen.page}/{screen.pages}" if screen.pages > 1 else ""
    sources = ", ".join(map(display_text, screen.sources))
    if width_of(sources, SMALL) > area.w:
        sources = sources.replace(", ", ",")
    rows = [
        header(display_text(screen.title), place, keep=4),
        Band(TEXT_PX, lambda c, a: _text(c, a, display_text(screen.text)), least=TEXT_PX),
        line(sources, keep=3, align=1.0),
    ]
    stack(canvas, area, rows)


def _text(canvas: Canvas, area: Area, text: str) -> None:
    face = next((face for face in (MIDDLE, HINT) if _fits(area, text, face)), HINT)
    px = font(face).height
    rows = wrap_rows(text, area.w // font(face).width)
    top = (area.h - px * len(rows)) // 2
    for i, row in enumerate(rows[: area.h // px]):
        put(canvas, Area(area.x, area.y + max(0, top) + px * i, area.w, px), row, face)


def _fits(area: Area, text: str, face: str) -> bool:
    rows = wrap_rows(text, area.w // font(face).width)
    return len(rows) * font(face).height <= area.h


NAME_SIGNS = {" ": "sign_space", "◄": "sign_back"}
NAME_NEIGHBOURS = {" ": "_"}
"""Sign to choose -> the sign that is drawn for it next to the chosen one."""

CURSOR = "_"
SIGN_PX = 18  # width of the wheel's chosen letter, inverted
STEP_PX = 12  # distance between neighbours of the chosen letter


def name(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    """Draw the name entered so far, with its last letter visible, and letters to choose from.

    The letter that the knob has chosen is big, between its neighbours.
    """
    rows = [
        header(word("name_of", number=screen.number), word("name_turns"), keep=7),
        Band(18, lambda c, a: _so_far(c, a, screen), ALWAYS, least=16),
        Band(28, lambda c, a: _wheel(c, a, screen), ALWAYS, least=26),
        both_sides(word("name_takes"), word("name_ends"), keep=6),
    ]
    stack(canvas, area, rows)


def _so_far(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    x = badge(canvas, area.x, area, screen.number) + 4
    room = (area.x + area.w - x) // font(MIDDLE).width
    text = screen.text + CURSOR
    put(canvas, area.inset(left=x - area.x), text if len(text) <= room else "…" + text[1 - room :], MIDDLE)


def _wheel(canvas: Canvas, area: Area, screen: NameScreen) -> None:
    middle = area.x + area.w // 2
    sign = screen.signs[screen.at]
    chosen = word(NAME_SIGNS[sign]) if sign in NAME_SIGNS else None
    half = SIGN_PX // 2 if chosen is None else len(chosen) * 4 + 3
    if chosen is None:
        y = baseline_y(area, LARGE)
        canvas.text(middle - 8, y, sign, font(LARGE))
    else:
        put(canvas, Area(middle - half + 3, area.y, 2 * half, area.h), chosen, MIDDLE)
    canvas.flip(Area(middle - half, area.y, 2 * half, area.h))
    for side in (-1, 1):
        for k in range(1, (area.w // 2 - half) // STEP_PX + 1):
            sign = screen.signs[(screen.at + side * k) % len(screen.signs)]
            x = middle + side * (half + STEP_PX * k - 4) - 4
            if area.x <= x <= area.x + area.w - 8:
                canvas.text(x, baseline_y(area, MIDDLE), NAME_NEIGHBOURS.get(sign, sign), font(MIDDLE))


def countdown(canvas: Canvas, area: Area, screen: CountdownScreen) -> None:
    if screen.word is not None:
        return big(canvas, area, display_text(screen.word))
    lead = word("go_on") if screen.resuming else word("all_ready")
    press = line(word("any_press_waits"), align=0.5, name=HINT)
    return stack(canvas, area, [Band(48, lambda c, a: big(c, a, lead), least=32), press])


def wait(canvas: Canvas, area: Area, screen: WaitScreen) -> None:
    """Draw who stopped the countdown, or whose button is down.

    A single player is big; several are in a row.
    """
    if screen.held:
        return waits_for(canvas, area, word("let_go"), screen.held, word("a_button_down"))
    foot = word("push_go_on" if screen.by_knob else "tap_again")
    return waits_for(canvas, area, word("wait"), screen.labels, foot)


def waits_for(canvas: Canvas, area: Area, word: str, labels: Sequence[Label], foot: str, lead: str = "") -> None:
    """Draw a word, the players whom it concerns, and the text `foot` on what they must do.

    A single player is big; several are in a row after `lead`.
    """
    below = line(foot, keep=3, align=0.5, name=HINT)
    if area.is_wide:
        left, right = split(canvas, area)
        alone = len(labels) == 1
        large_label(canvas, right, labels[0]) if alone else labels_panel(canvas, right, labels)
        return stack(canvas, left, [Band(56, lambda c, a: put(c, a, word, LARGE, 0.5), least=28), below])
    if len(labels) == 1:
        rows = [
            Band(16, lambda c, a: _bar(c, a, word)),
            Band(38, lambda c, a: large_label(c, a, labels[0]), least=30),
        ]
    else:
        rows = [
            Band(33, lambda c, a: put(c, a, word, LARGE, 0.5), least=28),
            waiting(labels, HINT if lead else MIDDLE, lead=lead, must_lead=True),
        ]
    return stack(canvas, area, [*rows, below])


def _bar(canvas: Canvas, area: Area, text: str) -> None:
    put(canvas, area, text, MIDDLE, 0.5)
    canvas.flip(area)


def pages(sentence: str, size: tuple[int, int]) -> list[list[str]]:
    """Return the sentence as pages of lines that fit on the display below the title."""
    face, title = font(SMALL), font(MIDDLE)
    lines = textwrap.wrap(sentence, size[0] // face.width) or [""]
    most = (size[1] - title.height) // face.height
    return [lines[at : at + most] for at in range(0, len(lines), most)]


def draw_trouble(sentence: str, page: int, size: tuple[int, int], language: str) -> Image.Image:
    """Draw the title and a page of the sentence below it. After the last page comes the first."""
    face, title = font(SMALL), font(MIDDLE)
    shown = pages(sentence, size)
    canvas = Canvas(size)
    with speaking(language):
        canvas.text(0, 0, word("cannot_start"), title)
    for row, text in enumerate(shown[page % len(shown)]):
        canvas.text(0, title.height + row * face.height, text, face)
    return canvas.image


def offer(canvas: Canvas, area: Area, screen: OfferScreen) -> None:
    """Draw the version, and how to install it."""
    rows = [
        header(word("new_version")),
        Band(32, lambda c, a: big(c, a, f"{screen.version}?"), ALWAYS, least=24),
        line(word("hold_to_install"), align=0.5),
        line(word("turn_for_later"), keep=4, align=0.5),
    ]
    stack(canvas, area, rows)


def update(canvas: Canvas, area: Area, screen: UpdateScreen) -> None:
    """Draw the version that is being installed. This stays until the program starts again."""
    rows = [
        Band(32, lambda c, a: big(c, a, screen.version), ALWAYS, least=24),
        line(word("is_installed"), name=MIDDLE, align=0.5),
        line(word("leave_plug"), keep=5, align=0.5),
    ]
    stack(canvas, area, rows)


SCREENS: Pictures = {
    AgreementScreen: agreement,
    CheckScreen: check,
    OffScreen: off,
    RuleScreen: page,
    NameScreen: name,
    CountdownScreen: countdown,
    WaitScreen: wait,
    OfferScreen: offer,
    UpdateScreen: update,
}
