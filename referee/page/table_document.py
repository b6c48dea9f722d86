"""What a live page shows of a snapshot: the table, and what the phone of each seat shows.

It is plain JSON, made once per snapshot for all pages. A phone shows the verdict as it concerns its player, questions
and rank; its page only draws it. All texts are in the current language.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence

from referee.core.messages import Label
from referee.core.model.labels import numbers_text
from referee.core.model.view import (
    CallNowScreen,
    ClockLine,
    CountScreen,
    MatchSheet,
    PhoneLine,
    PhonesScreen,
    PhotoLine,
    PhotoScreen,
    ReadyScreen,
    TeamLine,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
    WaitScreen,
)
from referee.core.units import MS, s_text
from referee.core.values import Json, by_identity
from referee.language.display import display_text
from referee.language.numbers import decimal_text, points_text, score_text, span_ms_text
from referee.language.say import list_speech, message_speech, phase_name, points
from referee.language.speech import speech_of
from referee.language.words import has_text, label, reader_name, sentence, speaking
from referee.page.photo_finish import bound_text, name_of
from referee.protocol.snapshot import CACHED, SeatLine, Snapshot

ASKED = ("slow", "double", "wink")
"""Patterns of a lamp that asks its player. It winks while it takes the answer."""
ORDINALS = 3
"""Places whose number is written in a form of its own, e.g. "1st"."""


def own_documents(view: View) -> dict[str, Json]:
    """Return the texts for each seat's phone, by seat number; seats without phone are left out.

    ask: the question to this player, "" for none. rank: place, points and distance to the leader, "" before the first
    hand. waiting: the others for whom the table waits. verdict: see `_verdict`; None without one. pause: whether the
    phone can pause play (True) or end a pause (False) now; None for neither.
    """
    return {str(line.number): _own(view, line) for line in view.phones}


def _own(view: View, line: PhoneLine) -> Json:
    screen, number, note = view.screen, line.number, line.note
    waiting = [name_of(who) for who in getattr(screen, "waiting", ()) if number not in who.numbers]
    return {
        "ask": label(note.key, **dict(note.values)) if note is not None else _ask(view, number),
        "rank": _rank(view.match, number) if view.match is not None else "",
        "waiting": label("own.waiting", who=list_speech(waiting)) if waiting else "",
        "verdict": _verdict(view, screen, number) if isinstance(screen, VerdictScreen) else None,
        "pause": _pause(view),
    }


def _pause(view: View) -> bool | None:
    if view.phase == "TIMEOUT":
        return False
    return True if view.phase == "PLAYING" and view.dark != "turns" else None


# -- questions ---------------------------------------------------------------------------------------------------------


def _ask(view: View, number: int) -> str:
    """Return the question or request to the player of that seat, "" for none."""
    screen = view.screen
    if _must_let_go(screen, number):
        return label("own.ask.let_go")
    for asked in getattr(screen, "questions", ()):
        if number in asked.label.numbers:
            return message_speech(asked.question, who=name_of(asked.label))
    if isinstance(screen, CallNowScreen):
        return label("own.ask.call_now")
    if view.lamps[number - 1].pattern not in ASKED:
        return ""
    if isinstance(screen, TurnScreen):
        return label("own.ask.last_turn" if screen.knocker else "own.ask.turn")
    key = f"own.ask.{view.phase.lower()}"
    return label(key) if has_text("page", key) else ""


def _must_let_go(screen: object, number: int) -> bool:
    """Return whether that seat's button is held down and therefore prevents a start."""
    held = screen.held if isinstance(screen, WaitScreen) and not screen.labels else ()
    let_go = (screen.let_go,) if isinstance(screen, ReadyScreen) and screen.let_go else ()
    return any(number in who.numbers for who in (*held, *let_go))


# -- the match ---------------------------------------------------------------------------------------------------------


def _rank(match: MatchSheet, number: int) -> str:
    """Return the place and points of that seat's team, and its distance to the leader."""
    own = next((line for line in match.lines if number in line.label.numbers), None)
    if own is None or not match.hands:
        return ""
    total = message_speech(own.told) or points_text(own.total)
    return " · ".join(filter(None, (_place(own.place, own.place), total, _distance(match.lines, own))))


def _distance(lines: Sequence[TeamLine], own: TeamLine) -> str:
    """Return a leader's lead over the next team, or another team's distance to the leader."""
    others = sorted((line for line in lines if line.label != own.label), key=lambda line: line.place)
    if own.told or not others:
        return ""
    rival = others[0]
    if rival.place == own.place:
        return label("own.level", who=name_of(rival.label))
    apart = abs(own.total - rival.total)
    key = "own.ahead" if own.place == 1 else "own.behind"
    return label(key, number=points(apart), who=name_of(rival.label))


def _place(least: int, most: int) -> str:
    """Return a place as an ordinal number; two of them if it is uncertain.

    >>> _place(2, 2), _place(2, 3), _place(11, 11)
    ('2nd', '2nd to 3rd', '11th')
    """
    if least != most:
        return label("own.places", first=_place(least, least), last=_place(most, most))
    return label(f"own.place.{least}") if least <= ORDINALS else label("own.place.n", place=least)


# -- the verdict -------------------------------------------------------------------------------------------------------


def _verdict(view: View, screen: VerdictScreen, number: int) -> Json:
    """Return the verdict as the phone of that seat shows it.

    title: what is decided. names: the callers. line: the place and margin of this player; "" for one who has not
    pressed. called: whether this player is a caller.
    """
    who = list_speech([name_of(caller) for caller in screen.callers])
    doubt = screen.grey and not screen.by_vote
    return {
        "title": _title(screen),
        "names": label("own.perhaps", who=who) if doubt else who,
        "line": "" if screen.by_vote else _line(view, screen, number),
        "called": any(number in caller.numbers for caller in screen.callers),
    }


def _title(screen: VerdictScreen) -> str:
    if screen.by_vote:
        return sentence("verdict.by_vote")
    if screen.grey:
        return label("own.grey")
    if screen.kind == "tie":
        return label("own.tie")
    return label("own.last") if screen.last else message_speech(screen.word)


def _line(view: View, screen: VerdictScreen, number: int) -> str:
    """Return the place and margin of that seat's press as text; "" if they are not known."""
    late = next((gap_ns for who, gap_ns in screen.late if number in who.numbers), None)
    if late is not None:
        return label("own.too_late", s=_gap(abs(late))) if late < 0 else label("own.late", s=_gap(late))
    call, match = view.call, view.match
    if call is None or match is None:
        return ""
    presses = _first_presses(screen, call, match.teams)
    own = next((press for press in presses if number in press.label.numbers), None)
    if own is None or any(number in who.numbers for who in screen.refuted):
        return ""
    shared_ns = max(line.common_ns for line in call.lines)
    decisive = presses[-1] if call.last else presses[0]
    if screen.grey and _apart_ns(own, decisive) <= call.tie_window_ns + own.err_ns + decisive.err_ns + shared_ns:
        return label("own.close")
    place = _placed(screen, presses, own, shared_ns)
    return ", ".join(filter(None, (place, _margin(screen, presses, own))))


def _first_presses(screen: VerdictScreen, call: PhotoScreen, teams: Iterable[Label]) -> list[PhotoLine]:
    """Return each team's first press, in the order of time.

    The photo finish `call` has no presses after the call's end. Such presses are added from the verdict's screen, but
    not if a vote found the call false: then that screen counts their times from another press.
    """
    team_of = {number: team for team in teams for number in team.numbers}
    lines = [line for line in call.lines if not line.late]
    if not screen.refuted:
        later = zip(screen.later, screen.later_err_ns, strict=True)
        lines += [PhotoLine(team_of[who.numbers[0]], gap_ns, err_ns, (), False) for (who, gap_ns), err_ns in later]
    first: dict[Label, PhotoLine] = {}
    for line in sorted(lines, key=lambda line: line.press_ns):
        first.setdefault(line.label, line)
    return list(first.values())


def _gap(ns: int) -> str:
    return label("own.ms", ms=span_ms_text(ns)) if ns < 100 * MS else label("own.s", s=decimal_text(s_text(ns)))


def _apart_ns(one: PhotoLine, other: PhotoLine) -> int:
    return abs(one.press_ns - other.press_ns)


def _placed(screen: VerdictScreen, presses: Sequence[PhotoLine], own: PhotoLine, shared_ns: int) -> str:
    """Return the place of the press `own` among `presses`; a range if too close to others."""
    if own.caller and not screen.last:
        return _place(1, 1)
    unsure = [
        p
        for p in presses
        if p is not own
        and (screen.grey or p.caller == own.caller)  # else the verdict says which was earlier
        and _apart_ns(p, own) <= p.err_ns + own.err_ns + shared_ns
    ]
    before = sum(p.press_ns < own.press_ns and p not in unsure for p in presses)
    return _place(before + 1, before + 1 + len(unsure))


def _margin(screen: VerdictScreen, presses: Sequence[PhotoLine], own: PhotoLine) -> str:
    """Return as text how much earlier or later `own` was than another press.

    For one of several callers, the other press is the most distant of the other callers' presses. For a single caller,
    it is the nearest press. For a player who is no caller, it is the first caller's press (in games in which the last
    press loses, the last caller's).
    """
    mates = [p for p in presses if p.caller and p is not own]
    if own.caller and mates:
        return label("own.apart", s=_gap(max(_apart_ns(p, own) for p in mates)))
    rivals = [p for p in presses if p.caller != own.caller]
    if not rivals:
        return label("own.alone") if screen.is_alone else ""
    rival = min(rivals, key=lambda p: _apart_ns(p, own)) if own.caller else rivals[-1 if screen.last else 0]
    key = "own.before" if own.press_ns < rival.press_ns else "own.after"
    return label(key, s=_gap(_apart_ns(own, rival)), who=name_of(rival.label))


LOOPBACKS = ("http://localhost:", "http://127.", "http://[::1]:")
"""Beginnings of addresses that work only on this computer."""


def dark_means(kind: str) -> str:
    """Return a text: what a press does on a button whose lamp is dark. kind: see `View.dark`."""
    return label(f"manual.dark_{kind}" if kind in ("turns", "claim", "all") else "manual.dark_means")


@by_identity(CACHED)
def face_of(snapshot: Snapshot) -> dict[str, object]:
    """Return the data that the page's script draws. They are made once per snapshot."""
    with speaking(snapshot.view.language, rounds=snapshot.view.rounds):
        return _entries(snapshot, snapshot.view)


@by_identity(CACHED)
def words_of(snapshot: Snapshot) -> str:
    """Return the view in words, for screen readers. They are made once per snapshot."""
    return speech_of(snapshot.view)


def _entries(snapshot: Snapshot, view: View) -> dict[str, object]:
    return {
        "language": view.language,
        "phase": phase_name(view.phase),
        "lamps": [[lamp.lit, lamp.pattern] for lamp in view.lamps],
        "seats": [plate(seat) for seat in snapshot.seats],
        "bots": sorted(snapshot.bots),
        "size": [snapshot.width, snapshot.height],
        "pixels": b64encode(snapshot.pixels).decode(),
        "words": words_of(snapshot),
        "banner": display_text(view.banner) or None,
        "clocks": [clock_text(line) for line in view.clocks],
        "dim": view.dim,
        "scanned": isinstance(view.screen, PhonesScreen),
        "alone": isinstance(view.screen, PhonesScreen) and view.screen.address.startswith(LOOPBACKS),
        "dark": dark_means(view.dark),
        "asks": view.phase.lower(),
        "phones": {str(line.number): line.phone for line in view.phones},
        "own": own_documents(view),
        "asleep": list(snapshot.asleep),
        "count": count_document(view.screen) if isinstance(view.screen, CountScreen) else None,
        "vote": vote_document(view.screen) if isinstance(view.screen, VoteScreen) else None,
    }


def count_document(screen: CountScreen) -> dict[str, object]:
    """Return the teams' counts for phones, as whole numbers; None for an empty field."""
    units = [dict(name.values).get("unit") for name in screen.field_names]
    names = [message_speech(name) for name, unit in zip(screen.field_names, units, strict=True) if unit != 10]
    ones = [at for at, unit in enumerate(units) if unit != 10]
    cells = [
        {
            "seats": list(cell.label.numbers),
            "name": reader_name(cell.label.name),
            "numbers": numbers_of(cell.fields, units),
            "locked": [cell.locked[at] for at in ones],
            "done": cell.done,
            "asleep": cell.asleep,
            "pen": cell.pen,
            "refused": message_speech(cell.refusal) or None,
        }
        for cell in screen.cells
    ]
    return {"hand": screen.hand, "fields": names, "cells": cells}


def vote_document(screen: VoteScreen) -> dict[str, object]:
    """Return a vote for phones: the question's text and each team's vote, None if not given yet."""
    who = list_speech([name_of(label) for label in screen.subject])
    votes = [{"seats": list(label.numbers), "name": reader_name(label.name), "yes": yes} for label, yes in screen.votes]
    return {"question": message_speech(screen.question, who=who), "votes": votes}


def numbers_of(fields: Sequence[str | None], units: Sequence[object]) -> list[int | None]:
    """Return a count's fields as whole numbers: tens and ones become one number, a "½" is 1.

    units: for each field, 10 for tens, 1 for ones, None for a field that is a number of its own.

    >>> numbers_of(("4", "2", "8"), (None, 10, 1)), numbers_of(("4", None, None), (None, 10, 1))
    ([4, 28], [4, None])
    """
    found: list[int | None] = []
    tens: int | None = 0
    for sign, unit in zip(fields, units, strict=True):
        digit = None if sign is None else int(sign) if sign.isdigit() else int(sign == "½")
        if unit == 10:
            tens = digit
            continue
        found.append(digit if unit is None else None if digit is None or tens is None else 10 * tens + digit)
    return found


def plate(seat: SeatLine) -> list[str]:
    """Return a seat's name, total and partner's seat number as texts; "" for a missing one."""
    total = "" if seat.total is None else display_text(seat.told) or score_text(seat.total)
    return [reader_name(seat.name or ""), total, "" if seat.partner is None else str(seat.partner)]


def clock_text(line: ClockLine) -> str:
    """Return a line on the clock of a pod, phone or other source: its seats and error bound.

    >>> clock_text(ClockLine("pod 3f2a", (5, 6, 7), 312_000)), clock_text(ClockLine("pod 3f2a", (), None))
    ('pod 3f2a: 5-7 ±0.4 ms', 'pod 3f2a: not there')
    """
    sure = label("clock.away") if line.bound_ns is None else bound_text(line.bound_ns)
    return f"{line.name}: {' '.join(filter(None, (numbers_text(line.numbers), sure)))}"
