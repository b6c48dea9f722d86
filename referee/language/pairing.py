"""Speech for PHONES (how to pair a phone)."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import PhonesScreen
from referee.language import say
from referee.language.words import sentence


def _phones(screen: PhonesScreen) -> Iterator[str]:
    """Yield the page's address and the spelled pairing code, or that the display shows the code."""
    yield sentence("phones", address=say.list_speech(screen.address.split()))
    yield sentence("phones.code" if screen.code else "phones.elsewhere", code=" ".join(screen.code))


SPEECH: say.Speech = {PhonesScreen: _phones}
