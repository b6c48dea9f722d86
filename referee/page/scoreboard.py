"""The scoreboard and the wall: live pages of the match, with each call's photo finish.

/scores            phase, clock, totals, curve, hands, the newest photo finish (also "/" for pages that cannot press)
/wall              the same for a television: large, without buttons
/scores/HAND.CALL  a photo finish by itself; .svg .png: as a file

Theory of operation. A page consists of a few parts, each a piece of HTML made here. `parts` makes them from a
snapshot, once per language, and `/live?show=...` sends those that have changed. Parts that change only when a hand is
recorded are cached for each `MatchSheet`. The spoken text changes only with the phase, so that screen readers do not
speak all the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from aiohttp import web
from markupsafe import Markup

from referee.core.messages import Label, Msg, Part
from referee.core.model.view import (
    CountScreen,
    GivenPoints,
    HandLine,
    MatchSheet,
    OverScreen,
    PhotoScreen,
    PlayingScreen,
    ReadyScreen,
    StandingsScreen,
    StopScreen,
    TeamLine,
    VerdictScreen,
    View,
)
from referee.core.names import isolate
from referee.core.units import clock_text
from referee.core.values import by_identity, replace
from referee.language.called import equal_text
from referee.language.display import display_text as written
from referee.language.numbers import score_text
from referee.language.say import list_speech, message_speech, own_sentence, phase_name
from referee.language.speech import speech_of
from referee.language.voice import later_text
from referee.language.words import has_text, label, sentence, speaking, word
from referee.page.evening_page import lead_changes_text, signed_text
from referee.page.photo_finish import finish, look_of, name_of
from referee.page.request import Reader, answer, macro, reader, refusal
from referee.page.site import SITE
from referee.protocol.snapshot import CACHED, Snapshot
from referee.web import charts
from referee.web.charts import Chart, Series

SITS_OUT = ("note.sits_out", "note.sit_out")
SHOWS = ("board", "wall")
"""The kinds of pages; their parts have these names in `/live`."""
LOUD = VerdictScreen | OverScreen | StandingsScreen | StopScreen
"""Screens that are spoken in full; for the others the phase's name is enough."""
PARTS = "board_parts.html"


# -- pages -------------------------------------------------------------------------------------------------------------


async def board(request: web.Request) -> web.Response:
    """Serve `/scores`: the match so far, updated live."""
    return _page(request, "board")


async def wall(request: web.Request) -> web.Response:
    """Serve `/wall`: the scoreboard for a television, large and without buttons."""
    return _page(request, "wall")


SCANNED = {"join": "/join", "card": "/history/last"}
"""Pages whose addresses the wall shows as QR codes.

The code that pairs a phone is on the table's display and on paired phones only.
"""


async def scanned(request: web.Request) -> web.Response:
    """Serve a QR code (SVG) with the address of a page. `SCANNED` lists these pages."""
    import segno

    code = segno.make_qr(f"{request.scheme}://{request.host}{SCANNED[request.match_info['page']]}", error="m")
    drawn = code.svg_inline(border=3, omitsize=True).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return web.Response(text=drawn, content_type="image/svg+xml")


def _page(request: web.Request, show: str) -> web.Response:
    """Serve the page `show` ("board" or "wall"). Its script later replaces parts that change."""
    who, latest = reader(request), request.app[SITE].shown_snapshot(request)
    with speaking(who.language):
        found = parts(latest, show, who.language) if latest is not None else {"now": macro(PARTS, "nothing")}
        return answer(who, f"{show}.html", parts=found, names=_NAMES[show])


_NAMES = {"board": ("now", "totals", "open", "sheet"), "wall": ("now", "giant", "totals", "side")}
"""The names of the parts of each page, in order."""


async def call(request: web.Request) -> web.Response:
    """Serve a call's photo finish as a page, an SVG or a PNG."""
    who = reader(request)
    latest = request.app[SITE].shown_snapshot(request)
    number, at, kind = (request.match_info[name] for name in ("hand", "call", "kind"))
    photo = _find_photo(latest.view.match if latest else None, int(number), int(at))
    with speaking(who.language, rounds=latest is not None and latest.view.rounds):
        if photo is None:
            return refusal(who, 404, partial(label, "board.title"), partial(label, "photo.none"))
        return shown_call(
            who,
            finish(photo, label("photo.title", number=number), width_of_finish(kind)),
            f"/scores/{number}.{at}",
            kind,
        )


def width_of_finish(kind: str) -> int:
    """Return the width of a photo finish in px. `kind`: the suffix of the file, "" for the page."""
    return charts.KEPT_WIDTH if kind else charts.PAGE_WIDTH


def shown_call(who: Reader, chart: Chart, where: str, kind: str) -> web.Response:
    """Answer with a photo finish: a page if `kind` is "", else a file of that suffix.

    where: the page's address. kind: "", ".svg" or ".png".
    """
    if not kind:
        return answer(who, "call.html", chart=_playable(chart), where=where)
    data, mime = (charts.svg(chart), "image/svg+xml") if kind == ".svg" else (charts.png(chart), "image/png")
    name = f"{where.strip('/').replace('/', '-')}{kind}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return web.Response(body=data, content_type=mime, headers=headers)


def _find_photo(match: MatchSheet | None, number: int, at: int) -> PhotoScreen | None:
    if match is None or not 1 <= number <= len(match.hands) + 1:
        return None
    calls = match.hands[number - 1].calls if number <= len(match.hands) else match.calls
    return calls[at - 1] if 1 <= at <= len(calls) else None


# -- parts -------------------------------------------------------------------------------------------------------------


@by_identity(CACHED)
def parts(snapshot: Snapshot, show: str, language: str) -> dict[str, str]:
    """Return the HTML of each part of the page `show`, by the part's name.

    The parts are made once per snapshot and language.
    """
    with speaking(language, rounds=snapshot.view.rounds):
        return _parts(snapshot, show, language)


def _parts(snapshot: Snapshot, show: str, language: str) -> dict[str, str]:
    match, table_language = snapshot.view.match, snapshot.view.language
    view = replace(snapshot.view, language=language)
    found: dict[str, str] = {
        "language": table_language,
        "said": isolate(_spoken_news(view)),
        "clock": _clock(view),
        "now": _now(view),
    }
    if match is None:
        return found | {"totals": _seat_list(snapshot, way=show == "board"), "open": "", "sheet": "", "side": ""}
    rest = _sheet_parts(match, show, language, view.rounds)
    found["giant"] = _giant(view.screen) if show == "wall" else ""
    if show == "wall":
        return found | rest | ({"side": _photo(view.call, wide=False)} if view.call is not None else {})
    return found | rest | {"open": _photo(view.call, wide=True) if view.call is not None else ""}


@by_identity(16)
def _sheet_parts(match: MatchSheet, show: str, language: str, rounds: bool) -> dict[str, str]:
    """Return the parts of the page that change only if a total or a recorded hand changes.

    rounds: the texts say "round" instead of "hand".
    """
    if show == "wall":
        return {"totals": _totals(match), "side": charts.drawn(_curve(match, 440, 350)) if match.hands else ""}
    return {"totals": _totals(match), "sheet": _sheet(match)}


def _spoken_news(view: View) -> str:
    """Return what screen readers say: on a `LOUD` screen all its texts, else the phase's name."""
    return speech_of(view) if isinstance(view.screen, LOUD) else phase_name(view.phase)


def _clock(view: View) -> str:
    return clock_text(view.screen.played_ns) if isinstance(view.screen, PlayingScreen) else ""


def _now(view: View) -> Markup:
    match, told = view.match, None
    if match is not None:
        number = label("board.hand", number=len(match.hands) + (0 if match.winners else 1))
        target = label("board.target", target=match.target) if match.target else ""
        what = " · ".join(filter(None, (match.preset, number, target)))
        told = {"clock": _clock(view), "what": what, "headline": _headline(view, match)}
    return macro(PARTS, "now", phase_name(view.phase), told, _asleep(view), _sits_out(view))


def _giant(screen: object) -> str:
    """Return the largest text on /wall: who called or won, that play has stopped, or ""."""
    if isinstance(screen, StopScreen):
        return macro(PARTS, "giant", word("stop"), "")
    if isinstance(screen, VerdictScreen):
        said = [equal_text(screen) or message_speech(screen.word), *([] if screen.by_vote else [later_text(screen)])]
        return macro(PARTS, "giant", _names(screen.callers), " ".join(filter(None, said)))
    if isinstance(screen, OverScreen) and screen.winners:
        return macro(PARTS, "joy", label("board.wins", who=_names(screen.winners), count=len(screen.winners)))
    return ""


def _names(teams: Iterable[Label]) -> str:
    return list_speech([name_of(team) for team in teams])


def _asleep(view: View) -> str:
    """Return the names of teams that must enter a count and whose phones are asleep."""
    screen = view.screen
    waits = [cell.label for cell in screen.cells if cell.asleep] if isinstance(screen, CountScreen) else []
    return list_speech([name_of(team) for team in waits])


def _sits_out(view: View) -> list[str]:
    """Return the notes on players who sit out, and how they come back."""
    notes = view.screen.notes if isinstance(view.screen, ReadyScreen | StandingsScreen) else ()
    return [own_sentence(note) for note in notes if note.key in SITS_OUT]


def _headline(view: View, match: MatchSheet) -> str:
    if match.winners:
        who = [name_of(match.teams[at]) for at in match.winners]
        return label("board.won", who=list_speech(who), count=len(who))
    if not isinstance(view.screen, VerdictScreen | StopScreen):
        return ""
    return speech_of(view).removesuffix(sentence("verdict.photo")).strip()  # the page shows it without the knob


def _team(of: Label) -> tuple[int, str]:
    return look_of(of), name_of(of)


def _seat_list(snapshot: Snapshot, *, way: bool) -> Markup:
    """Return, as HTML, the people seated before a match. way: add a sentence on how to join."""
    there = [_team(Label((seat.number,), seat.name)) for seat in snapshot.seats if seat.name]
    return macro(PARTS, "seats", there, way)


def _totals(match: MatchSheet) -> Markup:
    """Return the ranking of the teams as HTML: place, name, total, points of the last hand."""
    whole = float(match.target) if match.target else max([1.0, *(float(line.total) for line in match.lines)])
    lines = [_total(line, whole) for line in sorted(match.lines, key=lambda line: line.place)]
    return macro(PARTS, "totals", lines, bool(match.hands))


def _total(line: TeamLine, whole: float) -> dict[str, object]:
    """Return the template values of a team's row in the ranking.

    whole: the target, or the highest total. share: the team's total / `whole`; None if a text such as "out" replaces
    the total.
    """
    look, name = _team(line.label)
    return {
        "place": line.place,
        "look": look,
        "name": name,
        "share": None if line.told else float(line.total) / whole,
        "total": written(line.told) or score_text(line.total),
        "corrected": line.corrected,
        "last": "" if line.delta is None or not line.tells_gain else signed_text(line.delta),
    }


def _sheet(match: MatchSheet) -> Markup:
    """Return as HTML: curve of totals, all hands, the last photo finish, links to earlier ones."""
    calls = [(n, at, photo) for n, hand in enumerate(match.hands, 1) for at, photo in enumerate(hand.calls, 1)]
    told: dict[str, object] = {
        "chart": _curve(match) if match.hands else None,
        "teams": [_team(team) for team in match.teams],
        "rows": [*_rows(match)],
        "changes": lead_changes_text(len(lead_changes(match)), len(match.hands)),
        "photo": _photo_of(*calls[-1]) if calls else None,
        "ways": [(f"/scores/{n}.{at}", _call_name(match, n, at)) for n, at, _ in reversed(calls[:-1])],
    }
    return macro(PARTS, "sheet", told)


def _photo_of(number: int, at: int, photo: PhotoScreen) -> tuple[Chart, str]:
    return _playable(finish(photo, label("photo.title", number=number))), f"/scores/{number}.{at}"


def _call_name(match: MatchSheet, number: int, at: int) -> str:
    hand = match.hands[number - 1]
    stood = at == len(hand.calls) and hand.callers
    return label("photo.title" if stood else "photo.false", number=number)


def lead_changes(match: MatchSheet) -> list[int]:
    """Return the numbers (from 1) of the hands that changed the lead.

    After such a hand one team leads alone, and the last team that led alone was another.
    """
    found: list[int] = []
    leader: int | None = None
    for number, hand in enumerate(match.hands, 1):
        if len(hand.leaders) == 1:
            if leader is not None and hand.leaders[0] != leader:
                found.append(number)
            leader = hand.leaders[0]
    return found


def _curve(match: MatchSheet, width: int = charts.PAGE_WIDTH, height: int = 270) -> Chart:
    series = [
        Series(
            name_of(label),
            (float(match.start[at]), *(float(hand.totals[at]) for hand in match.hands)),
            look_of(label),
        )
        for at, label in enumerate(match.teams)
    ]
    names = [str(number) for number in range(len(match.hands) + 1)]
    return charts.curve(
        label("board.curve"),
        series,
        names,
        below=label("board.hand_head"),
        target=match.target,
        target_text=label("board.target", target=match.target) if match.target else "",
        width=width,
        height=height,
    )


def _rows(match: MatchSheet) -> Iterator[dict[str, object]]:
    """Yield the sheet's rows as template values: hands, reasons of corrections, adjustments."""
    changed = lead_changes(match)
    yield from _adjustments(match, match.given)
    for number, hand in enumerate(match.hands, 1):
        yield _hand(match, number, hand) | {"new": number in changed}
        for reason in hand.reasons:
            yield {"note": label("board.corrected_why", reason=_reason_text(reason)), "pencil": True}
        yield from _adjustments(match, hand.given)


def _hand(match: MatchSheet, number: int, hand: HandLine) -> dict[str, object]:
    scores = ["\N{EN DASH}" if score is None else score_text(score) for score in hand.scores]
    end = label(f"end.{hand.end}") if has_text("page", f"end.{hand.end}") else hand.end
    callers = list_speech([name_of(match.teams[at]) for at in hand.callers])
    return {
        "number": number,
        "scores": [(score, at in hand.callers, at in hand.corrected) for at, score in enumerate(scores)],
        "lead": list_speech([name_of(match.teams[at]) for at in hand.leaders]),
        "end": f"{end}: {callers}" if callers else end,
        "note": "",
    }


def _adjustments(match: MatchSheet, given: tuple[GivenPoints, ...]) -> Iterator[dict[str, object]]:
    for one in given:
        who, points = name_of(match.teams[one.team]), signed_text(one.points)
        text = label("board.adjusted", who=who, points=points, reason=_reason_text(one.reason))
        yield {"note": text, "pencil": False}


def _reason_text(reason: Part) -> str:
    return written(reason) if isinstance(reason, Msg) else str(reason)


# -- photo finishes ----------------------------------------------------------------------------------------------------


def _photo(photo: PhotoScreen, *, wide: bool) -> Markup:
    """Return, as HTML, the photo finish of the call that is being judged or counted."""
    chart = finish(photo, label("photo.open"), charts.PAGE_WIDTH if wide else 440)
    return macro(PARTS, "photo", _playable(chart)) if wide else charts.drawn(chart)


def _playable(chart: Chart) -> Chart:
    return charts.with_data(chart, ("play", label("photo.play")))
