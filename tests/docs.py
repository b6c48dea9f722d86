"""Parts of the documents that are generated: `python -m tests.docs --update`, or `--check` that they are in step."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from referee.core.match import table

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- transitions:begin -->", "<!-- transitions:end -->"


def transitions() -> str:
    """The transition table as a diagram and as rows."""
    arrows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in table():
        for target in row.targets:
            if target != row.phase.name:
                arrows[row.phase.name, target].append(row.trigger.__name__)
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> LOBBY"]
    lines += [f"    {one} --> {other}: {', '.join(triggers)}" for (one, other), triggers in arrows.items()]
    lines += ["```", "", "| phase | trigger | leads to | meaning |", "|---|---|---|---|"]
    lines += [f"| {r.phase.name} | {r.trigger.__name__} | {', '.join(r.targets)} | {r.meaning} |" for r in table()]
    return "\n".join(lines)


def generated(document: str) -> str:
    """The document with its generated part made anew."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{transitions()}\n\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Update ARCHITECTURE.md, or say that it is behind."""
    path = ROOT / "ARCHITECTURE.md"
    old = path.read_text(encoding="utf-8")
    new = generated(old)
    if "--update" in arguments:
        path.write_text(new, encoding="utf-8")
        return 0
    if old != new:
        sys.stderr.write("ARCHITECTURE.md is behind the transition table: run `make docs`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
