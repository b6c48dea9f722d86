"""The set-up on the page: what the table plays, and every preset with each option, what it does and who says so.

    /setup           the table's own rules; whose phone is the host changes them here, and keeps them under a name
    /setup/PRESET    one preset as it is played without changes

Reading is for whoever may look on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from aiohttp import web

from referee.core.messages import Part, msg
from referee.core.model.options import RuleOption
from referee.core.model.paper import Documents
from referee.core.model.registry import game_named, preset_name, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import Setting
from referee.core.phases.settings import offered_settings
from referee.core.values import Json
from referee.language.display import display_text
from referee.language.rules.options import allowed_values, meaning, preset_about
from referee.language.rules.options import source as sourced
from referee.language.words import reader_name, speaking
from referee.web import api, labels, wording
from referee.web.frame import answer, reader, refusal
from referee.web.markup import Content, Markup, el, join_markup
from referee.web.pairing import HOST
from referee.web.site import SITE


async def played_setup(request: web.Request) -> dict[str, Json] | None:
    """What the table plays (`Desk`); None where nobody can say."""
    desk = request.app[SITE].desk
    if desk is None:
        return None
    told = await desk.ask("", {"do": "setup", "language": reader(request).language})
    return dict(told.document) if told.status == 200 else None


async def document(request: web.Request) -> web.Response:
    """What the table plays, as JSON; 503 while nothing is known of it."""
    found = await played_setup(request)
    if found is None:
        return api.refusal(503, api.NOTHING_YET)
    return web.json_response(text=json.dumps(found, ensure_ascii=False), headers={"Cache-Control": "no-store"})


async def table(request: web.Request) -> web.Response:
    """The table's own rules, and the way to every preset."""
    who, now = reader(request), await played_setup(request)
    phone = request.app[SITE].phone(request)
    host = phone is not None and phone.role == HOST
    with speaking(who.language):
        script = el("script", src="/setup.js", type="module") if host else None
        return answer(who, wording.SETUP(), [_table(now, host) if now else None, _presets()], scripts=script)


async def preset(request: web.Request) -> web.Response:
    """The page of one preset with its options; 404 for an unknown one."""
    who, name = reader(request), request.match_info["preset"]
    game = presets().get(name)
    with speaking(who.language):
        if game is None:
            return refusal(who, 404, wording.SETUP, wording.NO_SUCH_PRESET)
        values = {option: value for option, (value, _) in game.preset_values(name).items()}
        sources = {option: source for option, (_, source) in game.preset_values(name).items()}
        body = [el("p", preset_about(game, name)), _options(name, game.options(), values, sources, host=False)]
        return answer(who, preset_name(name), body)


def _presets() -> Markup:
    """Every preset as a list: its name, a link to its rules, a word on what it is."""
    rows = (
        el("li", el("a", preset_name(name), href=f"/setup/{name}"), ": ", preset_about(game, name))
        for name, game in presets().items()
    )
    return el("section", el("h2", wording.ALL_PRESETS()), el("ul", *rows), class_="panel")


def _table(now: Mapping[str, Any], host: bool) -> Markup:
    """What is played here; for the host with what changes it."""
    name = str(now["preset"])
    game = presets()[name]
    sources = {option: source for option, (_, source) in game.preset_values(name).items()}
    own = dict(now["own"])
    sources |= {option: wording.THE_TABLE() for option in own}
    open_ones = {setting.name for setting in offered_settings(Setup(name, tuple(own.items())))}
    options = [option for option in game.options() if option.name in open_ones]
    return el(
        "section",
        el("h2", wording.AT_THIS_TABLE(preset=preset_name(name))),
        el("p", wording.HOST_SETS() if not host else wording.SETS_IN_LOBBY() if not now["lobby"] else ""),
        el("p", "", id="told", role="status") if host else None,
        _teams(now, host),
        _agreement_markup(name, now),
        _choice(name) if host else None,
        _houses(now["houses"], host),
        _options(name, options, dict(now["options"]), sources, host=host),
    )


def _teams(now: Mapping[str, Any], host: bool) -> Markup:
    """Who sits where and with whom; the host pairs and parts in the lobby, as two who hold their buttons do."""
    seats = [one | {"name": reader_name(one["name"] or "")} for one in now["seats"]]
    rows = (
        el(
            "li",
            f"{one['seat']} ",
            el("b", one["name"]),
            _partner(one),
            _part(one) if host and now["lobby"] else None,
        )
        for one in seats
        if one["name"]
    )
    alone = [one for one in seats if one["name"] and not one["partner"]]
    who = el("ul", *rows) if any(one["name"] for one in seats) else el("p", wording.NOBODY_SITS())
    pairing = _pairing(alone) if host and now["lobby"] and len(alone) > 1 else None
    return join_markup([el("h3", wording.TEAMS()), who, pairing])


def _partner(one: Mapping[str, Any]) -> str:
    return f" ({labels.WITH(number=one['partner'])})" if one["partner"] else ""


def _part(one: Mapping[str, Any]) -> Content:
    """What parts a pair, once for both."""
    if not one["partner"] or one["partner"] < one["seat"]:
        return None
    seats = f"{one['seat']},{one['partner']}"
    return [" ", el("button", wording.PART(), type="button", data_team=seats)]


def _pairing(alone: Sequence[Mapping[str, Any]]) -> Markup:
    """What makes two of them a pair."""
    fields = [
        el(
            "select",
            *(el("option", f"{s['seat']} {s['name']}", value=s["seat"], selected=s is alone[at]) for s in alone),
            name=name,
            aria_label=wording.TEAM_OF(number=at + 1),
        )
        for at, name in enumerate(("one", "other"))
    ]
    return el("form", *fields, el("button", wording.PAIR()), class_="search", data_pairing=True)


def _agreement_markup(name: str, now: Mapping[str, Any]) -> Content:
    """Whether these rules are agreed on, who does what in the coming hand, and what settles a dispute."""
    agreed = wording.AGREED(who=", ".join(map(reader_name, now["agreed"]))) if now["agreed"] else wording.NOT_AGREED()
    roles = el("ul", *(el("li", role) for role in now["roles"])) if now["roles"] else None
    book = el("a", wording.RULEBOOK(), href=f"/rules?preset={name}")
    return [el("p", agreed), [el("h3", wording.ROLES()), roles] if roles else None, el("p", book)]


def _choice(now: str) -> Markup:
    """A form that chooses the preset; `now`: the one that is set."""
    choices = (el("option", preset_name(name), value=name, selected=name == now) for name in presets())
    field = el("select", *choices, name="value", aria_label=wording.PRESET())
    return _form("preset", "text", field)


def _form(setting: str, kind: str, field: Markup) -> Markup:
    return el("form", field, el("button", wording.SET()), class_="search", data_setting=setting, data_kind=kind)


def _houses(houses: list[Mapping[str, Any]], host: bool) -> Content:
    """The presets that people have saved under names of their own; with buttons for the host."""
    rows = [
        el(
            "li",
            el("b", one["name"]),
            f" ({preset_name(one['preset']) if one['preset'] in presets() else one['preset']}) ",
            _house_buttons(one["name"]) if host else None,
        )
        for one in houses
    ]
    keep = el(
        "form",
        el("label", wording.HOUSE_NAME(), el("input", name="name", required=True, maxlength=256), class_="grow"),
        el("button", wording.HOUSE_SAVE()),
        class_="search",
        data_act="save",
    )
    if not rows and not host:
        return None
    return join_markup([el("h3", wording.HOUSE_PRESETS()), el("ul", *rows) if rows else None, keep if host else None])


def _house_buttons(name: str) -> Markup:
    acts = (("use", wording.HOUSE_USE()), ("forget", wording.HOUSE_FORGET()))
    return join_markup(el("button", text, type="button", data_act=act, data_name=name) for act, text in acts)


def _options(
    name: str, options: Iterable[RuleOption], values: Mapping[str, Any], sources: Mapping[str, str], *, host: bool
) -> Markup:
    """Each option: its value and where that is from, what it does, what is allowed, what the sources say."""
    game = presets()[name]
    lines = {line.name: line for line in game_named(name).settings}
    rows = (
        el("div", *_option(game, one, values[one.name], sources[one.name], lines.get(one.name), host))
        for one in options
    )
    return el("dl", *rows, class_="options")


def _option(
    game: Documents, option: RuleOption, value: Json, source: str, line: Setting | None, host: bool
) -> Iterator[Markup]:
    """`line`: what the knob's list says of it, where it has a line."""
    named = _knob_line(line, value) if line else f"{option.name}: {_value_text(value)}"
    yield el(
        "dt",
        named,
        " ",
        el("span", f"({sourced(source)})", class_="source"),
        id=option.name,
    )
    yield el("dd", meaning(game, option))
    if host:
        yield el("dd", _field(option, value, line))
    typed = el("code", f"{option.name} = {_value_text(value)}")
    yield el(
        "dd",
        typed,
        " ",
        wording.ALLOWED(),
        " ",
        allowed_values(option),
        " · ",
        sourced(option.sources),
        class_="source",
    )


def _knob_line(line: Setting, value: Json) -> str:
    """An option with its value as the knob's list has it, in the reader's language: "Target: 100"."""
    text = display_text(msg(line.line, choice=_choice_text(line, value)))
    return text[:1].upper() + text[1:]


def _choice_text(line: Setting | None, value: object) -> Part:
    """A value as the knob's list shows it; as people type it where the list has no such value."""
    choices = line.choices if line else ()
    return next((said for choice, said in choices if _value_text(choice) == _value_text(value)), _value_text(value))


def _field(option: RuleOption, value: Json, line: Setting | None) -> Markup:
    """What changes an option: a list where there are few values, else a field."""
    choices = [True, False] if option.kind == "switch" else list(getattr(option, "choices", ()))
    label, kind = _knob_line(line, value).partition(": ")[0] if line else option.name, "text"
    if choices:
        kind = "json" if all(not isinstance(choice, str) for choice in choices) else "text"
        if option.kind == "choice-or-number":
            kind = "text"
        told = (
            el(
                "option",
                display_text(_choice_text(line, one)),
                value=_value_text(one),
                selected=_value_text(one) == _value_text(value),
            )
            for one in choices
        )
        return _form(option.name, kind, el("select", *told, name="value", aria_label=label))
    kind = "json" if isinstance(value, bool | int | float) else "text"
    mode = "numeric" if kind == "json" else None
    field = el("input", name="value", value=_value_text(value), size=8, aria_label=label, inputmode=mode)
    return _form(option.name, kind, field)


def _value_text(value: object) -> str:
    """A value as people type it in a document.

    >>> _value_text(True), _value_text(2.5)
    ('true', '2.5')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
