"""PLAYING in the Nertz games: a race in which all may burn cards when stuck.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from typing import ClassVar

from referee.core.games.nertz.dialect import beat_word
from referee.core.model import lamps
from referee.core.model.lamps import Times
from referee.core.model.state import Play, State
from referee.core.model.table import Table
from referee.core.model.view import BurnScreen, Screen
from referee.core.phases.race import Race
from referee.core.values import replace


class Playing(Race, tag="nertz_playing"):
    """Play of a hand. If no team can play, all burn a card (move it to the bottom of a pile).

    burns: number of burns since a card was last played. stream_burns: number of burns of stock cards since the last
    play or the last burn of a reserve card. burnt: the pile burnt just before play resumed; "" for none. searched:
    whether all teams have searched for a move since the last play or burn, and found none.
    """

    name: ClassVar[str] = Play.name
    burns: int = 0
    stream_burns: int = 0
    burnt: str = ""
    searched: bool = False

    def running(self, table: Table, go_at_ns: int, armed_at_ns: int) -> Race:
        fresh = replace(self, burnt="", searched=False)
        return super(Playing, fresh).running(table, go_at_ns, armed_at_ns)

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        if self.burnt and now_ns < self.go_at_ns + lamps.GO_NS:
            times.append(self.go_at_ns + lamps.GO_NS)
            return BurnScreen(beat_word(self.burnt), self.burnt, self.burns)
        return super().screen(state, now_ns, times)
