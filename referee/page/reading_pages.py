"""The pages of the rulebook and of the setup.

Find a preset's rule, with its source, by a question:

    /rules?preset=nna&words=half+a+pile

It is the same rulebook as at the knob and in `referee rules` (`core/rulebook.py`, `language/rules/`): the presets
with no option changed, in the reader's language.

    /setup           the table's own rules; the host's phone changes them here and saves them under a name
    /setup/PRESET    one preset without changes

Every viewer may read it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from aiohttp import web

from referee.core.messages import Part, msg
from referee.core.model.options import RuleOption
from referee.core.model.registry import game_named, preset_called, presets, rulebook
from referee.core.model.table import Setup
from referee.core.model.transitions import Setting
from referee.core.phases.settings import offered_settings
from referee.core.reading import value_text
from referee.core.rulebook import RuleAnswer
from referee.core.values import Json
from referee.language.display import display_text
from referee.language.rules.options import allowed_values, meaning, preset_about
from referee.language.rules.options import source as sourced
from referee.language.words import book, current_language, reader_name, speaking
from referee.page.api import NOTHING_YET
from referee.page.request import Reader, answer, reader, refusal, send_json
from referee.page.site import SITE

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


async def played_setup(request: web.Request) -> dict[str, Json] | None:
    """Ask the device for the table's setup. Return it as JSON data, or None if that fails."""
    desk = request.app[SITE].desk
    if desk is None:
        return None
    told = await desk.ask("", {"do": "setup", "language": reader(request).language})
    return dict(told.document) if told.status == 200 else None


async def document(request: web.Request) -> web.Response:
    """Serve the table's setup as JSON; 503 while it is unknown."""
    found = await played_setup(request)
    if found is None:
        return send_json({"error": NOTHING_YET}, 503)
    return send_json(found)


async def table(request: web.Request) -> web.Response:
    """Serve the page of the table's rules, with links to every preset."""
    who, now, host = reader(request), await played_setup(request), request.app[SITE].is_host(request)
    with speaking(who.language):
        about = [(name, preset_about(game, name)) for name, game in presets().items()]
        updates = request.app[SITE].update.said if host else None
        shown = _table(now) if now else {}
        return answer(who, "setup.html", host=host, now=now, presets=about, updates=updates, **shown)


async def preset(request: web.Request) -> web.Response:
    """Serve the page of one preset with its options; 404 for an unknown one."""
    who, name = reader(request), request.match_info["preset"]
    game = presets().get(name)
    if game is None:
        return refusal(who, 404, partial(book, "setup"), partial(book, "no_such_preset"))
    with speaking(who.language):
        values = game.preset_values(name)
        options = [_option(name, option, *values[option.name]) for option in game.OPTIONS]
        return answer(who, "preset.html", preset=name, about=preset_about(game, name), options=options)


def _table(now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template values: seated people, all presets, the options that can be changed."""
    name, own = str(now["preset"]), dict(now["own"])
    values = presets()[name].preset_values(name)
    sources = {option: source for option, (_, source) in values.items()} | dict.fromkeys(own, book("the_table"))
    open_ones = {setting.name for setting in offered_settings(Setup(name, tuple(own.items())))}
    options = [option for option in presets()[name].OPTIONS if option.name in open_ones]
    return {
        "seated": [one | {"name": reader_name(one["name"])} for one in now["seats"] if one["name"]],
        "known": presets(),
        "options": [_option(name, one, now["options"][one.name], sources[one.name]) for one in options],
    }


def _option(preset: str, option: RuleOption, value: Json, source: str) -> dict[str, object]:
    """Return the template values of an option. source: where the value comes from."""
    game = presets()[preset]
    line = next((line for line in game_named(preset).settings if line.name == option.name), None)
    choices = [True, False] if option.kind == "switch" else list(getattr(option, "choices", ()))
    texts = option.kind == "choice-or-number" or any(isinstance(choice, str) for choice in choices)
    return {
        "name": option.name,
        "shown": _knob_line(line, value) if line else f"{option.name}: {value_text(value)}",
        "label": _knob_line(line, value).partition(": ")[0] if line else option.name,
        "source": sourced(source),
        "meaning": meaning(game, option),
        "kind": "text" if texts or not (choices or isinstance(value, int | float)) else "json",
        "choices": [_choice(line, choice, value) for choice in choices],
        "value": value_text(value),
        "allowed": allowed_values(option),
        "sources": sourced(option.sources),
    }


def _choice(line: Setting | None, choice: object, value: object) -> tuple[str, str, bool]:
    """Return a choice's typed text, its text in the knob's list, and whether it equals `value`."""
    typed = value_text(choice)
    return typed, display_text(_choice_text(line, choice)), typed == value_text(value)


def _knob_line(line: Setting, value: Json) -> str:
    """Return an option and its value as the knob's list shows them: "Target: 100".

    The text is in the reader's language.
    """
    text = display_text(msg(line.line, choice=_choice_text(line, value)))
    return text[:1].upper() + text[1:]


def _choice_text(line: Setting | None, value: object) -> Part:
    """Return the text of a value in the knob's list; if the list lacks it, `value_text(value)`."""
    choices = line.choices if line else ()
    return next((said for choice, said in choices if value_text(choice) == value_text(value)), value_text(value))
