"""Frozen values that are cheap to define: `dataclass(frozen=True, slots=True)` for a program that starts often.

Theory of operation. The standard decorator writes and compiles six methods for each class, half a millisecond on a
desktop and a third of the time from process start to ready. Here only `__init__` is compiled, because its signature
differs from class to class; the other methods are the same functions for all, reading the fields through one getter.
The slots, `fields`, `replace` and pattern matching are the standard library's own, and a type checker sees nothing but
its decorator. Only what the house uses is taken: frozen, with slots, every field compared and set by `__init__`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, slots: bool) -> Callable[[type[T]], type[T]]:
        """As the standard one with both of these True, which is all that there is."""
        if not (frozen and slots):
            raise TypeError("these values are frozen and have slots; for others there is dataclasses.dataclass")
        return _defined


def _defined(cls: type[T]) -> type[T]:
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)
    made.__init__ = _init(made, fields)
    made._values = _getter([field.name for field in fields])
    for name, method in _SHARED.items():
        setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """From a value to the tuple of its fields. A getter of one name gives no tuple, one of none does not exist."""
    if len(names) > 1:
        return attrgetter(*names)
    return _Few(names)


class _Few:
    """The getter for one field or none. An object and no function, for a function would be bound as a method."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def __call__(self, value: Any) -> tuple[Any, ...]:
        return tuple(getattr(value, name) for name in self._names)


def _init(cls: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    """`__init__`: each field through its slot's own setter, which no frozen value gives away."""
    names: dict[str, Any] = {"_none": dataclasses.MISSING}
    parameters, lines = [], []
    for field in fields:
        name = field.name
        names[f"_set_{name}"] = getattr(cls, name).__set__
        parameters.append(name + _default(field, names))
        made = f"_make_{name}() if {name} is _none else {name}" if f"_make_{name}" in names else name
        lines.append(f"  _set_{name}(self, {made})\n")
    check = "  self.__post_init__()\n" if hasattr(cls, "__post_init__") else ""
    head = f"def outer({', '.join(names)}):\n def __init__({', '.join(['self', *parameters])}):\n"
    source = f"{head}{''.join(lines)}{check}  return\n return __init__\n"
    scope: dict[str, Any] = {}
    exec(source, vars(import_module(cls.__module__)), scope)
    init: Callable[..., None] = scope["outer"](**names)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {field.name: field.type for field in fields} | {"return": None}
    return init


def _default(field: dataclasses.Field[Any], names: dict[str, Any]) -> str:
    """What stands behind a parameter; the values it needs go to `names`."""
    if field.default is not dataclasses.MISSING:
        names[f"_default_{field.name}"] = field.default
        return f"=_default_{field.name}"
    if field.default_factory is not dataclasses.MISSING:
        names[f"_make_{field.name}"] = field.default_factory
        return "=_none"
    return ""


# -- the methods that all values share -----------------------------------------------------------------------------


def _eq(self: Any, other: Any) -> Any:
    return self._values(self) == self._values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._values(self))


def _repr(self: Any) -> str:
    pairs = zip(dataclasses.fields(self), self._values(self), strict=True)
    return f"{type(self).__qualname__}({', '.join(f'{field.name}={value!r}' for field, value in pairs)})"


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), self._values(self)


def _set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


_SHARED: dict[str, Callable[..., Any]] = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__reduce__": _reduce,
    "__setattr__": _set,
    "__delattr__": _delete,
}
