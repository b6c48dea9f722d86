"""NAME: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import NameScreen
from referee.language.speech import say
from referee.language.words import sentence

NAME = sentence("name", "number", "name")
NAME_NEW = sentence("name.new", "number")
NAME_LETTER = sentence("name.letter", "letter")
NAME_SPACE = sentence("name.space")
NAME_BACK = sentence("name.back")
NAME_ENDS = sentence("name.ends")


def _name(screen: NameScreen) -> list[str]:
    sign = screen.signs[screen.at]
    so_far = NAME(number=screen.number, name=screen.text) if screen.text else NAME_NEW(number=screen.number)
    places = {" ": NAME_SPACE, "◄": NAME_BACK}
    return [so_far, places[sign]() if sign in places else NAME_LETTER(letter=sign), NAME_ENDS()]


SPEECH: say.Speech = {NameScreen: _name}
