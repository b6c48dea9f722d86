"""Speech for AGREEMENT (all agree on the rules)."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.phases.agreement import AgreementScreen
from referee.language import say
from referee.language.words import sentence


def _agreement(screen: AgreementScreen) -> Iterator[str]:
    yield sentence("agreement.we_play", preset=screen.preset)
    yield from map(say.own_sentence, screen.lines)
    if screen.pages > 1:
        yield sentence("agreement.page", page=screen.page, pages=screen.pages)
    yield sentence("agreement.wait" if screen.waiting else "agreement.tap", who=say.names_of(screen.waiting))
    if screen.refusable:
        yield sentence("agreement.hold")


SPEECH: say.Speech = {AgreementScreen: _agreement}
