"""The view as speech, in the table's language: what has happened, what is asked, and of whom.

Full sentences for somebody who does not see the display: names with the numbers of their buttons, no abbreviations, and
nothing that changes by the second. A module a picture of `screens/`, under its name, with its sentences; what several
have stands in say.py, what the core says itself in told/. tests/screens/goldens/ has them all to be read aloud.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from referee.core.model.view import ReadyScreen, View
from referee.language.speech import say
from referee.language.words import speaking

_MODULES = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
SPEECH: say.Speech = {kind: speak for module in _MODULES for kind, speak in getattr(module, "SPEECH", {}).items()}
"""How each screen is spoken: what the modules of this folder say."""


def speech_of(view: View) -> str:
    """The whole view in a few sentences: the screen, the answer to a gesture, what is wrong."""
    with speaking(view.language, rounds=view.rounds):
        speak = SPEECH.get(type(view.screen))
        noted = view.screen.notes if isinstance(view.screen, ReadyScreen) else ()
        taught = (say.message_speech(line) for line in view.lesson if line not in noted)
        parts = [
            *(speak(view.screen) if speak else ()),
            *taught,
            say.own_sentence(view.toast),
            say.own_sentence(view.banner),
        ]
        return " ".join(part for part in parts if part)
