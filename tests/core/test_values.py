"""The house's frozen values behave as the standard library's, method for method."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar, get_type_hints

import pytest

from referee.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """Two numbers and a list that nobody shares."""

    x: int
    y: int = 7
    more: list[int] = dataclasses.field(default_factory=list)
    kind: ClassVar[str] = "point"


@dataclass(frozen=True, slots=True)
class Spot(Point):
    """One field more, checked."""

    name: str = "spot"

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a spot has a name")


@dataclass(frozen=True, slots=True)
class Lone:
    """A single field."""

    x: int = 1


@dataclass(frozen=True, slots=True)
class Bare:
    """No field at all."""


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same fields as Point, by the standard decorator."""

    x: int
    y: int = 7
    more: list[int] = dataclasses.field(default_factory=list)
    kind: ClassVar[str] = "point"


def test_fields_defaults_and_signature_are_the_standard_ones() -> None:
    """Positions, names, defaults, factories and hints."""
    for given in ((1,), (1, 2), (1, 2, [3])):
        assert dataclasses.astuple(Point(*given)) == dataclasses.astuple(Standard(*given))
    assert Point(1).more is not Point(1).more
    assert Point(y=2, x=1) == Point(1, 2)
    assert list(inspect.signature(Point).parameters) == list(inspect.signature(Standard).parameters)
    assert get_type_hints(Point.__init__) == get_type_hints(Standard.__init__)
    assert Point.__init__.__qualname__ == "Point.__init__"
    assert not hasattr(Point(1), "__dict__")


def test_a_missing_or_unknown_argument_is_refused() -> None:
    """As by any function."""
    unfit: tuple[dict[str, Any], ...] = ({}, {"x": 1, "z": 2})
    for arguments in unfit:
        with pytest.raises(TypeError):
            Point(**arguments)


def test_nothing_can_be_changed_or_deleted() -> None:
    """Frozen, by the standard library's own error and sentence."""
    for value in (Point(1), Standard(1)):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            value.x = 2  # type: ignore[misc]
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
            del value.x


def test_equality_and_hash_look_at_class_and_fields() -> None:
    """Equal fields of another class are another value."""
    assert Point(1, 2) == Point(1, 2) != Point(1, 3)
    assert Point(1) != Spot(1)
    other: object = 1
    assert Point(1) != other
    assert len({Lone(1), Lone(1), Lone(2), Bare(), Bare()}) == 3
    with pytest.raises(TypeError):
        hash(Point(1))  # holds a list


def test_repr_replace_matching_copies_and_pickles() -> None:
    """What the standard library does with its own, it does with these."""
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")
    assert repr(Bare()) == "Bare()"
    assert dataclasses.replace(Spot(1), y=3) == Spot(1, 3)
    values: tuple[Any, ...] = (Spot(1, 2, [3], "a"), Lone(4), Bare())
    for value in values:
        assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    match Point(5, 6):
        case Point(x, y):
            assert (x, y) == (5, 6)


def test_a_check_runs_after_the_fields_are_set() -> None:
    """`__post_init__`, also by way of `replace`."""
    with pytest.raises(ValueError, match="a spot has a name"):
        dataclasses.replace(Spot(1), name="")


def test_only_what_the_house_uses_is_there() -> None:
    """A value that is not frozen, or has no slots, is somebody else's."""
    for frozen, slots in ((True, False), (False, True)):
        with pytest.raises(TypeError, match=r"dataclasses\.dataclass"):
            dataclass(frozen=frozen, slots=slots)
