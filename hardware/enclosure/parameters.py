"""The enclosure's dimensions: parameters.toml as a value, and its fingerprint.

Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
FILE = HERE / "parameters.toml"
PRESETS = HERE / "presets.toml"
FINGERPRINT = "parameters"
"""The name under which pictures and drawings carry the fingerprint of their parameters."""


class ParameterError(ValueError):
    """A change with an unknown parameter or an invalid number; its text is one sentence."""


def presets() -> dict[str, dict[str, Any]]:
    """Return the stations for other buttons: name -> "section.option" -> changed value.

    "what" is the station's description.
    """
    return tomllib.loads(PRESETS.read_text(encoding="utf-8"))


def load(changes: Iterable[str] = (), preset: str = "") -> SimpleNamespace:
    """Return the parameters as attributes (`p.console.width_mm`).

    The preset is applied first, then changes ("console.front_mm=20").
    """
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    if preset and preset not in presets():
        raise ParameterError(f"'{preset}' is no preset; {PRESETS.name} has {', '.join(presets())}")
    for name, value in presets()[preset].items() if preset else ():
        if name != "what":
            _apply(document, f"{name}={json.dumps(value)}")
    for change in changes:
        _apply(document, change)
    return SimpleNamespace(**{name: SimpleNamespace(**section) for name, section in document.items()})


def _apply(document: dict[str, Any], change: str) -> None:
    name, _, value = change.partition("=")
    section, _, option = name.partition(".")
    if option not in document.get(section, {}):
        raise ParameterError(f"'{name}' is no parameter; they stand in {FILE.name}")
    try:
        document[section][option] = json.loads(value)
    except ValueError:
        raise ParameterError(f"'{change}': '{value}' is no number") from None


def fingerprint(file: Path = FILE) -> str:
    """The fingerprint of the parameters' values; comments do not count."""
    values = json.dumps(tomllib.loads(file.read_text(encoding="utf-8")), sort_keys=True)
    return hashlib.sha256(values.encode()).hexdigest()[:16]
