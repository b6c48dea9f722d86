"""Speech for the lobby."""

from __future__ import annotations

from collections.abc import Iterator

from referee.core.messages import Label
from referee.core.model.view import LobbyScreen
from referee.language import say
from referee.language.words import sentence


def _lobby(screen: LobbyScreen) -> Iterator[str]:
    key = "lobby.game" if screen.target is None else "lobby.game_to"
    yield sentence(key, preset=screen.preset, target=screen.target)
    yield from _seats(screen)
    for cell in screen.seats:
        if cell.name and cell.number == screen.naming:
            who = say.name_of(Label((cell.number,), cell.name))
            yield sentence("lobby.new_name" if screen.fresh else "lobby.naming", number=cell.number, who=who)
    yield say.message_speech(screen.hint) or sentence("lobby.join")
    yield say.message_speech(screen.coming)
    if screen.teams > 1:
        yield sentence("lobby.start")


def _seats(screen: LobbyScreen) -> Iterator[str]:
    who = {cell.number: say.name_of(Label((cell.number,), cell.name)) for cell in screen.seats if cell.name}
    if not who:
        yield sentence("lobby.nobody")
        return
    teams = []
    for cell in screen.seats:
        if cell.number in who and cell.pair not in who:
            teams.append(who[cell.number])
        elif cell.number in who and cell.pair in who and cell.number < cell.pair:
            teams.append(sentence("lobby.pair", one=who[cell.number], other=who[cell.pair]))
    yield sentence("lobby.in", who=say.list_speech(teams))
    yield sentence("lobby.teams", count=screen.teams)


SPEECH: say.Speech = {LobbyScreen: _lobby}
