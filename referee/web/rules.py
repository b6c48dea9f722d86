"""The rulebook on the page: what a preset's rules answer to a dispute, with the source, found by people's own words.

    /rules?preset=nna&words=half+a+pile

It is the rulebook of the knob and of `referee rules` (`core/rulebook`, `language/rulebook.py`): the presets as they are
played without changes, in the reader's language.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from aiohttp import web

from referee.core.model.registry import preset_called, preset_name, presets, rulebook
from referee.core.rulebook.book import RuleAnswer
from referee.language.words import current_language, speaking
from referee.web import wording
from referee.web.frame import Reader, answer, reader
from referee.web.markup import Markup, el, join_markup

MOST_WORDS = 200
"""Signs of a question; more are no question."""


async def rules(request: web.Request) -> web.StreamResponse:
    """The rulebook's page; made beside the loop, for the words of all topics are looked through."""
    return await asyncio.to_thread(_page, reader(request), request)


def _page(who: Reader, request: web.Request) -> web.StreamResponse:
    books = [name for name, game in presets().items() if game.RULEBOOK]
    asked = preset_called(request.query.get("preset", ""))
    preset = asked if asked in books else books[0]
    words = request.query.get("words", "")[:MOST_WORDS].strip()
    with speaking(who.language):
        return answer(who, wording.RULEBOOK(), [_search(books, preset, words), _answers(preset, words)])


def _search(books: Sequence[str], preset: str, words: str) -> Markup:
    choices = (el("option", preset_name(name), value=name, selected=name == preset) for name in books)
    return el(
        "form",
        el("label", wording.PRESET(), el("select", *choices, name="preset")),
        el(
            "label",
            wording.WORDS(),
            el("input", name="words", type="search", value=words, maxlength=MOST_WORDS),
            class_="grow",
        ),
        el("button", wording.SEARCH(), class_="main"),
        action="/rules",
        method="get",
        role="search",
        class_="search",
    )


def _answers(preset: str, words: str) -> Markup:
    known = rulebook(preset, {})
    if not words:
        return join_markup(map(_details, known))
    from referee.language.rules.search import find

    found = find(known, words, current_language())
    if found.topics:
        return join_markup(map(topic, found.topics))
    return join_markup([el("p", wording.NOT_FOUND(), role="status"), *map(_details, found.nearest)])


def _details(one: RuleAnswer) -> Markup:
    """A topic by its title, to be opened."""
    from referee.language.display import display_text

    return el("details", el("summary", display_text(one.title)), *_sentences(one), id=one.topic)


def topic(one: RuleAnswer) -> Markup:
    """A topic with every sentence of its answer, and who says so."""
    from referee.language.display import display_text

    return el("section", el("h2", display_text(one.title)), *_sentences(one), id=one.topic)


def _sentences(one: RuleAnswer) -> Iterator[Markup]:
    from referee.language.display import display_text, sources_of

    for page in one.pages:
        yield el("p", display_text(page.text), " ", el("span", f"({sources_of(page.sources)})", class_="source"))
