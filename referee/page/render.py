"""Pages from templates (`templates/`). Values are escaped as in `web/markup.py`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from referee.core.model.registry import preset_name
from referee.language.display import display_text
from referee.language.numbers import score_text
from referee.language.texts import label, script_texts
from referee.language.words import reader_name
from referee.web import charts
from referee.web.drawing import SERIES
from referee.web.markup import environment

FOLDER = Path(__file__).parent / "templates"


def render(template: str, **values: object) -> Markup:
    """Render a template with these values, in the current language."""
    return Markup(_environment().get_template(template).render(values))


def macro(template: str, name: str, *values: object) -> Markup:
    """Call a macro of a template with these values."""
    return Markup(getattr(_environment().get_template(template).module, name)(*values))


def compile_templates() -> None:
    """Compile every template. This takes seconds on a small board, so do it early."""
    for name in _environment().list_templates():
        _environment().get_template(name)


@cache
def _environment() -> Environment:
    made = environment(FOLDER)
    made.filters["person"] = reader_name
    made.globals |= {
        "label": label,
        "script_texts": script_texts,
        "person": reader_name,
        "preset_name": preset_name,
        "score": score_text,
        "display_text": display_text,
        "mark_corners": charts.mark_corners,
        "colours": len(SERIES),
        "drawn": charts.drawn,
    }
    return made
