"""Draw the first minutes for newcomers: `python -m tests.newcomers DIR`."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.newcomers.minutes import MINUTES, Minute, picture

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, script in MINUTES.items():
        questions = list(Minute(script).questions())
        picture(questions).save(folder / f"{name}-you-are-{questions[0].you}.png")
        (folder / f"{name}.txt").write_text(" ".join(question.action for question in questions))
