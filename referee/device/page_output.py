"""The page as an output: the picture, the lamps and the sounds that it shows and plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from referee.core.model.events import Cue
from referee.core.model.view import Lamp, View
from referee.core.values import replace
from referee.device.guard import Output
from referee.drivers.sound.motifs import BEFORE_WORDS, MOTIFS
from referee.language.voice import Voice
from referee.protocol.page import SPOKEN, Sound
from referee.protocol.snapshot import Snapshot

if TYPE_CHECKING:
    from PIL.Image import Image


class Pages(Protocol):
    """All pages: their process, or their feed in this one."""

    def publish(self, snapshot: Snapshot, *, blinks: bool) -> None:
        """Show a snapshot. blinks: only lamps or the display's brightness have changed."""

    def play(self, sound: Sound) -> None:
        """Play a sound."""


class Drawing(Protocol):
    """A virtual display: it draws the newest view, at once or on a thread of its own."""

    def show(self, frame: View) -> None: ...
    def close(self) -> None: ...


class PageOutput(Output):
    """Sends the picture, the lamps and the sounds to the page."""

    def __init__(
        self,
        pages: Pages,
        size: tuple[int, int],
        display: Callable[[Callable[[View], Image], Callable[[View, int], None]], Drawing],
    ) -> None:
        """`size`: the picture's, in pixels. `display`: creates the virtual display.

        It gets two functions, which it calls for each view: one draws it, the other is called with the view and the
        time in ns at which it is drawn.
        """
        self._pages, self._size = pages, size
        self._pixels = b""
        self._view: View | None = None
        self._lamps: tuple[Lamp, ...] = ()
        self._voice = Voice()
        self._display = display(self._draw, self._note_shown)

    def _draw(self, view: View) -> Image:
        from referee.screens import draw  # imported here to keep the start short

        picture = draw(view, self._size, view.language)
        self._pixels = picture.tobytes()
        return picture

    def _note_shown(self, view: View, at_ns: int) -> None:
        dimmed = self._view is not None and _only_dimmed(self._view, view)
        self._view = view
        self._publish(blinks=dimmed)
        if view.speaks and (said := self._voice.hear(view)):
            words, language = said.words, said.language
            self._pages.play(Sound(SPOKEN, (), at_ns, words=words, language=language, follows=said.follows))

    def _publish(self, *, blinks: bool = False) -> None:
        if self._view is not None:
            view = replace(self._view, lamps=self._lamps)
            self._pages.publish(Snapshot(view, self._pixels, *self._size), blinks=blinks)

    def show(self, view: View) -> None:
        """Draw the view on the virtual display. Its picture is then sent to the page."""
        self._lamps = self._lamps or view.lamps
        self._display.show(view)

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Send the lamps to the page."""
        before, self._lamps = self._lamps, tuple(lamps)
        self._publish(blinks=_patterns(before) == _patterns(self._lamps))

    def sound(self, cue: Cue) -> None:
        """Send the notes and their time to the page."""
        speaks = self._view is not None and self._view.speaks
        motif = MOTIFS.get(BEFORE_WORDS.get(cue.name, cue.name) if speaks else cue.name)
        heard = motif is not None and (self._view is None or self._view.volume_percent > 0)
        notes, priority = (motif.notes, motif.priority) if motif and heard else ((), 2)
        self._pages.play(Sound(cue.name, notes, cue.at_ns, priority, cue.cancels))

    def close(self) -> None:
        """Stop the virtual display."""
        self._display.close()


def _only_dimmed(before: View, after: View) -> bool:
    """Return whether only the brightness differs. It drops a minute after the last input."""
    if before.dim == after.dim:
        return False
    at = {name: getattr(before, name) for name in ("seq", "now_ns", "changes_at_ns", "lamps", "dim")}
    return replace(after, **at) == before  # rows that do not change the picture are not sent


def _patterns(lamps: Sequence[Lamp]) -> list[tuple[str, str]]:
    """Return each lamp's station and blink pattern, whether or not the lamp is lit now."""
    return [(lamp.station, lamp.pattern) for lamp in lamps]
