"""Which Raspberry Pi this is, from the device tree's own words, and what differs between those with a 40-pin header.

Facts: the names are the kernel's device trees' (`model` in bcm2837-rpi-zero-2-w.dts and its like); the sections of
config.txt that apply to a model are those of its documentation, "Conditional filters"; the chips' labels are the
kernel's pin controllers'. That a Pi 5 does not wake by GPIO3 is a guess on the safe side: it has a button of its own,
and nobody has tried it here.
"""

from __future__ import annotations

import re
from pathlib import Path

from referee.core.values import Value


class Model(Value):
    """One model: as people call it, the GPIO chip of its header, and what applies to it."""

    name: str
    chip: str
    """The label of the GPIO chip that the header's pins hang on."""
    sections: frozenset[str]
    """The model sections of config.txt whose lines it heeds."""
    wakes: bool = True
    """Whether GPIO3 at ground starts it when it is halted."""


MODELS: tuple[tuple[str, Model], ...] = (
    (r"Raspberry Pi Zero 2 W\b", Model("Zero 2 W", "pinctrl-bcm2835", frozenset({"pi0", "pi0w", "pi02"}))),
    (r"Raspberry Pi Zero W\b", Model("Zero W", "pinctrl-bcm2835", frozenset({"pi0", "pi0w"}))),
    (r"Raspberry Pi 3 Model [AB] Plus\b", Model("3+", "pinctrl-bcm2835", frozenset({"pi3", "pi3+"}))),
    (r"Raspberry Pi 3 Model B\b", Model("3B", "pinctrl-bcm2835", frozenset({"pi3"}))),
    (r"Raspberry Pi 4 Model B\b", Model("4B", "pinctrl-bcm2711", frozenset({"pi4"}))),
    (r"Raspberry Pi 5 Model B\b", Model("5", "pinctrl-rp1", frozenset({"pi5"}), wakes=False)),
)
"""How the device tree's name of a model begins, and what that model is."""


def model_name(root: Path = Path("/")) -> str | None:
    """The device tree's name of this machine, such as "Raspberry Pi 4 Model B Rev 1.4"; None where it has none."""
    try:
        return (root / "proc/device-tree/model").read_text("utf-8", "replace").rstrip("\0\n") or None
    except OSError:
        return None


def model(name: str | None) -> Model | None:
    """The model by that name; None for a machine that is none of them."""
    return next((known for begins, known in MODELS if name and re.match(begins, name)), None)
