"""Check the catalogues against the code: `python -m tests.language.catalogues`.

It reports what is missing, unused or too long. The English catalogue is the list of all texts. Above an entry is its
room, and the longest values of the text:

    #. at most 19 characters with choice=choice.yes, what=the longest of undo

A new text is an entry in the English file; --update adds it to the others for translation, and copies the remarks.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from referee.core.model.registry import all_documents, topics_of
from referee.language.display import SHORT
from referee.language.words import ALOUD, DISPLAY, ENGLISH, LANGUAGES, Catalogue, Key, po_path, wrap_rows

PACKAGE = po_path(ENGLISH).parents[3]
PLACE_OF_CALL = {
    "word": DISPLAY,
    "sentence": ALOUD,
    "label": "page",
    "book": "book",
    "EventError": "desk",
    "AccessError": "desk",
    "Text": "desk",
    "hall_text": "hall",
    "hall": "hall",
    "text_of": "walk",
    "_voiced": "voice",
}
"""Function -> the place of the texts whose keys it takes."""
FORMS = {"en": 2, "de": 2, "it": 2}
"""Number of plural forms of each language."""
MESSAGES = (
    *("undo", "choice", "item", "title", "toast", "hint", "claim", "do", "ask", "beat", "refusal", "about", "agree"),
    *("note", "teach", "row", "field", "seat", "reason", "why", "told", "phase"),
)
"""Places of the core's messages. Each has a text on the display, with a room, and a spoken one."""
OF_TEXTS = {"source", "preset"}
"""Places whose keys are the games' own texts (language/rules/options.py)."""
COUNTED = {"count", "points", "choice"}
"""Values that choose a plural form."""
Texts = dict[Key, tuple[str, ...]]
MESSAGE = re.compile(rf"({'|'.join(MESSAGES)})\.[a-z0-9_]*[a-z0-9]")
TEMPLATE_CALL = re.compile(r'\b(label|book|hall)\("([^"]*[^".])"[,)]')
_REMARK = re.compile(r'^#\. (.*)\n(?:#, .*\n)?msgctxt "(.*)"\nmsgid "(.*)"\n', re.MULTILINE)
_VALUE = re.compile(r"(\w+)(?:=(.*?))?(?:, (?=\w+(?:=|,|$))|$)")


class Room(NamedTuple):
    """An English remark: characters or rows of the place, and the longest value of each name."""

    remark: str = ""

    @property
    def characters(self) -> int | None:
        found = re.match(r"at most (\d+) characters", self.remark)
        return int(found[1]) if found else None

    @property
    def rows(self) -> tuple[int, int] | None:
        found = re.match(r"at most (\d+) rows of (\d+) characters", self.remark)
        return (int(found[1]), int(found[2])) if found else None

    def widest(self, texts: Texts) -> dict[str, str]:
        """Return the longest values in a language."""
        _, _, values = f" {self.remark}".partition(" with ")
        return {name: _longest(texts, value) for name, value in _VALUE.findall(values)}


def _longest(texts: Texts, value: str) -> str:
    if value.startswith("the longest of "):
        place = value.removeprefix("the longest of ")
        return max((forms[0] for (where, _), forms in texts.items() if where == place), key=len)
    return texts.get((value.partition(".")[0], value), (value,))[0]


@cache
def kept(language: str) -> Texts:
    """Return the content of a catalogue."""
    found = Catalogue(po_path(language).read_text(encoding="utf-8"))
    return {key: found.forms(key) for key in found.keys}


@cache
def rooms() -> dict[Key, Room]:
    """Return the rooms of the English texts that have a remark."""
    found = _REMARK.findall(po_path(ENGLISH).read_text(encoding="utf-8"))
    return {(place, key): Room(remark) for remark, place, key in found}


# -- the code ------------------------------------------------------------------------------------------------------


@cache
def nodes() -> tuple[tuple[bool, ast.Constant | ast.Call], ...]:
    """Return the constants and calls of the code, each with whether it is in the core."""
    return tuple(
        (PACKAGE / "core" in path.parents, node)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant | ast.Call)
    )


def called() -> Iterator[Key]:
    """Yield the core's messages, and the texts used by a key."""
    for in_core, node in nodes():
        if in_core and isinstance(node, ast.Constant) and MESSAGE.fullmatch(str(node.value)):
            yield str(node.value).partition(".")[0], str(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            place = PLACE_OF_CALL.get(node.func.id)
            yield from ((place, key) for key in _keys(node.args[0]) if place)
    for name, key in TEMPLATE_CALL.findall(templates()):
        yield PLACE_OF_CALL[name], key


@cache
def templates() -> str:
    """Return all templates of the pages, and their scripts."""
    paths = (*sorted(PACKAGE.rglob("templates/*.html")), *sorted(PACKAGE.rglob("static/*.js")))
    return "".join(path.read_text(encoding="utf-8") for path in paths)


def _keys(argument: ast.expr) -> Iterator[str]:
    """Yield the keys that an argument can be."""
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value
    elif isinstance(argument, ast.IfExp):
        yield from _keys(argument.body)
        yield from _keys(argument.orelse)


def of_games() -> Iterator[Key]:
    """Yield the texts of rulebooks, options and presets."""
    for game in all_documents():
        for topic in topics_of(game):
            yield from (("topic", f"topic.{topic.name}"), ("find", f"find.{topic.name}"))
            for statement in topic.statements:
                yield "rule", f"rule.{statement.key}"
                yield from (("source", f"source.{name}") for name in statement.sources)
        for option in game.OPTIONS:
            yield "option", f"{game.NAME.lower().replace(' ', '_')}.{option.name}"
            yield "option", f"allowed.{option.kind}"


@cache
def mentioned() -> frozenset[str]:
    """Return every string of the code, including parts."""
    constants = (node.value for _, node in nodes() if isinstance(node, ast.Constant))
    strings = {value for value in constants if isinstance(value, str)}
    return frozenset(strings | set(re.findall(r'"([^"]*)"', templates())))


# -- checks ------------------------------------------------------------------------------------------------------------


def problems(language: str, texts: Texts) -> list[str]:
    """Return a sentence for each text that is missing, too long or has other values than the English one."""
    english = kept(ENGLISH)
    return [
        *(f"{language}: {_named(key)} is not in the English catalogue" for key in texts if key not in english),
        *(f"{language}: {_named(key)} is {why}" for key in english for why in _wrong(language, texts, key)),
    ]


def _named(key: Key) -> str:
    return f"{key[1]!r} at the place {key[0]!r}"


def _wrong(language: str, texts: Texts, key: Key) -> Iterator[str]:
    forms, room = texts.get(key, ()), rooms().get(key, Room())
    if not any(forms) or not all(forms):
        yield "missing"
        return
    values = room.widest(texts)
    values = dict.fromkeys((name for form in kept(ENGLISH)[key] for name in _names(form)), "") | values
    place, name = key
    if place in MESSAGES and room.characters is None and room.rows is None:
        yield "without a room: #. at most … characters"
    if place in MESSAGES and not name.endswith(SHORT) and (ALOUD, name) not in texts:
        yield "not spoken"
    if len(forms) not in (1, FORMS[language]):
        yield f"there in {len(forms)} forms, {FORMS[language]} are wanted"
    if len(forms) > 1 and not COUNTED & values.keys():
        yield "there in several forms, and has no count"
    for form in forms:
        yield from _misfit(form, values, room)


def _names(form: str) -> list[str]:
    return re.findall(r"\{(\w+)", form)


def _misfit(form: str, values: dict[str, str], room: Room) -> Iterator[str]:
    if not set(_names(form)) <= values.keys():
        yield f"said as {form!r}, whose values are not {', '.join(values) or 'any'}"
        return
    said = form.format(**values)
    if room.characters is not None and len(said) > room.characters:
        yield f"too long: {said!r} has {len(said)} characters, {room.characters} at most"
    if room.rows is not None and len(rows := wrap_rows(said, room.rows[1])) > room.rows[0]:
        yield f"too long: {rows} are {len(rows)} rows of {room.rows[1]} characters, {room.rows[0]} at most"


def unused() -> list[Key]:
    """Return English texts whose key the code does not mention, whole or by its end."""
    known = {*called(), *of_games()}
    return [key for key in kept(ENGLISH) if key not in known and key[0] not in OF_TEXTS and not _is_mentioned(key[1])]


def _is_mentioned(key: str) -> bool:
    plain = re.sub(r"(\.short|\.round)+$", "", key)
    end = plain.partition(".")[2]
    return any(map(_is_made, (plain, end, end.replace("_", "-"), end.replace("_", " "), end.upper())))


def _is_made(text: str) -> bool:
    """Return whether the text is a string of the code, or several of them with numbers."""
    return (
        text in mentioned()
        or text.isdigit()
        or any(text[:at] in mentioned() and _is_made(text[at:]) for at in range(len(text) - 1, 3, -1))
    )


def check() -> list[str]:
    """Return a sentence per fault of the catalogues."""
    english = kept(ENGLISH)
    found = [f"{_named(key)} is not in the English catalogue" for key in {*called(), *of_games()} if key not in english]
    found += [f"{_named(key)} is in the catalogues, and no code says it" for key in unused()]
    found += [problem for language in LANGUAGES for problem in problems(language, kept(language))]
    for language in LANGUAGES:
        if not found and po_path(language).read_text(encoding="utf-8") != to_po(head_of(language), kept(language)):
            found.append(f"{language}: the catalogue is not in step with the English one: --update")
    return found


# -- the files -----------------------------------------------------------------------------------------------------


def to_po(head: str, texts: Texts) -> str:
    """Return a catalogue's file: its head, then every text in the order of the English catalogue."""
    return "\n\n".join([head, *(_block(key, texts.get(key, ("",))) for key in kept(ENGLISH))]) + "\n"


def _block(key: Key, forms: tuple[str, ...]) -> str:
    place, name = key
    room = rooms().get(key)
    lines = [f"#. {room.remark}"] if room else []
    lines += ["#, python-brace-format"] if any(map(_names, kept(ENGLISH)[key])) else []
    lines += [f"msgctxt {_quoted(place)}", f"msgid {_quoted(name)}"]
    if len(forms) > 1:
        lines.append(f"msgid_plural {_quoted(name)}")
        lines += [f"msgstr[{n}] {_quoted(form)}" for n, form in enumerate(forms)]
    else:
        lines.append(f"msgstr {_quoted(forms[0])}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def head_of(language: str) -> str:
    """Return the first entry of a catalogue, with its metadata."""
    return po_path(language).read_text(encoding="utf-8").split("\n\n", 1)[0]


def update() -> None:
    """Write every catalogue in the order of the English one."""
    for language in LANGUAGES:
        po_path(language).write_text(to_po(head_of(language), kept(language)), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    elif sys.argv[1:]:
        raise SystemExit("usage: python -m tests.language.catalogues [--update]")
    raise SystemExit("\n".join(check()) or None)
