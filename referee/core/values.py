"""The base class of all values: frozen, compared by class and fields, cheap to define.

Theory of operation. A `Value` is a msgspec Struct: defining one compiles no source. 179 definitions take 3 ms, 135 with
the standard decorator. Reading one from a document runs no Python code. A subclass defines only its fields; it is
frozen and strict with documents. At run time `replace` is msgspec's. A type checker sees the standard library's,
because it knows that function's arguments for each class.

A saved class has a tag, `class Tick(Value, tag="tick")`: its name in a document, under the key "type". The tag never
changes, even if the class is renamed.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

import msgspec
from msgspec import Struct, field
from msgspec.structs import force_setattr

_Item = TypeVar("_Item")

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


__all__ = ["Document", "Json", "Value", "field", "force_setattr", "replace", "stored_name"]

Json = Any  # Any: a JSON value; its reader checks the type and reports what it got
Document = dict[str, Json]
"""A JSON document."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value; its fields are the annotations of the subclass."""


class SameObjects(tuple[_Item, ...]):
    """A cache key: equal to a tuple of the identical objects, without comparing their contents."""

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObjects) and len(self) == len(other) and all(map(is_, self, other))

    def __ne__(self, other: object) -> bool:  # a tuple's own would compare the contents
        return not self == other


def stored_name(kind: type) -> str | None:
    """Return the tag under which values of this class are stored; None if they are not stored."""
    config = getattr(kind, "__struct_config__", None)
    return None if config is None else config.tag
