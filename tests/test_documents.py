"""Links in the documents resolve; the files and make targets that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
ROOMS = [ROOT / room for room in ("referee", "tests", "firmware", "hardware", "systemd", "docs")]
FILES = {f"/{path.relative_to(ROOT)}" for room in ROOMS for path in room.rglob("*.*")}
FILES |= {f"/{path.name}" for path in ROOT.iterdir()}


def anchors(document: Path) -> set[str]:
    """The anchors of its headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_a_document_names_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    for target, anchor in re.findall(r"\]\((?!http)([^)#]*)#?([^)]*)\)", text):
        path = (document.parent / target).resolve() if target else document
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), anchor
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= set(targets)
    for name in re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|md))`", text):
        assert any(path.endswith(f"/{name}") for path in FILES), name
