"""Run axe-core on an open page, in each tested size and colour scheme."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.page.browser.chromium import Tab

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
SIZES = {"phone": (390, 844, True), "desktop": (1280, 800, False)}
LOOKS = ("light", "dark")
needs_axe = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed (`make browser-tools` installs it): no page was judged"
)


async def judged(tab: Tab) -> list[str]:
    """Return the problems that axe-core finds."""
    await tab.run(f"{AXE.read_text(encoding='utf-8')}; 0")
    found = await tab.run(
        f"axe.run(document, {{runOnly: {json.dumps(TAGS)}}}).then(told => told.violations.map("
        "one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | ')))"
    )
    return list(found)
