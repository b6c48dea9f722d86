"""What every value of the house is: frozen, compared and hashed by its class and fields, and cheap to define.

Theory of operation. A `Value` is a msgspec Struct: defining one compiles no source, so a program of some 180 of them
starts sooner than with the standard decorator, and reading one from a document takes no Python. A subclass says only
its fields; what it is, frozen and strict with documents, it inherits. `replace` is msgspec's at run time; a type
checker sees the standard library's, because it knows that one's arguments by the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, dataclass_transform

from msgspec import Struct, field
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from dataclasses import replace
else:
    from msgspec.structs import replace

__all__ = ["Value", "field", "force_setattr", "replace"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value; its fields are the annotations of the class that inherits this."""
