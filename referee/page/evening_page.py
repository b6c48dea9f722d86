"""A match and an evening to read and share: tables, curves, a picture, an HTML file.

All texts are in the current language. Points are in tables, for screen readers; the curves next to them are drawings of
the same figures (charts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from fractions import Fraction

from referee.core.documents.course import course, lead_changes, summarize
from referee.core.documents.figures import Best, Figures, PastEvening, figures
from referee.core.documents.match import account
from referee.core.documents.past import EveningRecords
from referee.core.documents.record import Record
from referee.core.documents.statistics import Statistics
from referee.core.documents.summary import Summary, result
from referee.core.messages import msg
from referee.core.model.registry import game_named, preset_name
from referee.core.names import fold
from referee.core.phases.adjusting import reason_text
from referee.core.phases.timeouts import TIDY, why_text
from referee.core.units import clock_text, ns_from_ms, s_text
from referee.core.values import Json
from referee.language.display import display_text, is_known
from referee.language.numbers import day_text, day_time_text, decimal_text, score_text
from referee.language.words import book, current_language, has_text, reader_name, speaking
from referee.page.request import render
from referee.web import charts
from referee.web.charts import PAGE_WIDTH, Bar, Chart, Series, move_shape
from referee.web.drawing import MARKS, Lettering, Shape

PICTURE_WIDTH, CURVE_HEIGHT = 760, 280


# -- words ---------------------------------------------------------------------------------------------------------


def in_words_of(preset: str) -> AbstractContextManager[None]:
    """Use the game's word for a hand (see `speaking`) in this context, in the current language."""
    return speaking(current_language(), rounds=game_named(preset).rounds)


def people_text(names: Sequence[str], called: Callable[[str], str] = reader_name) -> str:
    """Join several names: "Anna, Ben and Max". called: a function that formats each name."""
    told = [called(name) for name in names]
    return book("and", first=", ".join(told[:-1]), last=told[-1]) if len(told) > 1 else "".join(told)


def date_text(seconds: int | None) -> str:
    """Format a day in the machine's local time; for None, say that the date is unknown."""
    return book("undated") if seconds is None else day_text(_local(seconds))


def _local(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds).astimezone()


def evening_title(evening: PastEvening) -> str:
    """Return an evening's title: its date, or its first match's number if the date is unknown."""
    if evening.begun_s is None:
        return book("match.number", number=evening.number)
    return book("evening", date=date_text(evening.begun_s))


def won_text(match: Record | Summary) -> str:
    """Return a sentence on who has won the match, or that it is not over."""
    return book("won", who=people_text(match.winners, _team_text(match))) if match.winners else book("not_over")


def lead_changes_text(changes: int, hands: int) -> str:
    """Return a sentence on the number of lead changes; "" if the lead could not change.

    >>> [lead_changes_text(changes, 5) for changes in (0, 1, 2)]
    ['The lead has not changed.', 'The lead has changed once.', 'The lead has changed 2 times.']
    >>> lead_changes_text(0, 1)
    ''
    """
    if hands < 2:
        return ""
    return book("lead_changes", count=changes) if changes else book("lead_unchanged")


def _team_text(match: Record | Summary) -> Callable[[str], str]:
    """Return a function that formats the name of a team of this match."""
    looks = looks_of(match)
    return lambda team: reader_name(team, looks[team] + 1)


def shown_text(shown: str) -> str:
    """Translate a word, shown in place of a total, into the current language.

    >>> shown_text("out"), shown_text("county")
    ('out', 'no life')
    """
    key = f"told.{shown.replace(' ', '_')}"
    return display_text(msg(key)) if is_known(key) else shown


def result_text(match: Summary) -> str:
    """Return the teams' totals as one text, best first, in the current language.

    Lines do not break between a team and its total.
    """
    return result(match, shown_text, _team_text(match), score_text, "\u00a0")


def lead_text(ns: int) -> str:
    """Format the time between two presses, in seconds with three decimals."""
    return book("seconds", s=decimal_text(s_text(ns, 3)))


# -- one match -----------------------------------------------------------------------------------------------------


def match_values(number: str, record: Record) -> dict[str, object]:
    """Return the values for the page templates of a match."""
    with in_words_of(record.preset):
        return _match_values(number, record)


def _match_values(number: str, record: Record) -> dict[str, object]:
    changes = lead_changes_text(lead_changes(course(record)), len(record.hands))
    looks, called = looks_of(record), _team_text(record)
    return {
        "number": number,
        "won": won_text(record),
        "about": _about(record),
        "standings": [*_standings(record)],
        "teams": [(looks[team.name], called(team.name)) for team in record.teams],
        "hand": book("hand"),
        "scores_a_hand": book("scores_a_hand"),
        "hands": [*_hands(record)],
        "corrected": any(hand.get("corrected") for hand in record.played),
        "reasons": [*_reasons(record)],
        "notes": _notes(record),
        "chart": curve_chart(book("course"), record, looks, PAGE_WIDTH) if record.hands else None,
        "changes": changes,
    }


def _about(record: Record) -> str:
    """Return the preset, the date, the duration and the number of hands as one line."""
    told = [preset_name(record.preset)]
    if record.begun_s is not None:
        told.append(book("begun", when=day_time_text(_local(record.begun_s))))
        if record.ended_s is not None and record.ended_s > record.begun_s:
            told.append(book("minutes", count=(record.ended_s - record.begun_s + 30) // 60))
    return " · ".join([*told, book("hands", count=len(record.hands))])


def _standings(record: Record) -> Iterator[dict[str, object]]:
    """Yield the template values of each team, best first. share: total / highest total."""
    told, looks, called = account(record.match), looks_of(record), _team_text(record)
    most = max([1.0, *(float(total) for total in told.totals.values())])
    for team in sorted(told.totals, key=told.ranks.__getitem__):
        yield {
            "place": told.ranks[team],
            "look": looks[team],
            "name": called(team),
            "share": None if team in told.shown else float(told.totals[team]) / most,
            "total": _total(record, team, shown_text(told.shown.get(team, ""))),
            "ahead": team in record.winners,
        }


def looks_of(match: Record | Summary) -> dict[str, int]:
    """Return team -> index of its mark and colour on all pages: its first player's seat - 1."""
    return {team.name: team.players[0].seat - 1 for team in match.teams}


def _total(record: Record, team: str, shown: str) -> str:
    totals = account(record.match).totals
    points = score_text(totals[team])
    return f"{points} ({shown})" if shown else points


def _hands(record: Record) -> Iterator[dict[str, object]]:
    """Yield for each hand: scores, how it ended, play time, the caller's lead."""
    for hand, played, callers in zip(record.hands, record.played, record.ended_by, strict=True):
        corrected = tuple(played.get("corrected", ()))
        lead = hand.verdict.gap_ns if hand.verdict and callers == (hand.verdict.first,) else None
        teams = [team.name for team in record.teams]
        yield {
            "scores": [(_score(hand.scores.get(team)), team in callers, team in corrected) for team in teams],
            "end": _end(record, played, callers),
            "time": "" if hand.played_ms is None else clock_text(ns_from_ms(hand.played_ms)),
            "lead": "" if lead is None else lead_text(lead),
        }


def _end(record: Record, played: dict[str, object], callers: tuple[str, ...]) -> str:
    from referee.core.model.registry import presets

    end, _ = presets()[record.preset].ending(played)
    how = book(f"end.{end}") if has_text("book", f"end.{end}") else end
    tied = f" ({book('tied')})" if len(callers) > 1 else ""
    said = [f"{how}: {people_text(callers, _team_text(record))}{tied}" if callers else how]
    wrong = played.get("false_calls")
    if isinstance(wrong, list | tuple) and wrong:
        said.append(book("false_call", who=people_text([str(team) for team in wrong])))
    return ", ".join(said)


def _reasons(record: Record) -> Iterator[str]:
    """Yield a sentence for each hand whose count was corrected later, if the reason is known."""
    for number, hand in enumerate(record.hands, 1):
        if hand.reasons:
            reasons = (reason_text(reason) for reason in hand.reasons)
            told = [one if isinstance(one, str) else display_text(one) for one in reasons]
            yield book("corrected.why", hand=number, reasons=", ".join(told))


def _score(score: object) -> str:
    return "–" if score is None else score_text(score if isinstance(score, int) else float(str(score)))


def _notes(record: Record) -> list[str]:
    """Return sentences on points given or deducted, on timeouts, and on head starts."""
    given: Json = record.match.get("adjustments", ())
    outs: Json = record.match.get("timeouts", ())
    return [*map(_adjustment, given), *map(_time_out, outs), *_head_starts(record)]


def _head_starts(record: Record) -> list[str]:
    """Return a sentence on each late starter: player, seconds, and the numbers of the hands."""
    names = {player.seat: player.name for team in record.teams for player in team.players}
    hands: dict[tuple[int, int], list[str]] = {}
    for number, hand in enumerate(record.hands, 1):
        for one in hand.head_starts:
            hands.setdefault(one, []).append(str(number))
    return [
        book("head_start", who=reader_name(names.get(seat, str(seat))), s=s, hands=", ".join(played))
        for (seat, s), played in hands.items()
    ]


def signed_text(points: int | float | Fraction) -> str:
    """Format points given or deducted, with their sign."""
    return f"+{score_text(points)}" if points > 0 else score_text(points)


def _adjustment(told: Mapping[str, Json]) -> str:
    """Return a sentence on an adjustment: team, points, hand and, if known, reason."""
    reason = display_text(reason_text(told["reason"])) if told.get("reason") else "–"
    return book(
        "adjusted",
        team=reader_name(told["team"]),
        points=signed_text(told["points"]),
        hand=told["after"],
        reason=reason,
    )


def _time_out(told: Mapping[str, Json]) -> str:
    """Return a sentence on a timeout. Imported documents may have other reasons, and no team."""
    hand, reason = told["hand"], display_text(why_text(told["why"]))
    if "team" in told:
        return book("time_out", team=reader_name(told["team"]), hand=hand, reason=reason)
    tidied = told["why"] == TIDY
    return book("tidied", hand=hand) if tidied else book("time_out.nobody", hand=hand, reason=reason)


def curve_chart(title: str, record: Record, looks: Mapping[str, int], width: int = PICTURE_WIDTH) -> Chart:
    """Return the totals after every hand as a chart, with a line for each team.

    looks: team -> index of its colour and mark.
    """
    names = [book("before"), *(str(n) for n in range(1, len(record.hands) + 1))]
    series = curve_series(record, looks)
    with in_words_of(record.preset):
        return charts.curve(title, series, names, below=book("hand"), width=width, height=CURVE_HEIGHT)


def curve_series(record: Record, looks: Mapping[str, int]) -> list[Series]:
    """Return each team's totals before the first hand and after each hand, as lines of a chart."""
    told = course(record)
    return [
        Series(
            _team_text(record)(team.name),
            tuple(None if (total := step.totals.get(team.name)) is None else float(total) for step in told),
            looks[team.name],
        )
        for team in record.teams
    ]


# -- an evening ----------------------------------------------------------------------------------------------------


def _seats(evening: PastEvening) -> dict[str, int]:
    """Return each person's first seat of that evening."""
    seats: dict[str, int] = {}
    for one in (one for _, match in evening.matches for team in match.teams for one in team.players):
        seats.setdefault(fold(one.name), one.seat)
    return seats


def _looks_of_evening(evening: PastEvening) -> dict[str, int]:
    """Return person -> index of the colour and mark that the person has all evening.

    The index is the person's first seat - 1, or a free one if another person has this one already.
    """
    looks: dict[str, int] = {}
    for who, seat in sorted(_seats(evening).items(), key=lambda found: found[1]):
        free = (look for look in (seat - 1, *range(len(MARKS))) if look not in looks.values())
        looks[who] = next(free, seat - 1)
    return looks


def _person_text(evening: PastEvening) -> Callable[[str], str]:
    seats = _seats(evening)
    return lambda name: reader_name(name, seats[fold(name)])


def _about_evening(evening: PastEvening) -> str:
    """Return a line with the players and the number of matches."""
    who = people_text(evening.people, _person_text(evening))
    return f"{book('played_by', who=who)} · {book('matches', count=len(evening.matches))}"


def evening_values(of: EveningRecords) -> dict[str, object]:
    """Return the template values of an evening: players, wins, matches, statistics."""
    evening, called = of.evening, _person_text(of.evening)
    won = _wins(evening)
    return {
        "title": evening_title(evening),
        "about": _about_evening(evening),
        "wins": [(called(who), wins, wins == won[0][0]) for wins, who in won if won[0][0]],
        "matches": [match_values(number, record) for number, record in of.records.items()],
        "figures": [figures_values(found) for found in figures(evening.matches)],
    }


def _wins(evening: PastEvening) -> list[tuple[int, str]]:
    """Return each person's number of won matches, most first."""
    return sorted(((evening.wins_of(who), who) for who in evening.people), key=lambda pair: -pair[0])


def wins_chart(evening: PastEvening) -> Chart:
    """Return a chart of each person's number of won matches, most first."""
    won, looks, called = _wins(evening), _looks_of_evening(evening), _person_text(evening)
    bars = [Bar(called(who), wins, str(wins), looks[fold(who)], first=wins == won[0][0]) for wins, who in won]
    columns = book("player"), book("wins")
    return charts.bars(book("wins_of_evening"), bars, columns=columns, width=PICTURE_WIDTH - 32)


def evening_chart(of: EveningRecords) -> Chart:
    """Return the evening as one picture: the wins, and every match's curve below."""
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
        title = f"{book('match.number', number=number)} · {preset_name(record.preset)} · {won_text(record)}"
        told_result = result_text(summarize(record))
        rows.append((title, told_result))
        shapes += [Lettering(16, y, title, 16, bold=True), Lettering(16, y + 20, told_result, 13)]
        y += 32
        if record.hands:
            of_teams = {team.name: looks[fold(team.players[0].name)] for team in record.teams}
            shapes += [move_shape(shape, 0, y) for shape in curve_chart(title, record, of_teams).shapes]
            y += CURVE_HEIGHT
        y += 36
    columns = (book("match"), book("result"))
    return Chart(evening_title(evening), PICTURE_WIDTH, int(y), tuple(shapes), columns, tuple(rows))


def _most_wins(evening: PastEvening) -> str:
    """Return a sentence on the people who won most matches."""
    won = _wins(evening)
    return book("most_wins", who=people_text([who for wins, who in won if wins == won[0][0]], _person_text(evening)))


def evening_file(of: EveningRecords, style: str) -> str:
    """Return the evening as one HTML file without external resources or scripts."""
    return str(render("evening_file.html", evening=evening_values(of), style=style))


# -- figures -------------------------------------------------------------------------------------------------------


def figures_values(of: Figures) -> dict[str, object]:
    """Return a game's statistics for templates: players, player against player, best results."""
    return {
        "name": of.game,
        "about": _figures_text(of),
        "leads": _leads(of) if of.leads_ns else "",
        "people": [_person(one) for one in of.people],
        "means": _means(of),
        "duels": [(reader_name(d.one), d.better, reader_name(d.other), d.worse, d.level) for d in of.duels],
        "bests": [
            {"what": best.what, "figure": best_text(best), "who": people_text(best.who), "match": best.match}
            for best in of.records
        ],
    }


def _figures_text(of: Figures) -> str:
    told = [book("matches", count=of.matches), book("hands", count=of.hands), book("calls", count=of.calls)]
    return ", ".join([*told, *([book("calls.tied", count=of.ties)] if of.ties else [])])


def _leads(of: Figures) -> str:
    return book("leads", least=lead_text(of.leads_ns[0]), typical=lead_text(of.typical_lead_ns or 0))


def _person(one: Statistics) -> tuple[object, ...]:
    return (
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


def _means(of: Figures) -> Chart:
    bars = [Bar(reader_name(one.player), one.mean_score or 0.0, _mean_text(one.mean_score or 0.0)) for one in of.people]
    return charts.bars(book("mean"), bars, columns=(book("player"), book("mean")), width=PAGE_WIDTH)


def _mean_text(mean: float) -> str:
    return decimal_text(f"{mean:.1f}")


def best_text(best: Best) -> str:
    """Format a best result: points, a time, a lead or a number of hands."""
    if best.what in ("quickest", "longest_hand"):
        return clock_text(ns_from_ms(int(best.value)))
    if best.what == "closest":
        return lead_text(int(best.value))
    return book("hands", count=int(best.value)) if best.what == "longest_match" else score_text(best.value)
