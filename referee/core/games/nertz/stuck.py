"""No team can play: players must call now, search, then burn a card each or end the hand.

    TIMEOUT ─ Stuck ─► STUCK (5 s, press = call) ─► SEARCH (tap nothing, hold I can play) ─ all ─► BURNING ─► PLAYING
                                                        │ somebody can play    ▲           │ or, by the preset
                                                        ▼                      │           ▼
                                                     RESUMING                  └─ no ─ END HAND? (vote) ◄─ End hand

All burn a card (the top one goes to the bottom) at the same time, on the device's beat. Source of the steps:
docs/rules.md 6. The preset's option `stuck` defines what follows a search without success. A table may end the hand by
agreement at any time; after a "no" it may search once more.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from typing import ClassVar, cast

from referee.core.games.nertz.dialect import piles_turned
from referee.core.games.nertz.rules import rules_of
from referee.core.games.nertz.scoring import NertzHand
from referee.core.games.nertz.settings import Playing
from referee.core.messages import Msg, msg
from referee.core.model import lamps
from referee.core.model.events import Cue, Ended
from referee.core.model.labels import answer_lamps, label_of, menu_line, said, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.menu import MenuAction, MenuLine
from referee.core.model.state import GUARD_NS, Phase, Play, State, Step, fresh
from referee.core.model.table import Table, seats_of, sitting, teams_heard
from referee.core.model.transitions import MenuPlace, Row, Transition
from referee.core.model.triggers import Due, Held, Tapped
from referee.core.model.view import BurnScreen, CallNowScreen, Screen, SearchScreen
from referee.core.phases.call import called_from
from referee.core.phases.common import BACK, open_list, stay, to, toast, wink, within
from referee.core.phases.counting import counting
from referee.core.phases.pause import TimeOut
from referee.core.phases.ready import next_hand
from referee.core.phases.start import start
from referee.core.phases.vote import ask
from referee.core.presses.signals import Contact, Pressed
from referee.core.units import MS, S
from referee.core.values import replace

CALL_NOW_NS = 5 * S
BURN_BEAT_NS = 800 * MS
RESERVE_AFTER = 3
"""Number of burns of stock cards, with no play, after which a reserve card is burnt.

Source: NNA.
"""


class StuckPhase(Phase):
    """A step of the procedure after players report that no team can play.

    play: the hand in progress, with its clock stopped.
    """

    races: ClassVar[bool] = True
    play: Playing = Playing(0)

    def play_at_pause(self, at_ns: int) -> Play | None:
        return self.play


class CallNow(StuckPhase, tag="nertz_call_now"):
    """First step, for 5 s: a player with an empty reserve must call now. Each press is a call.

    times: how often each team turns its whole stock in the next step. pile: the cards to burn or turn after that.
    """

    name: ClassVar[str] = "STUCK"
    until_at_ns: int = 0
    times: int = 2
    pile: str = "stream"

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        left = max(-(-(self.until_at_ns - now_ns) // S), 1)
        times.append(self.until_at_ns - (left - 1) * S)
        return CallNowScreen(left)


class Searching(StuckPhase, tag="nertz_search"):
    """Second step: all teams go through their stocks. `nothing`: the teams that found no move."""

    name: ClassVar[str] = "SEARCH"
    guarded: ClassVar[bool] = True
    times: int = 2
    pile: str = "stream"
    nothing: tuple[str, ...] = ()

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        table = state.table
        asked = teams_heard(table, self.play.playing)
        missing = tuple(label_of(table, team) for team in asked if team not in self.nothing)
        return SearchScreen(self.times, len(self.nothing), len(asked), missing)

    def lamps(self, state: State) -> Shown:
        """Return the lamps. Those of teams that have not answered blink.

        For the first 0.7 s all lamps are dark, because a press then is still a call.
        """
        done = seats_of(state.table, self.nothing)
        return answer_lamps(seats_of(state.table, self.play.playing), done, self.asked_at_ns)


class Burning(StuckPhase, tag="nertz_burning"):
    """The countdown to a joint move, such as each team's burn. At its end, play resumes."""

    name: ClassVar[str] = "BURNING"
    pile: str = "stream"
    beats_at_ns: tuple[int, ...] = ()
    burn_at_ns: int = 0

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.burn_at_ns

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        times += [*self.beats_at_ns, self.burn_at_ns]
        word = next((w for w, t in zip((1, 2, 3), self.beats_at_ns[::-1], strict=True) if now_ns >= t), 3)
        return BurnScreen(word, self.pile, self.play.burns + 1)

    def lamps(self, state: State) -> Shown:
        pattern = lamps.beats(self.beats_at_ns, self.burn_at_ns)
        return dict.fromkeys(seats_of(state.table, self.play.playing), (pattern, 0))


class CallStuck(MenuAction):
    """Report that no team can play. All teams then go through their stock for a card that fits."""


class CallStuckAgain(MenuAction):
    """Report that no team has been able to play since the last burn."""


class CallStuckAfterPlay(MenuAction):
    """Report that no team can play, but a card was played since the last burn."""


class BurnReserve(MenuAction):
    """Burn the top card of each reserve (put it under the others)."""


class EndHand(MenuAction):
    """Ask all teams whether to end the hand now, even if some team could play."""

    upsets: ClassVar[bool] = True


class GoRoundAgain(MenuAction):
    """Let all teams turn their stocks once more, after all have searched and want to go on."""


class CallByVoice(MenuAction):
    """Ask all teams whether a team with muted buttons has called aloud.

    Without `team`, open a list of such teams.
    """

    team: str = ""


# -- the timeout's list --------------------------------------------------------------------------------------------


def _play(phase: TimeOut) -> Playing:
    return cast(Playing, phase.play)  # in this game a pause always keeps a `Playing`


def _stuck_text(state: State, phase: TimeOut) -> Msg | None:
    return None if _play(phase).burns else msg("item.stuck")


def _again_text(state: State, phase: TimeOut) -> Msg | None:
    """Return the menu line "stuck again" if cards were burnt since the last play; else None."""
    return msg("item.stuck_again") if _play(phase).burns else None


def _after_play_text(state: State, phase: TimeOut) -> Msg | None:
    return msg("item.stuck_after_play") if _play(phase).burns else None


def _reserve_text(state: State, phase: TimeOut) -> Msg | None:
    ripe = _play(phase).stream_burns >= RESERVE_AFTER
    return msg("item.burn_reserve") if ripe and rules_of(state.table.setup).stuck == "burn" else None


def _pile(table: Table) -> str:
    """Return which cards all teams burn or turn by the table's option `stuck`; "" for none."""
    return piles_turned(table.setup, rules_of(table.setup).stuck)


def _begin(state: State, play: Playing, times: int, pile: str) -> Step:
    now = state.now_ns
    play = replace(play, armed=play.new_armed_span(state.table, now))
    return to(state, CallNow(now, play, now + CALL_NOW_NS, times, pile), Cue("asked", now))


def call_stuck(state: State, phase: TimeOut, action: CallStuck | CallStuckAgain) -> Step:
    """Begin the step "call now". After it, all teams search their stocks.

    Each team turns its whole stock twice, or once if cards were burnt since the last play.
    """
    play = _play(phase)
    return _begin(state, play, 1 if play.burns else 2, _pile(state.table))


def stuck_after_play(state: State, phase: TimeOut, action: CallStuckAfterPlay) -> Step:
    """Begin the step "call now". Set the number of burns to 0, because a card was played since."""
    return _begin(state, replace(_play(phase), burns=0, stream_burns=0), 2, _pile(state.table))


def burn_reserve(state: State, phase: TimeOut, action: BurnReserve) -> Step:
    """Begin the step "call now". If the search then finds no move, reserve cards are burnt."""
    return _begin(state, _play(phase), 1, "reserve")


# -- call now, search ----------------------------------------------------------------------------------------------


def on_pressed(state: State, phase: CallNow | Searching, pressed: Pressed) -> Step:
    """Handle a press as a call, in the step "call now" and in the search's first 0.7 s."""
    if isinstance(phase, Searching) and pressed.press.t_ns >= phase.asked_at_ns + GUARD_NS:
        return stay(state)
    return called_from(state, replace(phase.play, go_at_ns=pressed.press.t_ns), pressed)  # the hand's clock is stopped


def on_call_now_due(state: State, phase: CallNow, due: Due) -> Step:
    """Begin the search, because no team has called in time."""
    return to(state, Searching(state.now_ns, phase.play, phase.times, phase.pile))


def on_nothing(state: State, phase: Searching, tapped: Tapped) -> Step:
    """Record that a team found no move. After the last team, do what the option `stuck` says."""
    team = state.table.team_of(tapped.station)
    if team is None or team.id not in phase.play.playing or not fresh(phase, tapped.t_ns) or team.id in phase.nothing:
        return stay(state)
    phase = replace(phase, nothing=(*phase.nothing, team.id))
    state = wink(state, tapped.station, 1)
    missing = set(teams_heard(state.table, phase.play.playing)) - set(phase.nothing)
    return within(state, phase) if missing else _way_out(state, phase)


def on_can_play(state: State, phase: Searching, held: Held) -> Step:
    """Show the name of the player who can play. Start the countdown after which play goes on."""
    team = state.table.team_of(held.station)
    if held.long or team is None or team.id not in phase.play.playing or not fresh(phase, held.t_ns):
        return stay(state)
    text = said("toast.can_play", seat_label(state.table, held.station))
    state = toast(wink(state, held.station, 2), text)
    return start(state, phase.play.playing, replace(phase.play, burns=0, stream_burns=0))


def _way_out(state: State, phase: Searching) -> Step:
    way = rules_of(state.table.setup).stuck
    again = way in ("rotate", "redeal-stock") and not phase.play.burns
    if way == "burn" or again:
        return _beats(state, phase.play, phase.pile)
    searched = replace(phase.play, searched=True)
    return _ask_to_end(replace(state, phase=TimeOut(state.now_ns, searched.playing, searched)), searched.playing)


def _ask_to_end(state: State, playing: tuple[str, ...]) -> Step:
    """Ask the hand's teams whether to end it without a call.

    If the option `stuck` is "abandon", the ended hand has no score.
    """
    abandoned = rules_of(state.table.setup).stuck == "abandon"
    outcome = Ended(state.now_ns, "abandoned" if abandoned else "stuck")
    return ask(state, "ask.end_hand", outcome, voters=playing)


# -- burn ----------------------------------------------------------------------------------------------------------


def _beats(state: State, play: Playing, pile: str) -> Step:
    now = state.now_ns
    beats = tuple(now + n * BURN_BEAT_NS for n in range(3))
    return to(state, Burning(now, play, pile, beats, now + 3 * BURN_BEAT_NS), Cue("burn", now))


def on_beat_pressed(state: State, phase: Burning, pressed: Pressed) -> Step:
    """Stop the countdown on a press, and return to the timeout."""
    if pressed.press.station not in phase.play.armed.team_of:
        return stay(state)
    paused = TimeOut(state.now_ns, phase.play.playing, phase.play)
    return to(toast(state, msg("toast.wait")), paused, Cue("stop_start", state.now_ns, cancels=True))


def on_burn(state: State, phase: Burning, due: Due) -> Step:
    """Burn or turn the cards, and go on with play. From now on, presses are calls."""
    at = phase.burn_at_ns
    stream = 0 if phase.pile == "reserve" else phase.play.stream_burns + 1
    play = replace(phase.play, burns=phase.play.burns + 1, stream_burns=stream)
    armed = play.new_armed_span(state.table, at)
    play = replace(play, asked_at_ns=at, go_at_ns=at, armed_at_ns=at, armed=armed, resumed=True)
    play = replace(play, burnt=phase.pile, searched=False)
    return to(state, play)


# -- ending a stuck hand -------------------------------------------------------------------------------------------


def end_hand(state: State, phase: TimeOut, action: EndHand) -> Step:
    """Ask all teams whether to end the hand without a call. Every preset allows this vote."""
    return _ask_to_end(state, phase.playing)


def _again_round_text(state: State, phase: TimeOut) -> Msg | None:
    """Return the menu line to turn the stocks once more, if a search found no move; else None.

    Only presets that turn the stocks together have this line.
    """
    turns = rules_of(state.table.setup).stuck in ("rotate", "redeal-stock")
    return msg("item.go_round") if turns and _play(phase).searched else None


def go_round(state: State, phase: TimeOut, action: GoRoundAgain) -> Step:
    """Start the countdown at whose end all teams turn their stocks.

    The teams have already searched their stocks for a move, and do not search again.
    """
    play = _play(phase)
    return _beats(state, replace(play, armed=play.new_armed_span(state.table, state.now_ns)), _pile(state.table))


def _spoken_text(state: State, phase: TimeOut) -> Msg | None:
    return msg("item.call_by_voice") if _voiceless(state.table, phase) else None


def _voiceless(table: Table, phase: TimeOut) -> tuple[str, ...]:
    """Return the hand's teams that have people at the table, but no button that can call."""
    playing = _play(phase).playing
    return tuple(t for t in playing if any(sitting(table, (t,))) and t not in teams_heard(table, (t,)))


def call_by_voice(state: State, phase: TimeOut, action: CallByVoice) -> Step:
    """List the teams that may have called aloud, then ask all teams whether the chosen one has.

    A player without a working button calls aloud, and another player pushes TIME OUT.
    """
    team = action.team
    if team:
        outcome = Ended(state.now_ns, "call", (team,))
        return ask(state, "ask.call", outcome, subject=(team,), voters=_play(phase).playing)
    teams = _voiceless(state.table, phase)
    return stay(open_list(state, (*(MenuLine(CallByVoice(t), menu_line(state.table, t)) for t in teams), BACK)))


def on_ended(state: State, phase: TimeOut, event: Ended) -> Step:
    """Start the count of the ended hand; if it was abandoned, record it without a score."""
    if event.end != "abandoned":
        return to(state, counting(state, phase.playing, event.callers, phase))
    result = NertzHand("abandoned", (), {})
    state = replace(state, table=replace(state.table, hands=(*state.table.hands, result)))
    return next_hand(state, event.at_ns)


ROWS: tuple[Transition, ...] = (
    Row(CallNow, Pressed, on_pressed, ("CALLED",), "a press is still the call"),
    Row(CallNow, Due, on_call_now_due, ("SEARCH",), "5 s"),
    Row(Searching, Pressed, on_pressed, ("CALLED",), "in the first 0.7 s still the call"),
    Row(Searching, Tapped, on_nothing, ("BURNING", "VOTE"), "tap: nothing"),
    Row(Searching, Held, on_can_play, ("RESUMING",), "hold: I can play"),
    Row(Burning, Pressed, on_beat_pressed, ("TIMEOUT",), "a press stops the beats"),
    Row(Burning, Due, on_burn, ("PLAYING",), "BURN"),
    Row(TimeOut, Ended, on_ended, ("COUNTING", "READY"), "the hand is ended"),
    Row(TimeOut, CallStuck, call_stuck, ("STUCK",), "the knob: nobody can move", _stuck_text),
    Row(TimeOut, GoRoundAgain, go_round, ("BURNING",), "the knob: once more", _again_round_text, MenuPlace.FIRST),
    Row(
        TimeOut,
        CallStuckAgain,
        call_stuck,
        ("STUCK",),
        "the knob: nobody has moved since",
        _again_text,
        place=MenuPlace.FIRST,
    ),
    Row(TimeOut, CallByVoice, call_by_voice, ("VOTE",), "the knob: a call aloud", _spoken_text),
    Row(TimeOut, BurnReserve, burn_reserve, ("STUCK",), "the knob: a reserve card is burnt", _reserve_text),
    Row(TimeOut, CallStuckAfterPlay, stuck_after_play, ("STUCK",), "the knob: nobody can move", _after_play_text),
    Row(TimeOut, EndHand, end_hand, ("VOTE",), "the knob: does the hand end?", msg("item.end_hand"), MenuPlace.LAST),
)
