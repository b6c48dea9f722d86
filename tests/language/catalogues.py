"""The catalogues against the code: `python -m tests.language.catalogues` says what is missing, stale or too long.

With --update it brings them into step: what is said stays, what is new stands empty to be filled in, what is gone goes.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator

from referee import screens
from referee.commands import walk_words
from referee.language import cardmoves, options, rulebook, speech, told
from referee.language.catalogue import LANGUAGES, Catalogue, Key, po_path
from referee.language.words import PAGE_COLUMNS, Longest, Word, wrap_rows
from referee.screens import trouble
from referee.web import labels, wording

DECLARING = (screens, trouble, told, speech, labels, wording, walk_words, rulebook, options, cardmoves)
"""The modules whose words the catalogues hold, in the order in which these stand there."""
FORMS = {"en": 2, "de": 2, "it": 2}
"""How many plural forms a language has."""
Texts = dict[Key, tuple[str, ...]]


def declared() -> dict[Key, Word]:
    """Every word that the code has, in its order."""
    assert all(DECLARING)
    return {(word.place, word.key): word for word in Word.every}


def kept(language: str) -> Texts:
    """What a catalogue holds."""
    found = Catalogue(po_path(language).read_text(encoding="utf-8"))
    return {key: found.forms(key) for key in found.keys}


def problems(language: str, texts: Texts) -> list[str]:
    """One sentence for each message that is missing, stale, too long or has other values than it is given."""
    known = declared()
    return [
        *(
            f"{language}: {_named(key)} is in the catalogue and nowhere in the code"
            for key in texts
            if key not in known
        ),
        *(
            f"{language}: {_named(key)} is {why}"
            for key, word in known.items()
            for why in _wrong(language, texts, word)
        ),
    ]


def _named(key: Key) -> str:
    return f"{key[1]!r} at the place {key[0]!r}"


def _wrong(language: str, texts: Texts, word: Word) -> Iterator[str]:
    forms = texts.get((word.place, word.key), ())
    if not any(forms) or not all(forms):
        yield "missing"
        return
    if len(forms) not in (1, FORMS[language]):
        yield f"there in {len(forms)} forms, {FORMS[language]} are wanted"
    if len(forms) > 1 and "count" not in word.widest:
        yield "there in several forms, and has no count"
    for form in forms:
        given = set(re.findall(r"\{(\w+)", form))
        if given - word.widest.keys():
            yield f"said as {form!r}, whose values are not {', '.join(word.widest) or 'any'}"
        elif word.limit is not None and len(form.format(**_widest(texts, word))) > word.limit:
            said = form.format(**_widest(texts, word))
            yield f"too long: {said!r} has {len(said)} characters, {word.limit} at most"
        elif word.rows is not None and len(rows := wrap_rows(form.format(**_widest(texts, word)))) > word.rows:
            yield f"too long: {rows} are {len(rows)} rows of {PAGE_COLUMNS} characters, {word.rows} at most"


def _widest(texts: Texts, word: Word) -> dict[str, object]:
    """The longest values that the word may have, in that language."""
    return {name: _longest(texts, value) for name, value in word.widest.items()}


def _longest(texts: Texts, value: object) -> object:
    if isinstance(value, Longest):
        return max((forms[0] for (place, _), forms in texts.items() if place == value.place), key=len)
    return texts.get((value.place, value.key), ("",))[0] if isinstance(value, Word) else value


# -- the files -----------------------------------------------------------------------------------------------------


def to_po(head: str, texts: Texts) -> str:
    """The file: its head as it was, then every message with what it may have as a remark."""
    blocks = [_block(word, texts.get(key, ("",))) for key, word in declared().items()]
    return "\n\n".join([head, *blocks]) + "\n"


def _block(word: Word, forms: tuple[str, ...]) -> str:
    widest = ", ".join(f"{name}={_shown(value)}" if value != "" else name for name, value in word.widest.items())
    most = [] if word.limit is None else [f"at most {word.limit} characters"]
    most += [] if word.rows is None else [f"at most {word.rows} rows of {PAGE_COLUMNS} characters"]
    remark = " ".join([*most, *([f"with {widest}"] if widest else [])])
    lines = [f"#. {remark}"] if remark else []
    lines += ["#, python-brace-format"] if word.widest else []
    lines += [f"msgctxt {_quoted(word.place)}", f"msgid {_quoted(word.key)}"]
    if len(forms) > 1:
        lines.append(f"msgid_plural {_quoted(word.key)}")
        lines += [f"msgstr[{n}] {_quoted(form)}" for n, form in enumerate(forms)]
    else:
        lines.append(f"msgstr {_quoted(forms[0])}")
    return "\n".join(lines)


def _shown(value: object) -> str:
    if isinstance(value, Longest):
        return f"the longest of {value.place}"
    return value.key if isinstance(value, Word) else str(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def head_of(language: str) -> str:
    """The first entry of a catalogue, which says whose it is."""
    return po_path(language).read_text(encoding="utf-8").split("\n\n", 1)[0]


def check() -> list[str]:
    """What is wrong with the catalogues, a sentence each; none when all is well."""
    found = list(itertools.chain.from_iterable(problems(language, kept(language)) for language in LANGUAGES))
    for language in LANGUAGES if not found else ():
        if po_path(language).read_text(encoding="utf-8") != to_po(head_of(language), kept(language)):
            found.append(f"{language}: the catalogue is not in step with the code: --update")
    return found


def update() -> None:
    """Write every catalogue anew."""
    for language in LANGUAGES:
        po_path(language).write_text(to_po(head_of(language), kept(language)), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    elif sys.argv[1:]:
        raise SystemExit("usage: python -m tests.language.catalogues [--update]")
    raise SystemExit("\n".join(check()) or None)
