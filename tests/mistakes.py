"""A module with one small mistake, every one that can be thought of: what mutation tests (`tests/mutants.py`) try.

Another comparison, a constant one off, a condition turned round, a statement left out. Nothing is written to a file: a
mutant is a syntax tree, to be compiled in the module's place.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = Callable[[ast.AST], None]


@dataclass(frozen=True)
class Mutant:
    """One mistake: where, what, and how it is made in the module."""

    line: int
    what: str
    tree: ast.Module
    index: int
    change: Change
    words: frozenset[str] = frozenset()
    """At the top of a module or a class: the names in its statement, by which its tests are found."""
    lines: range = range(0)
    """Those of its statement, of a compound one those of the mistake's own expression."""

    @property
    def made(self) -> ast.Module:
        """The whole module with the mistake, each node in its old line."""
        twin = copy.deepcopy(self.tree)
        self.change(list(ast.walk(twin))[self.index])
        return ast.fix_missing_locations(twin)

    @property
    def source(self) -> str:
        """The whole module with the mistake."""
        return ast.unparse(self.made)


_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}
_LEFT_OUT = ast.Constant(None)


def mistakes(node: ast.AST, statement: bool) -> Iterator[tuple[str, Change]]:
    """What can be done to a node, in place."""
    match node:
        case ast.Compare():
            for index, op in enumerate(node.ops):
                yield from _swap(type(op), _COMPARED, lambda n, new, i=index: n.ops.__setitem__(i, new()))
        case ast.BinOp() | ast.AugAssign():
            yield from _swap(type(node.op), _RECKONED, lambda n, new: setattr(n, "op", new()))
        case ast.BoolOp():
            other = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield f"-> {other.__name__.lower()}", lambda n: setattr(n, "op", other())
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition turned round", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))  # type: ignore[attr-defined]
        case ast.Constant(value=bool(value)):
            yield f"-> {not value}", lambda n: setattr(n, "value", not value)
        case ast.Constant(value=int(number)):
            yield f"{number} -> {number + 1}", lambda n: setattr(n, "value", number + 1)
        case ast.Constant(value=str(text)):
            yield f"{text[:20]!r} -> another text", lambda n: setattr(n, "value", f"XX{text}")
        case ast.Return(value=ast.Constant(value=None | False)):
            pass  # None is as false, and another mistake makes it true
        case ast.Assign(value=ast.Constant(value=None)):
            pass  # is None already
        case ast.Return(value=ast.expr()) | ast.Assign() if statement:
            yield "value left out", lambda n: setattr(n, "value", _LEFT_OUT)
        case ast.Expr(value=ast.Call()):
            yield "call left out", lambda n: setattr(n, "value", _LEFT_OUT)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
            yield f"{name} -> {_CALLED[name]}", lambda n: _call(n, _CALLED[name])
        case ast.comprehension(ifs=[_, *_]):
            yield "filter left out", lambda n: setattr(n, "ifs", [])


def _swap(kind: type, table: dict[type, type], put: Callable[..., None]) -> Iterator[tuple[str, Change]]:
    if kind in table:
        yield f"{kind.__name__} -> {table[kind].__name__}", lambda n: put(n, table[kind])


def _call(node: ast.AST, name: str) -> None:
    assert isinstance(node, ast.Call)
    node.func = ast.Name(name, ast.Load())
    if name == "list":
        node.keywords = []


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text."""
    tree = ast.parse(source)
    spared = _spared(tree)
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}
    words, lines = _words(tree), _lines(tree)
    for index, node in enumerate(ast.walk(tree)):
        if id(node) in spared:
            continue
        for what, change in mistakes(node, id(node) in inside):
            named = words.get(id(node), frozenset())
            at = node.target if isinstance(node, ast.comprehension) else node
            line = getattr(at, "lineno", 0)
            yield Mutant(line, what, tree, index, change, named, lines.get(id(node), range(line, line + 1)))


def _lines(tree: ast.AST) -> dict[int, range]:
    """The lines of the statement in which a node stands, where that is a simple one."""
    simple = [
        n for n in ast.walk(tree) if isinstance(n, ast.stmt) and not hasattr(n, "body") and not hasattr(n, "cases")
    ]
    return {id(n): range(s.lineno, (s.end_lineno or s.lineno) + 1) for s in simple for n in ast.walk(s)}


def _words(tree: ast.AST) -> dict[int, frozenset[str]]:
    """The names in what stands at the top of a module, or of a class with its own name, a row of the transition table
    for itself.
    """
    found: dict[int, frozenset[str]] = {}
    classes = {id(n): part.name for part in ast.walk(tree) if isinstance(part, ast.ClassDef) for n in part.body}
    tops = [n for part in ast.walk(tree) if isinstance(part, ast.Module | ast.ClassDef) for n in part.body]
    rows = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") in ("Row", "Setting")]
    for node in (*(n for n in tops if isinstance(n, ast.Assign | ast.AnnAssign | ast.Expr)), *rows):
        named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {classes.get(id(node), "")} - {""}
        found |= {id(n): frozenset(named) for n in ast.walk(node)}
    return found


def _spared(tree: ast.AST) -> set[int]:
    """What is no behaviour: annotations, decorators, docstrings, assertions, formats, imports and exports."""
    spared: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        match node:
            case ast.FunctionDef():
                parts = [*node.decorator_list, node.returns]
            case ast.ClassDef():
                parts = [*node.decorator_list]
            case ast.arg() | ast.AnnAssign():
                parts = [node.annotation]
            case ast.Expr(value=ast.Constant()) | ast.keyword(arg="strict"):
                parts = [node]  # a zip's `strict` asserts
            case ast.Call(func=ast.Name(id="Row"), args=[_, _, _, _, meaning, *_]):
                parts = [meaning]  # said in a document alone
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                parts = [node]  # for readers and type checkers alone
            case ast.Call(func=ast.Name(id="TypeVar")):
                parts = [node]  # the same
            case ast.If(test=test) if any(getattr(part, "attr", "") == "__version__" for part in ast.walk(test)):
                parts = [node]  # for another version of a library than the one that is here
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                parts = [node.test, *node.body]  # the same
                spared.add(id(node))
            case ast.Import() | ast.ImportFrom() | ast.FormattedValue(format_spec=ast.JoinedStr()) | ast.Assert():
                parts = [node]
        spared |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return spared
