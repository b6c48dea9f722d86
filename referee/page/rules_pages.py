"""The rulebook on the page: find a preset's rule, with its source, by a question.

    /rules?preset=nna&words=half+a+pile

It is the same rulebook as at the knob and in `referee rules` (`core/rulebook`, `language/rulebook.py`): the presets
with no option changed, in the reader's language.
"""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from referee.core.model.registry import preset_called, presets, rulebook
from referee.core.rulebook.book import RuleAnswer
from referee.language.display import display_text
from referee.language.words import current_language, speaking
from referee.page.request import Reader, answer, reader

MOST_WORDS = 200
"""Maximum characters of a question."""


async def rules(request: web.Request) -> web.StreamResponse:
    """Serve the rulebook's page. It is made in a thread, because the search reads all topics."""
    return await asyncio.to_thread(_page, reader(request), request)


def _page(who: Reader, request: web.Request) -> web.StreamResponse:
    books = [name for name, game in presets().items() if game.RULEBOOK]
    asked = preset_called(request.query.get("preset", ""))
    preset = asked if asked in books else books[0]
    words = request.query.get("words", "")[:MOST_WORDS].strip()
    with speaking(who.language):
        found, others = _answers(preset, words)
        values: dict[str, Any] = {"books": books, "preset": preset, "words": words, "most_words": MOST_WORDS}
        return answer(who, "rules.html", found=found, others=others, **values)


def _answers(preset: str, words: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the topic that the words ask about, if any, and similar topics; without words, all topics as similar."""
    known = rulebook(preset, {})
    if not words:
        return [], [*map(_topic, known)]
    from referee.language.rules.search import find

    found = find(known, words, current_language())
    return [*map(_topic, found.topics)], [*map(_topic, found.nearest)]


def _topic(one: RuleAnswer) -> dict[str, object]:
    """Return a topic with every sentence of its answer, and its sources."""
    from referee.language.display import sources_of  # imported here because it imports every game

    pages = [(display_text(page.text), sources_of(page.sources)) for page in one.pages]
    return {"key": one.topic, "title": display_text(one.title), "pages": pages}
