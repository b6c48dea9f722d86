"""Pictures of the page to look at: `python -m tests.web.browser.gallery DIRECTORY`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.web.browser.chromium import Tab, chromium, find
from tests.web.lines import served
from tests.web.preview import Show

SIZES = {
    "desktop": (1280, 800, 1.0, False),
    "wide": (1920, 1080, 1.0, False),
    "phone": (390, 844, 3.0, True),
    "small": (320, 568, 2.0, True),
    "tablet": (820, 1180, 2.0, True),
    "lying": (844, 390, 3.0, True),
}
LOOKS: list[tuple[str, str, int, dict[str, str]]] = [
    ("desktop", "light", 3, {}),
    ("desktop", "dark", 5, {"prefers_color_scheme": "dark"}),
    ("phone", "light", 5, {}),
    ("phone", "dark", 6, {"prefers_color_scheme": "dark"}),
    ("wide", "light", 7, {}),
    ("small", "light", 0, {}),
    ("tablet", "light", 1, {}),
    ("lying", "dark", 3, {"prefers_color_scheme": "dark"}),
    ("desktop", "still", 1, {"prefers_reduced_motion": "reduce"}),
    ("desktop", "contrast", 5, {"prefers_contrast": "more"}),
    ("desktop", "forced", 5, {"forced_colors": "active"}),
]


async def look(tab: Tab, show: Show, folder: Path, name: str) -> None:
    for size, look, scene, features in LOOKS:
        width, height, ratio, phone = SIZES[size]
        await tab.size(width, height, ratio=ratio, phone=phone)
        await tab.prefer(**features)
        show.at = scene
        show.show()
        await asyncio.sleep(0.4)
        await tab.picture(folder / f"{name}{size}-{look}.png", whole=phone)


async def main(folder: Path) -> None:
    program = find()
    if program is None:
        sys.exit("No Chromium is installed; `make browser-tools` installs one.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, show in {"": Show(), "four-": Show(4), "watch-": Show(watch=True)}.items():
        async with served(show.feed) as address, chromium(program) as tab:
            await tab.open(f"{address}table")
            await look(tab, show, folder, name)
            sys.stderr.write("".join(f"{trouble}\n" for trouble in tab.troubles()))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
