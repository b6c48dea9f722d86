"""The games, a room each. `GAMES` says which one's documents a preset names; registry.py says which one plays it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

from referee.core.arbiter import Verdict
from referee.core.games.nertz import document as nertz
from referee.core.reading import Part
from referee.core.state import Phase, Setup


class Described(Protocol):
    """An option as people are told of it."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def meaning(self) -> str: ...
    @property
    def sources(self) -> str: ...
    @property
    def allowed(self) -> str: ...


class Documents(Protocol):
    """What a game's document module offers: its name, its presets and options with sources, and its score."""

    NAME: str
    TITLES: Mapping[str, str]

    def preset_values(self, preset: str) -> Mapping[str, tuple[Any, str]]:
        """Option -> (value as a document gives it, source of that value)."""

    def options(self) -> tuple[Described, ...]:
        """Every option of the game, in the order in which people are shown them."""

    def score_match(self, document: Part) -> dict[str, Any]:
        """The result document of a match document."""

    def hand_document(self, setup: Setup, hand: Any, names: Mapping[str, str]) -> dict[str, Any]:
        """A hand of `Table.hands` as a match document has it; `names`: team id -> name."""

    def hand_story(self, phase: Phase) -> tuple[int | None, Verdict | None]:
        """Play time in ns and the verdict of the hand that was sealed in that phase; None where there was none."""


_GAMES: tuple[Documents, ...] = (nertz,)

GAMES: Mapping[str, Documents] = MappingProxyType({preset: game for game in _GAMES for preset in game.TITLES})
"""Preset name -> the game whose rules it sets."""
