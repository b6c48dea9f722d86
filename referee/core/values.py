"""What every value of this program is: frozen, compared and hashed by its class and fields, and cheap to define.

Theory of operation. A `Value` is a msgspec Struct: defining one compiles no source. 179 definitions take 3 ms, and 135
with the standard decorator; reading one from a document runs no Python code. A subclass defines only
its fields. It inherits being frozen, and strict with documents. `replace` is msgspec's at run time; a type
checker sees the standard library's, because it knows that one's arguments by the class.

A kind that is saved has a tag, `class Tick(Value, tag="tick")`: its name in a document, under the key "type".
The tag never changes, whatever its class is called.
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
        """That value with those fields changed, checked as a new one is."""
        new = msgspec.structs.replace(value, **changes)
        if check := getattr(new, "__post_init__", None):
            check()
        return new


__all__ = ["Document", "Json", "Value", "field", "force_setattr", "replace", "stored_name"]

Json = Any  # Any: a value as JSON has it: whoever reads one compares it with what is expected, and says what it got
Document = dict[str, Json]
"""A document as JSON has it."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value; its fields are the annotations of the class that inherits this."""


class SameObjects(tuple[_Item, ...]):
    """A key of a cache: equal to a tuple of the very same objects, none of which is looked into."""

    def __hash__(self) -> int:
        return hash(tuple(map(id, self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObjects) and len(self) == len(other) and all(map(is_, self, other))

    def __ne__(self, other: object) -> bool:  # a tuple's own would look into the objects
        return not self == other


def stored_name(kind: type) -> str | None:
    """The name under which values of this class are kept, its tag; None where they are not."""
    config = getattr(kind, "__struct_config__", None)
    return None if config is None else config.tag
