"""Escape values for HTML, with right-to-left text isolated.

Right-to-left letters must not move the text after them: text on a page gets a `<bdi>`. In attributes that people read,
in titles and options `|said` uses isolating characters instead; in attributes that are data `|e` adds nothing.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from referee.core.names import LANGUAGES, isolate
from referee.language.words import current_language, text_at

TEMPLATES = Path(__file__).parent / "templates"
"""Templates that the pages of table and hall share."""


def environment(folder: Path) -> Environment:
    """Return a Jinja2 environment for the templates of a folder, and the shared ones.

    It escapes all values that are not markup.
    """
    made = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["said"] = said
    made.globals |= {"book": partial(text_at, "book"), "languages": LANGUAGES, "language": current_language}
    return made


def said(value: object) -> Markup:
    """Escape a value for an HTML attribute, <title> or <option>; isolate right-to-left text.

    >>> said("<b> & דנה")
    Markup('&lt;b&gt; &amp; \\u2068דנה\\u2069')
    """
    return Markup(isolate(str(escape(value))))


def shown(value: object) -> Markup:
    """Escape a value for the text of a page, with right-to-left text in <bdi>; "" for None.

    >>> shown("<b> & דנה"), shown(None)
    (Markup('&lt;b&gt; &amp; <bdi>דנה</bdi>'), Markup(''))
    """
    if value is None or isinstance(value, Markup):
        return value or Markup("")
    return Markup(isolate(str(escape(value)), "<bdi>", "</bdi>"))
