"""A match as a picture to send."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from referee.core.documents.record import Record, from_document
from referee.core.units import MS
from referee.core.values import Json, replace
from referee.language.words import LANGUAGES, speaking
from referee.page.link_preview import SIZES, card, earned_title
from referee.web.charts import width_of
from referee.web.drawing import Lettering, Rectangle
from tests.commands.house import journaled
from tests.page.test_history import history_page

JOURNALS = Path(__file__).parents[1] / "journals"


def match(*hands: tuple[int, int], gap_ns: int | None = None) -> Record:
    """Return a match to 30 of Anna and Ben: what each played in every hand; the better one called, `gap_ns` ahead."""
    document: Json = json.loads((JOURNALS / "nertz.json").read_text(encoding="utf-8"))
    names = ["Anna", "Ben"]
    callers = [names[ben > anna] for anna, ben in hands]
    document["teams"] = document["teams"][:2]
    document["match"] |= {
        "teams": names,
        "hands": [
            {"end": "call", "callers": [who], "counts": {"Anna": [anna, 0], "Ben": [ben, 0]}}
            for who, (anna, ben) in zip(callers, hands, strict=True)
        ],
    }
    document["hands"] = [
        {
            "scores": {"Anna": anna, "Ben": ben},
            "verdict": {"kind": "clear", "grey": False, "first": who, "gap_ns": gap_ns},
        }
        for who, (anna, ben) in zip(callers, hands, strict=True)
    ]
    totals = [sum(hand[at] for hand in hands) for at in (0, 1)]
    document["totals"] = dict(zip(names, totals, strict=True))
    document["winners"] = [names[totals[1] > totals[0]]]
    return from_document(document)


@pytest.mark.parametrize(
    ("hands", "gap_ns", "title"),
    [
        (((20, 10), (20, 10)), 5 * MS, "Decided by 5 ms"),
        (((5, 14), (6, 13), (10, 2), (20, 0)), None, "From last to first"),
        (((10, 5), (0, 10), (10, 0), (0, 9), (12, 5)), None, "The lead changed 4 times"),
        (((15, 15), (17, 16)), None, "Open until the last card"),
        (((10, 8), (10, 8), (12, 8)), None, "In front from start to end"),
        (((20, 5), (20, 5)), 400 * MS, "A clear win"),
        (((20, 15), (14, 10)), None, "The winner"),
    ],
)
def test_title_is_what_the_match_has_earned(hands: tuple[tuple[int, int], ...], gap_ns: int | None, title: str) -> None:
    assert earned_title(match(*hands, gap_ns=gap_ns)) == title


@pytest.mark.parametrize("game", ["nertz", "slap", "lastone", "thirtyone"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_card_of_each_game_stays_in_its_picture(game: str, language: str) -> None:
    record = from_document(json.loads((JOURNALS / f"{game}.json").read_text(encoding="utf-8")))
    for shape, (width, height) in SIZES.items():
        with speaking(language):
            drawn = card(record, shape)
        for part in drawn.shapes:
            assert 0 <= part.x <= width, part
            assert 0 <= part.y <= height, part
            if isinstance(part, Lettering) and part.anchor == "start":
                assert part.x + width_of(part.text, part.size) <= width + 8, part
            if isinstance(part, Rectangle):
                assert (part.x + part.width, part.y + part.height) <= (width, height)


async def test_cards_are_files_and_the_newest_match_has_an_address(tmp_path: Path) -> None:
    journaled(tmp_path)
    async with history_page(tmp_path) as client:
        newest = (await client.get("/history/last", allow_redirects=False)).headers["Location"]
        assert newest == "/history/2"
        text = await (await client.get("/history/1")).text()
        for shape, (width, height) in SIZES.items():
            answer = await client.get(f"/history/1/{shape}.png")
            image = Image.open(BytesIO(await answer.read()))
            assert image.size == (2 * width, 2 * height)
            assert f"/{shape}.png" in text
        assert (await client.get("/history/99/wide.png")).status == 404


def test_doubtful_lead_decides_nothing() -> None:
    clear = match((20, 10), (20, 10), gap_ns=5 * MS)
    *others, last = clear.hands
    assert last.verdict is not None
    grey = replace(last, verdict=replace(last.verdict, grey=True))
    assert earned_title(replace(clear, hands=(*others, grey))) != earned_title(clear) == "Decided by 5 ms"
