"""Check the documents' links, the files and make targets they name, and their examples."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from referee import cli

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
ROOMS = [ROOT / room for room in ("referee", "gpiozero_gpiod", "tests", "firmware", "hardware", "systemd", "docs")]
FILES = {f"/{path.relative_to(ROOT)}" for room in ROOMS for path in room.rglob("*.*")}


def anchors(document: Path) -> set[str]:
    """Return the anchors of its headings, as GitHub makes them."""
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


PAGE = (ROOT / "docs" / "commands.md").read_text("utf-8")
EXAMPLES = ["".join(found) for found in re.findall(r"```json\n(.+?)```|answer is `({.+?})`", PAGE, re.DOTALL)]


@pytest.mark.parametrize(("place", "command"), [(0, "arbitrate"), (2, "score"), (4, "score"), (6, "score")])
def test_example_gives_the_answer_that_follows(
    place: int, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, answer = EXAMPLES[place : place + 2]
    path = tmp_path / "example.json"
    path.write_text(given, encoding="utf-8")
    assert cli.main([command, str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(answer)
