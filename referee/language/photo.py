"""Speech for the photo finish."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import PhotoLine, PhotoScreen
from referee.language import say
from referee.language.words import sentence


def _photo(screen: PhotoScreen) -> Iterator[str]:
    yield sentence("photo.of_last" if screen.last else "photo", ms=say.in_ms(screen.tie_window_ns))
    end_ns = max(line.press_ns for line in screen.lines) if screen.last else None
    for one in screen.lines:
        text = _press(one, end_ns)
        yield sentence("photo.late", line=text) if one.late else text
    if screen.alone:
        yield sentence("verdict.alone")
    if shared_ns := max((line.common_ns for line in screen.lines), default=0):
        yield sentence("photo.common", ms=say.error_text(shared_ns))


def _press(one: PhotoLine, end_ns: int | None) -> str:
    """Return who pressed, and how long after the first press.

    end_ns: the time of the last press if the last press loses, else None. If given, return how long before the last
    press the player pressed.
    """
    who, err = say.name_of(one.label), say.error_text(one.err_ns)
    if end_ns is None:
        key = "photo.caller" if one.caller else "photo.line"
        return sentence(key, who=who, ms=say.in_ms(one.press_ns), err=err)
    key = "photo.last" if one.press_ns == end_ns else "photo.before"
    return sentence(key, who=who, ms=say.gap_text(end_ns - one.press_ns), err=err)


SPEECH: say.Speech = {PhotoScreen: _photo}
