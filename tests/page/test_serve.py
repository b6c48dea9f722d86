"""The HTTP server: what it accepts, how fast, and how it answers invalid requests."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

import pytest
from aiohttp import ClientSession
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.device.children.page import address_of, bind_sockets
from referee.page import connections as door
from referee.page.connections import GUEST
from referee.page.feed import Feed
from tests.page.lines import run, served


def port_of(address: str) -> int:
    return int(address.rstrip("/").rpartition(":")[2])


async def said(port: int, what: bytes, *, more: bool = True) -> bytes:
    """Return the page's answer to these bytes until it disconnects.

    more: whether further bytes may follow.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(what)
        if not more:
            writer.write_eof()
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        await close(writer)


async def close(*writers: asyncio.StreamWriter) -> None:
    """Disconnect."""
    for writer in writers:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def test_a_malformed_request_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """No traceback, a plain sentence to the client, and the page goes on."""

    async with served(Feed()) as address:
        with caplog.at_level(logging.DEBUG):
            answer = await said(port_of(address), b"\x00\xff nonsense\r\n\r\n")
        assert answer.startswith(b"HTTP/1.0 400 ")
        assert answer.endswith(b"That is no request that this page understands.\n")
        async with ClientSession() as session, session.get(address) as page:
            assert page.status == 200

    about = [record for record in caplog.records if record.name != "asyncio"]
    assert len(about) == 1
    assert about[0].getMessage().startswith("the page: no request from 127.0.0.1: ")
    assert about[0].exc_info is None
    assert "\n" not in about[0].getMessage()


async def test_foreign_cookies_lock_no_browser_out() -> None:
    """Ten of maximum size from other programs on this host, and an invalid one.

    A larger one is named as too large.
    """

    async with served(Feed()) as address:
        get = f"GET /join HTTP/1.1\r\nHost: localhost:{port_of(address)}\r\nConnection: close\r\nCookie: "
        foreign = "; ".join(["no cookie", *(f"other{n}={'x' * 4000}" for n in range(10))])
        assert (await said(port_of(address), f"{get}{foreign}\r\n\r\n".encode())).startswith(b"HTTP/1.1 200 ")
        assert b"cookies" in await said(port_of(address), f"{get}{'x' * 100_000}\r\n\r\n".encode())


async def test_head_of_many_long_fields_is_not_kept() -> None:
    """Each field is short enough; all of them would use a megabyte per connection."""

    async with served(Feed()) as address:
        host = f"GET /join HTTP/1.1\r\nHost: localhost:{port_of(address)}\r\nConnection: close\r\n"
        fields = "".join(f"X-{n}: {'x' * 60_000}\r\n" for n in range(20))
        assert await said(port_of(address), f"{host}{fields}\r\n".encode()) == b""
        assert (await said(port_of(address), f"{host}\r\n".encode())).startswith(b"HTTP/1.1 200 ")


def test_a_flood_of_nonsense_does_not_flood_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """After the first lines there is one per second, with the number of the others."""

    async def play() -> None:
        async with served(Feed()) as address:
            for _ in range(3 * door.LINES[1]):
                await said(port_of(address), b"nonsense\r\n\r\n")

    with caplog.at_level(logging.INFO, "referee"):
        run(play)
    assert door.LINES[1] <= len(caplog.records) <= door.LINES[1] + 8


@settings(max_examples=15, deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=8))
def test_whatever_is_sent_the_page_goes_on(messages: list[bytes]) -> None:
    async def play() -> None:
        async with served(Feed()) as address:
            good = f"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:{port_of(address)}\r\n\r\n".encode()
            await asyncio.gather(
                *(said(port_of(address), lead + what, more=False) for what in messages for lead in (b"", good))
            )
            async with ClientSession() as session, session.get(address) as page:
                assert page.status == 200

    run(play)


async def test_a_peer_s_connections_are_counted_and_given_back() -> None:
    """A guest with too many connections loses its oldest idle one; others lose none."""

    own = "127.0.0.1"
    async with served(Feed(), is_own=lambda peer, here: peer == own) as address:
        port = port_of(address)

        async def silent(peer: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
            return await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))

        held = [await silent("127.0.0.2") for _ in range(GUEST.connections)]
        for peer in ("127.0.0.2", own, "127.0.0.3"):
            reader, writer = await silent(peer)
            writer.write(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            await close(writer)
        assert await held[0][0].read() == b""
        assert not held[1][0].at_eof()
        await close(*(writer for _, writer in held))
        reader, writer = await silent("127.0.0.2")
        writer.write(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
        await close(writer)


async def test_half_open_requests_keep_nobody_out() -> None:
    """400 of them, from the table's own machine and ten guests.

    Another page still loads at once.
    """

    async with served(Feed(), is_own=lambda peer, here: peer == "127.0.0.1") as address:
        port = port_of(address)

        async def half(peer: str) -> asyncio.StreamWriter:
            _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))
            writer.write(b"GET / HTTP/1.1\r\nHost: loc")
            return writer

        guests = [f"127.0.0.{n}" for n in range(2, 12) for _ in range(20)]
        held = [await half(peer) for peer in [*("127.0.0.1",) * 200, *guests]]
        for peer in ("127.0.0.1", "127.0.0.2", "127.0.0.99"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))
            writer.write(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
            await close(writer)
        await close(*held)


async def test_a_connection_that_asks_nothing_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "QUIET_S", 0.05)

    async with served(Feed()) as address:
        for begun in (b"", b"GET / HTTP/1.1\r\nHost: loc"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(address))
            writer.write(begun)
            assert await reader.read() == b""
            await close(writer)


def test_an_address_that_is_taken_is_an_error_and_leaves_nothing_bound() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        bind_sockets("127.0.0.1", taken.getsockname()[1])


def test_a_host_s_every_address_listens_on_one_port() -> None:
    sockets = bind_sockets("localhost", 0)
    assert len({listener.getsockname()[1] for listener in sockets}) == 1
    for listener in sockets:
        listener.close()


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "http://localhost:80/"), ("0.0.0.0", "http://den.local:80/"), ("fe80::1", "http://[fe80::1]:80/")],
)
def test_the_address_is_one_to_open(host: str, shown: str) -> None:
    assert address_of(80, host, "den.local") == shown
