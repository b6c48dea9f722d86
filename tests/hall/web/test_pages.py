"""The hall's pages for everybody: live tables, pairings, standings, wall, overlay, server-sent events."""

from __future__ import annotations

import asyncio
import gc
import json
import re
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any

from aiohttp import web

from referee.core.documents.delivery import Forgotten, Shown, ShownTeam
from referee.hall.model import Closed
from referee.hall.web.feed import MOST_KEPT, PERIOD_S, Feed
from referee.hall.web.values import tile
from tests.hall.web.house import House, Table, drawn, finished, house, playing, words


async def test_live_tables_show_phase_hand_scores_and_verdict(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        hall.live |= {"table-10": playing(), "table-2": playing(7, "Anna was first")}
        page = await hall.text("/")
        assert "&lt;b&gt;Max" in page
        told = words(page)
        assert told.index("table-2") < told.index("table-10")
        assert "Hand 7 1 Anna 102 2 Ben 98½" in told
        assert "Anna was first" in told
        hall.live["table-2"].online = False
        assert "not connected" in words(await hall.text("/"))


def test_nobody_leads_a_table_before_its_first_hand() -> None:
    before, later = (
        tuple(ShownTeam(name, (1,), total, place) for name, total, place in teams)
        for teams in ((("Anna", 0, 1), ("Ben", 0, 1)), (("Anna", 3, 2), ("Ben", 5, 1)))
    )
    for teams, wanted in ((before, [("", False), ("", False)]), (later, [("1", True), ("2", False)])):
        lines = tile("t1", Table(True, Shown("playing", "en", "nna", 100, 1, teams))).lines
        assert [(line.place, line.first) for line in lines] == wanted


async def test_without_an_event_each_page_says_so(tmp_path: Path) -> None:
    async with house(tmp_path, names=()) as hall:
        for path in ("/pairings", "/standings", "/events"):
            assert "No event is open." in await hall.text(path)
        assert "No table has published yet." in await hall.text("/wall")


async def test_pairings_say_who_sits_where_and_find_a_name(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        assert "No round is drawn yet." in await hall.text("/pairings")
        drawn(hall.store, hall.event)
        seats = {
            hall.names[n - 1]: seats.table for seats in hall.store.event(hall.event).rounds[0] for n in seats.entries
        }
        told = words(await hall.text("/pairings"))
        assert all(f"{name} {table}" in told for name, table in seats.items())
        found = words(await hall.text("/pairings?find=pia"))
        assert found.index(f"Pia {seats['Pia']}") < found.index("Anna")


async def test_standings_follow_the_results(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        drawn(hall.store, hall.event)
        first = hall.store.event(hall.event).rounds[0][0]
        before = words(await hall.text("/standings"))
        assert "100" not in before
        finished(hall.store, hall.event, first.table)
        winner = hall.names[first.entries[0] - 1]
        assert f"Played 1 {winner}" in words(await hall.text("/standings")).replace("Matches", "Played")
        assert "entered by hand: no device" in words(await hall.text("/pairings"))


async def test_the_first_readers_after_a_start_all_see_the_event(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        pages = await asyncio.gather(*(hall.text("/standings") for _ in range(5)))
        assert all("Club night" in page for page in pages)


async def test_a_name_from_right_to_left_is_isolated(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        assert "<bdi>דנה</bdi>" in await hall.text("/standings")


async def test_pages_speak_the_readers_language(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        assert "Rangliste" in await hall.text("/standings", language="de")
        assert "Classifica" in await hall.text("/standings?language=it")
        assert "Classifica" in await hall.text("/standings")


FILES = ("pairings/1", "standings", "pairings-1.pdf", "standings.pdf", "results.csv", "results.json", "results.bgsplay")


async def closed_event(hall: House) -> str:
    """Play a round, close the event, and return the beginning of its paths."""
    drawn(hall.store, hall.event)
    for seats in hall.store.event(hall.event).rounds[-1]:
        finished(hall.store, hall.event, seats.table)
    hall.store.append(hall.event, Closed(), len(hall.store.event(hall.event).decisions))
    return f"/events/{hall.event}/"


async def test_a_closed_events_pages_and_files_are_kept_and_not_made_again(tmp_path: Path, monkeypatch: Any) -> None:
    async with house(tmp_path) as hall:
        start, tags = await closed_event(hall), {}
        for name in FILES:
            async with hall.client.get(start + name) as answer:
                assert answer.headers["Cache-Control"] == "public, max-age=3600"
                assert answer.headers["Vary"] == "Cookie, Accept-Language, Accept-Encoding"
                tags[name] = answer.headers["ETag"]
        assert len(set(tags.values())) == len(FILES)
        for made in ("pages.answer", "pages._rendered", "printouts._made", "exports.as_csv", "exports.as_json"):
            monkeypatch.setattr(f"referee.hall.web.{made}", None)
        for name, tag in tags.items():
            async with hall.client.get(start + name, headers={"If-None-Match": tag}) as answer:
                assert answer.status == 304
                assert answer.headers["Cache-Control"] == "public, max-age=3600"


async def test_a_tag_differs_by_language_person_and_content(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        path = f"{await closed_event(hall)}standings"

        async def tag(**headers: str) -> str:
            async with hall.client.get(path, headers=headers) as answer:
                return answer.headers["ETag"] if answer.status == 200 else ""

        tags = [await tag(), await tag(**{"Accept-Language": "de"})]
        hall.store.invite("table-1")
        hall.store.forget("table-1", Forgotten(1, "Anna"))
        tags.append(await tag(**{"If-None-Match": tags[0]}))
        await hall.log_in("audience")
        tags.append(await tag(**{"If-None-Match": tags[2]}))
        assert len(set(tags) - {""}) == 4


async def test_a_running_event_is_asked_for_again_each_time(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        drawn(hall.store, hall.event)
        for path in (
            "/",
            "/standings",
            "/wall",
            f"/events/{hall.event}/standings",
            f"/events/{hall.event}/results.csv",
        ):
            async with hall.client.get(path) as answer:
                assert answer.headers["Cache-Control"] == "no-cache"
                tag = answer.headers["ETag"]
            async with hall.client.get(path, headers={"If-None-Match": tag}) as answer:
                assert answer.status == 304
        finished(hall.store, hall.event, "table-1")
        async with hall.client.get("/standings", headers={"If-None-Match": tag}) as answer:
            assert answer.status == 200
        await hall.text(f"/events/{hall.event}/pairings/3", 404)
        await hall.text("/events/99/standings", 404)


async def test_caches_share_nothing_of_the_desk_and_of_closed_halls(tmp_path: Path) -> None:
    async with house(tmp_path, closed=True) as hall:
        ended = f"{await closed_event(hall)}standings"
        async with hall.client.get(ended, allow_redirects=False) as answer:
            assert answer.headers["Cache-Control"] == "no-store"
        await hall.log_in("director")
        for path, allowed in ((ended, "private, max-age=3600"), ("/", "private, no-cache"), ("/desk", "no-store")):
            async with hall.client.get(path) as answer:
                assert (answer.status, answer.headers["Cache-Control"]) == (200, allowed)


async def test_static_files_of_this_version_are_kept_for_good(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        found = re.findall('(?:href|src)="(/[a-z]+[.][a-z]+[?]v=[0-9a-f]+)"', await hall.text("/wall"))
        assert len(found) == 4
        for path in found:
            async with hall.client.get(path) as answer:
                assert "immutable" in answer.headers["Cache-Control"]
            async with hall.client.get(f"{path}0") as answer:
                assert answer.headers["Cache-Control"] == "no-cache"


async def test_a_change_is_sent_once_and_is_the_same_for_all_listeners(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        hall.live["table-1"] = playing(1)
        had = (await hall.text("/")).partition('data-had="')[2][:16]
        path = f"/changes?show=live/&language=en&had={had}"
        async with hall.client.get(path) as first, hall.client.get(path) as other:
            hall.live["table-1"] = playing(2, "Ben was first")
            messages = [await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20) for line in (first, other)]
            assert messages[0] == messages[1]
            parts = json.loads(messages[0].partition(b"data: ")[2])
            assert list(parts) == ["live/table-1"]
            assert "Hand 2" in parts["live/table-1"]
            assert "Ben was first" in parts["live/table-1"]


async def test_a_new_table_comes_with_the_tiles_of_all(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        hall.live["table-1"] = playing(1)
        had = (await hall.text("/")).partition('data-had="')[2][:16]
        async with hall.client.get(f"/changes?show=live/&language=en&had={had}") as line:
            hall.live["table-2"] = playing(2)
            message = await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20)
            assert list(json.loads(message.partition(b"data: ")[2])) == ["live", "live/table-1", "live/table-2"]


async def test_compressed_messages_are_one_stream_whichever_of_them_a_listener_gets(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        hall.live["table-1"] = playing(1)
        path, packed = "/changes?show=live/&language=en&had=old", {"Accept-Encoding": "gzip"}
        async with hall.client.get(path, headers=packed) as first:
            assert first.headers["Content-Encoding"] == "gzip"
            texts = [await asyncio.wait_for(first.content.readuntil(b"\n\n"), 20)]
            async with hall.client.get(path, headers=packed) as late:
                hall.live["table-1"] = playing(2)
                for line in (first, late, late):
                    texts.append(await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20))
        assert texts[0] == texts[2]
        assert texts[1] == texts[3] != texts[0]


async def test_a_listener_that_missed_a_change_gets_the_whole_page(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        drawn(hall.store, hall.event)
        async with hall.client.get("/changes?show=wall/&language=de&had=old") as line:
            message = await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20)
            assert set(json.loads(message.partition(b"data: ")[2])) == {"head", "seats", "live", "standings"}
            finished(hall.store, hall.event, "table-1")
            message = await asyncio.wait_for(line.content.readuntil(b"\n\n"), 20 + PERIOD_S)
            assert set(json.loads(message.partition(b"data: ")[2])) == {"standings"}


async def test_pages_are_compressed_for_those_who_accept_it(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        for accepted, wanted in (("gzip", "gzip"), ("identity", None)):
            async with hall.client.get("/wall", headers={"Accept-Encoding": accepted}) as answer:
                assert answer.headers.get("Content-Encoding") == wanted
                assert "Anna" in await answer.text()


async def test_a_connection_with_a_stream_keeps_no_page(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.text("/wall")
        async with hall.client.get("/changes?show=wall/&language=en&had=old") as line:
            assert line.status == 200
            gc.collect()
            found = [one for one in gc.get_objects() if isinstance(one, web.Response)]
            assert found
            assert not [one for one in found if one.body]


def views() -> int:
    """Return the number of tables' views in memory."""
    gc.collect()
    return sum(isinstance(item, Shown) for item in gc.get_objects())


async def test_tables_that_have_gone_leave_nothing_behind(tmp_path: Path) -> None:
    before = views()
    async with house(tmp_path) as hall:
        for at in range(12):
            hall.live.clear()
            hall.live |= {f"table-{at}": playing(), f"spare-{at}": playing()}
            for path in ("/", "/wall", "/overlay"):
                await hall.text(path)
        assert 2 <= views() - before <= 4


async def test_changes_of_what_does_not_exist_are_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        for query in ("show=secrets", "show=live/&language=xx", "", f"show=overlay/{'x' * 99}"):
            await hall.text(f"/changes?{query}", 404)
        async with hall.client.head("/changes?show=live/") as answer:
            assert answer.status == 405


async def test_the_overlay_can_show_one_table(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        hall.live |= {"table-1": playing(), "table-2": playing()}
        assert "table-1" in await hall.text("/overlay")
        page = words(await hall.text("/overlay?table=table-2"))
        assert "table-2" in page
        assert "table-1" not in page


async def test_pages_with_listeners_are_kept_however_many_there_are(tmp_path: Path) -> None:
    rendered: list[str] = []

    async def render(key: tuple[str, str]) -> dict[str, str]:
        rendered.append(key[0])
        return {"part": key[0]}

    async def stamp(_: str) -> str:
        return "same"

    feed = Feed(stamp, render)
    pages = [f"overlay/t{at}" for at in range(MOST_KEPT + 10)]
    async with AsyncExitStack() as lines:
        for page in pages:
            line = await lines.enter_async_context(aclosing(feed.changes((page, "en"), "")))
            assert page.encode() in (await anext(line)).plain
        for page in ("x", "y", *pages):
            await feed.page((page, "en"))
    await feed.close()
    assert rendered == [*pages, "x", "y"]
