"""HTML and SVG by construction: what is not markup already is escaped, so that any name can stand anywhere.

Letters that are written from right to left get a `<bdi>`, so that no figure behind such a name changes its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from referee.core.names import ISOLATE, RELEASE, isolate

VOID = frozenset({"br", "img", "input", "link", "meta"})
"""Elements that have neither content nor an end tag (HTML 13.1.2)."""
PLAIN = frozenset({"title", "option"})
"""Elements that hold text alone."""
SAID = frozenset({"alt", "aria_label", "title"})
"""Attributes that people read or hear; all others are data."""


class Markup(str):
    """A text that is markup already, and stands as it is."""

    __slots__ = ()


Content = str | int | float | None | Iterable["Content"]
"""What may stand in an element: a text, a number, nothing, or several of them."""


def el(name: str, /, *content: Content, **attributes: str | int | float | bool | None) -> Markup:
    """An element. Attributes: a trailing `_` is dropped, other `_` are hyphens; True is the bare name, None and False
    leave it out.

    >>> el("a", "<b>", href="/?a&b", class_="x")
    '<a href="/?a&amp;b" class="x">&lt;b&gt;</a>'
    >>> el("input", required=True, value=None)
    '<input required>'
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_attribute(key, str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inner = join_markup(content)
    if name in PLAIN:
        inner = Markup(inner.replace("<bdi>", ISOLATE).replace("</bdi>", RELEASE))
    return Markup(f"<{name}{told}>" if name in VOID else f"<{name}{told}>{inner}</{name}>")


def _attribute(key: str, value: str) -> str:
    return escape(isolate(value) if key in SAID else value)


def join_markup(content: Content) -> Markup:
    """Everything one after the other, escaped where it is no markup.

    >>> join_markup(["<i>", el("b", 1), None])
    '&lt;i&gt;<b>1</b>'
    """
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int | float):
        return Markup(isolate(escape(str(content)), "<bdi>", "</bdi>"))
    return Markup("".join(map(join_markup, content)))


def table(
    caption: str, head: Iterable[Content], rows: Iterable[Iterable[Content]], *, label: str = "", figures: int = 0
) -> Markup:
    """A table that scrolls by itself where it is too wide: the first cell of each row names it.

    label: what it is called where its caption is not enough: no two tables of a page may be called alike. figures: so
    many columns after the first hold figures, which stand below each other.
    """
    columns = el(
        "tr",
        *(el("th", cell, scope="col", class_=_kind(n, figures)) if cell else el("td") for n, cell in enumerate(head)),
    )
    body = (el("tr", *(_cell(n, cell, figures) for n, cell in enumerate(row))) for row in rows)
    inner = el("table", el("caption", caption) if caption else None, el("thead", columns), el("tbody", *body))
    return el("div", inner, class_="wide", tabindex=0, role="region", aria_label=label or caption)


def _kind(place: int, figures: int) -> str | None:
    return "n" if 0 < place <= figures else None


def _cell(place: int, cell: Content, figures: int) -> Markup:
    return el("td", cell, class_=_kind(place, figures)) if place else el("th", cell, scope="row")
