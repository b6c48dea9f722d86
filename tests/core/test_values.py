"""The core's value classes behave like the standard library's frozen dataclasses."""

from __future__ import annotations

from typing import ClassVar

import pytest

from referee.core.values import Value, by_identity, field, force_setattr, replace, stored_name


class Point(Value):
    """Two numbers and a list."""

    x: int
    y: int = 7
    more: list[int] = field(default_factory=list)
    kind: ClassVar[str] = "point"


class Spot(Point):
    """A class with one more field, checked and completed."""

    name: str = "spot"
    longer: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a spot has a name")
        force_setattr(self, "longer", f"{self.name} at {self.x}")


def test_a_check_runs_after_the_fields_are_set() -> None:
    assert replace(Spot(1), x=2).longer == "spot at 2"
    with pytest.raises(ValueError, match="a spot has a name"):
        replace(Spot(1), name="")


def test_cached_by_identity_compares_values_by_identity_and_the_rest_by_equality() -> None:
    asked: list[tuple[Point, str]] = []

    @by_identity(4)
    def shown(point: Point, way: str) -> str:
        asked.append((point, way))
        return f"{point.x} {way}"

    one, twin = Point(1), Point(1)
    assert [shown(point, "".join("on")) for point in (one, one, twin)] == ["1 on"] * 3
    assert shown(one, "off") == "1 off"
    assert asked == [(one, "on"), (twin, "on"), (one, "off")]


def test_stored_name_is_the_tag_of_a_class() -> None:
    class Kept(Value, tag="kept"):
        pass

    assert [stored_name(kind) for kind in (Kept, Point, int)] == ["kept", None, None]
