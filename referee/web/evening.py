"""A match and an evening to read and to share: tables, curves, one picture, one HTML file that needs nothing beside it.

Everything speaks the language that is spoken when it is called. Points stand in tables that a screen reader reads; the
curves beside them are drawings of the same figures (charts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from referee.core.documents.course import course, lead_changes, summarize
from referee.core.documents.figures import Best, Figures, PastEvening, figures
from referee.core.documents.match import account
from referee.core.documents.past import EveningRecords
from referee.core.documents.record import Record
from referee.core.documents.summary import Summary, result
from referee.core.messages import msg
from referee.core.model.registry import preset_name
from referee.core.names import fold
from referee.core.phases.adjusting import reason_text
from referee.core.phases.timeouts import TIDY, why_text
from referee.core.units import clock_text, ns_from_ms, s_text
from referee.core.values import Json
from referee.drawing import MARKS, Lettering, Shape
from referee.language.display import display_text, is_known
from referee.language.numbers import day_text, day_time_text, decimal_text, score_text
from referee.language.words import current_language, reader_name
from referee.web import charts, wording
from referee.web.charts import PAGE_WIDTH, Bar, Chart, Series, move_shape
from referee.web.markup import Content, Markup, el, join_markup, table

PICTURE_WIDTH, CURVE_HEIGHT = 760, 280


# -- words ---------------------------------------------------------------------------------------------------------


def people_text(names: Sequence[str], called: Callable[[str], str] = reader_name) -> str:
    """Several names in a row: "Anna, Ben and Max"; called: how to write one."""
    told = [called(name) for name in names]
    return wording.AND(first=", ".join(told[:-1]), last=told[-1]) if len(told) > 1 else "".join(told)


def date_text(seconds: int | None) -> str:
    """A day by the machine's own time, or that none is known."""
    return wording.UNDATED() if seconds is None else day_text(_local(seconds))


def _local(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()


def evening_title(evening: PastEvening) -> str:
    """What an evening is called: by its date, or by its match's number where no clock was set."""
    if evening.begun_s is None:
        return wording.MATCH_NUMBER(number=evening.number)
    return wording.EVENING(date=date_text(evening.begun_s))


def won_text(match: Record | Summary) -> str:
    """Who has won the match, or that it is not over."""
    return wording.WON(who=people_text(match.winners, _team_text(match))) if match.winners else wording.NOT_OVER()


def lead_changes_text(changes: int, hands: int) -> str:
    """How often the lead has changed, as people say it; nothing before there could have been a change.

    >>> [lead_changes_text(changes, 5) for changes in (0, 1, 2)]
    ['The lead has not changed.', 'The lead has changed once.', 'The lead has changed 2 times.']
    >>> lead_changes_text(0, 1)
    ''
    """
    if hands < 2:
        return ""
    return wording.LEAD_CHANGES(count=changes) if changes else wording.LEAD_UNCHANGED()


def _team_text(match: Record | Summary) -> Callable[[str], str]:
    """How the match's teams are written."""
    looks = _looks(match)
    return lambda team: reader_name(team, looks[team] + 1)


def shown_text(shown: str) -> str:
    """What stands in place of a total, in the language that is spoken.

    >>> shown_text("out"), shown_text("county")
    ('out', 'county')
    """
    key = f"told.{shown.replace(' ', '_')}"
    return display_text(msg(key)) if is_known(key) else shown


def result_text(match: Summary) -> str:
    """The totals, the best first, in the language that is spoken."""
    return result(match, shown_text, _team_text(match), score_text)


def lead_text(ns: int) -> str:
    """A lead in seconds, to the millisecond."""
    return wording.SECONDS(s=decimal_text(s_text(ns, 3)))


# -- one match -----------------------------------------------------------------------------------------------------


def match_body(number: str, record: Record) -> Markup:
    """Who won, the totals, every hand, the curve."""
    corrected = any(hand.get("corrected") for hand in record.played)
    return join_markup(
        [
            el("p", el("strong", won_text(record)), class_="lead"),
            el("p", _about(record)),
            standings(record),
            hands(number, record),
            el("p", wording.CORRECTED_NOTE(), class_="note") if corrected else None,
            [el("p", text, class_="note") for text in _reasons(record)],
            notes_markup(record),
            curve_figure(number, record),
        ]
    )


def _about(record: Record) -> str:
    """The rules, when it was, how long it took."""
    told = [preset_name(record.preset)]
    if record.begun_s is not None:
        told.append(wording.BEGUN(when=day_time_text(_local(record.begun_s))))
        if record.ended_s is not None and record.ended_s > record.begun_s:
            told.append(wording.MINUTES(count=(record.ended_s - record.begun_s + 30) // 60))
    return " · ".join([*told, wording.HANDS(count=len(record.hands))])


def standings(record: Record) -> Markup:
    """The teams' totals as a table, the first place first."""
    told, looks, called = account(record.match), _looks(record), _team_text(record)
    most = max([1.0, *(float(total) for total in told.totals.values())])
    rows = (
        el(
            "tr",
            el("td", el("span", f"{told.ranks[team]}.", class_="medal") if record.hands else "–", class_="place"),
            el(
                "th",
                [charts.mark(looks[team]), " ", called(team)],
                None if team in told.shown else charts.lane(looks[team], float(told.totals[team]) / most),
                scope="row",
            ),
            el("td", el("strong", _total(record, team, shown_text(told.shown.get(team, ""))))),
            class_="ahead" if team in record.winners else None,
        )
        for team in sorted(told.totals, key=told.ranks.__getitem__)
    )
    head = (wording.PLACE(), wording.TEAM(), wording.TOTAL())
    return el(
        "table",
        el("caption", wording.STANDINGS()),
        el("thead", el("tr", *(el("th", text, scope="col") for text in head))),
        el("tbody", *rows),
        class_="totals",
    )


def _looks(match: Record | Summary) -> dict[str, int]:
    """Team -> which mark and colour it has everywhere: its first seat's."""
    return {team.name: team.players[0].seat - 1 for team in match.teams}


def _total(record: Record, team: str, shown: str) -> str:
    totals = account(record.match).totals
    points = score_text(totals[team])
    return f"{points} ({shown})" if shown else points


def hands(number: str, record: Record) -> Markup | None:
    """A row a hand: how it ended, how long it took, what it brought everybody; nothing before the first one."""
    if not record.hands:
        return None
    teams, looks, called = [team.name for team in record.teams], _looks(record), _team_text(record)
    named = ([charts.mark(looks[team]), " ", called(team)] for team in teams)
    head = (wording.HAND(), *named, wording.HOW(), wording.TIME(), wording.LEAD())
    caption = wording.SCORES_A_HAND()
    label = f"{wording.MATCH_NUMBER(number=number)}: {caption}"
    return table(caption, head, _hands(record, teams), label=label, figures=len(teams))


def _hands(record: Record, teams: Sequence[str]) -> Iterator[tuple[Content, ...]]:
    for n, (hand, played, callers) in enumerate(zip(record.hands, record.played, record.ended_by, strict=True), 1):
        corrected = tuple(played.get("corrected", ()))
        time = "" if hand.played_ms is None else clock_text(ns_from_ms(hand.played_ms))
        lead = hand.verdict.gap_ns if hand.verdict and callers == (hand.verdict.first,) else None
        scores = (_score(hand.scores.get(team), team in callers, team in corrected) for team in teams)
        yield n, *scores, _end(record, played, callers), time, "" if lead is None else lead_text(lead)


def _end(record: Record, played: dict[str, object], callers: tuple[str, ...]) -> str:
    from referee.core.model.registry import presets

    end, _ = presets()[record.preset].ending(played)
    word = wording.ENDS.get(end)
    how = word() if word is not None else end
    tied = f" ({wording.TIED()})" if len(callers) > 1 else ""
    said = [f"{how}: {people_text(callers, _team_text(record))}{tied}" if callers else how]
    wrong = played.get("false_calls")
    if isinstance(wrong, list | tuple) and wrong:
        said.append(wording.FALSE_CALL(who=people_text([str(team) for team in wrong])))
    return ", ".join(said)


def _reasons(record: Record) -> Iterator[str]:
    """Why hands were counted otherwise later, as far as somebody said so."""
    for number, hand in enumerate(record.hands, 1):
        if hand.reasons:
            reasons = (reason_text(reason) for reason in hand.reasons)
            told = [one if isinstance(one, str) else display_text(one) for one in reasons]
            yield wording.CORRECTED_WHY(hand=number, reasons=", ".join(told))


def _score(score: object, called: bool, corrected: bool) -> Content:
    if score is None:
        return "–"
    text = score_text(score if isinstance(score, int) else float(str(score)))
    told = [el("b", text) if called else text, el("abbr", "*", title=wording.CORRECTED()) if corrected else None]
    return join_markup(told)


def notes_markup(record: Record) -> Markup | None:
    """What the table gave or took for a reason, and its time outs."""
    given: Json = record.match.get("adjustments", ())
    outs: Json = record.match.get("timeouts", ())
    told = [*map(_adjustment, given), *map(_time_out, outs)]
    return el("ul", *(el("li", line) for line in told)) if told else None


def _signed_text(points: int | float) -> str:
    return f"+{score_text(points)}" if points > 0 else score_text(points)


def _adjustment(told: Mapping[str, Json]) -> str:
    """Who had how many, and why, where a document says it."""
    reason = display_text(reason_text(told["reason"])) if told.get("reason") else "–"
    return wording.ADJUSTED(
        team=reader_name(told["team"]), points=_signed_text(told["points"]), hand=told["after"], reason=reason
    )


def _time_out(told: Mapping[str, Json]) -> str:
    """Whose it was and why; a document may say why in words of its own, and name nobody."""
    hand, reason = told["hand"], display_text(why_text(told["why"]))
    if "team" in told:
        return wording.TIME_OUT(team=reader_name(told["team"]), hand=hand, reason=reason)
    tidied = told["why"] == TIDY
    return wording.TIDIED(hand=hand) if tidied else wording.TIME_OUT_OF_NOBODY(hand=hand, reason=reason)


def curve_chart(title: str, record: Record, looks: Mapping[str, int], width: int = PICTURE_WIDTH) -> Chart:
    """The totals after every hand as a chart, a line for each team; looks: each team's colour and mark."""
    told = course(record)
    series = [
        Series(
            _team_text(record)(team.name),
            tuple(_float(step.totals.get(team.name)) for step in told),
            looks[team.name],
        )
        for team in record.teams
    ]
    names = [wording.BEFORE(), *(str(n) for n in range(1, len(told)))]
    return charts.curve(title, series, names, below=wording.HAND(), width=width, height=CURVE_HEIGHT)


def _float(value: int | float | None) -> float | None:
    return None if value is None else float(value)


def curve_figure(number: str, record: Record) -> Markup | None:
    """The curve with its table, and how often the lead changed; nothing before the first hand."""
    if not record.hands:
        return None
    changes = lead_changes_text(lead_changes(course(record)), len(record.hands))
    chart = curve_chart(wording.COURSE(), record, _looks(record), PAGE_WIDTH)
    return join_markup([charts.figure(chart, wording.AS_TABLE()), el("p", changes) if changes else None])


# -- an evening ----------------------------------------------------------------------------------------------------


def _seats(evening: PastEvening) -> dict[str, int]:
    """Everybody's first seat of that evening."""
    seats: dict[str, int] = {}
    for one in (one for _, match in evening.matches for team in match.teams for one in team.players):
        seats.setdefault(fold(one.name), one.seat)
    return seats


def _looks_of_evening(evening: PastEvening) -> dict[str, int]:
    """Each person's colour and mark all evening: the first seat's, or others where somebody has those already."""
    looks: dict[str, int] = {}
    for who, seat in sorted(_seats(evening).items(), key=lambda found: found[1]):
        free = (look for look in (seat - 1, *range(len(MARKS))) if look not in looks.values())
        looks[who] = next(free, seat - 1)
    return looks


def _person_text(evening: PastEvening) -> Callable[[str], str]:
    seats = _seats(evening)
    return lambda name: reader_name(name, seats[fold(name)])


def _about_evening(evening: PastEvening) -> str:
    """Who played how many matches."""
    who = people_text(evening.people, _person_text(evening))
    return f"{wording.PLAYED_BY(who=who)} · {wording.MATCHES(count=len(evening.matches))}"


def evening_body(of: EveningRecords, *, links: bool) -> Markup:
    """Who played, who won how often, each match. links: whether matches lead to pages of their own."""
    evening = of.evening
    parts: list[Content] = [el("p", _about_evening(evening), class_="lead")]
    if any(match.winners for _, match in evening.matches):
        parts += [el("h2", wording.WINS_OF_EVENING()), _laurels(evening)]
    for number, record in of.records.items():
        title = f"{wording.MATCH_NUMBER(number=number)}: {won_text(record)}"
        shown = [el("h2", el("a", title, href=f"/history/{number}") if links else title), el("p", _about(record))]
        parts.append(
            el(
                "section",
                shown,
                standings(record),
                hands(number, record),
                notes_markup(record),
                curve_figure(number, record),
            )
        )
    parts += [figures_body(found) for found in figures(evening.matches)]
    return el("article", *parts)


def _wins(evening: PastEvening) -> list[tuple[int, str]]:
    """How many matches everybody won, the most first."""
    return sorted(((evening.wins_of(who), who) for who in evening.people), key=lambda pair: -pair[0])


def _laurels(evening: PastEvening) -> Markup:
    """Everybody with the matches that they won; who won most is told apart."""
    won, called = _wins(evening), _person_text(evening)
    rows = (
        el("li", called(who), f" {wins}", class_="first" if wins == won[0][0] else None, role="listitem")
        for wins, who in won
    )
    return el("ul", *rows, class_="laurels", role="list", aria_label=wording.WINS_OF_EVENING())


def wins_chart(evening: PastEvening) -> Chart:
    """How many matches everybody won, the most first."""
    won, looks, called = _wins(evening), _looks_of_evening(evening), _person_text(evening)
    bars = [Bar(called(who), wins, str(wins), looks[fold(who)], first=wins == won[0][0]) for wins, who in won]
    columns = wording.PLAYER(), wording.WINS()
    return charts.bars(wording.WINS_OF_EVENING(), bars, columns=columns, width=PICTURE_WIDTH - 32)


def evening_chart(of: EveningRecords) -> Chart:
    """The evening as one picture: who won how often, and every match's curve below each other."""
    evening = of.evening
    shapes: list[Shape] = [Lettering(16, 22, _about_evening(evening), 14)]
    rows: list[tuple[str, str]] = []
    looks = _looks_of_evening(evening)
    y = 64.0
    if any(match.winners for _, match in evening.matches):
        wins = wins_chart(evening)
        shapes += [Lettering(16, y, _most_wins(evening), 16, bold=True), Lettering(16, y + 24, wins.title, 14)]
        shapes += [move_shape(shape, 8, y + 30) for shape in wins.shapes]
        y += wins.height + 68
    for number, record in of.records.items():
        title = f"{wording.MATCH_NUMBER(number=number)} · {preset_name(record.preset)} · {won_text(record)}"
        told_result = result_text(summarize(record))
        rows.append((title, told_result))
        shapes += [Lettering(16, y, title, 16, bold=True), Lettering(16, y + 20, told_result, 13)]
        y += 32
        if record.hands:
            of_teams = {team.name: looks[fold(team.players[0].name)] for team in record.teams}
            shapes += [move_shape(shape, 0, y) for shape in curve_chart(title, record, of_teams).shapes]
            y += CURVE_HEIGHT
        y += 36
    columns = (wording.MATCH(), wording.RESULT())
    return Chart(evening_title(evening), PICTURE_WIDTH, int(y), tuple(shapes), columns, tuple(rows))


def _most_wins(evening: PastEvening) -> str:
    """Who won the most matches."""
    won = _wins(evening)
    return wording.MOST_WINS(who=people_text([who for wins, who in won if wins == won[0][0]], _person_text(evening)))


def evening_file(of: EveningRecords, style: str) -> str:
    """The evening as one HTML file: nothing is loaded, nothing runs, and it reads the same in ten years."""
    title = evening_title(of.evening)
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", Markup(style)),
    )
    foot = el("footer", el("p", wording.MADE()))
    body = el("body", el("header", el("h1", title)), el("main", evening_body(of, links=False)), foot)
    return f"<!doctype html>\n{el('html', head, body, lang=current_language())}\n"


# -- figures -------------------------------------------------------------------------------------------------------


def figures_body(of: Figures, *, match_link: bool = False) -> Markup:
    """One game's figures: everybody, who was better than whom, records."""
    return el(
        "section",
        el("h2", f"{of.game}: {wording.STATISTICS()}"),
        el("p", _figures_text(of)),
        el("p", _leads(of)) if of.leads_ns else None,
        _people(of),
        _means(of),
        join_markup([el("h3", wording.DUELS()), el("p", wording.DUELS_ABOUT()), _duels(of)]) if of.duels else None,
        _records(of, match_link),
    )


def _figures_text(of: Figures) -> str:
    told = [wording.MATCHES(count=of.matches), wording.HANDS(count=of.hands), wording.CALLS(count=of.calls)]
    return ", ".join([*told, *([wording.CALLS_TIED(count=of.ties)] if of.ties else [])])


def _leads(of: Figures) -> str:
    typical = of.typical_lead_ns or 0
    return wording.LEADS(least=lead_text(of.leads_ns[0]), typical=lead_text(typical))


def _people(of: Figures) -> Markup:
    head = (
        wording.PLAYER(),
        wording.MATCHES_HEAD(),
        wording.WINS(),
        wording.HANDS_HEAD(),
        wording.MEAN(),
        wording.BEST(),
        wording.CALLS_HEAD(),
        wording.QUICKEST(),
        wording.CLOSEST(),
    )
    rows = (
        (
            reader_name(one.player),
            one.matches,
            one.wins,
            one.hands,
            "" if one.mean_score is None else _mean_text(one.mean_score),
            "" if one.best_hand is None else score_text(one.best_hand),
            one.calls,
            "" if one.quickest_call_ms is None else clock_text(ns_from_ms(one.quickest_call_ms)),
            "" if one.closest_call_ns is None else lead_text(one.closest_call_ns),
        )
        for one in of.people
    )
    return table(wording.PEOPLE(), head, rows, label=f"{of.game}: {wording.PEOPLE()}", figures=len(head) - 1)


def _means(of: Figures) -> Markup:
    bars = [Bar(reader_name(one.player), one.mean_score or 0.0, _mean_text(one.mean_score or 0.0)) for one in of.people]
    chart = charts.bars(wording.MEAN(), bars, columns=(wording.PLAYER(), wording.MEAN()), width=PAGE_WIDTH)
    return charts.figure(chart, wording.AS_TABLE(), heading="h3")


def _mean_text(mean: float) -> str:
    return decimal_text(f"{mean:.1f}")


def _duels(of: Figures) -> Markup:
    head = (wording.PLAYER(), wording.BETTER(), wording.PLAYER(), wording.BETTER(), wording.LEVEL())
    rows = ((reader_name(duel.one), duel.better, reader_name(duel.other), duel.worse, duel.level) for duel in of.duels)
    return table(wording.DUELS(), head, rows, label=f"{of.game}: {wording.DUELS()}")


def _records(of: Figures, link: bool) -> Markup:
    """What was best so far, a tile each: what it is, the figure, whose, in which match."""
    tiles = (_record(best, link) for best in of.records)
    return join_markup([el("h3", wording.RECORDS()), el("dl", *tiles, class_="bests")])


def _record(best: Best, link: bool) -> Markup:
    where = wording.MATCH_NUMBER(number=best.match)
    way = el("a", where, href=f"/history/{best.match}") if link else where
    return el(
        "div",
        el("dt", wording.BESTS[best.what]()),
        el("dd", best_text(best), class_="figure"),
        el("dd", people_text(best.who), " · " if best.who else "", way),
    )


def best_text(best: Best) -> str:
    """A record's value: points, time, a lead, hands."""
    if best.what in ("quickest", "longest_hand"):
        return clock_text(ns_from_ms(int(best.value)))
    if best.what == "closest":
        return lead_text(int(best.value))
    return wording.HANDS(count=int(best.value)) if best.what == "longest_match" else score_text(best.value)
