"""Speech for the offer and the installation of a newer version."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.language import say
from referee.language.words import sentence


def _offer(screen: OfferScreen) -> Iterator[str]:
    yield sentence("update.offer", version=screen.version)


def _update(screen: UpdateScreen) -> Iterator[str]:
    yield sentence("update.going_on", version=screen.version)


SPEECH: say.Speech = {OfferScreen: _offer, UpdateScreen: _update}
