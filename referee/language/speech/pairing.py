"""PHONES: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import PhonesScreen
from referee.language.speech import say
from referee.language.words import sentence

PHONES = sentence("phones", "address")
PHONES_CODE = sentence("phones.code", "code")
PHONES_ELSEWHERE = sentence("phones.elsewhere")


def _phones(screen: PhonesScreen) -> list[str]:
    """The code letter by letter; where it is kept from whoever reads this, where it stands."""
    code = PHONES_CODE(code=" ".join(screen.code)) if screen.code else PHONES_ELSEWHERE()
    return [PHONES(address=say.list_speech(screen.address.split())), code]


SPEECH: say.Speech = {PhonesScreen: _phones}
