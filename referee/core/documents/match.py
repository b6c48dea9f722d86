"""Compute the result document of a match document (docs/commands.md)."""

from __future__ import annotations

from referee.core.model.account import Account
from referee.core.model.paper import Documents
from referee.core.model.registry import documents_of
from referee.core.reading import DocumentError, Part, parse
from referee.core.values import Document, Json

__all__ = ["DocumentError", "account", "score_document", "score_text"]


def score_text(text: str) -> Document:
    """Return the totals, ranks and winners of a match document in JSON.

    Raises DocumentError: one sentence that says what was given, where, and what is allowed.
    """
    return score_document(parse(text))


def score_document(document: object) -> Document:
    """Return the totals, ranks and winners of a match document. Its key `preset` names the game.

    >>> hand = {"end": "call", "callers": ["Red"], "counts": {"Red": [28, 0], "Blue": [15, 4]}}
    >>> score_document({"preset": "nna", "teams": ["Red", "Blue"], "hands": [hand]})["totals"]
    {'Red': 28, 'Blue': 7}
    """
    documents, match = _game_of(document)
    return documents.score_match(match)


def account(document: object) -> Account:
    """Return the scores and standings of a match document, in terms that all games share.

    Raises DocumentError.
    """
    documents, match = _game_of(document)
    return documents.account(match)


def _game_of(document: object) -> tuple[Documents, Part]:
    """Return the `Documents` object of the game, and the match document.

    A record made by `referee export` contains the match document under "match".
    """
    whole = Part(document)
    parts = whole.table()
    if "format" in parts and "match" in parts:
        return _game_of(completed(parts["match"].value))
    return documents_of(whole), whole


def completed(match: Json) -> Document:
    """Return the match document of a record with what older releases left out of it.

    Raises DocumentError.
    """
    account(match)  # refuses any document that `completed` cannot read
    return documents_of(Part(match)).completed(match)
