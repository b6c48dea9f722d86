"""The scoreboard and the wall: their content, language, live updates and spoken text."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import pytest
from PIL import Image

from referee.core.messages import msg
from referee.core.model.view import HandLine, Label, LobbyScreen, PlayingScreen, ReadyScreen, SeatCell, StandingsScreen
from referee.core.units import MS, S
from referee.core.values import replace
from referee.device.children.page import without_sheet
from referee.page.feed import Feed
from referee.page.live import news
from referee.page.photo_finish import finish
from referee.page.scoreboard import lead_changes, parts
from referee.protocol.snapshot import Snapshot
from referee.web.drawing import Rectangle
from tests.page.lines import Recorder, picture, read, run, table
from tests.page.preview import Show, photo, sheet
from tests.web.test_charts import parsed

SCRIPT = '<script>alert("1")</script>'
PLAYING, JUDGED = 3, 5
"""Scenes of the scripted table."""


def shown(at: int = 3, seats: int = 4, **more: Any) -> Snapshot:
    """Return a scene of the scripted table as the feed has it."""
    snapshot = Snapshot(picture(seats=seats))

    async def take() -> None:
        nonlocal snapshot
        show = Show(seats, watch=True)
        show.at = at
        show.show()
        assert show.feed.latest is not None
        snapshot = show.feed.latest

    run(take)
    return replace(snapshot, view=replace(snapshot.view, **more)) if more else snapshot


def test_the_board_has_the_phase_the_clock_totals_with_ranks_and_the_target() -> None:
    found = parts(shown(), "board", "en")
    assert "Playing" in found["now"]
    assert found["clock"] == "2:31"
    assert "NNA Nertz · Hand 5 · to 150" in found["now"]
    text = parsed(found["totals"]).text
    assert [text.index(name) for name in ("Lea", "Anna", "Ben", "Max")] == sorted(
        text.index(name) for name in ("Lea", "Anna", "Ben", "Max")
    )
    for told in ("102", "+36", "corrected"):
        assert told in text


def test_the_board_says_who_sits_out_and_how_they_come_back() -> None:
    note = msg("note.sits_out", who=Label((3,), "Max"))
    for screen in (ReadyScreen(2, 100, (), (), notes=(note,)), StandingsScreen(1, (), (note,))):
        assert "Max at 3 sits out: tap to come back." in parts(shown(screen=screen), "wall", "en")["now"]


def test_every_hand_stands_there_with_who_called_corrections_leads_and_points_by_the_table() -> None:
    text = parsed(parts(shown(), "board", "en")["sheet"]).text
    assert "30 ▲, called" in text
    assert "9 ✎, corrected" in text
    assert "nobody could move" in text
    assert "a call: Lea" in text
    assert "Points by the table: Ben \N{MINUS SIGN}5 (penalty)" in text
    assert "The lead has not changed." in text


@pytest.mark.parametrize(("language", "called", "show"), [("en", "Silver", "board"), ("it", "Argento", "wall")])
def test_a_pack_is_called_in_the_reader_s_language(language: str, called: str, show: str) -> None:
    base = sheet(2)
    for stored in ("Silver", "Silber"):
        names = (Label((1,), stored), Label((2,), "Viola"))
        lines = tuple(replace(line, label=label) for line, label in zip(base.lines, names, strict=True))
        found = parts(shown(match=replace(base, teams=names, lines=lines)), show, language)
        for part in ("totals", "sheet" if show == "board" else "side"):
            assert called in found[part]
            assert "Viola" in found[part]
            assert all(other not in found[part] for other in {"Silver", "Silber", "Argento"} - {called})


def test_the_lead_changes_when_somebody_else_stands_first_alone() -> None:
    """A tie at the top leads no one, and returning from a tie to the lead is no change."""
    leaders = [(0,), (0, 1), (0,), (1,), (0, 1), (0,)]
    hands = tuple(HandLine("call", (), (), (), who) for who in leaders)
    match = replace(sheet(2), hands=hands)
    assert lead_changes(match) == [4, 6]


def test_a_lane_below_each_total_is_as_long_as_the_way_that_is_done() -> None:
    """Relative to the target, or to the best total.

    Never longer than the row and never negative.
    """
    base = sheet(4)
    lines = tuple(replace(line, total=Fraction(n)) for line, n in zip(base.lines, (200, 75, 0, -30), strict=True))
    for target, wanted in ((150, ["100%", "50%", "0%", "0%"]), (None, ["100%", "38%", "0%", "0%"])):
        found = parts(shown(match=replace(base, target=target, lines=lines)), "board", "en")["totals"]
        assert re.findall(r'<rect class="series-\d" width="(.*?)"', found) == [
            share for _, share in sorted(zip([line.place for line in lines], wanted, strict=True))
        ]


def test_before_a_match_the_board_says_so_and_who_sits_there() -> None:
    feed = Feed(("1", "2"))
    seats = (SeatCell(1, SCRIPT), SeatCell(2, None))
    feed.publish(Snapshot(picture(LobbyScreen("NNA", 100, seats, 1), phase="LOBBY", seats=2)))
    assert feed.latest is not None
    found = parts(feed.latest, "board", "en")
    assert "No match has begun yet" in found["totals"]
    assert "&lt;script&gt;" in found["totals"]
    assert 'href="/join"' in found["totals"]
    assert "href" not in parts(feed.latest, "wall", "en")["totals"]
    assert "<script" not in "".join(found.values())
    assert (found["open"], found["sheet"]) == ("", "")


@pytest.mark.parametrize("show", ["board", "wall"])
@pytest.mark.parametrize("at", [3, 5, 6, 8])
def test_a_name_is_text_wherever_it_stands(show: str, at: int) -> None:
    """The page has the same elements with any name: in totals, curve, hands, photo finish and headline."""
    usual = shown(at)
    match = usual.view.match
    assert match is not None
    label = Label((1,), SCRIPT)
    lines = (replace(match.lines[0], label=label), *match.lines[1:])
    call = usual.view.call and replace(usual.view.call, lines=(replace(usual.view.call.lines[0], label=label),))
    other = replace(match, teams=(label, *match.teams[1:]), lines=lines, winners=(0,) if match.winners else ())
    named = replace(usual, view=replace(usual.view, match=other, call=call))
    found = "".join(parts(named, show, "en").values())
    assert "script" not in parsed(found).opened
    assert "<script" not in found
    assert SCRIPT in parsed(found).text


@pytest.mark.parametrize("show", ["board", "wall"])
def test_every_figure_has_the_decimal_mark_of_its_reader(show: str) -> None:
    """German and Italian figures have no decimal point, English ones do."""
    base = sheet(4)
    halved = replace(base, lines=(replace(base.lines[0], total=Fraction(1, 3)), *base.lines[1:]))
    scenes = [shown(at, match=halved, call=photo(4)) for at in (PLAYING, JUDGED)]
    for language, mark in (("en", "."), ("de", ","), ("it", ",")):
        text = parsed(" ".join(part for scene in scenes for part in parts(scene, show, language).values())).text
        assert {found[1] for found in re.findall(r"\d[.,]\d", text)} == {mark}, language


def test_only_what_has_changed_is_sent_and_the_clock_alone_by_the_second() -> None:
    """A second later one short text is sent, which screen readers do not read."""
    first = shown()
    screen = first.view.screen
    assert isinstance(screen, PlayingScreen)
    later = replace(first, view=replace(first.view, screen=replace(screen, played_ns=screen.played_ns + S)))
    sent = news(later, first, "board", "en")
    assert '"clock":"2:32"' in sent
    assert "said" not in sent
    assert "totals" not in sent
    lamps = replace(first, view=replace(first.view, lamps=first.view.lamps[:1]))
    assert news(lamps, first, "board", "en") == ""
    assert news(lamps, first, "board", "en") == ""  # the second page that asks
    assert '"sheet":' in news(later, None, "board", "en")


def test_what_is_said_is_the_phase_and_a_verdict_in_full() -> None:
    """A live region speaks when the phase changes; taps during a count are not read out."""
    assert parts(shown(3), "board", "en")["said"] == "Playing"
    assert "was first" in parts(shown(5), "board", "en")["said"]
    assert parts(shown(6), "board", "en")["said"] == "Counting"


def test_the_wall_has_nothing_to_press_and_shows_the_call_while_it_is_judged() -> None:
    playing, judged = parts(shown(3), "wall", "en"), parts(shown(5), "wall", "en")
    for found in (playing, judged):
        text = "".join(found.values())
        assert not {"a", "button", "summary", "input"} & set(parsed(text).opened)
        assert "tabindex" not in text
        assert "data-play" not in text
    assert "Score after each hand" in playing["side"]
    assert "Photo finish" in judged["side"]


async def test_pages_are_served_with_links_to_each_other_and_photo_finishes_as_files() -> None:
    show = Show(4, watch=True)
    show.at = 3
    show.show()
    async with table(feed=show.feed) as (client, _):
        for path in ("/", "/scores", "/wall", "/table", "/scores/2.1", "/scores/2.2"):
            async with client.get(path) as answer:
                assert answer.status == 200
                assert answer.content_type == "text/html"
                text = await answer.text()
                assert "style=" not in text
        text = await read(client, "/scores")
        for where in ("/wall", "/table", "/history", "/join", "/scores/4.1.svg", "/scores/4.1.png", "/scores/2.1"):
            assert f'href="{where}"' in text
        async with client.get("/scores/4.1.svg") as answer:
            assert answer.content_type == "image/svg+xml"
            assert "attachment" in answer.headers["Content-Disposition"]
            ET.fromstring(await answer.text())
        async with client.get("/scores/4.1.png") as answer:
            assert Image.open(io.BytesIO(await answer.read())).format == "PNG"
        for path in ("/scores/9.1", "/scores/1.9", "/scores/0.1", "/scores/3.1", "/scores/9.1.svg"):
            async with client.get(path) as answer:
                assert answer.status == 404


async def test_whoever_may_press_has_the_table_at_the_top_and_everybody_else_the_scores() -> None:
    for controls, wanted in ((Recorder(), 'data-mode="play"'), (None, 'data-show="board"')):
        async with table(controls=controls) as (client, _), client.get("/") as answer:
            assert wanted in await answer.text()


async def test_the_scores_go_live_by_events() -> None:
    show = Show(4, watch=True)
    async with table(feed=show.feed) as (client, _):
        async with client.ws_connect("/live?show=board&language=de") as socket:
            first = await socket.receive_json()
            assert "Mitspielen" in first["board"]["totals"]
            show.turn(3)
            news = await socket.receive_json()
            assert "102" in news["board"]["totals"]
        async with client.ws_connect("/live?show=wall&language=xx") as socket:
            assert "102" in (await socket.receive_json())["wall"]["totals"]


def test_the_match_goes_to_the_pages_process_once() -> None:
    """Parts that it has already are left out of the next picture and restored there."""
    one, other = sheet(4), sheet(4)
    first, second, third, none = (Snapshot(picture(match=match)) for match in (one, one, other, None))
    sent, told = without_sheet([first, second], None)
    assert sent[0] is first
    assert isinstance(sent[1], Snapshot)
    assert (sent[1].same_match, sent[1].view.match, told) == (True, None, one)
    assert without_sheet([third], told)[0] == [third]
    assert without_sheet([none], told) == ([none], None)
    feed = Feed()
    for message in sent:
        assert isinstance(message, Snapshot)
        feed.publish(message)
        assert feed.latest is not None
        assert feed.latest.view.match is one


# -- photo finishes ----------------------------------------------------------------------------------------------------


def test_a_photo_finish_is_to_scale_with_both_errors_and_the_tie_window() -> None:
    """Twice as late is twice as far; the common error is drawn once for a pod.

    The table has every figure.
    """
    chart = finish(photo(4), "Photo finish")
    assert chart.rows == (
        ("Anna", "+0.0 ms", "±0.3 ms", "±2.0 ms", "0.0–70.0 ms", "called"),
        ("Ben", "+9.0 ms", "±0.4 ms", "", "9.0–11.0 ms and 13.0–90.0 ms", ""),
        ("Lea", "+24.0 ms", "±0.3 ms", "", "24.0–60.0 ms", "arrived late"),
    )
    rectangles = [shape for shape in chart.shapes if isinstance(shape, Rectangle)]
    window, anna, ben, gap, lea = rectangles
    scale = window.width / 20
    assert ben.x - anna.x == pytest.approx(9 * scale)
    assert lea.x - anna.x == pytest.approx(24 * scale)
    assert gap.x - ben.x == pytest.approx(4 * scale)
    assert window.x == pytest.approx(anna.x)


def test_where_the_last_press_loses_the_window_ends_with_it() -> None:
    """The band is before the last press, from which the others are measured."""
    lines = photo(4).lines
    chart = finish(replace(photo(4), lines=lines[:2], last=True), "Photo finish")
    window, _, ben, *_ = [shape for shape in chart.shapes if isinstance(shape, Rectangle)]
    assert window.x + window.width == pytest.approx(ben.x, abs=0.5)
    assert [row[1] for row in chart.rows] == ["\N{MINUS SIGN}9.0 ms", "+0.0 ms"]


def test_a_press_alone_and_one_with_a_wide_bound_are_drawn() -> None:
    """The only press; an error bar of twice the window stays on the sheet."""
    lines = (replace(photo(4).lines[0], err_ns=40 * MS, common_ns=0),)
    chart = finish(replace(photo(4), lines=lines, alone=True), "Photo finish")
    assert all(0 <= getattr(shape, "x", 0) <= chart.width for shape in chart.shapes)


def test_a_game_without_points_has_its_own_words_for_totals() -> None:
    """Lives are hearts on the display and words on the page."""
    base = sheet(4)
    lines = (replace(base.lines[0], told=msg("told.lives", count=2)), *base.lines[1:])
    found = parts(shown(match=replace(base, lines=lines)), "board", "en")["totals"]
    assert "64" not in parsed(found).text


@pytest.mark.parametrize(
    ("at", "text"),
    [(0, ""), (3, ""), (4, "STOP"), (5, "Anna Nertz! Ben 0.18 seconds later."), (8, "Lea wins! Save or share")],
)
def test_the_wall_shows_the_caller_and_the_winner_to_the_whole_room(at: int, text: str) -> None:
    giant = parts(shown(at), "wall", "en").get("giant", "")
    assert " ".join(re.sub("<[^>]*>", " ", giant).split()) == text


async def test_the_wall_s_codes_are_pictures_to_scan() -> None:
    async with table(feed=Show(4).feed) as (client, _):
        for page in ("join", "card"):
            async with client.get(f"/scan/{page}.svg") as answer:
                assert answer.content_type == "image/svg+xml"
                assert ET.fromstring(await answer.text()).tag.endswith("svg")
        async with client.get("/scan/else.svg") as answer:
            assert answer.status == 404
