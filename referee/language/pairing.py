"""Speech for PHONES (how to pair a phone)."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import PhonesScreen
from referee.language import say
from referee.language.words import sentence


def _phones(screen: PhonesScreen) -> Iterator[str]:
    """Yield the web page's address, and the pairing code spelled out.

    Without a code, yield that the display shows it.
    """
    yield sentence("phones", address=say.list_speech(screen.address.split()))
    yield sentence("phones.code" if screen.code else "phones.elsewhere", code=" ".join(screen.code))


SPEECH: say.Speech = {PhonesScreen: _phones}
