"""A view as speech: what has happened, what is asked, and of whom.

Full sentences for people who do not see the display: names with the numbers of their buttons, no abbreviations, and
no text that changes every second. For each module of `screens/` with pictures there is one of the same name here, with
its `SPEECH`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from referee.core.model.view import ReadyScreen, View
from referee.language import say
from referee.language.words import speaking

_MODULES = (import_module(f"referee.language.{found.name}") for found in iter_modules([str(Path(__file__).parent)]))
SPEECH: say.Speech = {kind: speak for module in _MODULES for kind, speak in getattr(module, "SPEECH", {}).items()}
"""Screen class -> a function that yields its sentences."""


def speech_of(view: View) -> str:
    """Return all that a view shows as sentences.

    They are from its screen, its lines for newcomers, its short message and its banner.
    """
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
