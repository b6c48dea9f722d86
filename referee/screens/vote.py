"""VOTE: a question to all: what is asked, of whom, and who has said what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from referee.core.model.view import Label, VoteScreen
from referee.language.told import display_text
from referee.language.words import Word
from referee.screens import words
from referee.screens.canvas import HINT, MIDDLE, Area, Canvas, width_of
from referee.screens.labels import ASLEEP, FlowItem, flow, flow_fits, label_entry, label_px, on_page, put_label
from referee.screens.parts import Band, Pictures, both_sides, line, put, stack
from referee.screens.wide import is_wide, labels_panel, split, whole_of

YES = Word("yes", 4)
NO = Word("no", 4)
EVERYBODY = Word("everybody", 5)
TAP_ADMITS = Word("tap_admits", 15)

FEW = 4
"""So many names stand in a row; of more, none of whom has answered, all are needed."""
HINT_GAP_PX = 6
ANSWERS_SQUEEZE_PX = 9
"""What the rows of a question give before one is left out: who has said what stays."""

Answers = Sequence[tuple[Label, bool | None]]


def vote(canvas: Canvas, area: Area, screen: VoteScreen) -> None:
    asked = [_question(screen), *([_subject(screen)] if screen.subject else [])]
    if is_wide(area):
        area, right = split(canvas, area)
        answers_panel(canvas, right, screen.votes, screen.asleep)
        return stack(canvas, area, [*asked, yes_or_no()])
    return stack(canvas, area, [*asked, *answer_rows(screen.votes, screen.asleep)], ANSWERS_SQUEEZE_PX)


def _question(screen: VoteScreen) -> Band:
    """What is asked and, where it leaves room, how long there is."""
    question = display_text(screen.question)
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
        admits = TAP_ADMITS() if screen.admits else ""
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


def answers_panel(canvas: Canvas, area: Area, answers: Answers, asleep: Sequence[Label] = ()) -> None:
    """Everybody's name with the answer in words, "?" while there is none; `asleep`: whose phone sleeps meanwhile."""
    voters, _ = on_page(canvas, answers)
    said = {True: YES(), False: NO(), None: "?"}
    labels_panel(
        canvas, area, [who for who, _ in voters], [ASLEEP if who in asleep else said[answer] for who, answer in voters]
    )


def answer_rows(answers: Answers, asleep: Sequence[Label] = ()) -> list[Band]:
    """A row for yes, one for no, one for those whose answer is needed: what it is on a button, and who; `asleep`: of
    these, whose phone sleeps."""
    said = [(words.TAP_YES(), _who(answers, True)), (words.HOLD_NO(), _who(answers, False))]
    rows = [Band(12, partial(_draw_answers, lead=lead, who=who, of=len(answers)), keep=8) for lead, who in said]
    if not (missing := _who(answers, None)):
        return rows
    need = words.WAIT_FOR()
    if len(missing) == len(answers) > FEW:
        return [*rows, line(f"{need} {EVERYBODY()}", keep=6, name=HINT)]
    return [*rows, Band(12, lambda c, a: flow(c, a, _name_items(missing, asleep), HINT, need, must_lead=True), keep=6)]


def _who(answers: Answers, said: bool | None) -> list[Label]:
    return [who for who, answer in answers if answer is said]


def _name_items(who: Sequence[Label], asleep: Sequence[Label] = ()) -> list[FlowItem]:
    """Each with letters of the name: numbers alone would be read as how many they are. Behind the name of `asleep`
    stands the sign of a sleeping phone, at last in its place."""
    forms = [[one.name[:k] + (f" {ASLEEP}" if one in asleep else "") for k in (6, 3, 2)] for one in who]
    last = [[ASLEEP if one in asleep else one.name[:2]] if asleep else [] for one in who]
    return [FlowItem(one.numbers[:1], (*f, *z)) for one, f, z in zip(who, forms, last, strict=True)]


def _draw_answers(canvas: Canvas, area: Area, lead: str, who: Sequence[Label], of: int) -> None:
    """The names behind the lead, or how many they are of how many where they do not fit."""
    if flow_fits(_name_items(who), area.w, HINT, lead):
        return flow(canvas, area, _name_items(who), HINT, lead, must_lead=True)
    put(canvas, area, lead, HINT)
    count = words.SO_MANY_OF(done=len(who), all=of)
    return put(canvas, area.inset(left=width_of(lead, HINT) + HINT_GAP_PX), count, HINT)


SCREENS: Pictures = {VoteScreen: vote}
