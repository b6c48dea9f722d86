"""Static files of pages, read once and served with an ETag."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from aiohttp import web

SHARED = Path(__file__).parent / "static"
"""Folder of the style and icon that all pages use."""
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

KEPT = "public, max-age=31536000, immutable"


class StaticFiles:
    """The static files of a folder and of `SHARED`."""

    def __init__(self, folder: Path) -> None:
        self._paths = {path.name: path for path in (*SHARED.iterdir(), *folder.iterdir()) if path.suffix in TYPES}
        self.names = tuple(sorted(self._paths))

    def text(self, name: str) -> str:
        """Return the text of a file."""
        return _text(self._paths[name])

    def tag(self, name: str) -> str:
        """Return the ETag of a file: 16 digits of its hash."""
        return _tag(self._paths[name])

    def address(self, name: str) -> str:
        """Return an address that names this content, so that caches need not ask again."""
        return f"/{name}?v={self.tag(name)}"

    async def serve(self, request: web.Request) -> web.Response:
        """Serve the file that the request's path names."""
        name = request.path.rpartition("/")[2]
        kept = request.query.get("v") == self.tag(name)
        headers = {"ETag": f'"{self.tag(name)}"', "Cache-Control": KEPT if kept else "no-cache"}
        if any(tag.value == self.tag(name) for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        return web.Response(text=self.text(name), content_type=TYPES[Path(name).suffix], headers=headers)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _tag(path: Path) -> str:
    return hashlib.sha256(_text(path).encode()).hexdigest()[:16]
