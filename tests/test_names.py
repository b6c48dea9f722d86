"""One name for one thing: class names, and the terms of ARCHITECTURE.md's glossary."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
GLOSSARY = TEXT.partition("\n## Glossary\n")[2].partition("\n## ")[0]
TERMS = re.findall(r"^\| (.+?) \| (.+?) \|", GLOSSARY, re.MULTILINE)[1:]


def classes() -> dict[str, list[str]]:
    """Each class of the program -> the files that define one of that name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "referee").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_no_class_name_stands_for_two_things() -> None:
    """In the whole program, nested classes too."""
    assert {name: files for name, files in classes().items() if len(files) > 1} == {}


def test_no_two_terms_of_the_glossary_name_the_same_class() -> None:
    """And each term stands there once."""
    terms = [term for term, _ in TERMS]
    named = [name for _, cell in TERMS for name in re.findall(r"`(\w+)`", cell) if name[0].isupper()]
    assert len(TERMS) > 30
    assert sorted(terms) == sorted(set(terms))
    assert sorted(named) == sorted(set(named))


def aliases() -> set[str]:
    """Every name that a module of the program gives to a type or a value."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "referee").rglob("*.py"))
    assigned = (node for tree in trees for node in tree.body if isinstance(node, ast.Assign))
    return {target.id for node in assigned for target in node.targets if isinstance(target, ast.Name)}


def test_every_class_of_the_glossary_exists() -> None:
    """What its column "in the code" names with a capital is a class, or a type that a module gives that name."""
    known = classes().keys() | aliases()
    for term, cell in TERMS:
        for name in re.findall(r"`([A-Z]\w+)`", cell):
            assert name in known or name.isupper(), f"{term}: {name}"


def test_every_other_word_of_the_glossary_is_one_of_the_code() -> None:
    """Names of fields and functions, and phases as a view calls them."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "referee").rglob("*.py"))
    for term, cell in TERMS:
        for name in re.findall(r"`(\w+)`", cell):
            assert re.search(rf"\b{name}\b", code), f"{term}: {name}"
