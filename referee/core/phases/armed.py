"""The times in which presses are claims: the arbiter's settings for them, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from referee.core.messages import msg
from referee.core.model.options import RuleOption
from referee.core.model.registry import claim_game, pile_game
from referee.core.model.table import Table, seats_of
from referee.core.model.transitions import Setting
from referee.core.presses.arbiter import ArmedSpan, CallRules, Verdict, rule
from referee.core.presses.signals import RELEASE_NS, Contact
from referee.core.units import S, ns_from_ms
from referee.core.values import replace

USUAL_TIE = (20, "device default")
"""Default tie window in ms, with its source.

People cannot tell which of two closer sounds came first.
"""
TIE_SETTING = Setting("tie_ms", "item.set_tie", tuple((n, msg("choice.ms", ms=n)) for n in (0, 5, 10, 20, 30, 50, 100)))
"""The tie window as a setting at the knob."""


def tie_option(presses: str) -> RuleOption:
    """Return the tie window as an option. `presses`: the game's word for claims, e.g. "slaps"."""
    source = "a setting of the device, not of the card rules"
    return RuleOption("tie_ms", "milliseconds", f"{presses} within this many ms are a tie", source, 0, 500)


def head_starts(table: Table, playing: tuple[str, ...]) -> dict[str, int]:
    """Return the stations of players who start later than the others, and by how many seconds.

    Only games whose hands begin with a countdown have head starts.
    """
    seats = (table.own_seat(station) for station in seats_of(table, playing) if pile_game(table) is not None)
    return {seat.station: seat.head_start_s for seat in seats if seat.head_start_s}


def own_goes(table: Table, playing: tuple[str, ...], go_at_ns: int, played_ns: int = 0) -> dict[str, int]:
    """Return when each player who starts later than the others may play: station -> instant.

    Players who have already started are left out. `go_at_ns`: when play begins or, after a pause, goes on.
    `played_ns`: the hand's play time before that instant.
    """
    left = ((station, s * S - played_ns) for station, s in head_starts(table, playing).items())
    return {station: go_at_ns + left_ns for station, left_ns in left if left_ns > 0}


def armed_span_of(table: Table, playing: tuple[str, ...], go_at_ns: int, played_ns: int = 0) -> ArmedSpan:
    """Return an armed span without presses, for the unmuted buttons of the teams in `playing`.

    go_at_ns: when play begins or, after a pause, goes on. played_ns: the hand's play time before that instant.
    """
    setup, game = table.setup, claim_game(table)
    tie_ns, limit_ns = ns_from_ms(game.tie_ms(table)), game.limit_ns(table)
    team_of = {station: team for team in playing for station in seats_of(table, (team,))}
    own_go_ns = own_goes(table, playing, go_at_ns, played_ns)
    lag_ns = {station: table.lag_ns(station) for station in (*setup.remote, *table.phone_buttons)}
    phones = tuple(station for station in table.phone_buttons if station in team_of)
    latency_ns = max((setup.latency_ns, *(lag_ns[station] for station in phones)))
    rules = CallRules(tie_ns, setup.max_err_ns, latency_ns, setup.lockout_ns, limit_ns, setup.age_ns)
    return ArmedSpan(rules, team_of, lag_ns=lag_ns, own_go_ns=own_go_ns, phones=phones)


def verdict_of(armed: ArmedSpan, contacts: Iterable[Contact]) -> Verdict:
    """Return the verdict on an armed span.

    It is grey (in doubt) if rows arrived so late that a press was accepted or rejected too early.
    """
    verdict = rule(armed)
    doubts = (contact.doubted_ns for contact in contacts if contact.station in armed.team_of)
    return replace(verdict, grey=True) if any(in_call(verdict, t_ns) for t_ns in doubts) else verdict


def in_call(verdict: Verdict, t_ns: int) -> bool:
    """Return whether a row with stamp `t_ns` affects the verdict.

    A contact's rows belong to one press for up to RELEASE_NS.
    """
    return verdict.claimed_ns - RELEASE_NS <= t_ns <= verdict.deadline_ns
