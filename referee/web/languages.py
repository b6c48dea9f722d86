"""The language of a page: the reader's choice, or what the browser asks for."""

from __future__ import annotations

import re

from referee.language.words import ENGLISH, LANGUAGES

WEIGHT = re.compile(r"[01](\.[0-9]{0,3})?")
"""A browser's preference for a language, as text, from 0 to 1."""


def language_of(own: str, browser: str, table: str) -> str:
    """Return a page's language: the reader's choice, else the table's, else the browser's.

    The table's language is skipped if it is English, the default.

    >>> language_of("it", "de", "en"), language_of("", "de", "it"), language_of("", "de", "en")
    ('it', 'it', 'de')
    """
    if own in LANGUAGES:
        return own
    return browser if table == ENGLISH and browser in LANGUAGES else table


def accepted_language(header: str) -> str:
    """Return the supported language that an Accept-Language header prefers (RFC 9110, 12.5.4).

    "" if it names no supported language.

    >>> accepted_language("fr, en;q=0.5, de-AT;q=0.8"), accepted_language("it;q=0, *"), accepted_language("de;q=x")
    ('de', '', '')
    """
    wanted: dict[str, float] = {}
    for part in header.split(","):
        tag, _, weight = part.strip().partition(";q=")
        language = tag.partition("-")[0].lower()
        if language in LANGUAGES and WEIGHT.fullmatch(weight or "1"):
            wanted[language] = max(float(weight or 1), wanted.get(language, 0))
    best = max(wanted, key=wanted.__getitem__, default="")
    return best if wanted.get(best) else ""
