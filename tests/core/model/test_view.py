"""The defaults of every part of a view show nothing."""

from __future__ import annotations

from fractions import Fraction

from referee.core.messages import msg
from referee.core.model import view
from referee.core.values import Value

SAID = {
    "TeamLine": {"tells_gain": True},
    "RuleScreen": {"page": 1, "pages": 1},
    "VerdictScreen": {"left_share": Fraction(1), "word": msg("claim.call")},
    "View": {"language": "en", "volume_percent": 100, "brightness_percent": 100, "voice": "off", "dark": "call"},
}
"""Defaults that show something."""


def test_what_nobody_says_is_not_shown() -> None:
    classes = [of for of in vars(view).values() if isinstance(of, type) and issubclass(of, Value) and of is not Value]
    assert len(classes) > 30
    for of in classes:
        defaults = of.__struct_defaults__
        shown = dict(zip(of.__struct_fields__[len(of.__struct_fields__) - len(defaults) :], defaults, strict=True))
        said = {name: value for name, value in shown.items() if value}
        assert said == SAID.get(of.__name__, {}), of.__name__
