"""The page and its JSON: content, access and safeguards."""

from __future__ import annotations

import html
import json
import re
from fractions import Fraction

import pytest

from referee.core.model.view import Label, LobbyScreen, PhonesScreen, PlayingScreen, SeatCell, TeamLine
from referee.page.app import HEADERS
from referee.page.feed import Feed
from referee.page.pages import FILES, static
from referee.page.request import FOLDER
from referee.page.table_document import face_of
from tests.page.lines import Recorder, opened, origin, read, snapshot, table

PATHS = ["/", "/table", "/scores", "/wall", "/api/view", "/api/openapi.json", *(f"/{name}" for name in FILES)]


async def test_everything_is_served_with_every_safeguard() -> None:
    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot())
        for path in [*PATHS, "/nowhere", "/live"]:
            async with client.get(path) as answer:
                assert answer.status == {"/nowhere": 404, "/live": 426}.get(path, 200)
                assert {name: answer.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1@evil.example", ""])
async def test_under_a_foreign_name_nothing_is_served(host: str) -> None:
    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot())
        for path in [*PATHS, "/live"]:
            async with client.get(path, headers={"Host": host}) as answer:
                assert answer.status in (400, 403)
                assert "Anna" not in await answer.text()


@pytest.mark.parametrize(("table_language", "spoken"), [("en", "de"), ("it", "it")])
async def test_pages_speak_the_browsers_language_unless_the_table_was_set(table_language: str, spoken: str) -> None:
    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot(language=table_language))
        for path in ("/", "/table", "/scores", "/wall", "/rules", "/setup"):
            text = await read(client, path, headers={"Accept-Language": "fr, en;q=0.3, de-AT;q=0.8"})
            assert f'<html lang="{spoken}">' in text, path
            for line in re.findall(r'data-line="(.*?)"', text):
                async with client.ws_connect(f"/live?{line}", headers={"Origin": origin(client)}) as socket:
                    assert (await socket.receive_json())["table"]["language"] == spoken


@pytest.mark.parametrize(("path", "scripts"), [("/table", ("table.js", "cards.js")), ("/join", ("phone.js",))])
async def test_scripts_find_every_text_that_they_ask_for(path: str, scripts: tuple[str, ...]) -> None:
    asked = re.findall(r"LABELS(?:\.|\[[\"`])([\w.]+)", "".join(map(static, scripts)))
    async with table(controls=Recorder()) as (client, _):
        (labels,) = re.findall(r'data-labels="(.*?)"', await read(client, path, params={"language": "it"}))
    found = json.loads(html.unescape(labels))
    assert [key for key in asked if not any(name == key or name.startswith(key) for name in found)] == []
    assert found["lost"].startswith("Il tavolo")


MARKUP = {path.name: path.read_text() for path in FOLDER.glob("*.html")}


def test_the_page_needs_nothing_but_itself() -> None:
    allowed = {
        *PATHS,
        "/scan/join.svg",
        "/scan/card.svg",
        "/join",
        "/history",
        "/statistics",
        "/rules",
        "/setup",
        "http://www.w3.org/2000/svg",
    }
    for text in (*MARKUP.values(), *map(static, FILES)):
        assert set(re.findall(r'(?:href|src)="([^"#{]+)"', text)) <= allowed
        assert not set(re.findall(r"https?://[\w./]+", text)) - allowed
    for name, text in MARKUP.items():
        if name != "evening_file.html":  # the content security policy forbids them on pages
            assert not re.search(r"\sstyle=|\son\w+=|<script(?! src)|<style", text)


@pytest.mark.parametrize("name", MARKUP)
def test_templates_take_every_text_from_the_catalogues(name: str) -> None:
    code = re.sub(r"{%.*?%}|{{.*?}}", "", MARKUP[name], flags=re.DOTALL)
    heard = re.findall(r'(?:aria-label|alt|title|placeholder)="(.*?)"', code)
    assert not re.search(r"[^\W\d_]{2}", " ".join([*heard, re.sub("<.*?>", "", code, flags=re.DOTALL)]))


async def test_the_simulated_table_has_buttons_and_the_device_has_lamps_only() -> None:
    for controls, mode, disabled in ((Recorder(), "play", 0), (None, "watch", 8)):
        async with table(controls=controls) as (client, _), client.get("/table") as answer:
            text = await answer.text()
            assert f'data-mode="{mode}"' in text
            assert text.count(" disabled>") == disabled
            assert text.count('class="cap"') == 8


async def test_the_page_comes_as_the_table_stands_with_names_made_harmless() -> None:
    feed = Feed(("1", "2"), bots=("2",))
    feed.publish(snapshot(LobbyScreen("NNA", 100, (SeatCell(1, "<b>&"), SeatCell(2, '"Ben')), 2), seats=2))
    async with table(feed=feed) as (client, _), client.get("/table") as answer:
        text = await answer.text()
    assert "&lt;b&gt;&amp;" in text
    assert "<b>&" not in text
    assert 'class="name">&#34;Ben<' in text
    assert text.count('data-bot="yes"') == 1
    assert 'data-count="2"' in text


@pytest.mark.parametrize(
    ("address", "alone"),
    [("http://localhost:8080/", True), ("http://[::1]:8080/", True), ("http://referee.local/", False)],
)
def test_a_code_that_no_phone_can_reach_is_said_to_be_so(address: str, alone: bool) -> None:
    assert face_of(snapshot(PhonesScreen(address, "K7Q4XM", address)))["alone"] is alone


async def test_totals_stand_on_the_plates() -> None:
    feed = Feed(("1", "2"))
    line = TeamLine(Label((1, 2), "Anna"), Fraction(-5, 2), 1, False)
    feed.publish(snapshot(PlayingScreen(1, 100, 0, (line,)), seats=2))
    async with table(feed=feed) as (client, _), client.get("/table") as answer:
        text = await answer.text()
    assert text.count('class="total">−2½<') == 2
    assert 'class="pair">with 2<' in text


async def test_the_view_is_json_and_says_when_there_is_none() -> None:
    async with table() as (client, feed):
        async with client.get("/api/view") as answer:
            assert answer.status == 503
            assert await answer.json() == {"error": "The table has not shown anything yet."}
        feed.publish(snapshot())
        async with client.get("/api/view") as answer:
            assert (await answer.json())["screen"]["type"] == "playing"


async def test_the_description_names_every_path_there_is() -> None:
    async with table() as (client, _), client.get("/api/openapi.json") as answer:
        described = await answer.json()
        assert described["openapi"].startswith("3.1")
        routes = {route.resource.canonical for route in client.server.app.router.routes() if route.resource}  # type: ignore[attr-defined]
    assert {path for path in routes if path.startswith("/api") or path == "/live"} == set(described["paths"])
    named = re.findall(r"'#/components/schemas/(\w+)'", str(described))
    assert set(named) <= set(described["components"]["schemas"])


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("POST", "/", 405, "This can only be read.\n"),
        ("DELETE", "/api/view", 405, '{"error": "This can only be read."}'),
        ("GET", "/api/nothing", 404, '{"error": "There is nothing here; the page is at /."}'),
    ],
)
async def test_a_wrong_request_gets_one_sentence(method: str, path: str, status: int, said: str) -> None:
    async with table() as (client, _), client.request(method, path) as answer:
        assert answer.status == status
        assert await answer.text() == said


@pytest.mark.parametrize("path", ["/nowhere", "/static/../feed.py", "/history/1/2/3/<script>"])
@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "There is no such page."), ("de", "Diese Seite gibt es nicht."), ("it", "Questa pagina non esiste.")],
)
async def test_a_page_that_is_not_there_is_said_in_the_reader_s_language_with_a_way_back(
    path: str, language: str, said: str
) -> None:
    async with table() as (client, _), client.get(path, params={"language": language}) as answer:
        text = await answer.text()
    assert (answer.status, answer.content_type) == (404, "text/html")
    assert said in text
    assert 'href="/"' in text
    assert "<script" not in text


async def test_files_that_did_not_change_do_not_travel_again() -> None:
    async with table() as (client, _):
        async with client.get("/table.css") as answer:
            tag = answer.headers["ETag"]
        async with client.get("/table.css", headers={"If-None-Match": tag}) as answer:
            assert answer.status == 304
            assert await answer.read() == b""
        async with client.get("/table.css", headers={"If-None-Match": '"old"'}) as answer:
            assert answer.status == 200


async def test_where_bots_play_is_marked_at_once_and_moves_with_them() -> None:
    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot())
        feed.seat_bots(["2", "3"])
        assert re.findall(r'data-index="(\d)" data-bot="yes"', await read(client, "/table")) == ["1", "2"]
        async with opened(client) as socket:
            assert (await socket.receive_json())["table"]["bots"] == ["2", "3"]
            feed.seat_bots(["3", "4"])
            assert await socket.receive_json() == {"table": {"bots": ["3", "4"]}}
