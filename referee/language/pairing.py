"""Speech for the screens with QR codes: pairing, the own Wi-Fi network, the match's card."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import CardScreen, PhonesScreen, WifiScreen
from referee.language import say
from referee.language.words import sentence


def _phones(screen: PhonesScreen) -> Iterator[str]:
    """Yield the web page's address, and the pairing code spelled out.

    If the screen has no code, the second sentence says that the code is on the display.
    """
    yield sentence("phones", address=say.list_speech(screen.address.split()))
    yield sentence("phones.code" if screen.code else "phones.elsewhere", code=" ".join(screen.code))


def _wifi(screen: WifiScreen) -> Iterator[str]:
    """Yield the own network's name and spelled password, or the note."""
    if screen.password:
        yield sentence("wifi.own", name=screen.name, password=" ".join(screen.password))
        yield sentence("wifi.push")
    else:
        yield say.own_sentence(screen.note)


def _card(screen: CardScreen) -> Iterator[str]:
    """Yield the web address of the match card (a picture of the last match)."""
    yield sentence("card", address=screen.link)


SPEECH: say.Speech = {PhonesScreen: _phones, WifiScreen: _wifi, CardScreen: _card}
