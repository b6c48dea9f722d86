"""AGREEMENT: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.phases.agreement import AgreementScreen
from referee.language.speech import say
from referee.language.words import sentence

WE_PLAY = sentence("agreement.we_play", "preset")
PAGE_OF = sentence("agreement.page", "page", "pages")
AGREE_TAP = sentence("agreement.tap")
AGREE_WAIT = sentence("agreement.wait", "who")
AGREE_HOLD = sentence("agreement.hold")


def _agreement(screen: AgreementScreen) -> list[str]:
    return [
        WE_PLAY(preset=screen.preset),
        *map(say.own_sentence, screen.lines),
        *([PAGE_OF(page=screen.page, pages=screen.pages)] if screen.pages > 1 else []),
        AGREE_WAIT(who=say.names_of(screen.waiting)) if screen.waiting else AGREE_TAP(),
        *([AGREE_HOLD()] if screen.refusable else []),
    ]


SPEECH: say.Speech = {AgreementScreen: _agreement}
