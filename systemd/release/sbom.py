"""The release's bill of materials: a CycloneDX 1.6 document of its libraries and Debian packages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email import message_from_string
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any
from urllib.parse import quote

from systemd.debian.contents import NAME, ROOT, requirements
from systemd.debian.offline import SUITE


def document(version: str, epoch_s: int, listings: Iterable[str]) -> bytes:
    """Return the document as JSON. listings: the text of the Packages file of each bundle."""
    found = [*_libraries(), *(part for listing in listings for part in _debian_packages(listing))]
    parts = {part["purl"]: part for part in found}  # a package of all architectures is in each bundle
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "timestamp": datetime.fromtimestamp(epoch_s, UTC).isoformat(),
                "component": {**_part("pypi", NAME, version), "type": "application", **_licence("MIT")},
            },
            "components": [parts[purl] for purl in sorted(parts)],
        },
        indent=1,
    ).encode()


def _libraries() -> Iterator[dict[str, Any]]:
    """The libraries that pip installs with the wheel: those of requirements.lock that the program needs."""
    locked = dict(_locked())
    wanted = {_normal(name) for name, _ in requirements()}
    while more := {name for name, (_, users) in locked.items() if users & wanted} - wanted:
        wanted |= more
    for name in sorted(wanted):
        try:
            licence = str(metadata(name).json.get("license_expression", ""))
        except PackageNotFoundError:  # it is for another kind of machine
            licence = ""
        yield {**_part("pypi", name, locked[name][0]), **_licence(licence)}


def _locked() -> Iterator[tuple[str, tuple[str, set[str]]]]:
    """Each package of requirements.lock: its name, version, and the packages that need it."""
    for entry in re.split(r"^(?=\w)", (ROOT / "requirements.lock").read_text("utf-8"), flags=re.MULTILINE):
        if found := re.match(r"([\w.-]+)==(\S+)", entry):
            yield _normal(found[1]), (found[2], set(re.findall(r"^ +# +(?:via )?([\w.-]+)$", entry, re.MULTILINE)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _debian_packages(listing: str) -> Iterator[dict[str, Any]]:
    for stanza in listing.strip().split("\n\n"):
        fields = message_from_string(stanza)
        if fields["Package"] == NAME:
            continue
        part = _part("deb/debian", fields["Package"], fields["Version"])
        part["purl"] += f"?arch={fields['Architecture']}&distro={SUITE}"
        yield {**part, "hashes": [{"alg": "SHA-256", "content": fields["SHA256"]}]}


def _part(kind: str, name: str, version: str) -> dict[str, Any]:
    purl = f"pkg:{kind}/{quote(name)}@{quote(version, safe='~')}"
    return {"type": "library", "name": name, "version": version, "purl": purl}


def _licence(expression: str) -> dict[str, Any]:
    return {"licenses": [{"expression": expression}]} if expression else {}
