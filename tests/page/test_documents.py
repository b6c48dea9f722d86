"""The view as JSON: complete, exact, described by its own schema."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from referee.page.api import document, view_document, view_schemas
from tests.screens.samples import samples

SAMPLES = samples()
SCHEMAS = view_schemas()


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Return whether a document matches its schema.

    Supports the part of JSON Schema that ours uses.
    """
    if "$ref" in schema:
        return fits(value, SCHEMAS[schema["$ref"].rpartition("/")[2]])  # type: ignore[arg-type]
    if "anyOf" in schema:
        return any(fits(value, option) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if "const" in schema:
        return bool(value == schema["const"])
    return bool(_FITS[schema["type"]](value, schema))


def _object(value: Any, schema: dict[str, Any]) -> bool:
    properties = schema.get("properties")
    if properties is None:
        return isinstance(value, dict)
    return (
        isinstance(value, dict)
        and value.keys() == properties.keys()
        and all(fits(value[k], properties[k]) for k in value)
    )


def _array(value: Any, schema: dict[str, Any]) -> bool:
    if not isinstance(value, list):
        return False
    kinds = schema.get("prefixItems") or [schema["items"]] * len(value)
    return len(kinds) == len(value) and all(fits(item, kind) for item, kind in zip(value, kinds, strict=True))


_FITS: dict[str, Any] = {
    "object": _object,
    "array": _array,
    "integer": lambda value, _: type(value) is int,
    "number": lambda value, _: type(value) in (int, float),
    "string": lambda value, _: isinstance(value, str),
    "boolean": lambda value, _: isinstance(value, bool),
    "null": lambda value, _: value is None,
}


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_screen_is_a_document_of_its_schema(name: str) -> None:
    made = json.loads(json.dumps(view_document(SAMPLES[name])))
    assert fits(made, {"$ref": "#/components/schemas/View"})


def test_halves_and_sixteenths_are_exact_numbers() -> None:
    assert document((Fraction(5, 2), Fraction(3, 16), Fraction(7))) == [2.5, 0.1875, 7]
