"""Twenty first minutes at a table, as pictures for people who have never read about the product.

Each minute is a script. At each `?` the newcomer sees the picture and the lamps, and says what they do next. The rest
of the line is what they should do. `python -m tests.newcomers DIR` draws the pictures. pictures.json has what readers
made of sixty single pictures: `asks` and `of` are what a picture means, `read` and `read_of` what they saw in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image

from referee.core.model.table import Setup
from referee.core.model.view import View
from referee.core.units import S
from referee.screens import draw
from referee.screens.contact_sheet import contact_sheet
from tests.core.sitting import BREATH_NS, Sitting

LAMPS = {"dark": "dark", "slow": "blinks", "double": "blinks", "steady": "lit", "wink": "lit", "beat": "beats"}
WAIT = "wait"
"""What a newcomer does where nothing is asked of them."""
MINUTES: dict[str, str] = {
    "en-four": "en nna 4 3: tap 1 2 | ?tap 3 | tap 4 | rest 4 | ?push | ?push | tap 1 2 4 | ?tap 3 | ?wait",
    "en-last": "en nna 3 2: ?tap 2 | tap 1 3 | push | push | tap 1 3 | rest 21 | ?tap 2",
    "en-two": "en nna 2 1: ?tap 1 | tap 2 | rest 4 | ?push | ?push | tap 2 | ?tap 1",
    "en-waits": "en nna 4 1: tap 1 2 3 4 | choose Start | tap 1 | ?wait | tap 2 3 | ?wait",
    "en-stopped": "en nna 3 1: tap 1 2 3 | choose Start | tap 1 2 3 | rest 1 | tap 1 | rest 2 | ?tap 1 | ?wait",
    "en-ligretto": "en ligretto 4 4: tap 1 2 3 | ?tap 4 | rest 4 | ?push | ?push | tap 1 2 3 | ?tap 4",
    "en-thirtyone": "en 31 3 1: tap 1 2 3 | choose Start | ?tap 1 | tap 2 3",
    "en-changed": "en nna+target=150 3 3: tap 1 2 3 | choose Start | ?tap 3 | tap 1 2 | ?tap 3 | tap 1 2",
    "de-four": "de nna 4 3: tap 1 2 | ?tap 3 | tap 4 | rest 4 | ?push | ?push | tap 1 2 4 | ?tap 3 | ?wait",
    "de-last": "de nna 3 2: ?tap 2 | tap 1 3 | push | push | tap 1 3 | rest 21 | ?tap 2",
    "de-ligretto": "de ligretto 2 1: ?tap 1 | tap 2 | rest 4 | ?push | ?push | tap 2 | ?tap 1",
    "de-stopped": "de nna 3 2: tap 1 2 3 | choose Start | tap 1 2 3 | rest 1 | tap 1 | rest 2 | ?wait | tap 1 | ?wait",
    "de-changed": "de nna+target=150 3 3: tap 1 2 3 | choose Start | ?tap 3 | tap 1 2 | ?tap 3 | tap 1 2",
    "de-held": "de nna 3 1: tap 1 2 3 | choose Start | tap 2 3 | down 1 | rest 6 | ?up 1",
    "it-four": "it nna 4 3: tap 1 2 | ?tap 3 | tap 4 | rest 4 | ?push | ?push | tap 1 2 4 | ?tap 3 | ?wait",
    "it-last": "it nna 3 2: ?tap 2 | tap 1 3 | push | push | tap 1 3 | rest 21 | ?tap 2",
    "it-ligretto": "it ligretto 2 1: ?tap 1 | tap 2 | rest 4 | ?push | ?push | tap 2 | ?tap 1",
    "it-stopped": "it nna 3 2: tap 1 2 3 | choose Start | tap 1 2 3 | rest 1 | tap 1 | rest 2 | ?wait | tap 1 | ?wait",
    "it-changed": "it nna+target=150 3 3: tap 1 2 3 | choose Start | ?tap 3 | tap 1 2 | ?tap 3 | tap 1 2",
    "it-waits": "it nna 4 1: tap 1 2 3 4 | choose Start | tap 1 | ?wait | tap 2 3 | ?wait",
}
"""Name -> language, preset with other rules, number of players and the newcomer's number, then the steps."""


class Question(NamedTuple):
    """What a newcomer sees, and what they should do."""

    view: View
    you: int
    action: str

    @property
    def lamps(self) -> str:
        """Every lamp, by number: "1 lit, 2 blinks"."""
        return ", ".join(f"{n} {LAMPS.get(lamp.pattern, 'flashes')}" for n, lamp in enumerate(self.view.lamps, 1))


class Minute:
    """One script at a table. `questions` plays it to its end."""

    def __init__(self, script: str) -> None:
        head, _, steps = script.partition(": ")
        self.language, rules, players, you = head.split()
        preset, *options = rules.split("+")
        stations = tuple(str(n + 1) for n in range(int(players)))
        changed = tuple((name, int(value)) for name, _, value in (option.partition("=") for option in options))
        self.you = int(you)
        self._steps = steps.split(" | ")
        self.sitting = Sitting(Setup(preset, changed, stations, language=self.language, agreement=True))

    def questions(self) -> Iterator[Question]:
        """Yield each question, then do the right action."""
        for step in self._steps:
            action = step.removeprefix("?")
            self.sitting.wait(BREATH_NS)
            if action != step:
                view = self.sitting.view
                yield Question(view, self.you, action.partition(" ")[0])
            self._do(*action.split())

    def _do(self, verb: str, *what: str) -> None:
        if verb == "rest":
            self.sitting.wait(int(what[0]) * S)
        elif verb in ("down", "up"):
            (self.sitting.close if verb == "down" else self.sitting.open)(*what)
        elif verb != WAIT:
            getattr(self.sitting, verb)(*what)


def picture(questions: list[Question]) -> Image.Image:
    """Return a minute's pictures in one, each with the lamps above it."""
    return contact_sheet(
        {f"{at}: {q.lamps}": draw(q.view, language=q.view.language) for at, q in enumerate(questions, 1)}, columns=2
    )
