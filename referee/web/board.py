"""The scoreboard and the wall: the match so far as pages that keep themselves live, and every call's photo finish.

/scores            phase, clock, totals, curve, hands, the newest photo finish ("/", too, for whoever cannot press)
/wall              the same for a television: large, nothing to press
/scores/HAND.CALL  a photo finish by itself; .svg .png: as a file

Theory of operation. A page is a few parts, each a piece of HTML made here; `parts` makes them of a snapshot, once for
each language, and `/live?show=...` sends those that have changed. What only a sealed hand changes is kept by the very
sheet that it is made of. What is said aloud changes with the phase alone, so that no screen reader chatters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from aiohttp import web

from referee import drawing
from referee.core.messages import Label
from referee.core.model.view import (
    CountScreen,
    GivenPoints,
    HandLine,
    MatchSheet,
    OverScreen,
    PhotoScreen,
    PlayingScreen,
    ReadyScreen,
    SheetScreen,
    StandingsScreen,
    StopScreen,
    TeamLine,
    VerdictScreen,
    View,
)
from referee.core.names import isolate
from referee.core.units import clock_text
from referee.core.values import SameObjects, replace
from referee.language.display import display_text as written
from referee.language.numbers import score_text
from referee.language.say import list_speech, own_sentence, phase_name
from referee.language.speech import speech_of
from referee.language.words import sentence, speaking
from referee.web import charts, labels
from referee.web.charts import Chart, Series
from referee.web.evening import lead_changes_text
from referee.web.feed import Snapshot
from referee.web.finish import finish, look_of, name_of
from referee.web.frame import Reader, answer, reader, refusal
from referee.web.markup import Content, Markup, el, join_markup
from referee.web.site import SITE

SITS_OUT = ("note.sits_out", "note.sit_out")
SHOWS = ("board", "wall")
"""What a page may be: its parts have these names in `/live`."""
LOUD = VerdictScreen | OverScreen | StandingsScreen | SheetScreen | StopScreen
"""Screens that are said in full; of another one its phase's name is enough."""
SCRIPT = Markup('<link rel="stylesheet" href="/board.css"><script src="/board.js" type="module"></script>')


# -- pages -------------------------------------------------------------------------------------------------------------


async def board(request: web.Request) -> web.Response:
    """The page `/scores`: the match as it stands, brought up to date by events."""
    who = reader(request)
    with speaking(who.language):
        return answer(who, labels.BOARD_TITLE(), _held_parts(request, who, "board"), scripts=SCRIPT)


async def wall(request: web.Request) -> web.Response:
    """The scoreboard for a television: the same, large, and nothing to press."""
    who = reader(request)
    with speaking(who.language):
        title = labels.BOARD_TITLE()
        head = el(
            "head",
            el("meta", charset="utf-8"),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("meta", name="color-scheme", content="light dark"),
            el("title", f"{title} · {labels.REFEREE()}"),
            el("link", rel="icon", href="/icon.svg", type="image/svg+xml"),
            el("link", rel="stylesheet", href="/book.css"),
            SCRIPT,
        )
        body = el(
            "body", el("main", el("h1", title, class_="unseen"), _held_parts(request, who, "wall")), class_="wall"
        )
        text = f"<!doctype html>\n{el('html', head, body, lang=who.language)}\n"
    return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})


def _held_parts(request: web.Request, who: Reader, show: str) -> Markup:
    """The page's parts as they stand, each in an element that the script fills anew."""
    latest = request.app[SITE].shown_snapshot(request)
    found = parts(latest, show, who.language) if latest is not None else {"now": _nothing()}
    inner = [
        el("p", class_="unseen", id="said", role="status", aria_live="polite", aria_atomic="true"),
        el("p", id="lost", role="status"),
        *(el("div", Markup(found.get(name, "")), id=name) for name in _NAMES[show]),
    ]
    told = {"data_show": show, "data_language": who.language, "data_lost": labels.LOST()}
    return el("div", inner, id="board", class_=show, **told)


_NAMES = {"board": ("now", "totals", "open", "sheet"), "wall": ("now", "totals", "side")}
"""The parts of each page, in their order."""


async def call(request: web.Request) -> web.Response:
    """A call's photo finish: a page, a drawing, a picture."""
    who = reader(request)
    latest = request.app[SITE].shown_snapshot(request)
    number, at, kind = (request.match_info[name] for name in ("hand", "call", "kind"))
    photo = _find_photo(latest.view.match if latest else None, int(number), int(at))
    with speaking(who.language, rounds=latest is not None and latest.view.rounds):
        if photo is None:
            return refusal(who, 404, labels.BOARD_TITLE, labels.PHOTO_NONE)
        return shown_call(
            who, finish(photo, labels.PHOTO_TITLE(number=number), width_of_finish(kind)), f"/scores/{number}.{at}", kind
        )


def width_of_finish(kind: str) -> int:
    """How wide a photo finish is drawn: kind: that of the file that is kept, or none for the page."""
    return charts.KEPT_WIDTH if kind else charts.PAGE_WIDTH


def shown_call(who: Reader, chart: Chart, where: str, kind: str) -> web.Response:
    """A photo finish that lies at `where`: its page, or with a kind (".svg", ".png") the file to keep."""
    if not kind:
        return answer(who, labels.PHOTO_ALL(), _finish_figure(chart, where), scripts=SCRIPT)
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


def parts(snapshot: Snapshot, show: str, language: str) -> dict[str, str]:
    """What a page shows of a snapshot, part by part; of each snapshot it is made once."""
    made: dict[tuple[str, str], dict[str, str]] = snapshot.__dict__.setdefault("_parts", {})
    if (show, language) not in made:
        with speaking(language, rounds=snapshot.view.rounds):
            made[show, language] = _parts(snapshot, show, language)
    return made[show, language]


def _parts(snapshot: Snapshot, show: str, language: str) -> dict[str, str]:
    match, table_language = snapshot.view.match, snapshot.view.language
    view = replace(snapshot.view, language=language)
    found = {
        "language": table_language,
        "said": isolate(_spoken_news(view)),
        "clock": _clock(view),
        "now": _now(view) + _asleep(view) + _sits_out(view),
    }
    if match is None:
        return found | {"totals": _seat_list(snapshot, way=show == "board"), "open": "", "sheet": "", "side": ""}
    rest = _sheet_parts(SameObjects((match,)), show, language, view.rounds)
    if show == "wall":
        return found | rest | ({"side": _photo(view.call, wide=False)} if view.call is not None else {})
    return found | rest | {"open": _photo(view.call, wide=True) if view.call is not None else ""}


@lru_cache(maxsize=16)
def _sheet_parts(of: SameObjects[MatchSheet], show: str, language: str, rounds: bool) -> dict[str, str]:
    """The parts that only a change of the sheet changes."""
    (match,) = of
    if show == "wall":
        return {"totals": _totals(match), "side": _draw_chart(_curve(match, 440, 350)) if match.hands else ""}
    return {"totals": _totals(match), "sheet": join_markup(_sheet(match))}


def _spoken_news(view: View) -> str:
    """What a screen reader hears: that the phase is another one, and what has been decided."""
    return speech_of(view) if isinstance(view.screen, LOUD) else phase_name(view.phase)


def _clock(view: View) -> str:
    return clock_text(view.screen.played_ns) if isinstance(view.screen, PlayingScreen) else ""


def _now(view: View) -> Markup:
    match = view.match
    clock = el("p", _clock(view), id="clock", class_="clock", aria_label=labels.BOARD_CLOCK(), role="timer")
    phase = el("p", phase_name(view.phase), class_="phase")
    if match is None:
        return join_markup([phase])
    number = labels.BOARD_HAND(number=len(match.hands) + (0 if match.winners else 1))
    target = labels.BOARD_TARGET(target=match.target) if match.target else ""
    what = el("p", " · ".join(filter(None, (match.preset, number, target))), class_="what")
    return join_markup([phase, clock, what, el("p", _headline(view, match), class_="headline")])


def _asleep(view: View) -> Markup:
    """Whose phone does not look on, where the table waits for it: it counts with that phone."""
    screen = view.screen
    waits = [cell.label for cell in screen.cells if cell.asleep] if isinstance(screen, CountScreen) else []
    who = list_speech([name_of(label) for label in waits])
    return el("p", labels.ASLEEP_COUNT(who=who), class_="asleep") if waits else Markup("")


def _sits_out(view: View) -> Markup:
    """Who sits out, and how they come back."""
    notes = view.screen.notes if isinstance(view.screen, ReadyScreen | StandingsScreen) else ()
    out = [own_sentence(note) for note in notes if note.key in SITS_OUT]
    return join_markup([el("p", text, class_="asleep") for text in out])


def _nothing() -> Markup:
    return el("p", labels.LAID(), class_="lead")


def _headline(view: View, match: MatchSheet) -> str:
    if match.winners:
        who = [name_of(match.teams[at]) for at in match.winners]
        return labels.BOARD_WON(who=list_speech(who), count=len(who))
    if not isinstance(view.screen, VerdictScreen | StopScreen):
        return ""
    return speech_of(view).removesuffix(sentence("verdict.photo")).strip()  # the page shows it without a knob


def _team(label: Label) -> Content:
    return [charts.mark(look_of(label)), " ", name_of(label)]


def _seat_list(snapshot: Snapshot, *, way: bool) -> Markup:
    """Who sits at the table before a match begins; with the way to join them."""
    there = [el("li", _team(Label((seat.number,), seat.name))) for seat in snapshot.seats if seat.name]
    who = el("ul", there, class_="seated", aria_label=labels.SEATS()) if there else None
    join = el("p", el("a", labels.JOIN(), href="/join", class_="button main")) if way else None
    return join_markup([el("p", labels.BOARD_NO_MATCH(), class_="lead"), who, join])


def _totals(match: MatchSheet) -> Markup:
    """A table of the teams, best first: place, name, total, last hand."""
    head = (labels.BOARD_PLACE(), labels.BOARD_TEAM(), labels.BOARD_TOTAL(), labels.BOARD_LAST())
    whole = float(match.target) if match.target else max([1.0, *(float(line.total) for line in match.lines)])
    rows = [_total(match, line, whole) for line in sorted(match.lines, key=lambda line: line.place)]
    return el(
        "table",
        el("caption", labels.BOARD_TOTALS()),
        el("thead", el("tr", (el("th", text, scope="col") for text in head))),
        el("tbody", rows),
        class_="totals",
    )


def _total(match: MatchSheet, line: TeamLine, whole: float) -> Markup:
    """A team's row; below it how far it has come of the `whole` way, where points are what it goes by."""
    way = None if line.told else charts.lane(look_of(line.label), float(line.total) / whole)
    pencil = el("span", "✎ ", aria_hidden="true", title=labels.BOARD_CORRECTED()) if line.corrected else None
    corrected = el("span", f", {labels.BOARD_CORRECTED()}", class_="unseen") if line.corrected else None
    last = (
        "" if line.delta is None or not line.tells_gain else f"{'+' if line.delta > 0 else ''}{score_text(line.delta)}"
    )
    return el(
        "tr",
        el("td", el("span", f"{line.place}.", class_="medal") if match.hands else "\N{EN DASH}", class_="place"),
        el("th", _team(line.label), way, scope="row"),
        el("td", pencil, el("strong", written(line.told) or score_text(line.total)), corrected),
        el("td", last, class_="last"),
        class_="ahead" if line.place == 1 and match.hands else None,
    )


def _flag(sign: str, text: str) -> Markup:
    """A sign for those who see it, with its meaning for everybody."""
    return join_markup(
        [el("span", f" {sign}", aria_hidden="true", title=text), el("span", f", {text}", class_="unseen")]
    )


def _sheet(match: MatchSheet) -> Iterator[Markup]:
    """The curve, every hand, every call."""
    if not match.hands:
        yield el("p", labels.BOARD_NO_HAND())
        return
    calls = [(n, at, photo) for n, hand in enumerate(match.hands, 1) for at, photo in enumerate(hand.calls, 1)]
    yield charts.figure(_curve(match), labels.BOARD_AS_TABLE())
    yield _hands(match)
    if changes := lead_changes_text(len(lead_changes(match)), len(match.hands)):
        yield el("p", changes, class_="note")
    if calls:
        number, at, photo = calls[-1]
        yield _finish_figure(finish(photo, labels.PHOTO_TITLE(number=number)), f"/scores/{number}.{at}")
        ways = (el("a", _call_name(match, n, k), href=f"/scores/{n}.{k}") for n, k, _ in reversed(calls[:-1]))
        if len(calls) > 1:
            yield el("h2", labels.PHOTO_ALL())
            yield el("ul", (el("li", way) for way in ways), class_="calls")


def _call_name(match: MatchSheet, number: int, at: int) -> str:
    hand = match.hands[number - 1]
    stood = at == len(hand.calls) and hand.callers
    return (labels.PHOTO_TITLE if stood else labels.PHOTO_FALSE)(number=number)


def lead_changes(match: MatchSheet) -> list[int]:
    """The hands (from 1) after which somebody else stood first alone than before."""
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
        labels.BOARD_CURVE(),
        series,
        names,
        below=labels.BOARD_HAND_HEAD(),
        target=match.target,
        target_text=labels.BOARD_TARGET(target=match.target) if match.target else "",
        width=width,
        height=height,
    )


def _draw_chart(chart: Chart) -> Markup:
    """A chart without its table: the television's totals say what it says."""
    return Markup(drawing.inline(chart.shapes, chart.width, chart.height, chart.title, chart.data))


def _hands(match: MatchSheet) -> Markup:
    heads = (
        labels.BOARD_HAND_HEAD(),
        *(join_markup(_team(label)) for label in match.teams),
        labels.BOARD_LEAD(),
        labels.BOARD_ENDED(),
    )
    changed, rows = lead_changes(match), [*_adjustment_rows(match, match.given)]
    for number, hand in enumerate(match.hands, 1):
        rows += [
            _hand(match, number, hand, new=number in changed),
            *_why(match, hand),
            *_adjustment_rows(match, hand.given),
        ]
    inner = el(
        "table",
        el("caption", labels.BOARD_HANDS()),
        el("thead", el("tr", (el("th", head, scope="col") for head in heads))),
        el("tbody", rows),
    )
    return el("div", inner, class_="wide hands", tabindex=0, role="region", aria_label=labels.BOARD_HANDS())


def _hand(match: MatchSheet, number: int, hand: HandLine, *, new: bool) -> Markup:
    cells = []
    for at, score in enumerate(hand.scores):
        flags: list[Content] = [_flag("▲", labels.BOARD_CALLED())] if at in hand.callers else []
        flags += [_flag("✎", labels.BOARD_CORRECTED())] if at in hand.corrected else []
        cells.append(el("td", "\N{EN DASH}" if score is None else score_text(score), flags))
    who = list_speech([name_of(match.teams[at]) for at in hand.leaders])
    lead = el("strong", labels.BOARD_LEAD_NEW(who=who)) if new else who
    end = labels.ENDS[hand.end]() if hand.end in labels.ENDS else hand.end
    callers = list_speech([name_of(match.teams[at]) for at in hand.callers])
    return el(
        "tr", el("th", number, scope="row"), cells, el("td", lead), el("td", f"{end}: {callers}" if callers else end)
    )


def _why(match: MatchSheet, hand: HandLine) -> Iterator[Markup]:
    """Why it was counted otherwise, a row each time that somebody said so."""
    for reason in hand.reasons:
        text = labels.BOARD_CORRECTED_WHY(reason=reason if isinstance(reason, str) else written(reason))
        yield _note_row(match, [el("span", "✎ ", aria_hidden="true"), text])


def _adjustment_rows(match: MatchSheet, given: tuple[GivenPoints, ...]) -> Iterator[Markup]:
    for one in given:
        more = f"{'+' if one.points > 0 else ''}{score_text(one.points)}"
        reason = one.reason if isinstance(one.reason, str) else written(one.reason)
        text = labels.BOARD_ADJUSTED(who=name_of(match.teams[one.team]), points=more, reason=reason)
        yield _note_row(match, text)


def _note_row(match: MatchSheet, text: Content) -> Markup:
    """A row of text, which stays in sight where the table is wider than the page and is moved."""
    return el("tr", el("td"), el("td", el("div", text, class_="noted"), colspan=len(match.teams) + 2))


# -- photo finishes ----------------------------------------------------------------------------------------------------


def _photo(photo: PhotoScreen, *, wide: bool) -> Markup:
    """The photo finish of the call that is being judged or counted."""
    chart = finish(photo, labels.PHOTO_OPEN(), charts.PAGE_WIDTH if wide else 440)
    return charts.figure(_playable(chart), labels.BOARD_AS_TABLE()) if wide else _draw_chart(chart)


def _playable(chart: Chart) -> Chart:
    return charts.with_data(chart, ("play", labels.PHOTO_PLAY()))


def _finish_figure(chart: Chart, where: str) -> Markup:
    kept = [(f"{where}.{kind}", word()) for kind, word in _KINDS.items()]
    drawn = charts.figure(_playable(chart), labels.BOARD_AS_TABLE(), kept=kept)
    return join_markup([drawn, el("p", labels.PHOTO_EXPLAINED(), class_="note")])


_KINDS = {"svg": labels.PHOTO_SVG, "png": labels.PHOTO_PNG}
