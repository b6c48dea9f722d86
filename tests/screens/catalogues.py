"""The catalogues of translations: `python -m tests.screens.catalogues --update` brings them into step with the code.

What is translated stays, what is new stands empty, what is gone goes. Nothing is written while a translation is longer
than its place allows.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from referee.commands import walk_words
from referee.screens import said, words
from referee.screens.catalogue import LANGUAGES, Key, po_path, read_po

Catalogue = dict[Key, str]


def messages() -> dict[Key, words.Word]:
    """Every message of the screens by its context and text, in the code's order."""
    assert said.WHAT  # the core's texts are registered, too
    assert walk_words.MARKS  # and the doctor's
    return {(str(word.limit), word.message): word for word in words.Word.every}


def kept(language: str) -> Catalogue:
    """What is translated today."""
    return read_po(po_path(language).read_text(encoding="utf-8"))


def problems(entries: Catalogue) -> list[str]:
    """One sentence for each translation that is too long or has other values than the English text."""
    longest = max((entries.get(("11", word.message)) or word.message for word in said.WHAT), key=len)
    found = (problem(word, entries.get(key, ""), longest) for key, word in messages().items())
    return [sentence for sentence in found if sentence]


def problem(word: words.Word, text: str, longest: str) -> str | None:
    """longest: the longest translated name of something that can be undone."""
    widest: dict[str, Any] = word.widest | ({"what": longest} if "what" in word.widest else {})
    try:
        said_widest = text.format(**widest)
    except (KeyError, IndexError, ValueError):
        return f"{text!r} has other values than {word.message!r}"
    if len(said_widest) > word.limit:
        return f"{said_widest!r} for {word.message!r} has {len(said_widest)} characters, {word.limit} at most"
    return None


def to_po(entries: Catalogue) -> str:
    """The file: its header as it was, then every message with its longest values as a remark."""
    blocks = [f'msgid ""\nmsgstr {_quoted(entries["", ""], lines=True)}']
    blocks += [_block(key, word, entries.get(key, "")) for key, word in messages().items()]
    return "\n\n".join(blocks) + "\n"


def _block(key: Key, word: words.Word, text: str) -> str:
    widest = ", ".join(f"{name}={value}" for name, value in word.widest.items())
    remark = f"#. at most {word.limit} characters" + (f" with {widest}" if widest else "")
    form = "\n#, python-brace-format" if word.widest else ""
    return f"{remark}{form}\nmsgctxt {_quoted(key[0])}\nmsgid {_quoted(key[1])}\nmsgstr {_quoted(text)}"


def _quoted(text: str, lines: bool = False) -> str:
    one = json.dumps(text, ensure_ascii=False)
    return '""\n' + "\n".join(map(_quoted, text.splitlines(keepends=True))) if lines else one


def update() -> list[str]:
    """Write every catalogue anew, unless one has a problem; returns the problems."""
    found = [f"{language}: {sentence}" for language in LANGUAGES for sentence in problems(kept(language))]
    for language in LANGUAGES if not found else ():
        text = to_po(kept(language))
        po_path(language).write_text(text, encoding="utf-8")
    return found


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        raise SystemExit("usage: python -m tests.screens.catalogues --update")
    raise SystemExit("\n".join(update()) or None)
