"""The view as speech, in the table's language: what has happened, what is asked, and of whom.

Full sentences for somebody who does not see the display: names with the numbers of their buttons, no abbreviations, and
nothing that changes by the second. One short function a screen; its sentences stand in sentences.py, what the core says
itself in told.py. docs/speech/ has them all to be read aloud.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import Label, Msg, Part, with_values
from referee.core.model import view as v
from referee.core.model.labels import coarse_ns
from referee.core.model.view import TeamLine, View
from referee.core.units import MS, S, s_text
from referee.language import sentences as say
from referee.language.numbers import decimal_text, span_ms_text
from referee.language.told import BY_KEY, COUNTED, FIGURES, unknown, word_of
from referee.language.words import reader_name, speaking

LINES = "; "
"""Between the entries of a list that have commas of their own."""

LAST_SECONDS_FROM = 5

SIGNED = re.compile(r"([+-])(\d*)(½?)")
"""Points that are given or taken, as the display writes them: "-5", "+2½"."""


def speech_of(view: View) -> str:
    """The whole view in a few sentences: the screen, the answer to a gesture, what is wrong."""
    with speaking(view.language, rounds=view.rounds):
        speak = _SPEAK.get(type(view.screen))
        noted = view.screen.notes if isinstance(view.screen, v.ReadyScreen) else ()
        taught = (message_speech(line) for line in view.lesson if line not in noted)
        parts = [
            *(speak(view.screen) if speak else ()),
            *taught,
            _own_sentence(view.toast),
            _own_sentence(view.banner),
        ]
        return " ".join(part for part in parts if part)


def phase_name(phase: str) -> str:
    """A phase as people read it, in the language that is spoken, e.g. "Power back"."""
    word = BY_KEY.get(f"phase.{phase.lower()}")
    return word.spoken() if word else phase.replace("_", " ").capitalize()


def message_speech(part: Part | None, **more: str) -> str:
    """A message of the core as speech, in the language that is spoken; a name or a figure as it is."""
    if not isinstance(part, Msg):
        return "" if part is None else _value("", part)
    word = word_of(part.key)
    if word is None:
        return unknown(part)
    counted = {name: value for name, value in part.values if name == "count"}
    if part.key in COUNTED:
        figure = str(dict(part.values)[COUNTED[part.key]]).lstrip("+-")
        counted = {"count": 1 if figure == "1" else 2}
    return word.spoken(**{name: _value(name, value) for name, value in part.values} | counted | more)


def _value(name: str, value: Part | tuple[Part, ...]) -> str:
    if isinstance(value, tuple):
        return list_speech([_value("", part) for part in value])
    if isinstance(value, Msg):
        return message_speech(value)
    if isinstance(value, Label):
        return _who(value)
    if isinstance(value, Fraction) or (isinstance(value, int) and value < 0):
        return points(Fraction(value))
    if isinstance(value, str) and name == "name":
        return reader_name(value)
    if isinstance(value, str) and name in ("points", "choice") and (signed := SIGNED.fullmatch(value)):
        return _signed_speech(*signed.groups())
    return decimal_text(value) if name in FIGURES and isinstance(value, str) else str(value)


def _signed_speech(sign: str, whole: str, half: str) -> str:
    """So many points more or less: a reader that passes over signs must not turn a penalty into a gift."""
    number = points(Fraction(whole or 0) + (Fraction(1, 2) if half else 0))
    return (say.MINUS if sign == "-" else say.PLUS)(number=number)


# -- numbers and names ---------------------------------------------------------------------------------------------


def points(total: Fraction) -> str:
    """A total as it is spoken.

    >>> points(Fraction(-5, 2)), points(Fraction(64))
    ('minus 2.5', '64')
    """
    size = abs(total)
    text = str(size.numerator) if size.denominator == 1 else decimal_text(f"{float(size):.1f}")
    return say.MINUS(number=text) if total < 0 else text


def _ms(ns: int) -> str:
    return say.MS(number=span_ms_text(ns))


def _gap(ns: int) -> str:
    """So long between two presses: in milliseconds where it is short."""
    return _ms(ns) if ns < 100 * MS else say.S(number=decimal_text(s_text(ns)))


def _error(ns: int) -> str:
    """A bound, in steps that are worth saying, and never less than it is."""
    return _ms(coarse_ns(ns))


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!", "”", "“")) else f"{text}."


def _own_sentence(part: Part | None, **more: str) -> str:
    """A message as a sentence of its own. Its first letter is a capital, save where it is a name's."""
    text = _sentence(message_speech(part, **more))
    return text if _named_first(part, text) else text[:1].upper() + text[1:]


def _named_first(part: Part | None, text: str) -> bool:
    """Whether a message begins with somebody's name."""
    if not isinstance(part, Msg):
        return isinstance(part, str)
    values = (one for _, value in part.values for one in (value if isinstance(value, tuple) else (value,)))
    names = [value.name for value in values if isinstance(value, Label)]
    names += [value for name, value in part.values if name == "name" and isinstance(value, str)]
    return any(name and text.startswith(name) for name in names)


def _span(seconds: int) -> str:
    """So long, in its two largest units, e.g. "2 minutes and 31 seconds"."""
    units = ((86_400, say.DAYS), (3_600, say.HOURS), (60, say.MINUTES), (1, say.SECONDS))
    parts = []
    for size_s, word in units:
        count, seconds = divmod(seconds, size_s)
        parts += [word(count=count)] if count else []
    return list_speech(parts[:2]) or say.SECONDS(count=0)


def list_speech(parts: Sequence[str]) -> str:
    """A list as it is spoken.

    >>> list_speech(["Anna", "Ben", "Max"])
    'Anna, Ben and Max'
    """
    return say.AND(first=", ".join(parts[:-1]), last=parts[-1]) if len(parts) > 1 else "".join(parts)


def _who(label: Label) -> str:
    return say.WHO(name=reader_name(label.name), numbers=list_speech([str(number) for number in label.numbers]))


def _all(labels: Iterable[Label]) -> str:
    return list_speech([_who(label) for label in labels])


def _score(line: TeamLine) -> str:
    who, total = _who(line.label), message_speech(line.told) or points(line.total)
    if line.delta is None:
        text = say.SCORE(who=who, total=total)
    else:
        delta = points(line.delta) if line.delta < 0 else say.PLUS(number=points(line.delta))
        text = say.SCORE_DELTA(who=who, total=total, delta=delta)
    return say.SCORE_CORRECTED(score=text) if line.corrected else text


def _scores(lines: Iterable[TeamLine]) -> str:
    text = LINES.join(map(_score, lines))
    return say.SCORES(scores=text) if text else ""


# -- screens -------------------------------------------------------------------------------------------------------


def _lobby(screen: v.LobbyScreen) -> list[str]:
    preset, to = screen.preset, screen.target is not None
    game = say.LOBBY_GAME_TO(preset=preset, target=screen.target) if to else None
    named = [
        _who(Label((cell.number,), cell.name)) for cell in screen.seats if cell.name and cell.number == screen.naming
    ]
    return [
        game or say.LOBBY_GAME(preset=preset),
        *_seat_sentences(screen),
        *(
            [say.LOBBY_NEW_NAME(number=screen.naming) if screen.fresh else say.LOBBY_NAMING(who=named[0])]
            if named
            else []
        ),
        message_speech(screen.hint) or say.LOBBY_JOIN(),
    ]


def _name(screen: v.NameScreen) -> list[str]:
    sign = screen.signs[screen.at]
    so_far = say.NAME(number=screen.number, name=screen.text) if screen.text else say.NAME_NEW(number=screen.number)
    places = {" ": say.NAME_SPACE, "◄": say.NAME_BACK}
    return [so_far, places[sign]() if sign in places else say.NAME_LETTER(letter=sign), say.NAME_ENDS()]


def _seat_sentences(screen: v.LobbyScreen) -> list[str]:
    cells = {cell.number: Label((cell.number,), cell.name) for cell in screen.seats if cell.name}
    pairs = {cell.number: cell.pair for cell in screen.seats if cell.pair in cells and cell.name}
    teams = []
    for number, label in cells.items():
        other = pairs.get(number)
        if other is None:
            teams.append(_who(label))
        elif number < other:
            teams.append(say.LOBBY_PAIR(one=_who(label), other=_who(cells[other])))
    if not teams:
        return [say.LOBBY_NOBODY()]
    return [say.LOBBY_IN(who=list_speech(teams)), say.LOBBY_TEAMS(count=screen.teams)]


def _ready(screen: v.ReadyScreen) -> list[str]:
    if screen.let_go:
        return [say.READY_LET_GO(who=_who(screen.let_go))]
    to = screen.target is not None
    return [
        say.READY_HAND_TO(hand=screen.hand, target=screen.target) if to else say.READY_HAND(hand=screen.hand),
        *(message_speech(note) for note in screen.notes),
        say.READY_TAP(who=_all(screen.waiting)) if screen.waiting else say.READY_ALL(),
        _scores(screen.lines),
    ]


def _agreement(screen: v.AgreementScreen) -> list[str]:
    return [
        say.WE_PLAY(preset=screen.preset),
        *map(_own_sentence, screen.lines),
        *([say.PAGE_OF(page=screen.page, pages=screen.pages)] if screen.pages > 1 else []),
        say.AGREE_WAIT(who=_all(screen.waiting)) if screen.waiting else say.AGREE_TAP(),
        *([say.AGREE_HOLD()] if screen.refusable else []),
    ]


def _countdown(screen: v.CountdownScreen) -> list[str]:
    if screen.word is not None:
        return [_sentence(message_speech(screen.word))]
    return [say.COUNTDOWN_RESUME() if screen.resuming else say.COUNTDOWN_START()]


def _wait(screen: v.WaitScreen) -> list[str]:
    if not screen.labels:
        return [say.WAIT_KNOB() if screen.by_knob else say.WAIT_LET_GO()]
    who = _all(screen.labels)
    return [say.WAIT(who=who, count=len(screen.labels)), say.WAIT_TAP(who=who)]


def _playing(screen: v.PlayingScreen) -> list[str]:
    to = screen.target is not None
    hand = say.PLAYING_HAND_TO(hand=screen.hand, target=screen.target) if to else say.PLAYING_HAND(hand=screen.hand)
    return [hand, _scores(screen.lines)]


def _turn(screen: v.TurnScreen) -> list[str]:
    who, to = _who(screen.turn), screen.target is not None
    hand = say.TURN_HAND_TO if to else say.TURN_HAND
    parts = [hand(hand=screen.hand, who=who, **({"target": screen.target} if to else {}))]
    if screen.knocker:
        parts.append(say.TURN_KNOCKED(who=_who(screen.knocker), count=screen.left))
    parts += [say.TURN_OWN_DISCARD()] if screen.own_discard else []
    if screen.questions:
        parts += _questions(screen.questions)
    else:
        parts.append((say.TURN_TAP_LAST if screen.knocker else say.TURN_TAP)(who=who))
        parts += [say.TURN_MINIMUM(count=screen.minimum)] if screen.minimum and not screen.knocker else []
    parts += [say.TURN_LOOK(who=_who(screen.look))] if screen.look else []
    return [*parts, _scores(screen.lines)]


def _questions(questions: Iterable[v.SeatQuestion]) -> list[str]:
    return [message_speech(asked.question, who=_who(asked.label)) for asked in questions]


def _declared_sentences(screen: v.DeclaredScreen) -> list[str]:
    return [
        say.DECLARED(who=_all(screen.declared), count=len(screen.declared)),
        *_questions(screen.questions),
        *([say.DECLARED_TAP(who=_all(screen.waiting))] if screen.waiting else []),
        *_last_seconds(screen.left_s),
    ]


def _last_seconds(left_s: int) -> list[str]:
    """Once, when it is about to end by itself: a reader that counts down leaves nobody time to answer."""
    return [say.LAST_SECONDS()] if left_s <= LAST_SECONDS_FROM else []


def _stop(screen: v.StopScreen) -> list[str]:
    return [say.STOP_PRESS(who=_all(screen.waiting)) if screen.waiting else say.STOP()]


def _verdict(screen: v.VerdictScreen) -> list[str]:
    who = _tie_sentences(screen) if screen.kind == "tie" else _was_last(screen) if screen.last else _clear(screen)
    word = say.VERDICT_TIME_UP() if _absent(screen) else message_speech(screen.word)
    asked = [] if screen.answers is None else _answers(screen, screen.answers)
    return [word, *who, *_late(screen), *asked, say.VERDICT_PHOTO()]


def _absent(screen: v.VerdictScreen) -> bool:
    """Whether the last ones are those who have not pressed."""
    return screen.last and screen.gap_ns is None and not screen.by_vote


def _answers(screen: v.VerdictScreen, answers: Sequence[tuple[Label, bool | None]]) -> list[str]:
    """Whether the claim was right, who has said so, and of whom that is asked still."""
    waiting = [label for label, answer in answers if answer is None]
    if not waiting:
        return []
    asked = say.VERDICT_ASKED(caller=_all(screen.callers), count=len(screen.callers))
    return [asked, *_answer_sentences(answers), say.VERDICT_ANSWER(who=_all(waiting))]


def _answer_sentences(answers: Sequence[tuple[Label, bool | None]]) -> list[str]:
    """Who has said yes and who no."""
    said = {word: [label for label, answer in answers if answer is word] for word in (True, False)}
    words = ((say.VOTE_YES, said[True]), (say.VOTE_NO, said[False]))
    return [word(who=_all(labels)) for word, labels in words if labels]


def _clear(screen: v.VerdictScreen) -> list[str]:
    who = _all(screen.callers)
    later = [say.VERDICT_NEXT(who=_who(label), s=_gap(gap_ns)) for label, gap_ns in screen.later]
    if not later and screen.next_caller and screen.gap_ns is not None:
        later = [say.VERDICT_NEXT(who=_who(screen.next_caller), s=_gap(screen.gap_ns))]
    do = [message_speech(screen.hint, who=who)] if screen.hint else []
    if screen.by_vote:
        return [say.VERDICT_FIRST(who=who), say.VERDICT_BY_VOTE(), *do]
    first = say.VERDICT_MAYBE(who=who) if screen.grey else say.VERDICT_FIRST(who=who)
    return [first, *(later or [say.VERDICT_ALONE()]), *do]


def _was_last(screen: v.VerdictScreen) -> list[str]:
    who = _all(screen.callers)
    if screen.by_vote:
        return [say.VERDICT_LAST(who=who, count=len(screen.callers)), say.VERDICT_BY_VOTE()]
    last = (say.VERDICT_LAST_MAYBE if screen.grey else say.VERDICT_LAST)(who=who, count=len(screen.callers))
    if screen.next_caller is None or screen.gap_ns is None:
        return [last, say.VERDICT_NOT_PRESSED(who=who, count=len(screen.callers))]
    return [last, say.VERDICT_BEFORE(who=_who(screen.next_caller), s=_gap(screen.gap_ns))]


def _tie_sentences(screen: v.VerdictScreen) -> list[str]:
    who = _all(screen.callers)
    if screen.last and screen.gap_ns is None:
        return _was_last(screen)
    if screen.by_vote:
        return [say.VERDICT_TIE(who=who), say.VERDICT_BY_VOTE()]
    tie = say.VERDICT_TIE_MAYBE(who=who) if screen.grey else say.VERDICT_TIE(who=who)
    if screen.last:
        tie = (say.VERDICT_LAST_MAYBE if screen.grey else say.VERDICT_LAST)(who=who, count=len(screen.callers))
    if screen.gap_ns is None:
        return [tie]
    return [tie, say.VERDICT_APART(s=_gap(screen.gap_ns), ms=_ms(screen.tie_window_ns))]


def _late(screen: v.VerdictScreen) -> list[str]:
    word = {True: say.VERDICT_LATE_BEFORE, False: say.VERDICT_LATE_AFTER}
    return [word[gap_ns < 0](who=_who(label), s=_gap(abs(gap_ns))) for label, gap_ns in screen.late]


def _photo(screen: v.PhotoScreen) -> list[str]:
    end_ns = max(line.press_ns for line in screen.lines) if screen.last else None
    lines = [say.PHOTO_LATE(line=text) if one.late else text for one, text in _presses(screen.lines, end_ns)]
    shared_ns = max((line.common_ns for line in screen.lines), default=0)
    pods = [say.PHOTO_COMMON(ms=_error(shared_ns))] if shared_ns else []
    head = say.PHOTO_OF_LAST if screen.last else say.PHOTO
    alone = [say.VERDICT_ALONE()] if screen.alone else []
    return [head(ms=_ms(screen.tie_window_ns)), *lines, *alone, *pods]


def _presses(lines: Iterable[v.PhotoLine], end_ns: int | None) -> Iterable[tuple[v.PhotoLine, str]]:
    """Each press with what is said of it: when it came after the first one, or before the last one at `end_ns`."""
    for one in lines:
        who, err = _who(one.label), _error(one.err_ns)
        if end_ns is None:
            word = say.PHOTO_CALLER if one.caller else say.PHOTO_LINE
            yield one, word(who=who, ms=_ms(one.press_ns), err=err)
        elif one.press_ns == end_ns:
            yield one, say.PHOTO_LAST(who=who, err=err)
        else:
            yield one, say.PHOTO_BEFORE(who=who, ms=_gap(end_ns - one.press_ns), err=err)


def _count(screen: v.CountScreen) -> list[str]:
    cells = [_cell(cell, screen.field_names) for cell in screen.cells]
    counting = [cell.label for cell in screen.cells if not cell.done]
    how = say.COUNT_KNOB() if screen.knob else say.COUNT_TAP(who=_all(counting)) if counting else ""
    things = list_speech(
        list(dict.fromkeys(map(message_speech, screen.field_names)))
    )  # tens and ones of one thing have one name
    return [
        say.COUNT_HAND(hand=screen.hand, fields=things),
        *cells,
        *_sleeping([c.label for c in screen.cells if c.asleep]),
        how,
    ]


def _sleeping(who: Sequence[Label]) -> list[str]:
    """Whose phone sleeps while the table waits for them."""
    return [say.PHONE_SLEEPS(who=_all(who), count=len(who))] if who else []


def _fix(screen: v.FixScreen) -> list[str]:
    cells = [_cell(cell, screen.field_names) for cell in screen.cells]
    return [say.FIX_HAND(hand=screen.hand), *cells, say.FIX_SAVE() if screen.changed else say.FIX_TURN()]


def _cell(cell: v.CountCell, names: Sequence[Msg]) -> str:
    """What a team has entered, and which field its next tap changes."""
    return " ".join((_entry_text(cell, names), *_cursor(cell, names)))


def _cursor(cell: v.CountCell, names: Sequence[Msg]) -> Iterable[str]:
    if cell.cursor is not None:
        name = names[cell.cursor]
        unit = dict(name.values).get("unit")
        at = {10: say.COUNT_AT_TENS, 1: say.COUNT_AT_ONES}.get(unit if isinstance(unit, int) else 0, say.COUNT_AT)
        yield at(field=message_speech(name))


def _entry_text(cell: v.CountCell, names: Sequence[Msg]) -> str:
    who, fields = _who(cell.label), list_speech(list(_fields(cell.fields, names)))
    if not fields:
        return say.COUNT_NOTHING(who=who)
    if cell.refusal:
        return say.COUNT_REFUSED(who=who, fields=fields, why=message_speech(cell.refusal))
    return (say.COUNT_DONE if cell.done else say.COUNT_CELL)(who=who, fields=fields)


def _fields(digits: Sequence[str | None], names: Sequence[Msg]) -> Iterable[str]:
    """What was entered: tens and ones of one thing are one number."""
    tens, thing = None, ""
    for digit, name in zip(digits, names, strict=False):
        if digit is None:
            break
        thing, unit = message_speech(name), dict(name.values).get("unit")
        if unit == 10:
            tens = 10 * int(digit)
        elif unit == 1 and tens is not None:
            yield say.COUNT_FIELD(number=tens + int(digit), field=thing)
            tens = None
        elif digit.isdigit():
            yield say.COUNT_FIELD(number=digit, field=thing)
        elif digit != "-":
            yield thing
    if tens is not None:
        yield say.COUNT_TENS(number=tens, field=thing)


def _check(screen: v.CheckScreen) -> list[str]:
    missing = [str(number) for number, pressed in screen.seats if not pressed]
    heard = say.CHECK_MISSING(numbers=list_speech(missing)) if missing else say.CHECK_ALL()
    turned = say.CHECK_RIGHT if screen.turned > 0 else say.CHECK_LEFT
    way = [turned(count=abs(screen.turned))] if screen.turned else []
    return [say.CHECK(), heard, *way, say.CHECK_DONE()]


def _phones(screen: v.PhonesScreen) -> list[str]:
    """The code letter by letter; where it is kept from whoever reads this, where it stands."""
    code = say.PHONES_CODE(code=" ".join(screen.code)) if screen.code else say.PHONES_ELSEWHERE()
    return [say.PHONES(address=screen.address), code]


def _off(screen: v.OffScreen) -> list[str]:
    return [say.OFF(s=_span(screen.unplug_s))]


def _sheet(screen: v.SheetScreen) -> list[str]:
    return [say.SHEET(hand=screen.hand), _scores(screen.lines)]


def _standings(screen: v.StandingsScreen) -> list[str]:
    return [say.STANDINGS(count=screen.hands, scores=LINES.join(map(_score, screen.lines)))]


def _over(screen: v.OverScreen) -> list[str]:
    won = say.OVER_WON(who=_all(screen.winners), count=len(screen.winners)) if screen.winners else say.OVER_NOBODY()
    again = say.OVER_REMATCH_WHO(who=_all(screen.waiting)) if screen.waiting else say.OVER_REMATCH()
    return [say.OVER(count=screen.hands), won, _scores(screen.lines), *map(message_speech, screen.notes), again]


def _menu(screen: v.MenuScreen) -> list[str]:
    title = _own_sentence(screen.title)
    waiting = [say.WAITING(who=_all(screen.waiting))] if screen.waiting else []
    if screen.cursor >= len(screen.items):
        return [title, say.MENU_EMPTY(), *waiting]
    line = screen.items[screen.cursor]
    if screen.value is not None and isinstance(line, Msg):
        line = with_values(line, choice=screen.value)
    at = say.MENU_LINE(line=_own_sentence(line), at=screen.cursor + 1, all=len(screen.items))
    about = [_own_sentence(screen.about)] if screen.about else []
    return [title, at, *about, say.MENU_CHOOSE() if screen.value is None else say.MENU_VALUE(), *waiting]


def _rule(screen: v.RuleScreen) -> list[str]:
    at = say.RULE_PAGE(at=screen.page, all=screen.pages) if screen.pages > 1 else say.RULE_ALONE()
    source = say.RULE_SOURCE(who=list_speech([message_speech(source) for source in screen.sources]))
    return [_own_sentence(screen.title), message_speech(screen.text), source, at]


def _power_back(screen: v.PowerBackScreen) -> list[str]:
    phase = phase_name(screen.phase)
    hand = say.POWER_BACK_HAND(hand=screen.hand, phase=phase)
    if screen.played_ns is not None:
        hand = say.POWER_BACK_PLAYED(hand=screen.hand, phase=phase, clock=_span(screen.played_ns // S))
    return [
        say.POWER_BACK_UNKNOWN() if screen.away_s is None else say.POWER_BACK(away=_span(max(screen.away_s, 0))),
        hand,
        say.POWER_BACK_TAP_WHO(who=_all(screen.waiting)) if screen.waiting else say.POWER_BACK_TAP(),
    ]


def _vote(screen: v.VoteScreen) -> list[str]:
    waiting = [label for label, vote in screen.votes if vote is None]
    return [
        message_speech(screen.question, who=_all(screen.subject)),
        *([say.VOTE_ADMIT(who=_all(screen.subject))] if screen.admits else []),
        *_answer_sentences(screen.votes),
        say.VOTE_ASK(who=_all(waiting)) if waiting else say.VOTE_AGAIN(),
        *_sleeping(screen.asleep),
        *_last_seconds(screen.left_s),
    ]


def _call_now(screen: v.CallNowScreen) -> list[str]:
    return [say.CALL_NOW()]


def _search(screen: v.SearchScreen) -> list[str]:
    return [
        say.SEARCH_TWICE() if screen.times == 2 else say.SEARCH_ONCE(),
        say.SEARCH_ANSWERED(count=screen.answered, all=screen.teams),
        *([say.SEARCH_MISSING(who=_all(screen.waiting))] if screen.waiting else []),
    ]


def _burn(screen: v.BurnScreen) -> list[str]:
    word = message_speech(screen.word)
    how = {
        "stream": say.BURN_STREAM,
        "reserve": say.BURN_RESERVE,
        "waste": say.BURN_WASTE,
        "stock": say.BURN_STOCK,
        "hand": say.BURN_HAND,
    }
    return [
        say.BURN(word=_sentence(word), count=screen.burns),
        *([say.BURN_AGAIN()] if screen.burns > 1 else []),
        *([how[screen.pile]()] if screen.pile in how else []),
    ]


_SPEAK: dict[type, Callable[[Any], list[str]]] = {
    v.LobbyScreen: _lobby,
    v.NameScreen: _name,
    v.PhonesScreen: _phones,
    v.ReadyScreen: _ready,
    v.AgreementScreen: _agreement,
    v.CountdownScreen: _countdown,
    v.WaitScreen: _wait,
    v.TurnScreen: _turn,
    v.DeclaredScreen: _declared_sentences,
    v.PlayingScreen: _playing,
    v.StopScreen: _stop,
    v.VerdictScreen: _verdict,
    v.PhotoScreen: _photo,
    v.CountScreen: _count,
    v.FixScreen: _fix,
    v.CheckScreen: _check,
    v.OffScreen: _off,
    v.SheetScreen: _sheet,
    v.StandingsScreen: _standings,
    v.OverScreen: _over,
    v.MenuScreen: _menu,
    v.RuleScreen: _rule,
    v.PowerBackScreen: _power_back,
    v.VoteScreen: _vote,
    v.CallNowScreen: _call_now,
    v.SearchScreen: _search,
    v.BurnScreen: _burn,
}
