"""Speech for a page of the rulebook."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.model.view import RuleScreen
from referee.language import say
from referee.language.words import sentence


def _rule(screen: RuleScreen) -> Iterator[str]:
    yield say.own_sentence(screen.title)
    yield say.message_speech(screen.text)
    yield sentence("rule.source", who=say.list_speech([say.message_speech(source) for source in screen.sources]))
    yield sentence("rule.page" if screen.pages > 1 else "rule.alone", at=screen.page, all=screen.pages)


SPEECH: say.Speech = {RuleScreen: _rule}
