"""The page under the name that avahi has given the machine, and under no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient

from referee.page.app import create_app
from referee.page.feed import Feed
from referee.page.site import Site
from referee.web.guard import Hosts
from referee.web.mdns import AGAIN_S, GivenName, given_name
from tests.page.lines import Server


class Avahi:
    """An avahi that assigns and changes names."""

    def __init__(self, name: str) -> None:
        self.name, self.asked, self.now_s = name, 0, 0.0

    async def __call__(self) -> str:
        self.asked += 1
        return self.name


async def test_page_answers_under_a_name_that_avahi_has_changed() -> None:
    avahi = Avahi("den-2.local")

    app = create_app(Site(Feed(), Hosts(names=["den.local"]), given=GivenName(avahi, lambda: avahi.now_s)))
    async with TestClient(Server(app)) as client:

        async def status(host: str) -> int:
            async with client.get("/icon.svg", headers={"Host": f"{host}:8080"}) as answer:
                return answer.status

        assert [await status(host) for host in ("den.local", "evil.example", "DEN-2.local")] == [200, 403, 200]
        avahi.name = "den-3.local"
        assert [await status("den-3.local") for _ in range(9)] == [403] * 9
        assert avahi.asked == 1
        avahi.now_s += AGAIN_S
        assert [await status(host) for host in ("den-3.local", "den-2.local")] == [200, 403]


def test_machine_without_avahi_has_no_such_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'no-bus'}")
    assert asyncio.run(given_name()) == ""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert asyncio.run(given_name()) == ""
