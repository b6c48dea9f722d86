"""Past matches on the page: read by a separate program, shown to every viewer, downloadable as files."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer

from referee.core.documents.course import summarize
from referee.core.documents.figures import evenings
from referee.core.documents.match import account
from referee.core.documents.past import PAGE_MATCHES, EveningRecords
from referee.core.documents.record import HandRecord, Record, from_document, to_document
from referee.core.units import MS, S
from referee.core.values import Json, replace
from referee.language.words import speaking
from referee.page import history_reader as feed_module
from referee.page.app import create_app
from referee.page.evening_page import evening_chart, lead_changes_text, match_values, result_text
from referee.page.feed import Feed
from referee.page.history_reader import PastError, PastFeed
from referee.page.link_preview import card
from referee.page.request import macro
from referee.page.site import Site
from referee.protocol.gestures import KNOB
from referee.storage.records.reader import VERBS
from referee.storage.records.store import Records
from referee.web.drawing import Lettering, Marker, Rectangle
from tests.commands.house import journaled
from tests.core.evenings import at_table, counted, only
from tests.core.games.test_duel import pressed, waiting
from tests.core.sitting import BREATH_NS
from tests.page.lines import Client, read
from tests.web.test_charts import parsed

SCRIPT = "<script>alert('Anna')</script>"


def telling(state: Path) -> tuple[str, ...]:
    """Return the program that reads the matches there."""
    return (sys.executable, "-m", "referee.storage.records.reader", str(state))


class PastHere(PastFeed):
    """Reads the matches there without another process, but imports with one."""

    def __init__(self, state: Path) -> None:
        super().__init__(telling(state))
        self._state = state

    async def _ask(self, *verb: str) -> bytes:
        name, argument = (*verb, "")[:2]
        return msgspec.json.encode(VERBS[name](Records(self._state), argument))


@asynccontextmanager
async def history_page(state: Path, past: PastFeed | None = None, **more: Any) -> AsyncIterator[Client]:
    """Serve the page of the matches there."""
    app = create_app(Site(Feed(("1", "2", "3", "4")), past=past or PastHere(state), **more))
    async with TestClient(TestServer(app)) as client:
        yield client


def shown(record: Record, *parts: str) -> str:
    """Return these parts of a match's page."""
    values = match_values("1", record)
    return "".join(
        macro("match_parts.html", part, values) for part in parts or ("standings", "hands", "notes", "curve")
    )


def with_a_script(state: Path) -> Path:
    """Write two matches of the journal, and an imported one with a script as a player's name."""
    journaled(state)
    text = json.dumps(to_document(Records(state).read("1"))).replace('"Anna"', json.dumps(SCRIPT))
    Records(state).add(from_document(json.loads(text) | {"id": "imported"}))
    return state


PATHS = ("/history", "/history/1", "/history/A1", "/evening/1", "/statistics")


async def test_pages_of_the_past_are_whole_and_names_are_text(tmp_path: Path) -> None:
    """Every page parses and links only to existing pages."""

    async with history_page(with_a_script(tmp_path)) as client:
        ways: set[str] = set()
        for path in PATHS:
            text = await read(client, path)

            assert "<script" not in text
            page = ElementTree.fromstring(whole(text))
            ways |= {link.attrib["href"] for link in page.iter("a")}
            assert page.attrib["lang"] == "en"
            regions = [part.attrib["aria-label"] for part in page.iter() if part.attrib.get("role") == "region"]
            assert len(set(regions)) == len(regions), path
        assert "&lt;script&gt;" in text
        past = sorted(way for way in ways if way.startswith(("/history", "/evening", "/statistics")))
        for way in {re.sub(r"\d+", "N", way): way for way in past}.values():
            async with client.get(way) as answer:
                assert answer.status == 200, way


def whole(text: str) -> str:
    """Parse a page as XML: close void elements and give attributes values."""
    body = text.removeprefix("<!doctype html>\n")
    body = re.sub(r"<(br|img|input|link|meta)((?: [^<>]*)?)>", r"<\1\2/>", body)
    return re.sub(r"<p class=keep>", '<p class="keep">', body)


async def test_files_of_the_past_are_taken_along(tmp_path: Path) -> None:
    """Each file has a name, and the page runs none of them."""

    async with history_page(with_a_script(tmp_path)) as client:
        for path, mime, begins in (
            ("/history/1.json", "application/json", b"{"),
            ("/history/A1.csv", "text/csv", b"match,"),
            ("/history/1.excel.csv", "text/csv", b"\xef\xbb\xbfmatch,"),
            ("/history/1.bgsplay", "application/json", b"{"),
            ("/evening/1.svg", "image/svg+xml", b"<svg"),
            ("/evening/1.png", "image/png", b"\x89PNG"),
            ("/evening/1.html", "text/html", b"<!doctype"),
        ):
            async with client.get(path) as answer:
                content = await answer.read()
                name = path.rpartition("/")[2]
                kind = "evening" if "evening" in path else "match"
                assert answer.headers["Content-Disposition"] == f'attachment; filename="{kind}-{name}"'
            assert (answer.status, answer.content_type) == (200, mime)
            assert content.startswith(begins)
            assert b"<script" not in content or mime == "application/json" or mime == "text/csv"
        record = from_document(json.loads(await (await client.get("/history/A1.json")).read()))
        assert SCRIPT in record.people


KEPT = ("/history/1/1.1", "/history/1/1.1.svg", "/evening/1.svg", "/evening/1.html")


@pytest.mark.parametrize(("language", "mark"), [("en", "."), ("de", ",")])
async def test_pages_and_what_is_kept_have_their_reader_s_figures_and_days(
    tmp_path: Path, language: str, mark: str
) -> None:
    """Decimal marks and month names are the language's; no ISO date is left."""

    text = ""
    async with history_page(journaled(tmp_path)) as client:
        for path in (*(path for path in PATHS if path != "/history/A1"), *KEPT):
            answer = await client.get(path, params={"language": language})
            page = re.sub(r"<style>.*</style>", "", await answer.text(), flags=re.DOTALL)
            text += parsed(page).text + "\n"

    assert {figure[0] for figure in re.findall(r"(?<=\d)[.,](?=\d)", text)} == {mark}
    assert not re.search(r"\d{4}-\d\d-\d\d", text)
    assert re.search(r"1[345]\.? [Nn]ovemb(er|re) 2023", text)


async def test_the_link_to_bg_stats_has_the_match(tmp_path: Path) -> None:
    """The date is the end, in UTC; the id is the same each time."""

    async with history_page(journaled(tmp_path)) as client, client.get("/history/1") as answer:
        page = ElementTree.fromstring(whole(await answer.text()))
    (link,) = (way.attrib["href"] for way in page.iter("a") if "bgstats" in way.attrib["href"])
    address = urlsplit(link)
    assert (address.scheme, address.netloc, address.path) == ("https", "app.bgstatsapp.com", "/createPlay.html")
    told = json.loads(parse_qs(address.query)["data"][0])
    assert told["game"]["name"] == "Nertz"
    assert re.fullmatch(r"2023-11-14 22:\d\d:\d\d", told["playDate"])
    assert {one["name"]: (one["score"], one["rank"], one["winner"]) for one in told["players"]} == {
        "Anna": (97, 3, False),
        "Ben": (129, 1, True),
        "Max": (112, 2, False),
    }


def test_what_a_table_gave_and_its_time_outs_stand_with_the_match() -> None:
    table = at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2")
    table.press(KNOB, ns=400 * MS).choose("Who asked").choose("2 Ben").choose("collision").choose("Go on")
    counted(table.wait(5 * S), "1", 20, "2")
    table.choose("Fix counts").push().choose("Adjust points").choose("1 Anna").turn(-5).push().choose("penalty")
    record = only(table)
    hand = record.played[0] | {"corrected": ["Ben"], "false_calls": ["Ben"]}
    with speaking("en"):
        text = shown(replace(record, match={**record.match, "hands": [hand]}))
    assert "<li>Anna \N{MINUS SIGN}5 after hand 1: penalty</li>" in text
    assert "<li>Time out of Ben in hand 1: collision</li>" in text
    assert "call: Anna, false call: Ben" in text
    assert '<abbr title="corrected">*</abbr>' in text


def test_a_total_in_words_and_changes_of_the_lead_are_said_in_the_readers_language() -> None:
    loss: Json = {"knocker": "Anna", "values": {"Anna": 20, "Ben": 9}}
    lives: Json = {"preset": "31", "players": ["Anna", "Ben"], "hands": [loss] * 4}
    told = account(lives)
    base = only(counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2"))
    hands = tuple(HandRecord(dict(scores)) for scores in told.hands)
    record = replace(base, match=lives, hands=hands, totals=dict(told.totals), winners=("Anna",))
    with speaking("de"):
        assert "0 (ausgeschieden)" in shown(record, "standings")
        assert result_text(summarize(record)).endswith("Ben\u00a0ausgeschieden")
        for times, said in ((0, "hat nicht gewechselt."), (1, "hat einmal gewechselt."), (3, "hat 3-mal gewechselt.")):
            assert lead_changes_text(times, 5).endswith(said)
        assert lead_changes_text(0, 1) == ""


def test_gold_is_for_winners_and_places_for_matches_with_hands() -> None:
    going = only(counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2"))
    empty = replace(going, hands=(), match={**going.match, "hands": []}, totals={"Anna": 0, "Ben": 0})
    won = replace(going, winners=("Anna",))
    for record, medals, gold in ((going, 2, 0), (empty, 0, 0), (won, 2, 1)):
        text = shown(record, "standings")
        assert (text.count('"medal"'), text.count('"ahead"')) == (medals, gold)


def test_the_picture_of_an_evening_has_its_winner_and_a_mark_for_everybody(tmp_path: Path) -> None:
    base = Records(journaled(tmp_path))
    first, second = base.read("1"), base.read("2")
    shapes = evening_chart(evening_with(first, second)).shapes
    bold = [shape.text for shape in shapes if isinstance(shape, Lettering) and shape.bold]
    assert bold[0] == "Most wins: Anna and Ben"
    bars = [shape.colour for shape in shapes if isinstance(shape, Rectangle)]
    marks = {shape.colour: shape.form for shape in shapes if isinstance(shape, Marker)}
    assert len(set(bars)) == len(set(marks.values())) == len(first.people) == 3
    assert set(bars) == set(marks)
    other = from_document(json.loads(json.dumps(to_document(first)).replace('"Anna"', '"Lea"')))
    chart = evening_chart(evening_with(first, second, other))
    bars = [shape.colour for shape in chart.shapes if isinstance(shape, Rectangle)]
    assert len(set(bars)) == 4  # at the seat that was Anna's
    without = evening_with(replace(first, winners=()))
    assert not any(isinstance(shape, Rectangle) for shape in evening_chart(without).shapes)


def evening_with(*found: Record) -> EveningRecords:
    """Return an evening of these matches."""
    records = {str(n): record for n, record in enumerate(found, 1)}
    (evening,) = evenings((number, summarize(record)) for number, record in records.items())
    return EveningRecords(evening, records)


def test_a_pack_is_called_in_the_reader_s_language_on_pages_of_the_past() -> None:
    base = only(counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2"))
    text = json.dumps(to_document(base)).replace('"Anna"', '"Red"')
    record = from_document(json.loads(text))
    with speaking("it"):
        body = shown(record)
        assert result_text(summarize(record)).startswith("Rosso")
    assert "Rosso" in body
    assert "Ben" in body
    assert "Red" not in body


def test_a_pause_of_nobody_and_reasons_of_a_document_stand_with_the_match() -> None:
    """Tidying names no team; an imported match may have a free-text reason or none."""
    table = at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2")
    table.press(KNOB, ns=400 * MS).choose("Straighten").choose("Go on")
    record = only(counted(table.wait(5 * S), "1", 20, "2"))
    assert record.match["timeouts"] == [{"hand": 1, "why": "tidy"}]
    given = [
        {"after": 1, "team": "Anna", "points": 2.5, "reason": "<b>cake"},
        {"after": 1, "team": "Ben", "points": -1},
    ]
    outs = [{"hand": 1, "why": "tidy"}, {"hand": 1, "why": "fire"}, {"hand": 1, "team": "Ben", "why": "the dog"}]
    with speaking("en"):
        text = shown(replace(record, match={**record.match, "adjustments": given, "timeouts": outs}), "notes")
    lines = (
        "Anna +2½ after hand 1: &lt;b&gt;cake",
        "Ben \N{MINUS SIGN}1 after hand 1: –",
        "The piles were tidied in hand 1",
        "Time out in hand 1: fire",
        "Time out of Ben in hand 1: the dog",
    )
    assert text.strip() == f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def test_a_match_of_rounds_does_not_count_hands() -> None:
    record = replace(only(pressed(waiting(), "2")), winners=("Ben",))
    with speaking("en"):
        pages = (
            shown(record),
            str(match_values("1", record)),
            str(card(record, "wide")),
            str(evening_chart(evening_with(record))),
        )
    assert "1 round" in pages[1]
    assert not re.findall(r"[Hh]ands?\b(?!')", " ".join(pages))


def test_a_match_says_who_gave_a_head_start() -> None:
    record = only(counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 20, "2"))
    hand = replace(record.hands[0], head_starts=((2, 10),))
    with speaking("en"):
        text = shown(replace(record, hands=(hand,)), "notes")
    assert text.strip() == "<ul><li>Ben started 10 s after the others (hand 1)</li></ul>"


async def test_the_past_as_json(tmp_path: Path) -> None:
    async with history_page(journaled(tmp_path)) as client:
        listed = await (await client.get("/api/history")).json()
        assert [(one["match"], one["winners"]) for one in listed["matches"]] == [("1", ["Ben"]), ("2", ["Anna"])]
        record = from_document(await (await client.get("/api/history/2")).json())
        assert record.winners == ("Anna",)
        figures = await (await client.get("/api/statistics")).json()
        assert [(of["game"], of["hands"]) for of in figures["figures"]] == [("Nertz", 8)]


async def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    state = journaled(tmp_path)
    async with history_page(state) as client:
        for path in ("/history/9", "/history/9.csv", "/evening/2", "/evening/9.png", "/api/history/A9"):
            assert "There is no such match here." in await read(client, path, status=404)
    shutil.rmtree(state / "records")
    (state / "records").write_bytes(b"no folder")
    async with history_page(state, PastFeed(telling(state))) as client:
        for path in ("/history", "/api/statistics"):
            assert "cannot be read" in await read(client, path, status=503)


async def test_the_past_is_told_by_a_program_and_kept_for_a_moment(tmp_path: Path) -> None:
    """Another request at once starts no second program; a later one does."""
    now_s = 0.0
    feed = PastFeed(telling(journaled(tmp_path)), clock=lambda: now_s)
    page = await feed.page(1)
    assert [number for number, _ in page.evenings[0].matches] == ["1", "2"]
    assert [(of.game, of.hands) for of in await feed.figures()] == [("Nertz", 8)]
    for folder in ("records", "evenings"):
        shutil.rmtree(tmp_path / folder)
    assert await feed.page(1) == page
    now_s = feed_module.FRESH_S + 1
    assert (await feed.page(1)).evenings == ()


async def test_evenings_are_paged_and_lead_to_one_another(tmp_path: Path) -> None:
    records = Records(journaled(tmp_path))
    record = records.read("1")
    later_s = (record.begun_s or 0) + 10**6
    for n in range(PAGE_MATCHES):
        records.add(replace(record, id=str(n), begun_s=later_s, ended_s=later_s))
    async with history_page(tmp_path) as client:
        for path, matches, ways in (
            ("/history", PAGE_MATCHES, {"next": "/history?page=2"}),
            ("/history?page=2", 2, {"prev": "/history?page=1"}),
            ("/history?page=99999", 2, {"prev": "/history?page=1"}),
            ("/history?page=-1", PAGE_MATCHES, {"next": "/history?page=2"}),
        ):
            links = [link.attrib for link in ElementTree.fromstring(whole(await read(client, path))).iter("a")]
            assert sum("/history/" in link["href"] for link in links) == matches
            assert {link["rel"]: link["href"] for link in links if "rel" in link} == ways


async def test_a_device_on_which_nothing_was_played_is_empty(tmp_path: Path) -> None:
    for feed in (PastHere(tmp_path), PastFeed()):
        assert ((await feed.page(1)).evenings, await feed.figures()) == ((), ())
        assert (await feed.match("1"), await feed.evening("1")) == (None, None)
        assert json.loads(await feed.matches()) == {"matches": []}


async def test_a_past_that_cannot_be_told_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "records").write_text("no folder")
    monkeypatch.setattr(feed_module, "PATIENCE_S", 0.05)

    endless = (sys.executable, "-c", "import time; time.sleep(60)")
    for command, why in ((("/nowhere/at-all",), "No such file"), (endless, "longer than 0.05 s")):
        with pytest.raises(PastError, match=why):
            await PastFeed(command).page(1)
    monkeypatch.setattr(feed_module, "PATIENCE_S", 30)
    with pytest.raises(PastError, match="directory"):
        await PastFeed(telling(tmp_path)).page(1)


async def test_who_goes_away_ends_the_program(tmp_path: Path) -> None:
    feed = PastFeed((sys.executable, "-c", "import time; time.sleep(60)"))
    asking = asyncio.create_task(feed.page(1))
    await asyncio.sleep(0)
    while not feed._asking.locked():
        await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    feed._command = telling(tmp_path)
    assert (await feed.page(1)).evenings == ()


async def test_a_call_that_did_not_stand_is_listed_as_false(tmp_path: Path) -> None:
    state = journaled(tmp_path)
    record = Records(state).read("1")
    first, *others = record.hands
    Records(state).add(replace(record, id="other", hands=(replace(first, calls=first.calls * 2), *others)))
    async with history_page(state) as client:
        page = ElementTree.fromstring(whole(await read(client, "/history/A1")))
    told = [way.text for way in page.iter("a") if way.attrib["href"].startswith("/history/A1/1.")]
    assert told[:2] == ["Photo finish, hand 1: a call that did not stand", "Photo finish, hand 1"]


async def test_every_call_of_a_past_match_has_its_photo_finish_as_page_drawing_and_picture(tmp_path: Path) -> None:
    journaled(tmp_path)

    async with history_page(tmp_path) as client:
        links = re.findall(r'href="(/history/1/[0-9]+\.[0-9]+)"', await read(client, "/history/1"))
        assert links
        async with client.get(links[0]) as answer:
            text = await answer.text()
            assert (answer.status, "<polygon" in text or "<rect" in text) == (200, True)
            assert f'href="{links[0]}.svg"' in text
        ElementTree.fromstring(await read(client, f"{links[0]}.svg"))
        async with client.get(f"{links[0]}.png") as answer:
            assert (await answer.read())[:4] == b"\x89PNG"
        for missing in ("/history/1/99.1", "/history/1/1.9", "/history/9/1.1"):
            async with client.get(missing) as answer:
                assert answer.status == 404


def test_a_name_in_a_recorded_photo_finish_is_text(tmp_path: Path) -> None:
    from referee.page.photo_finish import finish, recorded_photo
    from referee.page.request import Reader
    from referee.page.scoreboard import shown_call

    found = only(counted(at_table("1", "2").choose("Start").wait(BREATH_NS).playing("1", "2"), "1", 30, "2"))
    (call,) = found.hands[0].calls
    named = replace(found, teams=tuple(replace(team, name=f"{SCRIPT}{n}") for n, team in enumerate(found.teams)))
    with speaking("en"):
        page = shown_call(Reader("en", False, "/"), finish(recorded_photo(named, call), "Photo"), "/history/1/1.1", "")
    assert page.text is not None
    assert "&lt;script&gt;" in page.text
    assert "<script>" not in page.text
