"""LOBBY: what a screen reader says, and its sentences."""

from __future__ import annotations

from referee.core.messages import Label
from referee.core.model.view import LobbyScreen
from referee.language.speech import say
from referee.language.words import sentence

LOBBY_GAME = sentence("lobby.game", "preset")
LOBBY_GAME_TO = sentence("lobby.game_to", "preset", "target")
LOBBY_NOBODY = sentence("lobby.nobody")
LOBBY_IN = sentence("lobby.in", "who")
LOBBY_TEAMS = sentence("lobby.teams", "count")
LOBBY_PAIR = sentence("lobby.pair", "one", "other")
LOBBY_JOIN = sentence("lobby.join")
LOBBY_NAMING = sentence("lobby.naming", "who")
LOBBY_NEW_NAME = sentence("lobby.new_name", "number")


def _lobby(screen: LobbyScreen) -> list[str]:
    preset, to = screen.preset, screen.target is not None
    game = LOBBY_GAME_TO(preset=preset, target=screen.target) if to else None
    names = ((cell.number, cell.name) for cell in screen.seats if cell.name and cell.number == screen.naming)
    named = [say.name_of(Label((number,), name)) for number, name in names]
    return [
        game or LOBBY_GAME(preset=preset),
        *_seat_sentences(screen),
        *([LOBBY_NEW_NAME(number=screen.naming) if screen.fresh else LOBBY_NAMING(who=named[0])] if named else []),
        say.message_speech(screen.hint) or LOBBY_JOIN(),
    ]


def _seat_sentences(screen: LobbyScreen) -> list[str]:
    cells = {cell.number: Label((cell.number,), cell.name) for cell in screen.seats if cell.name}
    pairs = {cell.number: cell.pair for cell in screen.seats if cell.pair in cells and cell.name}
    teams = []
    for number, label in cells.items():
        other = pairs.get(number)
        if other is None:
            teams.append(say.name_of(label))
        elif number < other:
            teams.append(LOBBY_PAIR(one=say.name_of(label), other=say.name_of(cells[other])))
    if not teams:
        return [LOBBY_NOBODY()]
    return [LOBBY_IN(who=say.list_speech(teams)), LOBBY_TEAMS(count=screen.teams)]


SPEECH: say.Speech = {LobbyScreen: _lobby}
