"""VOTE: a question to all: what is asked, of whom, and who has said what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.core.model.view import Label, VoteScreen
from referee.language.told import shown
from referee.screens import words
from referee.screens.canvas import HINT, MIDDLE, Area, Canvas, width_of
from referee.screens.fonts import font
from referee.screens.labels import badge, badges_px, flow, label_entry, label_px, on_page, put_label, waiting
from referee.screens.parts import Band, baseline_y, both_sides, put, stack
from referee.screens.wide import is_wide, labels_panel, split, whole_of

NUMBERED = 8
"""So many voters are told apart by their numbers; of more the answers are counted."""
HINT_GAP_PX = 6
WORD_GAP_PX, NUMBER_GAP_PX, GROUP_GAP_PX = 2, 3, 5
"""Between a word and the numbers that it is said of, between those, so that they are not read as one, and between
such groups."""
ANSWERS_SQUEEZE_PX = 9
"""What the rows of a question give before one is left out: who has said what stays."""

Answers = Sequence[tuple[Label, bool | None]]


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    asked = [_question(screen), *([_subject(screen)] if screen.subject else [])]
    if is_wide(area):
        area, right = split(canvas, area)
        answers_panel(canvas, right, screen.votes)
        return stack(canvas, area, [*asked, yes_or_no()])
    rows = [*asked, *answer_rows(screen.votes, area.w), yes_or_no()]
    return stack(canvas, area, rows, ANSWERS_SQUEEZE_PX)


def _question(screen: VoteScreen) -> Band:
    """What is asked and, where it leaves room, how long there is."""
    question = shown(screen.question)
    name = MIDDLE if len(question) <= words.MIDDLE else HINT

    def paint(canvas: Canvas, area: Area) -> None:
        put(canvas, area, question, name)
        free = area.inset(left=width_of(question, name) + HINT_GAP_PX)
        if free.w >= width_of(left := words.SECONDS(s=screen.left_s), HINT):
            put(canvas, free, left, HINT, 1.0)

    return Band(17, paint, keep=8, least=13)


def _subject(screen: VoteScreen) -> Band:
    """Whom it is about, and that they can end it themselves."""

    def paint(canvas: Canvas, area: Area) -> None:
        if len(screen.subject) != 1:
            return flow(canvas, area, [label_entry(who) for who in screen.subject])
        who = screen.subject[0]
        admits = words.TAP_ADMITS() if screen.admits else ""
        room = width_of(admits, HINT) + HINT_GAP_PX if admits else 0
        fit = whole_of(who)
        while fit.letters > 2 and label_px(who, fit) + room > area.w:
            fit = fit._replace(letters=fit.letters - 1)
        x = put_label(canvas, area.x, area, who, fit)
        if admits:
            put(canvas, area.inset(left=x - area.x + HINT_GAP_PX), admits, HINT)
        return None

    return Band(17, paint, keep=7, least=13)


def yes_or_no() -> Band:
    """What yes and no are on a button."""
    return both_sides(words.TAP_YES(), words.HOLD_NO())


def answers_panel(canvas: Canvas, area: Area, answers: Answers) -> None:
    """Everybody's name with the answer in words, "?" while there is none."""
    voters, _ = on_page(canvas, answers)
    said = {True: words.YES(), False: words.NO(), None: "?"}
    labels_panel(canvas, area, [who for who, _ in voters], [said[answer] for _, answer in voters])


def answer_rows(answers: Answers, width_px: int) -> list[Band]:
    """Who has said yes and no, in words, and whose answer is needed: in one row where that fits, else in two."""
    groups = _groups(answers)
    if len(answers) <= NUMBERED and sum(map(_group_px, groups)) - GROUP_GAP_PX <= width_px:
        return [Band(17, lambda c, a: _put_groups(c, a, groups), least=12)]
    missing = [who for who, answer in answers if answer is None]
    need = [waiting(missing, HINT, lead=words.WAIT_FOR(), must_lead=True)] if missing else []
    said = [group for group in groups if group.word != words.WAIT_FOR()]
    if len(answers) > NUMBERED:
        text = "   ".join(f"{word}: {len(numbers)}" for word, numbers in said)
        return [*([Band(12, lambda c, a: put(c, a, text, HINT), keep=5)] if said else []), *need]
    return [*([Band(12, lambda c, a: _put_groups(c, a, said), keep=5)] if said else []), *need]


class AnswerGroup(NamedTuple):
    """A word, and the numbers of those of whom it is said."""

    word: str
    numbers: tuple[int, ...]


def _groups(answers: Answers) -> list[AnswerGroup]:
    """Those that somebody stands in."""
    said = ((words.YES(), True), (words.NO(), False), (words.WAIT_FOR(), None))
    all_of = [
        AnswerGroup(word, tuple(who.numbers[0] for who, one in answers if one is answer)) for word, answer in said
    ]
    return [group for group in all_of if group.numbers]


def _group_px(group: AnswerGroup) -> int:
    numbers_px = sum(badges_px((number,)) + NUMBER_GAP_PX for number in group.numbers) - NUMBER_GAP_PX
    return width_of(group.word, HINT) + WORD_GAP_PX + numbers_px + GROUP_GAP_PX


def _put_groups(canvas: Canvas, area: Area, groups: Sequence[AnswerGroup]) -> None:
    x = area.x
    for word, numbers in groups:
        x = canvas.text(x, baseline_y(area, HINT), word, font(HINT)) + WORD_GAP_PX
        for number in numbers:
            x = badge(canvas, x, area, number) + NUMBER_GAP_PX
        x += GROUP_GAP_PX - NUMBER_GAP_PX
