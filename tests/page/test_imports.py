"""Import an evening on one device's page that was exported from another's."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.page import phone_requests as phones
from referee.page.site import SITE
from tests.commands.house import contents, journaled
from tests.device.test_phones import Party, party
from tests.page.lines import Client, origin
from tests.page.test_history import PastHere, history_page

HERE = "this match is here already, as match A1; nothing was changed"
BROKEN = "this is no match that a referee has exported; nothing was changed"


async def fetched(client: Client, path: str) -> bytes:
    """Return a file of the page."""
    async with client.get(path) as answer:
        assert answer.status == 200, path
        return await answer.read()


async def exported(folder: Path) -> list[bytes]:
    """Return an evening's two matches as downloaded from their pages."""
    async with history_page(journaled(folder)) as client:
        return [await fetched(client, f"/history/{number}.json") for number in (1, 2)]


@asynccontextmanager
async def elsewhere(folder: Path) -> AsyncIterator[Party]:
    """Another device without any matches."""

    async with party(folder, past=PastHere(folder)) as table:
        yield table


async def sent(table: Party, body: bytes, cookie: str, **headers: str) -> tuple[int, Any]:
    """Return the answer to a phone's import."""
    headers = {"Origin": origin(table.client), "Content-Type": "application/json", **headers}
    url = table.client.make_url("/api/import")
    async with table.client.session.post(url, data=body, headers=headers, cookies={"phone": cookie}) as answer:
        return answer.status, await answer.json()


async def test_an_evening_that_was_exported_is_imported_elsewhere(tmp_path: Path) -> None:
    files = await exported(tmp_path / "here")
    async with elsewhere(tmp_path / "there") as table:
        host = await table.phone()
        assert json.loads(await fetched(table.client, "/api/history")) == {"matches": []}
        for number, body in enumerate(files, 1):
            told = {"match": f"A{number}", "new": True, "told": f"kept as match A{number}"}
            assert await sent(table, body, host) == (200, told)
        found = json.loads(await fetched(table.client, "/api/history"))["matches"]
        assert [match["match"] for match in found] == ["A1", "A2"]
        assert [await fetched(table.client, f"/history/A{number}.json") for number in (1, 2)] == files
        before = contents(tmp_path / "there")
        assert await sent(table, files[0], host) == (200, {"match": "A1", "new": False, "told": HERE})
        assert contents(tmp_path / "there") == before


def broken(whole: bytes) -> dict[str, bytes]:
    """Return files that are not matches, by name."""
    other_total = json.loads(whole)
    other_total["totals"] = dict.fromkeys(other_total["totals"], 99)
    return {
        "cut off": whole[: len(whole) // 2],
        "nested without end": b"[" * 100_000,
        "half a letter": whole.replace(b'"Ben"', b'"\\ud800"'),
        "a total that its counts deny": json.dumps(other_total).encode(),
    }


async def test_a_broken_file_is_one_sentence_and_changes_nothing(tmp_path: Path) -> None:
    """With or without a directory of matches."""

    whole, other = await exported(tmp_path / "here")
    async with elsewhere(tmp_path / "there") as table:
        host = await table.phone()
        assert (await sent(table, b"", host))[0] == 400
        assert (await sent(table, other, host))[0] == 200
        before = contents(tmp_path / "there")
        for what, body in broken(whole).items():
            table.client.app[SITE].writes.clear()
            status, told = await sent(table, body, host)
            assert (status, told["error"], bool(told["why"])) == (400, BROKEN, True), what
            assert "\n" not in told["why"], what
            assert contents(tmp_path / "there") == before, what
        german = await sent(table, b"{", host, Cookie=f"phone={host}; language=de")
        assert german[1]["error"].startswith("das ist keine Partie")


async def test_only_the_host_imports_and_nothing_longer_than_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests without the right are answered before the file is read.

    Another page's form is refused.
    """

    whole, _ = await exported(tmp_path / "here")
    async with elsewhere(tmp_path / "there") as table:
        host, guest = await table.phone(), await table.phone()
        before = contents(tmp_path / "there")
        for cookie, status in ((guest, 403), ("", 401)):
            assert (await sent(table, whole, cookie))[0] == status
        assert (await sent(table, whole, host, Origin="http://evil.example"))[0] == 403
        assert (await sent(table, whole, host, **{"Content-Type": "text/plain"}))[0] == 400
        monkeypatch.setattr(phones, "IMPORT_BYTES", len(whole) - 1)
        told = (413, {"error": "the file is longer than any match; nothing was changed"})
        assert await sent(table, whole, host) == told
        assert contents(tmp_path / "there") == before
        monkeypatch.setattr(phones, "IMPORT_BYTES", len(whole))
        assert (await sent(table, whole, host))[0] == 200


async def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    whole, _ = await exported(tmp_path / "here")
    not_now = (503, {"error": "the match cannot be kept now; nothing was changed"})
    async with party(tmp_path) as table:
        assert await sent(table, whole, await table.phone()) == not_now
    async with elsewhere(tmp_path / "there") as table:
        (tmp_path / "there" / "records").write_bytes(b"another program's" * 1000)
        assert await sent(table, whole, await table.phone()) == not_now


async def test_the_form_is_the_host_s(tmp_path: Path) -> None:
    async with elsewhere(tmp_path / "there") as table:
        host, guest = await table.phone(), await table.phone()
        for cookie, there in ((host, True), (guest, False), ("", False)):
            _, text = await table.get("/history", cookie)
            assert ('type="file"' in text) == there
            assert ("<script" in text) == there
