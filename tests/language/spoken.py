"""What a screen reader says of every sample view, to be read aloud: `python -m tests.language.spoken --update`."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.core.model.view import View
from referee.core.values import replace
from referee.language.catalogue import LANGUAGES
from referee.language.speech import speech_of
from tests.screens.samples import samples

FOLDER = Path(__file__).parents[2] / "docs" / "speech"
TITLES = {"en": "The display, spoken", "de": "Die Anzeige, gesprochen", "it": "Lo schermo, a voce"}


def told(view: View, language: str) -> str:
    """The view's speech in that language."""
    return speech_of(replace(view, language=language))


def page(language: str) -> str:
    """Every sample view's speech, under its name."""
    parts = [f"# {TITLES[language]}"]
    parts += [f"**{name}** {told(view, language)}" for name, view in samples().items()]
    return "\n\n".join(parts) + "\n"


def path(language: str) -> Path:
    """Where a language's page stands."""
    return FOLDER / f"{language}.md"


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        raise SystemExit("usage: python -m tests.language.spoken --update")
    FOLDER.mkdir(exist_ok=True)
    for tongue in LANGUAGES:
        path(tongue).write_text(page(tongue), encoding="utf-8")
