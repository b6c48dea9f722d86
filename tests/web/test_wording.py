"""Every text of every page in every language: nothing stands in English on a German or an Italian page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from referee.core.model.registry import preset_name, presets
from referee.language.words import LANGUAGES
from tests.commands.house import journaled
from tests.core.evenings import counted
from tests.english import is_names
from tests.web.lines import Recorder
from tests.web.test_history import telling
from tests.web.test_phones import party
from tests.web.test_setup import seen

SPOKEN = ("aria-label", "alt", "title", "placeholder", "label")
"""Attributes that people read or hear."""
AS_TYPED = ("code", "style", "script")
"""What stands in these is for machines, or as people type it into a file: the same in every language."""


class Texts(HTMLParser):
    """The texts that people read or hear on a page, its scripts' among them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._typed = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._typed += tag in AS_TYPED
        for name, value in attrs:
            if name in SPOKEN:
                self.found.add((value or "").strip())
            if name == "data-labels":
                self.found |= set(_leaves(json.loads(value or "")))

    def handle_endtag(self, tag: str) -> None:
        self._typed -= tag in AS_TYPED

    def handle_data(self, data: str) -> None:
        if not self._typed:
            self.found.add(" ".join(data.split()))


def _leaves(told: object) -> Iterator[str]:
    """Every text of a JSON document, not the names of its members."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for one in told.values() if isinstance(told, dict) else told:
            yield from _leaves(one)


def texts(page: str) -> set[str]:
    """What stands there in letters."""
    reader = Texts()
    reader.feed(page)
    return {text for text in reader.found if re.search(r"[^\W\d_]{2}", text)}


PATHS = (
    "/table",
    "/scores",
    "/scores/1.1",
    "/wall",
    "/join",
    "/history",
    "/history/1",
    "/evening/1",
    "/statistics",
    "/setup",
    *(f"/setup/{name}" for name in presets()),
    *(f"/rules?preset={name}" for name, game in presets().items() if game.RULEBOOK),
    "/rules?words=xylophone",
)

SAME = re.compile(
    r"\(((?:(?:NNA|pagat|Reeves|Keeling)(?:, )?)+)\)"  # what the rulebook names
    r"|[±+\d.–]* ?ms|Bonus: \d+|(Anna|Ben|Max)\b[ \d·:]*((Anna|Ben|Max)\b[ \d:]*)*"
    r"|English|Deutsch|Italiano|CSV|JSON|Excel|TV|Esc"
)
"""Names of people, sources, languages, files and keys."""
ALIKE = {
    *("Red", "Blue", "Green"),  # packs by their backs: names, as the journal has them
    *("Bonus", "Name", "Team", "Teams", "Start"),  # German, too
    *("Phase:", "Enter", "Hand: {cards}"),
    *("Handicap", "No", "bot", "klondike", "no"),  # Italian, too
}
"""Words that are the same in another language."""


def sources() -> set[str]:
    """Whatever the presets say of where a value is from."""
    return {text for name, game in presets().items() for _, text in game.preset_values(name).values()}


@pytest.mark.parametrize("language", LANGUAGES[1:])
async def test_nothing_on_a_page_is_left_in_english(language: str, tmp_path: Path) -> None:
    """Word for word the same are names alone."""

    journaled(tmp_path / "past")
    async with party(tmp_path, past=telling(tmp_path / "past"), controls=Recorder()) as table:
        host = await table.phone()
        counted(table.sitting.playing("1", "2", "3"), "1", 20, "2", "3")
        table.shown()
        same: dict[str, str] = {}
        for path in PATHS:
            more = "&" if "?" in path else "?"
            english, other = [texts(await seen(table, f"{path}{more}language={one}", host)) for one in ("en", language)]
            same |= dict.fromkeys(english & other, path)
        names = {name for preset in presets() for name in (preset_name(preset), f"31: {preset_name(preset)}")}
        names |= {f"({text})" for text in sources() if is_names(text)}
        assert {text for text in same if not SAME.fullmatch(text)} - names - ALIKE == set(), same
