"""A phone that has joined the own network asks whether it must open a page; the answer leads to the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from aiohttp import ClientSession

from referee.core.model.view import WifiScreen
from referee.page import app
from referee.page.feed import Feed
from referee.protocol.snapshot import Snapshot
from tests.page.lines import served
from tests.screens.samples import view

DNSMASQ = Path(__file__).parents[2] / "systemd" / "referee.dnsmasq"
PROBES = {
    "connectivitycheck.gstatic.com": "/generate_204",
    "clients3.google.com": "/gen_204",
    "captive.apple.com": "/hotspot-detect.html",
    "www.msftconnecttest.com": "/connecttest.txt",
    "www.msftncsi.com": "/ncsi.txt",
    "detectportal.firefox.com": "/canonical.html",
    "nmcheck.gnome.org": "/check_network_status.txt",
    "network-test.debian.org": "/nm",
    "networkcheck.kde.org": "/",
}


@pytest.mark.parametrize(("host", "path"), PROBES.items())
async def test_the_usual_questions_lead_to_the_page(host: str, path: str) -> None:
    async with served(Feed()) as address, ClientSession() as session:
        async with session.get(f"{address.rstrip('/')}{path}", headers={"Host": host}, allow_redirects=False) as answer:
            assert answer.status == 302
            place = answer.headers["Location"]
        async with session.head(address, headers={"Host": host.upper()}, allow_redirects=False) as answer:
            assert answer.status == 302
        assert place == address.replace("localhost", "127.0.0.1")
        async with session.get(place) as answer:
            assert answer.status == 200


async def test_another_host_and_a_write_are_refused_as_ever() -> None:
    async with served(Feed()) as address, ClientSession() as session:
        async with session.get(f"{address}generate_204", headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
        async with session.post(f"{address}api/pair", headers={"Host": "captive.apple.com"}) as answer:
            assert answer.status == 403


def test_the_own_network_s_password_is_for_the_display_alone() -> None:
    shown = Snapshot(view(WifiScreen("own", name="Table 42", password="k7q4xm2p9r")), b"\xff" * 1024, 128, 64)
    assert shown.veiled.view.screen == WifiScreen("own")
    assert not any(shown.veiled.pixels)
    waiting = Snapshot(view(WifiScreen("own")), b"\xff" * 1024, 128, 64)
    assert waiting.veiled is waiting


def test_the_name_server_of_the_own_network_sends_the_same_hosts_here() -> None:
    sent = re.findall(r"^address=/(.*)/10\.42\.0\.1$", DNSMASQ.read_text("utf-8"), re.MULTILINE)
    assert sorted(sent) == sorted(app.HOSTS)
    assert PROBES.keys() <= app.HOSTS
