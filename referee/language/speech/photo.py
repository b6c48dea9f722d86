"""The photo finish: what a screen reader says, and its sentences."""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.model.view import PhotoLine, PhotoScreen
from referee.language.speech import say
from referee.language.words import sentence

PHOTO = sentence("photo", "ms")
PHOTO_OF_LAST = sentence("photo.of_last", "ms")
PHOTO_BEFORE = sentence("photo.before", "who", "ms", "err")
PHOTO_LAST = sentence("photo.last", "who", "err")
PHOTO_LINE = sentence("photo.line", "who", "ms", "err")
PHOTO_CALLER = sentence("photo.caller", "who", "ms", "err")
PHOTO_LATE = sentence("photo.late", "line")
PHOTO_COMMON = sentence("photo.common", "ms")


def _photo(screen: PhotoScreen) -> list[str]:
    end_ns = max(line.press_ns for line in screen.lines) if screen.last else None
    lines = [PHOTO_LATE(line=text) if one.late else text for one, text in _presses(screen.lines, end_ns)]
    shared_ns = max((line.common_ns for line in screen.lines), default=0)
    pods = [PHOTO_COMMON(ms=say.error_text(shared_ns))] if shared_ns else []
    head = PHOTO_OF_LAST if screen.last else PHOTO
    alone = [say.VERDICT_ALONE()] if screen.alone else []
    return [head(ms=say.in_ms(screen.tie_window_ns)), *lines, *alone, *pods]


def _presses(lines: Iterable[PhotoLine], end_ns: int | None) -> Iterable[tuple[PhotoLine, str]]:
    """Each press with what is said of it: when it came after the first one, or before the last one at `end_ns`."""
    for one in lines:
        who, err = say.name_of(one.label), say.error_text(one.err_ns)
        if end_ns is None:
            word = PHOTO_CALLER if one.caller else PHOTO_LINE
            yield one, word(who=who, ms=say.in_ms(one.press_ns), err=err)
        elif one.press_ns == end_ns:
            yield one, PHOTO_LAST(who=who, err=err)
        else:
            yield one, PHOTO_BEFORE(who=who, ms=say.gap_text(end_ns - one.press_ns), err=err)


SPEECH: say.Speech = {PhotoScreen: _photo}
