"""Draw a call: first STOP, then the verdict: clear, tie, or too close to measure.

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from fractions import Fraction

from referee.core import units
from referee.core.model.view import Label, StopScreen, VerdictScreen
from referee.core.values import replace
from referee.language.display import display_text
from referee.language.numbers import decimal_text
from referee.language.words import word
from referee.screens.canvas import HINT, LARGE, MIDDLE, SMALL_LETTERS, Area, Canvas, width_of
from referee.screens.dialogs import waits_for
from referee.screens.fonts import font
from referee.screens.labels import (
    FlowItem,
    badges,
    badges_px,
    fit_label,
    flow,
    flow_lines,
    label_entry,
    large_label,
    on_page,
    put_label,
)
from referee.screens.parts import CAP_PX, Band, Pictures, baseline_y, big, header, line, put, stack
from referee.screens.tables import labels_panel, split
from referee.screens.vote import ANSWERS_SQUEEZE_PX, answer_rows, answers_panel, yes_or_no

HINT_GAP_PX = 4
SQUEEZE_PX = 8  # height taken from the big row for what the callers do now
CARDS_LAND_UNTIL = Fraction(1, 2)
"""Share of the verdict's time in which players decide about a card that was in the air."""
MOST_BESIDE = 4  # maximum number of names in the other half, with times
MOST_EQUAL = 3  # maximum number of names in one row


def stop(canvas: Canvas, area: Area, screen: StopScreen) -> None:
    if not screen.waiting:
        return big(canvas, area, word("stop"))
    return waits_for(canvas, area, word("press"), screen.waiting, word("last_loses"), lead=word("wait_for"))


def verdict(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    beside = area.is_wide
    if beside:
        area, right = split(canvas, area)
        _beside(canvas, right, screen)
        screen = replace(screen, later=())
    if screen.answers is not None:
        return stack(canvas, area, _question_bands(screen, beside), ANSWERS_SQUEEZE_PX)
    if screen.kind == "tie" or (screen.is_close and not screen.last):
        return stack(canvas, area, _tie(screen, beside), SQUEEZE_PX)
    return stack(canvas, area, _last_one(screen) if screen.last else _clear(screen), SQUEEZE_PX)


def _question_bands(screen: VerdictScreen, beside: bool) -> list[Band]:
    """Return rows with the caller, the question whether the call was right, and the answers.

    beside: the display's other half shows the answers.
    """
    tie = screen.kind == "tie"
    question = word("was_it_right", word=f"{word('tie')}!" if tie else display_text(screen.word))
    if len(question) > SMALL_LETTERS:
        question = word("right_alone")
    asked = line(question, keep=8, name=HINT)
    if tie:
        who = Band(16, lambda c, a: _equal(c, a, screen), least=14)
    elif beside:
        who = Band(28, lambda c, a: large_label(c, a, screen.callers[0]), least=27)
    else:
        who = Band(16, lambda c, a: _whole(c, a, screen.callers[0]), least=14)
    return [who, asked, *([yes_or_no()] if beside else answer_rows(screen.answers or ()))]


def _whole(canvas: Canvas, area: Area, who: Label) -> None:
    put_label(canvas, area.x, area, who, fit_label(who, area.w, 0))


def _beside(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw the presses in the right half: tied callers, then later presses with their times.

    If teams must answer whether the caller was right, draw their answers instead.
    """
    if screen.answers is not None:
        return answers_panel(canvas, area, screen.answers)
    named = [(who, "") for who in screen.callers] if screen.kind == "tie" or screen.is_close else []
    named += [(who, f"+{_s(ns)}") for who, ns in screen.later]
    named = named[:MOST_BESIDE] if screen.later else named
    if not named:
        return _draw_claim(canvas, area, screen)
    return labels_panel(canvas, area, [who for who, _ in named], [text for _, text in named])


def _draw_claim(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw the word that the caller says, in large letters, and what the caller does next."""
    word = display_text(screen.word)
    size = LARGE if width_of(word, LARGE) <= area.w else MIDDLE
    hint = display_text(screen.hint) if screen.hint else ""
    rows = [Band(36, lambda c, a: put(c, a, word, size)), line(hint, name=MIDDLE)]
    stack(canvas, area, rows)


def _last_one(screen: VerdictScreen) -> list[Band]:
    """Return rows with who pressed last and how much later, or that the times are too close."""
    doubt = _late(screen) or (line(word("too_close")) if screen.grey else None)
    return [
        line(display_text(screen.word), name=MIDDLE),
        Band(32, lambda c, a: large_label(c, a, screen.callers[0]), least=27),
        doubt or Band(16, lambda c, a: _next(c, a, screen), least=14),
    ]


def _clear(screen: VerdictScreen) -> list[Band]:
    late = [(who, ns) for who, ns in screen.later if who != screen.next_caller or screen.refuted or screen.early]
    second = _draw_refuted if screen.refuted else _draw_word if screen.early else _next
    foot = _late(screen) or _pile_row(screen)
    return [
        *([] if late or screen.early else [header(display_text(screen.word))]),
        Band(28, lambda c, a: large_label(c, a, screen.callers[0]), least=26),
        Band(16, lambda c, a: second(c, a, screen), least=14),
        *([Band(12, lambda c, a: _later(c, a, late), keep=5)] if late else []),
        foot,
    ]


def _late(screen: VerdictScreen) -> Band | None:
    """Return the row for a press that arrived after the verdict; None if there is none.

    Such a press does not change the verdict.
    """
    if not screen.late:
        return None
    who, ns = screen.late[-1]
    return line(word("late", who=who.short, s=f"{'-' if ns < 0 else '+'}{_s(abs(ns), 3)}"), keep=7)


def _pile_row(screen: VerdictScreen) -> Band:
    return Band(12, lambda c, a: _pile(c, a, screen), keep=6)


def _later(canvas: Canvas, area: Area, late: list[tuple[Label, int]]) -> None:
    """Draw the presses after the second one, each with its time: "3 Max +0.31"."""
    entries = [FlowItem(who.numbers[:1], tuple(f"{who.name[:k]} +{_s(ns)}" for k in (6, 2))) for who, ns in late]
    flow(canvas, area, entries, HINT)


def _next(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw who pressed next after the caller, and how much later ("+"); or that a vote decided.

    If the last press loses, draw who pressed just before the caller, and how much earlier ("-").
    """
    if screen.by_vote:
        return put(canvas, area, word("by_vote") if screen.last else word("first_by_vote"), MIDDLE)
    if screen.next_caller is None or screen.gap_ns is None:
        alone = word("alone") if screen.is_alone else ""
        return put(canvas, area, word("not_pressed") if screen.last else alone, MIDDLE)
    digits = (3,) if screen.gap_ns < 10 * units.MS else ()
    gap = word("seconds", s=("-" if screen.last else "+") + _s(screen.gap_ns, *digits))
    who, room = screen.next_caller, area.w - width_of(gap, MIDDLE) - 8
    x = put_label(canvas, area.x, area, who, fit_label(who, room, 0)) + 8
    canvas.text(x, baseline_y(area, MIDDLE), gap, font(MIDDLE))
    return None


def _draw_word(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    put(canvas, area, display_text(screen.word), MIDDLE)


def _draw_refuted(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw the players whose call was false."""
    said = word("false_call")
    put(canvas, area, said, HINT, 1.0)
    room = area.inset(right=width_of(said, HINT) + HINT_GAP_PX)
    flow(canvas, room, [label_entry(who) for who in screen.refuted])


def _pile(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw what happens to cards in the air, or what the callers do now, and a bar.

    Cards in the air are drawn in the first half of the time for which the verdict is shown. A single caller's seat
    number is drawn, too. The bar shows how much of the time is left, in 16ths.
    """
    left = HINT_GAP_PX
    if screen.airborne and screen.left_share > CARDS_LAND_UNTIL:
        lands = display_text(screen.airborne)
        put(canvas, area, lands, HINT)
        left = width_of(lands, HINT) + HINT_GAP_PX
    elif screen.hint:
        hint = display_text(screen.hint)
        start = 0
        if len(screen.callers) == 1 and not screen.is_close:
            start = badges(canvas, area.x, area, screen.callers[0].numbers[:1]) - area.x + HINT_GAP_PX
        put(canvas, area.inset(left=start), hint, HINT)
        left = start + width_of(hint, HINT) + HINT_GAP_PX
    bar = area.inset(left=left, top=1, bottom=3)
    full = bar.w // 16 * 16
    canvas.frame(bar)
    canvas.fill(Area(bar.x, bar.y, min(bar.w, int(full * screen.left_share) + bar.w % 16), bar.h))


def _tie(screen: VerdictScreen, beside: bool) -> list[Band]:
    """Return the rows of a tie. beside: the display's other half shows the callers."""
    gap = "" if screen.gap_ns is None else word("seconds", s=_s(screen.gap_ns, 3))
    measured = word("by_vote") if screen.by_vote else "" if beside else gap
    foot = _late(screen) or header(measured, word("turn_photo"), keep=6)
    if screen.refuted:
        foot = Band(14, lambda c, a: _draw_refuted(c, a, screen), keep=8, least=12)
    equal = Band(16, lambda c, a: _equal(c, a, screen), least=13)
    if len(screen.callers) > MOST_EQUAL and not beside:
        equal = Band(28, lambda c, a: flow_lines(c, a, [[*map(label_entry, on_page(c, screen.callers)[0])]], 2))
    return [
        Band(44 - equal.px, lambda c, a: (_draw_word if screen.early else _tie_word)(c, a, screen), least=16),
        line(gap, name=MIDDLE) if beside else equal,
        *([_pile_row(screen)] if screen.hint else []),
        foot,
    ]


def _tie_word(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw the word for a tie and, if there is room, the word that the callers say; or that it is too close."""
    if screen.is_close:
        return put(canvas, area, f"{word('too_close')}:", HINT)
    claim = display_text(screen.word)
    tie, name = word("tie"), LARGE if area.h >= CAP_PX[LARGE] else MIDDLE
    put(canvas, area, tie, name)
    if width_of(tie, name) + width_of(claim, HINT) < area.w:
        put(canvas, area, claim, HINT, 1.0)
    return None


def _s(ns: int, digits: int = 2) -> str:
    return decimal_text(units.s_text(ns, digits))


def _equal(canvas: Canvas, area: Area, screen: VerdictScreen) -> None:
    """Draw as much of the callers' names as fits in a row, as a list: "1 Anna and 2 Ben", or "1 Anna or 2 Ben"."""
    callers, _ = on_page(canvas, screen.doubted if screen.is_close else screen.callers)
    joints = [","] * (len(callers) - 2) + [word("or") if screen.is_close else word("and")]
    signs = width_of("".join(joints), HINT) + 2 * HINT_GAP_PX * len(joints)
    share = (area.w - signs) // len(callers)
    fits = [fit_label(who, share, 0) for who in callers]
    x, y = area.x, baseline_y(area, HINT)
    for who, fit, joint in zip(callers, fits, [*joints, ""], strict=True):
        if x + badges_px(who.numbers[:1]) > area.x + area.w:
            return
        x = put_label(canvas, x, area, who, fit)
        if joint:
            x = canvas.text(x + HINT_GAP_PX * (joint != ","), y, joint, font(HINT)) + HINT_GAP_PX


SCREENS: Pictures = {StopScreen: stop, VerdictScreen: verdict}
