"""A page of the rulebook: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.model.view import RuleScreen
from referee.language.speech import say
from referee.language.words import sentence

RULE_SOURCE = sentence("rule.source", "who")
RULE_PAGE = sentence("rule.page", "at", "all")
RULE_ALONE = sentence("rule.alone")


def _rule(screen: RuleScreen) -> list[str]:
    at = RULE_PAGE(at=screen.page, all=screen.pages) if screen.pages > 1 else RULE_ALONE()
    source = RULE_SOURCE(who=say.list_speech([say.message_speech(source) for source in screen.sources]))
    return [say.own_sentence(screen.title), say.message_speech(screen.text), source, at]


SPEECH: say.Speech = {RuleScreen: _rule}
