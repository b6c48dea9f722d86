"""A match as a file: JSON (for `referee import` and `score`), CSV, or for the app BG Stats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_OID, uuid5

from referee.core.documents.bgstats import LINK, play_file, play_link
from referee.core.documents.record import Record, columns, table, to_document
from referee.language.numbers import decimal_text

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a name that spreadsheets take for a formula; an apostrophe is put before it."""


def as_json(number: str, record: Record, location: str) -> str:
    """Return the record as JSON, indented by one space, with a final newline.

    `number` and `location` are ignored.
    """
    return json.dumps(to_document(record), indent=1) + "\n"


def as_csv(number: str, record: Record, location: str) -> str:
    """Return the match as CSV, a row per hand and team."""
    return _csv(number, record, safe_cell, delimiter=",", lineterminator="\n")


def as_excel(number: str, record: Record) -> str:
    """Return the match as CSV for office programs.

    It has a byte order mark; decimal sign and separator follow the current language.
    """
    comma = decimal_text("0.5") == "0,5"
    return "\ufeff" + _csv(number, record, _office_cell, delimiter=";" if comma else ",", lineterminator="\r\n")


def _csv(number: str, record: Record, cell: Callable[[object], object], **form: Any) -> str:
    out = io.StringIO()
    writer = csv.writer(out, **form)
    writer.writerow(columns(record))
    writer.writerows([[cell(value) for value in row] for row in table(number, record)])
    return out.getvalue()


def _office_cell(value: object) -> object:
    return decimal_text(str(value)) if isinstance(value, float) else safe_cell(value)


def safe_cell(value: object) -> object:
    """Return a value for CSV. Texts that look like a formula get an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def as_bgstats(number: str, record: Record, location: str) -> str:
    """Return the match as a play file of BG Stats. Raises ValueError for a match without a date."""
    if record.begun_s is None:
        raise ValueError(f"match {number} has no date, which BG Stats needs")
    return json.dumps(play_file(record, location, uuid_of, date_of), indent=1) + "\n"


def bgstats_link(record: Record, location: str) -> str:
    """Return the link that opens BG Stats with this match.

    Raises ValueError for a match without a date.
    """
    return LINK + quote(json.dumps(play_link(record, location, uuid_of, date_of), separators=(",", ":")), safe="")


def uuid_of(name: str) -> str:
    """Return a UUID for a name, the same in every export.

    BG Stats recognizes people and plays by their UUIDs.
    """
    return str(uuid5(uuid5(NAMESPACE_OID, "referee"), name)).upper()


def date_of(seconds: int) -> str:
    """Format Unix seconds in the form in which BG Stats writes a date and time."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


WRITERS: dict[str, Callable[[str, Record, str], str]] = {"json": as_json, "csv": as_csv, "bgstats": as_bgstats}
"""Format -> the function that writes it, from the match's number, its record and its place."""
