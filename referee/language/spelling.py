"""Speech for the entry of a name."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import NameScreen
from referee.language import say
from referee.language.words import sentence


def _name(screen: NameScreen) -> Iterator[str]:
    sign = screen.signs[screen.at]
    yield sentence("name" if screen.text else "name.new", number=screen.number, name=screen.text)
    yield sentence({" ": "name.space", "◄": "name.back"}.get(sign, "name.letter"), letter=sign)
    yield sentence("name.ends")


SPEECH: say.Speech = {NameScreen: _name}
