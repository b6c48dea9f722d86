"""Draw VOTE: a question to all teams, whom it is about, and the answers."""

from __future__ import annotations

from collections.abc import Sequence

from referee.core.model.view import ON_A_PAGE, Label, VoteScreen
from referee.language.display import display_text
from referee.language.words import word
from referee.screens.canvas import HINT, MIDDLE, MIDDLE_LETTERS, Area, Canvas, width_of
from referee.screens.labels import ASLEEP, FlowItem, flow, flow_lines, label_entry, label_px, put_label, rows_needed
from referee.screens.parts import Band, Pictures, both_sides, put, stack
from referee.screens.tables import labels_panel, split, whole_of

HINT_GAP_PX = 6
ANSWERS_SQUEEZE_PX = 17
"""Height that a question's rows give up before one is left out: the answers stay."""
SHORT_NAMES = 2
"""Index of the text with two letters in a label's item (`label_entry`)."""

Answers = Sequence[tuple[Label, bool | None]]


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    asked = [_question(screen), *([_subject(screen)] if screen.subject else [])]
    if area.is_wide:
        area, right = split(canvas, area)
        answers_panel(canvas, right, screen.votes, screen.asleep)
        return stack(canvas, area, [*asked, yes_or_no()])
    return stack(canvas, area, [*asked, *answer_rows(screen.votes, screen.asleep)], ANSWERS_SQUEEZE_PX)


def _question(screen: VoteScreen) -> Band:
    """Return a row with the vote's question and, if there is room, the time left."""
    question = display_text(screen.question)
    name = MIDDLE if len(question) <= MIDDLE_LETTERS else HINT

    def paint(canvas: Canvas, area: Area) -> None:
        put(canvas, area, question, name)
        free = area.inset(left=width_of(question, name) + HINT_GAP_PX)
        if free.w >= width_of(left := word("seconds", s=screen.left_s), HINT):
            put(canvas, free, left, HINT, 1.0)

    return Band(17, paint, keep=8, least=13)


def _subject(screen: VoteScreen) -> Band:
    """Return a row with the players whom the vote is about.

    If the vote is about one player, and this player's yes would end the vote, the row says so.
    """

    def paint(canvas: Canvas, area: Area) -> None:
        if len(screen.subject) != 1:
            return flow(canvas, area, [label_entry(who) for who in screen.subject])
        who = screen.subject[0]
        admits = word("tap_admits") if screen.admits else ""
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
    """Return a row with the gestures for yes and no."""
    return both_sides(word("tap_yes"), word("hold_no"))


def answers_panel(canvas: Canvas, area: Area, answers: Answers, asleep: Sequence[Label] = ()) -> None:
    """Draw all voters' names, each with its answer; "?" for no answer yet.

    `asleep`: voters whose phones are asleep; they have a sign instead.
    """
    if len(answers) > ON_A_PAGE:
        return flow_lines(canvas, area, [part for part in _groups(answers, asleep) if part], area.h // 16)
    ends = [_answer_text(who, answer, asleep) for who, answer in answers]
    return labels_panel(canvas, area, [who for who, _ in answers], ends)


def _answer_text(who: Label, answer: bool | None, asleep: Sequence[Label]) -> str:
    return ASLEEP if who in asleep else "?" if answer is None else word("yes") if answer else word("no")


def answer_rows(answers: Answers, asleep: Sequence[Label] = ()) -> list[Band]:
    """Return rows with the gestures for yes and no, and the voters grouped by their answers."""

    def paint(canvas: Canvas, area: Area) -> None:
        yes, no, needed = _groups(answers, asleep)
        parts = [part for part in (yes + no, needed) if part]
        large = area.h >= 32 and all(rows_needed(part, area.w, MIDDLE, SHORT_NAMES) == 1 for part in parts)
        flow_lines(canvas, area, parts, 2, MIDDLE if large else HINT)

    return [yes_or_no(), Band(32, paint, keep=8, least=24)]


def _groups(answers: Answers, asleep: Sequence[Label]) -> list[list[FlowItem]]:
    """Return three groups of voters (yes, no, no answer yet), each after its word."""
    said = [(_answer_text(who, answer, asleep), who) for who, answer in answers]

    def group(answer: str, *texts: str) -> list[FlowItem]:
        voters = [label_entry(who) for own, who in said if own == answer]
        return [FlowItem((), texts or (answer,)), *voters] if voters else []

    needed = (word("wait_for"),) * (SHORT_NAMES + 1)
    return [group(word("yes")), group(word("no")), group("?", *needed, "?") + group(ASLEEP)]


SCREENS: Pictures = {VoteScreen: vote}
