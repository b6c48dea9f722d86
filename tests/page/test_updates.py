"""The host's phone sends a newer version; the real update program checks it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.page import update_upload as update
from referee.page.update_upload import UpdateInbox, said_text
from referee.storage.update_report import read_said
from tests.device.test_phones import Party, party
from tests.packaging.test_update import TOOLS, Machine
from tests.page.lines import origin

pytestmark = pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine whose update program the page starts."""
    made = Machine(tmp_path / "machine")
    for name in ("PATH", "REFEREE_ROOT"):
        monkeypatch.setenv(name, made.environ[name])
    return made


def inbox(machine: Machine) -> UpdateInbox:
    return UpdateInbox((str(machine.bin / "update"), str(machine.inbox)))


async def sent(table: Party, body: Any, cookie: str, **headers: str) -> tuple[int, Any]:
    """Return the answer to a phone's newer version."""
    headers = {"Origin": origin(table.client), "Content-Type": "application/x-tar", **headers}
    url = table.client.make_url("/api/update")
    async with table.client.session.post(url, data=body, headers=headers, cookies={"phone": cookie}) as answer:
        return answer.status, await answer.json()


async def test_the_host_sends_a_newer_version(tmp_path: Path, machine: Machine) -> None:
    """The setup page has the form for the host alone, and says what became of the file."""
    bundle = machine.bundle(machine.package("0.2.0")).read_bytes()
    async with party(tmp_path / "table", update=inbox(machine)) as table:
        host = await table.phone()
        told = "Version 0.2.0 can be installed. Hold the knob to install it, or turn it for later."
        assert await sent(table, bundle, host) == (200, {"kind": "offer", "told": told})
        assert machine.left_in_inbox() == {"arrived"}
        url = table.client.make_url("/setup")
        async with table.client.session.get(url, cookies={"phone": host}) as page:
            shown = await page.text()
            assert (told in shown, 'src="/update.js"' in shown) == (True, True)
        async with table.client.session.get(url) as page:
            assert "update" not in await page.text()
        german = await sent(table, bundle[:3000], host, Cookie=f"phone={host}; language=de")
        assert german[1]["told"].startswith("Das Paket ist nicht signiert")
    assert machine.run("install")["kind"] == "installed"


async def test_only_the_host_sends_one_and_none_without_end(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another page's form and other phones are refused before the file is read; a long file and a full disk end it."""

    async with party(tmp_path / "table", update=inbox(machine)) as table:
        host, guest = await table.phone(), await table.phone()
        assert (await sent(table, b"", guest))[0] == 403
        assert (await sent(table, b"", host, Origin="http://elsewhere.example"))[0] == 403
        assert (await sent(table, b"", "nobody"))[0] == 401
        assert machine.left_in_inbox() == set()
        monkeypatch.setattr(update, "MOST_BYTES", 1 << 18)
        assert await sent(table, b"x" * (1 << 19), host) == (413, {"error": "The file is too large for an update."})
        monkeypatch.setattr(update, "SPARE_BYTES", 1 << 62)
        told = "There is too little space for the update."
        assert await sent(table, b"x" * 1000, host) == (503, {"error": told})
        assert machine.left_in_inbox() == set()


async def test_a_device_without_the_program_takes_none(tmp_path: Path) -> None:
    async with party(tmp_path / "table") as table:
        host = await table.phone()
        assert (await sent(table, b"", host))[0] == 404
        async with table.client.session.get(table.client.make_url("/setup"), cookies={"phone": host}) as page:
            assert "update.js" not in await page.text()


def test_what_the_program_says_is_a_sentence_of_ours(tmp_path: Path) -> None:
    """Nothing else in that file is shown."""
    for text in ("", "[]", '{"kind": "offer"}', json.dumps({"kind": "?", "version": "1", "boot": "", "at": 1})):
        (tmp_path / "says.json").write_text(text)
        assert said_text(read_said(tmp_path)) == ""
    (tmp_path / "says.json").unlink()
    os.mkfifo(tmp_path / "says.json")
    assert read_said(tmp_path) is None
