"""Pages from templates (`templates/`). All values that are not markup are escaped.

Right-to-left letters must not move the text after them: text on a page gets a `<bdi>`. In attributes that people read,
in titles and options `|said` uses isolating characters instead; in attributes that are data `|e` adds nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from referee.core.model.registry import preset_name
from referee.core.names import LANGUAGES, isolate
from referee.drawing import SERIES
from referee.language.display import display_text
from referee.language.numbers import score_text
from referee.language.words import current_language, reader_name
from referee.web import charts
from referee.web.texts import book, label, script_texts

FOLDER = Path(__file__).parent / "templates"


def render(template: str, **values: object) -> Markup:
    """Render a template with these values, in the current language."""
    return Markup(_environment().get_template(template).render(values))


def macro(template: str, name: str, *values: object) -> Markup:
    """Call a macro of a template with these values."""
    return Markup(getattr(_environment().get_template(template).module, name)(*values))


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


def compile_templates() -> None:
    """Compile every template. This takes seconds on a small board, so do it early."""
    for name in _environment().list_templates():
        _environment().get_template(name)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters |= {"said": said, "person": reader_name}
    made.globals |= {
        "label": label,
        "book": book,
        "script_texts": script_texts,
        "languages": LANGUAGES,
        "language": current_language,
        "person": reader_name,
        "preset_name": preset_name,
        "score": score_text,
        "display_text": display_text,
        "mark_corners": charts.mark_corners,
        "colours": len(SERIES),
        "drawn": charts.drawn,
    }
    return made
