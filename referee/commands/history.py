"""List past matches, with statistics of players."""

from __future__ import annotations

import argparse
import gc
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import localtime, strftime
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import asdict

from referee.commands.files import add_state, instant, records_in, write_whole
from referee.commands.score import plain, text
from referee.commands.terminal import Terminal, UsageError, picture_file, terminal
from referee.core.documents.figures import Figures, evenings, figures
from referee.core.documents.past import EveningRecords, with_summaries
from referee.core.documents.statistics import Statistics, distinct, spellings_of, statistics
from referee.core.documents.summary import ListedMatch, Summary, result
from referee.core.reading import allowed_text, count_text, quoted_value
from referee.core.units import clock_text, ns_from_ms
from referee.language.words import LANGUAGES, speaking

if TYPE_CHECKING:
    from referee.storage.records.store import Records

BAR = 20
"""Width of a full bar, in characters."""


def add(parser: argparse.ArgumentParser) -> None:
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--player", metavar="NAME", help="only this player's matches, with statistics")
    only.add_argument("--stats", action="store_true", help="statistics of all players, per game")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an evening as a page to share")
    parser.add_argument("--picture", type=picture_file, metavar="FILE", help="draw an evening (.svg or .png)")
    parser.add_argument("--evening", metavar="MATCH", help="the evening of this match (default: the last)")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of page and picture (default: en)")
    add_state(parser)


def run(args: argparse.Namespace) -> int:
    """Print the list of matches, all or a player's; or statistics; or write an evening to files."""
    gc.disable()  # faster with thousands of summaries
    try:
        return _run(args)
    finally:
        gc.enable()


def _run(args: argparse.Namespace) -> int:
    records = records_in(args.state)
    entries = records.list()
    if args.html is not None or args.picture is not None:
        return _share(args, records, entries)
    told, status = None, int(any(entry.trouble for entry in entries))
    if args.player is not None:
        told = _statistics(args.player, entries)
        entries = [entry for entry in entries if _names(args.player, entry)]
    if args.stats:
        _stats(args, entries)
    else:
        print(_json(entries, told) if args.json else _text(entries, told))
    return status


def _stats(args: argparse.Namespace, entries: list[ListedMatch]) -> None:
    """Print the statistics of each game."""
    found = figures(with_summaries(entries))
    if args.json:
        print(json.dumps({"figures": [_figures_document(of) for of in found]}))
        return
    paint = terminal()
    lines = [line for of in found for line in (*_figures(of, paint), "")]
    print(plain("\n".join(lines[:-1]) or "No hand has been played yet."))


def _figures_document(of: Figures) -> dict[str, Any]:
    told: dict[str, Any] = to_builtins(of)
    return told | {"duels": [to_builtins(duel) | {"level": duel.level} for duel in of.duels]}


def _figures(of: Figures, terminal: Terminal) -> Iterator[str]:
    matches, hands = count_text(of.matches, "match", "matches"), count_text(of.hands, "hand", "hands")
    calls = count_text(of.calls, "call", "calls")
    yield f"{terminal.paint(of.game, 'strong')}  {matches}, {hands}, {calls}, {of.ties} of them tied"
    if of.typical_lead_ns is not None:
        yield f"  lead of a call  {_seconds(of.leads_ns[0])} s at least, {_seconds(of.typical_lead_ns)} s typically"
    wide = max(len(one.player) for one in of.people)
    yield terminal.paint(f"  {'':{wide}}  matches  won  hands  a hand  best  calls", "weak")
    for one in of.people:
        mean, best = "" if one.mean_score is None else f"{one.mean_score:.1f}", ""
        if one.best_hand is not None:
            best = text(one.best_hand)
        figures_ = f"{one.matches:>7}  {one.wins:>3}  {one.hands:>5}  {mean:>6}  {best:>4}  {one.calls:>5}"
        yield f"  {one.player:<{wide}}  {figures_}"
    for duel in of.duels:
        level = f", {duel.level} level" if duel.level else ""
        yield f"  {duel.one} {duel.better} : {duel.worse} {duel.other}{level}"
    for most in of.records:
        told = f"{_record(most.what, most.value)}{_by(most.who)}, match {most.match}"
        yield f"  {_BEST[most.what]:<15} {told}"


_BEST = {
    "hand": "best hand",
    "total": "highest total",
    "quickest": "quickest call",
    "closest": "closest call",
    "longest_hand": "longest hand",
    "longest_match": "longest match",
}


def _record(what: str, value: float) -> str:
    """Format the value of a best result. what: which result, such as "longest_hand"."""
    if what in ("quickest", "longest_hand"):
        return clock_text(ns_from_ms(int(value)))
    if what == "closest":
        return f"{_seconds(int(value))} s"
    return count_text(int(value), "hand", "hands") if what == "longest_match" else text(value)


def _by(who: tuple[str, ...]) -> str:
    return f" by {' and '.join(who)}" if who else ""


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.3f}"


def _statistics(player: str, entries: list[ListedMatch]) -> Statistics:
    mine = [(name, entry.summary) for entry in entries if entry.summary for name in _names(player, entry)]
    if not mine:
        people = distinct(name for entry in entries if entry.summary for name in entry.summary.people)
        known = allowed_text(people) if people else "nobody has yet"
        raise UsageError(f"referee history: --player {player!r} has played no match here; {known}")
    return statistics(mine[-1][0], [match for _, match in mine])


def _names(player: str, entry: ListedMatch) -> list[str]:
    """Return the spellings of the player's name in the match; empty if the player was not in it.

    Letter case, outer spaces and Unicode form are ignored.
    """
    return spellings_of(player, entry.summary.people) if entry.summary else []


# -- an evening to share -------------------------------------------------------------------------------------------


def _share(args: argparse.Namespace, records: Records, entries: list[ListedMatch]) -> int:
    """Write the chosen evening to files. Each file is written completely or not at all."""
    found = evenings(with_summaries(entries))
    if not found:
        raise UsageError("referee history: there is no evening to share yet")
    wanted = found[-1].matches[-1][0] if args.evening is None else args.evening
    numbers = [number for evening in found for number, _ in evening.matches]
    if wanted not in numbers:
        given = f"--evening needs the number of a match here, not {quoted_value(wanted)}"
        raise UsageError(f"referee history: {given}; {allowed_text(numbers)}")
    wanted_evening = next(evening for evening in found if wanted in [number for number, _ in evening.matches])
    evening = EveningRecords(wanted_evening, records.read_all(number for number, _ in wanted_evening.matches))
    with speaking(args.lang):
        if args.html is not None:
            write_whole("referee history: --html", args.html, _page(evening))
        if args.picture is not None:
            write_whole("referee history: --picture", args.picture, _picture(evening, args.picture))
    return 0


def _page(evening: EveningRecords) -> bytes:
    from referee.page.evening_page import evening_file
    from referee.page.pages import static

    return evening_file(evening, static("book.css")).encode(errors="replace")


def _picture(evening: EveningRecords, path: Path) -> bytes:
    from referee.page.evening_page import evening_chart
    from referee.web import charts

    return (charts.png if path.suffix.lower() == ".png" else charts.svg)(evening_chart(evening))


# -- JSON ----------------------------------------------------------------------------------------------------------


def _json(entries: list[ListedMatch], told: Statistics | None) -> str:
    document: dict[str, Any] = {"matches": [_document(entry) for entry in entries]}
    if told is not None:
        document["statistics"] = asdict(told)
    return json.dumps(document)


def _document(entry: ListedMatch) -> dict[str, Any]:
    head = {"match": entry.number, "imported": entry.imported, "begun": instant(entry.begun_s)}
    of = entry.summary
    if of is None:
        return {**head, "trouble": entry.trouble}
    keys = ("preset", "options", "teams", "hands", "totals", "winners", "adjustments", "timeouts", "agreed")
    return {**head, "ended": instant(of.ended_s), **{key: to_builtins(getattr(of, key)) for key in keys}}


# -- text ----------------------------------------------------------------------------------------------------------


def _text(entries: list[ListedMatch], told: Statistics | None) -> str:
    how = terminal()
    lines = [_line(entry, how) for entry in entries]
    if told is not None:
        lines += ["", *_statistics_lines(told, how)]
    return plain("\n".join(lines) or "No match has been played yet.")


def _line(entry: ListedMatch, terminal: Terminal) -> str:
    begun = "?" if entry.begun_s is None else strftime("%Y-%m-%d %H:%M", localtime(entry.begun_s))
    head = f"{entry.number:>4}  {terminal.paint(f'{begun:16}', 'weak')}  "
    of = entry.summary
    if of is None:
        return f"{head}{entry.trouble}"
    won = " and ".join(of.winners)
    end = f"{terminal.paint(won, 'good')} won" if won else "not over"
    mark = "  (imported)" if entry.imported else ""
    return f"{head}{of.preset:10}  {result(of)}  {count_text(of.hands, 'hand', 'hands')}, {end}{_notes_text(of)}{mark}"


def _notes_text(of: Summary) -> str:
    """Return the notes on a match: rules agreed, number of adjustments, timeouts of each team."""
    points = f", {count_text(len(of.adjustments), 'adjustment')}" if of.adjustments else ""
    taken = Counter(one.get("team", "nobody") for one in of.timeouts)
    whose = ", ".join(f"{team} {count}" for team, count in taken.items())
    agreed = ", rules agreed" if of.agreed else ""
    return f"{agreed}{points}{f', time outs: {whose}' if whose else ''}"


def _statistics_lines(told: Statistics, terminal: Terminal) -> Iterator[str]:
    yield terminal.paint(told.player, "strong")
    share = terminal.bar(told.wins / told.matches, BAR) if told.matches else ""
    yield f"  matches        {told.matches}, won {told.wins}  {terminal.paint(share, 'bar')}".rstrip()
    yield f"  hands          {told.hands}"
    yield f"  calls          {told.calls}, {told.ties} of them tied"
    if told.mean_score is not None and told.best_hand is not None:
        yield f"  score a hand   {told.mean_score:.1f} on average, {text(told.best_hand)} at best"
    if told.quickest_call_ms is not None:
        yield f"  quickest call  {clock_text(ns_from_ms(told.quickest_call_ms))}"
    if told.closest_call_ns is not None:
        yield f"  closest call   won by {told.closest_call_ns / 1e9:.3f} s"
