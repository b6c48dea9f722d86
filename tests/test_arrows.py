"""The house's arrows: which room may import which, and what the core may know of the world."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from referee.core.model import registry

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "referee"

ALLOWED = {
    "core": {"core"},
    "language": {"core", "language"},
    "screens": {"core", "language", "screens"},
    "files": set(),
    "drivers": {"core", "drivers", "files"},
    "drawing": {"core"},
    "web": {"core", "language", "drawing", "web", "files"},
    "table": {"core", "table"},
    "simulate": {"core", "drawing", "simulate"},
    "config": {"core"},
    "guard": {"core", "drivers"},
    "floods": {"core"},
    "live": {"core", "floods", "guard"},
    "assembly": {"core", "screens", "drivers", "config", "guard"},
    "simulated": {"core", "drivers", "table", "guard"},
    "page": {"core", "drivers", "web", "config", "assembly", "guard", "simulated"},
    "trouble": {"core", "screens", "drivers", "config", "assembly"},
    "daemon": {"core", "drivers", "config", "guard", "live", "assembly", "simulated", "page"},
    "commands": {
        "core",
        "language",
        "screens",
        "drivers",
        "drawing",
        "files",
        "web",
        "table",
        "simulate",
        "config",
        "live",
        "assembly",
        "daemon",
        "trouble",
        "cli",
        "commands",
    },
    "cli": {"commands", "core"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""Room -> the rooms it may import. Only the rooms from `assembly` on compose; only commands import `daemon`."""
CORE_STDLIB = {
    "__future__",
    "abc",
    "binascii",  # a frame's checksum
    "bisect",
    "collections",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "importlib",
    "itertools",
    "json",
    "math",
    "operator",
    "pkgutil",  # which phases there are: the modules of a folder, found as an import finds them
    "re",
    "struct",  # a frame's bytes
    "types",
    "typing",
    "unicodedata",  # names: forms, categories
}
"""What the core may take from the standard library: nothing that has a clock, a file, a thread or dice."""


def room_of(path: Path) -> str:
    """The room that a file of the package belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import hides its arrow"
            assert node.module is not None
            if node.module == "referee":
                yield from (f"referee.{alias.name}" for alias in node.names)
            else:
                yield node.module


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    """A file imports only from the rooms that its own room may see."""
    allowed = ALLOWED[room_of(path)]
    for module in imports(path):
        if module.startswith("referee."):
            room = module.split(".")[1]
            assert room in allowed or room.startswith("__"), f"{path.name} must not import {module}"


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) == "core"], ids=lambda p: str(p.relative_to(ROOT)))
def test_core_knows_no_clock_file_thread_or_dice(path: Path) -> None:
    """The core imports itself, msgspec for its values, and a short list of the standard library."""
    for module in imports(path):
        assert module.split(".")[0] in CORE_STDLIB | {"msgspec", "referee"}, f"{path.name} must not import {module}"


GAMES = {path.rpartition(".")[2]: path for path in registry.GAMES}
"""Each game's folder or file -> its module."""


def strings(path: Path) -> Iterator[str]:
    """Every text of a file that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    remarks = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in remarks:
            yield node.value


def at_home(path: Path) -> bool:
    """Whether the file belongs to a game, or is the registry."""
    games = PACKAGE / "core" / "games"
    told = PACKAGE / "language" / "told"  # its texts, in a file of its name
    return path in [PACKAGE / "core" / "model" / name for name in REGISTRY] or any(
        path in (games / f"{n}.py", told / f"{n}.py") or games / n in path.parents for n in GAMES
    )


REGISTRY = ("registry.py", "usual.py")
"""The modules of core/model that are the registry."""


@cache
def _classes() -> frozenset[str]:
    """The names of the games' classes."""
    trees = (
        ast.parse(path.read_text(encoding="utf-8")) for path in FILES if PACKAGE / "core" / "games" in path.parents
    )
    return frozenset(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


@cache
def _named_in_a_text() -> re.Pattern[str]:
    """A game's folder, or a preset by its key or its title."""
    titles = map(registry.preset_name, registry.presets())
    words = "|".join(map(re.escape, sorted({*GAMES, *registry.presets(), *titles}, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])({words})(?![\w-])", re.IGNORECASE)


def named_games(path: Path) -> Iterator[str]:
    """Every text and every name of a program's file that names a game: its folder, a preset, or one of its classes."""
    text = _named_in_a_text()
    yield from (found for found in strings(path) if text.search(found))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = str(next((getattr(node, key) for key in ("id", "attr", "name") if hasattr(node, key)), ""))
        if name in _classes() or any(game in name.lower() for game in GAMES):
            yield name


@pytest.mark.parametrize("path", [p for p in FILES if not at_home(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_no_game_is_named_outside_its_files_and_the_registry(path: Path) -> None:
    """No other module imports a game, or names one, a preset or a class of a game."""
    for module in imports(path):
        assert not any(module == game or module.startswith(f"{game}.") for game in GAMES.values()), module
    assert [*named_games(path)] == []


LAYERS: dict[str, set[str]] = {
    "": set(),
    "presses": set(),
    "clocks": set(),
    "pods": {"presses", "clocks"},
    "cards": set(),
    "rulebook": set(),
    "model": {"presses", "rulebook", "cards"},
    "stored": {"model"},
    "phases": {"presses", "model", "rulebook"},
    "games": {"presses", "model", "phases", "cards", "rulebook"},
    "match": {"presses", "model", "stored", "phases"},
    "documents": {"presses", "model", "stored", "phases", "match"},
}
"""Folder or module of the core -> those that it stands on; all stand on the modules that are in none ("")."""


def layer_of(name: str) -> str:
    """The part of the core to which a module belongs: "referee.core.presses.signals" to "presses"."""
    part = name.split(".")[2]
    return part if part in LAYERS or (PACKAGE / "core" / part).is_dir() else ""


@pytest.mark.parametrize("path", [p for p in FILES if room_of(p) == "core"], ids=lambda p: str(p.relative_to(ROOT)))
def test_the_core_s_folders_stand_on_each_other_in_one_order(path: Path) -> None:
    """Games stand on the phases that all games share, those on the model of a table, and never the other way round."""
    mine = layer_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for module in imports(path):
        if module.startswith("referee.core."):
            assert layer_of(module) in LAYERS[mine] | {"", mine}, f"{path.name} must not import {module}"


def test_the_core_has_no_circle_of_imports() -> None:
    """Whichever of its modules is imported first, each finds what it needs; imports within a function are a game's."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}
    core = {name: path for name, path in modules.items() if room_of(path) == "core"}
    needs: dict[str, set[str]] = {}
    for name, path in core.items():
        top = ast.Module([n for n in ast.parse(path.read_text(encoding="utf-8")).body if not isinstance(n, ast.If)], [])
        needs[name] = {module for module in imported(top) if module in core}
    graphlib.TopologicalSorter(needs).prepare()


def imported(tree: ast.Module) -> Iterator[str]:
    """What the statements of a module import, a package's module by its own name."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MOST_ANYS = 20


def anys(path: Path) -> Iterator[str]:
    """The lines of a module in which `Any` stands, but for its import."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {n.lineno for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and n.id == "Any"}
    yield from (f"{path.relative_to(ROOT)}: {lines[number - 1].strip()}" for number in sorted(found))


def test_any_is_rare_in_the_core_and_says_why_it_stands_there() -> None:
    """A value of any type is one that no checker looks at; each line with one ends with the reason."""
    found = [line for path in (PACKAGE / "core").rglob("*.py") for line in anys(path)]
    assert 0 < len(found) <= MOST_ANYS
    assert [line for line in found if "# Any: " not in line] == []


def test_games_know_nothing_of_each_other() -> None:
    """A game imports the shared rooms and itself."""
    for name, module in GAMES.items():
        for path in (p for p in FILES if PACKAGE / "core" / "games" / name in p.parents):
            others = {other for key, other in GAMES.items() if key != name}
            assert not any(found.startswith(other) for found in imports(path) for other in others), module


MOST_ANY = 20
"""So many lines of the core may say `Any`."""


def test_the_core_gives_no_type_away() -> None:
    """`Any` stands on few lines, each with its reason, and no phase is asserted: its row knows which it is."""
    loose, unreasoned, asserted = [], [], []
    for path in (path for path in FILES if room_of(path) == "core"):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and node.id == "Any":
                loose.append((path.name, node.lineno))
                unreasoned += [] if "# Any: " in lines[node.lineno - 1] else [(path.name, node.lineno)]
            if isinstance(node, ast.Assert) and ast.unparse(node.test).startswith("isinstance(phase,"):
                asserted.append((path.name, node.lineno))
    assert len(set(loose)) <= MOST_ANY
    assert (unreasoned, asserted) == ([], [])
