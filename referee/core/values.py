"""The base class of all values: immutable, compared by class and fields, cheap to define.

Theory of operation. A `Value` is a msgspec Struct: defining one compiles no source. 179 definitions take 3 ms, 135 with
the standard decorator. Reading one from a document runs no Python code. A subclass defines only its fields; it is
immutable and strict with documents. At run time `replace` is msgspec's. A type checker sees the standard library's,
because it knows that function's arguments for each class.

A saved class has a tag, `class Tick(Value, tag="tick")`: its name in a document, under the key "type". The tag never
changes, even if the class is renamed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, dataclass_transform

import msgspec
from msgspec import Struct, field
from msgspec.structs import force_setattr

_Item = TypeVar("_Item")
_Given = TypeVarTuple("_Given")

if TYPE_CHECKING:
    from dataclasses import replace
elif tuple(map(int, msgspec.__version__.split(".")[:2])) >= (0, 20):
    from msgspec.structs import replace
else:  # pragma: no cover - 0.19, which Debian 13 has, checks what is made and not what is replaced

    def replace(value: _Item, /, **changes: object) -> _Item:
        """Return the value with these fields changed, checked like a new one."""
        new = msgspec.structs.replace(value, **changes)
        if check := getattr(new, "__post_init__", None):
            check()
        return new


__all__ = ["Document", "Json", "Value", "by_identity", "field", "force_setattr", "replace", "stored_name"]

Json = Any  # Any: a JSON value; the code that reads it checks the type
Document = dict[str, Json]
"""A JSON document."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable value; its fields are the annotations of the subclass."""


class _Same:
    """A cache key that is equal only for the identical object."""

    def __init__(self, value: Struct) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


def by_identity(maxsize: int) -> Callable[[Callable[[*_Given], _Item]], Callable[[*_Given], _Item]]:
    """Cache a function's results like `lru_cache`, but compare arguments by identity.

    Comparing large values field by field would take longer than the cache saves.
    """

    def decorate(function: Callable[[*_Given], _Item]) -> Callable[[*_Given], _Item]:
        call: Callable[..., _Item] = function

        @lru_cache(maxsize)
        def found(*key: Json) -> _Item:
            return call(*(part.value if type(part) is _Same else part for part in key))

        @wraps(function)
        def cached(*given: *_Given) -> _Item:
            return found(*(_Same(part) if isinstance(part, Struct) else part for part in given))

        return cached

    return decorate


def stored_name(kind: type) -> str | None:
    """Return the tag under which values of this class are stored; None if they are not stored."""
    config = getattr(kind, "__struct_config__", None)
    return None if config is None else config.tag
