"""The live connection: changes arrive, presses are sent, and invalid messages are refused."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AsyncExitStack
from typing import Any

import pytest
from aiohttp import ClientSession, TCPConnector, WSMsgType, WSServerHandshakeError
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.model.view import Lamp, PlayingScreen, StopScreen
from referee.core.units import S
from referee.core.values import replace
from referee.page.connections import GUEST, PAGES_KEPT, PAGES_MOST
from referee.page.feed import Feed
from referee.page.live import BURST, MESSAGE_BYTES, TOO_FAST
from referee.page.site import SITE
from referee.protocol.snapshot import CACHED, Snapshot
from tests.page.lines import Recorder, opened, origin, run, served, snapshot, sound, table

UPGRADE = b"""GET /live HTTP/1.1\r
Host: 127.0.0.1\r
Upgrade: websocket\r
Connection: Upgrade\r
Sec-WebSocket-Version: 13\r
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
\r
"""
"""The request with which a browser opens the connection."""
SOON_NS = 100_000_000
"""Wait of a request for its turn, in ns: the page has disconnected by then."""


def press(contact: str, closed: bool = True) -> dict[str, object]:
    return {"contact": contact, "closed": closed}


async def test_first_comes_everything_and_then_only_what_changed() -> None:
    async with table() as (client, feed):
        feed.publish(snapshot())
        async with opened(client) as socket:
            first = (await socket.receive_json())["table"]
            assert first["phase"] == "Playing"
            assert first["size"] == [128, 64]
            now = snapshot()
            feed.publish(replace(now, view=replace(now.view, lamps=(Lamp("1", True, "slow"),))))
            assert await socket.receive_json() == {"table": {"lamps": [[True, "slow"]]}}
            feed.publish(snapshot(StopScreen(), phase="called"))
            later = (await socket.receive_json())["table"]
            assert later["phase"] == "Called"
            assert "pixels" not in later


def snapshots() -> int:
    """Return the number of snapshots in memory."""
    return sum(isinstance(item, Snapshot) for item in gc.get_objects())


@pytest.mark.parametrize("playable", [True, False])
async def test_open_pages_keep_only_the_latest_snapshots(playable: bool) -> None:
    """No snapshot waits for the garbage collector, either."""
    async with table(controls=Recorder() if playable else None) as (client, feed), AsyncExitStack() as stack:
        queries = "", "?language=de", "?show=board", "?show=wall&language=it"
        lines = [await stack.enter_async_context(client.ws_connect(f"/live{query}")) for query in queries]
        gc.collect()
        before = snapshots()
        gc.disable()
        stack.callback(gc.enable)
        for second in range(10 * CACHED):
            feed.publish(snapshot(PlayingScreen(second, 100, second * S, ())))
            for line in lines:
                assert (await line.receive_json()).keys() & {"table", "board", "wall"}
        assert 0 < snapshots() <= before + 3 * CACHED


async def test_a_silent_table_is_known_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.page.live.BEAT_S", 0.01)

    async with table() as (client, feed):
        feed.publish(snapshot())
        async with opened(client) as socket:
            assert "table" in await socket.receive_json()
            assert await socket.receive_json() == {}
            assert await socket.receive_json() == {}
            feed.publish(snapshot(dim=True))
            while not (message := await socket.receive_json()):
                pass
            assert message["table"] == {"dim": True}


async def test_sounds_come_with_their_delay_and_stale_ones_stay_away() -> None:
    async with table() as (client, feed), opened(client) as socket:
        feed.publish(snapshot())
        await socket.receive_json()
        feed.play(sound("long past", [(600, 150)], 0))
        feed.play(sound("hush", [(600, 150)], 0, cancels=True))
        feed.play(sound("go", [(1200, 500)], priority=4))
        assert await socket.receive_json() == {
            "sound": {"name": "hush", "notes": [], "delay_ms": 0, "priority": 2, "cancels": True}
        }
        assert await socket.receive_json() == {
            "sound": {"name": "go", "notes": [[1200, 500]], "delay_ms": 0, "priority": 4, "cancels": False}
        }


async def test_presses_releases_and_turns_reach_the_contacts_in_order() -> None:
    recorder = Recorder()
    async with table(controls=recorder) as (client, _), opened(client) as socket:
        for message in (press("3"), press("8"), press("3", False), {"turn": -2}, press("knob"), press("8", False)):
            await socket.send_json(message)
        await recorder.until(("3", True), ("8", True), ("3", False), -2, ("knob", True), ("8", False))


@pytest.mark.parametrize("politely", [True, False])
async def test_a_page_that_goes_away_lets_go(politely: bool) -> None:
    recorder = Recorder()
    async with table(controls=recorder) as (client, _), opened(client) as socket:
        await socket.send_json(press("3"))
        await socket.send_json(press("knob"))
        await recorder.until(("3", True), ("knob", True))
        if politely:
            await socket.close()
        else:
            socket._response.close()
        await recorder.until(("3", True), ("knob", True), ("3", False), ("knob", False))


async def test_two_pages_on_one_button_are_one_press() -> None:
    recorder = Recorder()
    async with table(controls=recorder) as (client, _), opened(client) as one, opened(client) as two:
        await one.send_json(press("1"))
        await recorder.until(("1", True))
        await two.send_json(press("1"))
        await two.send_json({"turn": 1})
        await recorder.until(("1", True), 1)
        await one.close()
        await two.send_json(press("2"))
        await recorder.until(("1", True), 1, ("2", True))
        await two.send_json(press("1", False))
        await recorder.until(("1", True), 1, ("2", True), ("1", False))


@given(st.lists(st.text(max_size=60) | st.binary(max_size=60), max_size=8))
@settings(max_examples=25, deadline=None)
def test_whatever_is_sent_changes_nothing_and_is_answered_in_a_sentence(messages: list[str | bytes]) -> None:
    async def play() -> None:
        recorder = Recorder()
        async with table(controls=recorder) as (client, _), opened(client) as socket:
            for message in messages:
                await (socket.send_str(message) if isinstance(message, str) else socket.send_bytes(message))
                assert list(await socket.receive_json()) == ["refused"]
            await socket.send_json({"turn": 1})
            await recorder.until(1)

    run(play)


@pytest.mark.parametrize("flood", ["x" * (MESSAGE_BYTES + 1), b"\xff"])
async def test_what_is_too_long_or_no_text_does_no_harm(flood: str | bytes) -> None:
    recorder = Recorder()
    async with table(controls=recorder) as (client, _):
        async with opened(client) as socket:
            await (socket.send_str(flood) if isinstance(flood, str) else socket.send_frame(flood, WSMsgType.TEXT))
            assert (await socket.receive()).type in (WSMsgType.CLOSE, WSMsgType.CLOSED)
        async with opened(client) as socket:
            await socket.send_json(press("1"))
            await recorder.until(("1", True))


async def test_too_much_at_once_is_said_once_and_letting_go_always_works() -> None:
    recorder = Recorder()
    async with table(controls=recorder) as (client, _), opened(client) as socket:
        await socket.send_json(press("1"))
        for _ in range(3 * BURST):
            await socket.send_json({"turn": 1})
        assert await socket.receive_json() == {"refused": TOO_FAST}
        await socket.send_json(press("1", False))
        while recorder.log[-1] != ("1", False):
            await asyncio.sleep(0)
        assert BURST <= len(recorder.log) < 2 * BURST
        await socket.send_json(press("1", False))  # not held before: it must not bypass the limit


async def test_a_flood_of_nonsense_is_not_answered_forever() -> None:
    async with table(controls=Recorder()) as (client, _), opened(client) as socket:
        for _ in range(2 * BURST):
            await socket.send_str("nonsense")
        said = [(await socket.receive_json())["refused"] for _ in range(BURST)]
        assert said == ["The message is not JSON."] * BURST


async def refusal(client: Any, **headers: str) -> int:
    with pytest.raises(WSServerHandshakeError) as caught:
        async with client.ws_connect("/live", headers=headers):
            pass
    return caught.value.status


@pytest.mark.parametrize("strange", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", ""])
async def test_a_foreign_page_cannot_open_the_line(strange: str) -> None:
    async with table(controls=Recorder()) as (client, _):
        assert await refusal(client, Origin=strange) == 403


async def test_a_rebound_name_cannot_open_the_line_even_from_its_own_origin() -> None:
    async with table(controls=Recorder()) as (client, _):
        assert await refusal(client, Origin="http://evil.example", Host="evil.example") == 403


@pytest.mark.parametrize("playable", [True, False])
async def test_without_an_origin_or_without_controls_the_line_only_shows(playable: bool) -> None:
    recorder = Recorder()
    async with table(controls=recorder if playable else None) as (client, feed):
        headers = {} if playable else {"Origin": origin(client)}
        async with client.ws_connect("/live", headers=headers) as socket:
            await socket.send_json(press("1"))
            assert await socket.receive_json() == {"refused": "This page only shows; nothing was pressed."}
            feed.publish(snapshot())
            assert "table" in await socket.receive_json()
        assert recorder.log == []


async def test_a_page_that_is_closed_before_it_is_answered_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    async with table() as (client, _):
        site = client.server.app[SITE]  # type: ignore[attr-defined]
        peer = site.budgets.peer("127.0.0.1", own=True)
        while peer.requests.reserve() < SOON_NS:
            pass
        _, page = await asyncio.open_connection("127.0.0.1", client.port)
        page.write(UPGRADE)
        await page.drain()
        page.transport.abort()
        async with client.get("/table") as answer:  # its turn comes after the page's
            assert answer.status == 200
        assert (site.budgets.pages, [record.message for record in caplog.records]) == (0, [])


async def test_one_guest_cannot_take_every_place() -> None:
    async with served(Feed(), is_own=lambda peer, here: peer == "127.0.0.1") as address, AsyncExitStack() as stack:

        async def opened_from(peer: str) -> int:
            connector = TCPConnector(local_addr=(peer, 0), limit=0)
            session = await stack.enter_async_context(ClientSession(connector=connector))
            for count in range(PAGES_MOST + 1):
                try:
                    await stack.enter_async_context(session.ws_connect(address + "live"))
                except WSServerHandshakeError as refused:
                    return count if refused.status == 503 else -1
            return -1

        assert await opened_from("127.0.0.2") == GUEST.pages
        others = [await opened_from(f"127.0.0.{n}") for n in range(3, 12)]
        assert GUEST.pages + sum(others) == PAGES_MOST - PAGES_KEPT
        assert others[:6] == [GUEST.pages] * 6
        assert await opened_from("127.0.0.1") == PAGES_KEPT
