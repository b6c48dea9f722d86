"""Names in Hebrew, Arabic and emoji: they move no figure and never become empty boxes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from referee.core.documents.record import from_document, to_document
from referee.core.messages import Label, msg
from referee.core.model.view import SeatCell
from referee.language.words import speaking
from referee.screens import drawable
from referee.storage.records.store import Records
from referee.web.drawing import Lettering, png, svg
from tests.commands.house import journaled
from tests.page.lines import origin, table
from tests.page.preview import Show
from tests.page.test_history import history_page

DANA, MOHAMED, PARTY, FAMILY = "דנה כהן", "محمد", "🎉🎉", "Zoë 👩\u200d👩\u200d👧"
NAMES = (DANA, MOHAMED, PARTY, FAMILY)
KEPT_APART = re.compile('<bdi>[^<]*</bdi>|\u2068[^\u2069]*\u2069|(?:href|value|data-[a-z]+)="[^"]*"')


def adrift(text: str) -> str:
    """Return the right-to-left letters that would move text next to them."""
    return "".join(re.findall("[\u0590-\u08ff]+", KEPT_APART.sub("", text)))


def foreign(state: Path) -> Path:
    """Write past matches of people with such names."""
    journaled(state)
    text = json.dumps(to_document(Records(state).read("1")))
    for usual, name in zip(("Anna", "Ben", "Max"), NAMES, strict=False):
        text = text.replace(json.dumps(usual), json.dumps(name))
    Records(state).add(from_document(json.loads(text) | {"id": "foreign"}))
    return state


async def test_the_past_keeps_every_name_to_itself(tmp_path: Path) -> None:
    """On each page, in pictures and in the shared page; exports have the unchanged name."""

    async with history_page(foreign(tmp_path)) as client:
        pages = ("/history", "/history/A1", "/history/A1/1.1", "/evening/1", "/statistics")
        for path in (*pages, "/evening/1.svg", "/evening/1.html", "/history/A1/1.1.svg"):
            text = await (await client.get(path)).text()
            assert DANA in text or MOHAMED in text, path
            assert adrift(text) == "", path
            assert "\N{REPLACEMENT CHARACTER}" not in text, path
        for path in ("/history/A1.json", "/history/A1.csv", "/api/history"):
            text = await (await client.get(path)).text()
            assert not {"\u2068", "\u2069", r"\u2068"} & {*text, *re.findall(r"\\u\w{4}", text)}, path


@pytest.mark.parametrize("at", [0, 3, 5, 8])
async def test_the_match_keeps_every_name_to_itself(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.page.preview.NAMES", NAMES)

    show = Show(4, watch=True)
    show.at = at
    show.show()
    async with table(feed=show.feed) as (client, _):
        for path in ("/scores", "/wall", "/table", "/join"):
            text = await (await client.get(path)).text()
            assert DANA in text, path
            assert adrift(text) == "", path
        for query in ("", "?show=board", "?show=wall"):
            async with client.ws_connect(f"/live{query}", headers={"Origin": origin(client)}) as socket:
                text = (await socket.receive()).data
            assert DANA in text
            assert adrift(text) == "", query


def test_a_picture_has_figures_behind_the_name_and_no_boxes() -> None:
    """Score and name keep their order; an emoji is one mark, even if it has several code points."""

    def drawn(text: str) -> bytes:
        return png([Lettering(5, 20, text)], 120, 30)

    assert drawn(f"{MOHAMED} 12 5") != drawn(f"12 5 {MOHAMED}")
    assert drawn(FAMILY) == drawn("Zoë ☺")
    assert drawn("🇮🇹 👍🏽 🧑\u200d🚀") == drawn("☺ ☺ ☺")
    assert ">Zoë ☺</text>" in svg([Lettering(5, 20, FAMILY)], 120, 30).decode()


def test_the_display_leaves_pictures_out_and_still_knows_everybody() -> None:
    """A seat whose name is only emoji is called by its number and its pack."""
    assert drawable(Label((4,), FAMILY)) == Label((4,), "Zoe")
    with speaking("de"):
        assert drawable(Label((3,), PARTY)) == Label((3,), "Grün")
        assert drawable(SeatCell(1, "🇮🇹👍🏽")) == SeatCell(1, "Rot")
    assert drawable("Ben ♆ 𝄞") == "Ben"
    assert drawable(msg("said", name=PARTY)) == msg("said", name="?")
