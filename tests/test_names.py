"""One name for one thing: class names, and the terms of ARCHITECTURE.md's glossary; what functions are called, and what
their docstrings say."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
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


IRREGULAR = (
    "bound brought built caught chosen dealt drawn found given gone heard held kept known left lit lost made met paid "
    "said seen sent shown spoken taken thrown told undone begun won worn written"
)
"""Participles without -ed that functions could be called by; "put", "read" and "run" are verbs as well."""
NO_PARTICIPLES = {"feed", "seed", "speed"}
EXCEPTIONS = {
    ("referee/core/match/engine.py", "restored"): "a constructor, which reads with its class: Engine.restored(rows)",
    ("referee/core/match/engine.py", "derived"): "a constructor, which reads with its class: Engine.derived(rows)",
}
"""(File, function) -> why a bare participle is its name."""


def participles(source: str) -> set[str]:
    """The functions and methods of a module, nested ones too, whose whole name is a participle. No properties:
    those are values, and may have adjectives for names."""
    functions = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        node.name
        for node in functions
        if (name := node.name.strip("_")) not in NO_PARTICIPLES
        and (re.fullmatch("[a-z]+ed", name) or name in IRREGULAR.split())
        and not any(re.search(r"property$|\.setter$", ast.unparse(each)) for each in node.decorator_list)
    }


def test_no_function_is_called_by_a_bare_participle() -> None:
    """ "told" says neither what is told nor to whom: functions are called by what they do or give, in the program
    and in the pod's, in what draws the hardware and in what packs it, but for the exceptions; each of those is still
    there."""
    found = {
        (str(path.relative_to(ROOT)), name)
        for folder in ("referee", "systemd", "hardware", "firmware")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in participles(path.read_text(encoding="utf-8"))
    }
    assert found == EXCEPTIONS.keys()


def test_participles_are_found_in_functions_and_methods_but_not_in_properties() -> None:
    """Public, private and nested; a verb that ends as they do is none."""
    source = """
def _told(): ...
def feed():
    async def settled(): ...
class Lamp:
    @property
    def lost(self): ...
    @watched.setter
    def watched(self, on): ...
    @cached_property
    def veiled(self): ...
    @classmethod
    def made(cls): ...
    def with_seen(self): ...
"""
    assert participles(source) == {"_told", "settled", "made"}


def own_raises(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """What a function raises itself, as it names it: nothing of nested ones, and no `raise` that only hands on."""
    found, todo = set[str](), list[ast.AST](function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(raised).rpartition(".")[2])
        todo += ast.iter_child_nodes(node)
    return found


def public_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module and the methods of its classes whose names have no underscore before them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if not child.name.startswith("_"):
                yield child
        elif not isinstance(child, ast.ClassDef) or not child.name.startswith("_"):
            yield from public_functions(child)


def untold(source: str) -> dict[str, set[str]]:
    """Public function of a module -> what it raises itself and its docstring does not name. Where what is raised has no
    class's name (`raise refusal(...)`), the docstring must name some error."""
    found = {}
    for function in public_functions(ast.parse(source)):
        text = ast.get_docstring(function) or ""
        missing = {
            raised
            for raised in own_raises(function)
            if not re.search(rf"\b{raised}\b" if raised[0].isupper() else r"Error\b|\b[Rr]aise", text)
        }
        if missing:
            found[function.name] = missing
    return found


def test_a_public_function_names_in_its_docstring_what_it_raises() -> None:
    """Whoever calls it knows what to catch without reading it."""
    paths = sorted((ROOT / "referee").rglob("*.py"))
    assert {str(path): missing for path in paths if (missing := untold(path.read_text(encoding="utf-8")))} == {}


def test_an_error_that_is_not_told_is_found() -> None:
    """In functions and methods; not in private or nested ones, and not where what was caught goes on."""
    source = """
def read(path):
    'Raises ReadError where the file is damaged.'
    if not path:
        raise ValueError(path)
    raise ReadError
class Line:
    def take(self):
        'Raises LineError.'
        raise self.refusal()
    async def send(self):
        raise web.HTTPForbidden(text='no')
    def _hidden(self):
        raise KeyError
def outer():
    def inner():
        raise KeyError
    try:
        inner()
    except KeyError:
        raise
"""
    assert untold(source) == {"read": {"ValueError"}, "send": {"HTTPForbidden"}}


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
