"""What a test's class changes of the program's class that it derives from is still there under that name.

Python says nothing when a method is renamed in the program and a test goes on "overriding" the old name: the test then
asks the real thing, and shows nothing any more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = ("referee", "systemd", "hardware")
Module = str
"""A module by its whole name: "tests.core.sitting"."""
Classes = Mapping[str, ast.ClassDef]


@cache
def tree(module: Module) -> ast.Module:
    """A module of the tests."""
    return ast.parse(Path(ROOT, *module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))


@cache
def names(module: Module) -> Mapping[str, tuple[Module, str]]:
    """What a module of the tests imports -> (whence, as what there); its own classes stand in it themselves."""
    found: dict[str, tuple[Module, str]] = {}
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom):
            package = module.rsplit(".", node.level)[0] if node.level else ""
            whence = ".".join(filter(None, (package, node.module)))
            found |= {alias.asname or alias.name: (whence, alias.name) for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            found[node.name] = (module, node.name)
    return found


@cache
def classes(module: Module) -> Classes:
    """A test module's classes, those within a function, too."""
    return {node.name: node for node in ast.walk(tree(module)) if isinstance(node, ast.ClassDef)}


def bases(module: Module, node: ast.ClassDef) -> Iterator[type]:
    """The classes of the program from which a class of the tests derives, also by way of others of the tests."""
    for base in node.bases:
        whence, name = _found(module, base)
        if whence.partition(".")[0] in PROGRAM:
            kind = getattr(import_module(whence), name, None)
            if isinstance(kind, type):
                yield kind
        elif whence.partition(".")[0] == "tests" and name in classes(whence) and classes(whence)[name] is not node:
            yield from bases(whence, classes(whence)[name])


def _found(module: Module, base: ast.expr) -> tuple[Module, str]:
    """Where a base's name comes from: `Base`, `package.Base`, `Base[int]`; ("", "") where nobody can tell."""
    if isinstance(base, ast.Subscript):
        return _found(module, base.value)
    if isinstance(base, ast.Attribute):
        whence, name = _found(module, base.value)
        return (f"{whence}.{name}", base.attr) if whence else ("", "")
    return names(module).get(base.id, ("", "")) if isinstance(base, ast.Name) else ("", "")


def methods(node: ast.ClassDef) -> set[str]:
    """What a class defines with `def`, but for what Python itself calls."""
    found = {n.name for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in found if not name.startswith("__")}


def asked(source: ast.AST) -> set[str]:
    """Every name that a module of the tests asks for as an attribute: `table.found()`."""
    return {node.attr for node in ast.walk(source) if isinstance(node, ast.Attribute)}


def dead(module: Module, everywhere: Mapping[Module, set[str]]) -> Iterator[str]:
    """A module's methods that override nothing and that no test asks for which knows the class."""
    for name, node in classes(module).items():
        kinds = tuple(bases(module, node))
        if not kinds:
            continue
        own = {method for method in methods(node) if not any(hasattr(kind, method) for kind in kinds)}
        knows = [m for m in everywhere if m == module or names(m).get(name) == (module, name)]
        yield from (f"{module}.{name}.{method}" for method in own if not any(method in everywhere[m] for m in knows))


def modules() -> list[Module]:
    """All of the tests that Python itself runs."""
    files = sorted((ROOT / "tests").rglob("*.py"))
    return [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in files if p.name != "__init__.py"]


def test_what_overrides_a_method_of_the_program_overrides_one_that_is_there() -> None:
    """A method of a test's class is one of the program's, or a helper that the tests themselves call."""
    everywhere = {module: asked(tree(module)) for module in modules()}
    derived = [node for m in everywhere for node in classes(m).values() if any(True for _ in bases(m, node))]
    assert len(derived) > 25
    assert [found for module in everywhere for found in dead(module, everywhere)] == []
