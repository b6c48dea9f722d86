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


PARTICIPLES = (
    "told said given taken chosen found kept known seen heard left dealt drawn written shown begun undone held"
)
"""Irregular ones that functions have been called by; "read" and "put" are verbs as well."""


def participles() -> dict[str, set[str]]:
    """Each bare participle that is a function's name -> the modules that define one of that name, public or not."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in (ROOT / "referee").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            name = node.name.lstrip("_") if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else ""
            if re.fullmatch("[a-z]+ed", name) or name in PARTICIPLES.split():
                found[name].add(str(path.relative_to(ROOT)))
    return found


def test_a_bare_participle_names_functions_of_three_modules_at_most() -> None:
    """ "told" alone says neither what is told nor to whom: one more of them is called by what it does or gives."""
    assert participles()
    assert {name: modules for name, modules in participles().items() if len(modules) > 3} == {}


def described() -> list[tuple[str, str]]:
    """Where -> the docstring of each module, public class, function and method of the program."""
    found = []
    for path in sorted((ROOT / "referee").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                name, text = getattr(node, "name", "the module"), ast.get_docstring(node)
                if text is not None and not name.startswith("_"):
                    found.append((f"{path.relative_to(ROOT)}: {name}", text))
    return found


def test_no_public_docstring_has_five_words_or_fewer() -> None:
    """So few cannot say what it is, of which shape and unit, and what goes wrong."""
    assert len(described()) > 1_000
    assert [(where, text) for where, text in described() if len(text.split()) <= 5] == []


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
