"""`view(state, now_ns)`: from the match to what the outputs show. Levels only; nothing here changes anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from referee.core import lamps
from referee.core.games.registry import game_of
from referee.core.labels import Shown, Times, asked, everyone, label_of, labels, number, numbers_text, team_lines
from referee.core.match import shown_menu
from referee.core.phases import fixing
from referee.core.phases.counting import counters
from referee.core.phases.lobby import teams_of
from referee.core.phases.pause import players
from referee.core.phases.ready import blocking, waiting
from referee.core.signals import KNOB, Mode
from referee.core.state import (
    GUARD_NS,
    Checking,
    Count,
    Counting,
    Fixing,
    Lobby,
    Off,
    Over,
    PowerBack,
    Ready,
    Resuming,
    Starting,
    State,
    Stopped,
    Table,
    TimeOut,
    Vote,
    down,
    seats_of,
)
from referee.core.transitions import FieldSpec, Game
from referee.core.units import MS, S
from referee.core.values import replace
from referee.core.view import (
    CheckScreen,
    CountCell,
    CountdownScreen,
    CountScreen,
    FixScreen,
    Lamp,
    LobbyScreen,
    MenuScreen,
    OffScreen,
    OverScreen,
    PowerBackScreen,
    ReadyScreen,
    Screen,
    SeatCell,
    SheetScreen,
    StandingsScreen,
    TeamLine,
    View,
    VoteScreen,
    WaitScreen,
)

DIM_NS = 60 * S
LEGEND_NS = 5 * S
EMPHASIS_NS = 20 * S
BLINK_NS = 150 * MS
"""So long the question is inverted when a tap came too early to answer it: seen, and no picture of its own."""
LET_GO_NS = 1 * S
UNPLUG_S = 15
"""Until the machine has come to rest: the service may take 10 s to end (systemd/referee.service), the rest is short."""


def view(state: State, now_ns: int) -> View:
    """What is shown at `now_ns`, and when that changes next without another event."""
    times: Times = []
    screen = _menu_screen(state) or _screens(game_of(state.table))[type(state.phase)](state, now_ns, times)
    shown = _lamps(state, now_ns, times)
    toast = state.toast if state.toast and now_ns < state.toast.until_at_ns else None
    if toast:
        times.append(toast.until_at_ns)
    times.append(state.touched_at_ns + DIM_NS)
    go_ns = state.phase.go_at_ns if isinstance(state.phase, Starting) else None
    inverted = _inverted(state, now_ns)
    times += inverted
    return View(
        now_ns=now_ns,
        seq=state.seq,
        phase=state.phase.name,
        screen=screen,
        lamps=shown,
        invert=inverted[0] <= now_ns < inverted[1],
        go_ns=go_ns,
        changes_at_ns=min((t for t in times if t > now_ns), default=None),
        banner=_banner(state),
        dim=now_ns >= state.touched_at_ns + DIM_NS,
        toast=toast.text if toast else None,
        language=state.table.setup.language,
        volume_percent=state.table.setup.volume_percent,
        brightness_percent=state.table.setup.brightness_percent,
    )


def _banner(state: State) -> str | None:
    """Whose buttons have no link at the moment: they can neither call nor answer."""
    if not state.away:
        return None
    seats = numbers_text(number(state.table, station) for station in state.away if station != KNOB)
    return f"NO LINK {seats or 'KNOB'}"


def _inverted(state: State, now_ns: int) -> tuple[int, int]:
    """The span in which the whole screen is inverted: GO for half a second; a call is its game's; a blink."""
    blinked_at_ns = state.blinked_at_ns
    if blinked_at_ns is not None and blinked_at_ns <= now_ns < blinked_at_ns + BLINK_NS:
        return (blinked_at_ns, blinked_at_ns + BLINK_NS)
    return state.phase.inverted_at_ns()


# -- screens -------------------------------------------------------------------------------------------------------


def _menu_screen(state: State) -> MenuScreen | None:
    menu = shown_menu(state)
    if menu is None:
        return None
    big = isinstance(state.phase, TimeOut) and not menu.title
    title = menu.title or ("TIME OUT" if big else _menu_title(state))
    value = menu.values[menu.value] if menu.values else None
    return MenuScreen(title, tuple(text for _, text in menu.items), menu.cursor, big, value=value)


def _menu_title(state: State) -> str:
    preset, target = game_of(state.table).title(state.table)
    return f"{preset} to {target}" if target else preset


def _lobby(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Lobby)
    cells = tuple(
        SeatCell(number(table, s.station), s.name and s.name[:6], number(table, s.partner) if s.partner else None)
        for s in table.seats
    )
    held = _stuck_down(state, now_ns, times)
    hint = phase.hint or (f"{number(table, held[0])}: LET GO" if held else None)
    hint = hint or ("PUSH: GO ON" if phase.kept else None)
    preset, target = game_of(table).title(table)
    naming = number(table, phase.naming) if phase.naming else None
    return LobbyScreen(preset, target, cells, len(teams_of(table)), naming, hint)


def _stuck_down(state: State, now_ns: int, times: Times) -> tuple[str, ...]:
    """Stations whose button is down though no gesture is going on: down since the start, or for very long.

    A contact that has only just closed is no press yet, and nothing is wrong with it.
    """
    going = {hold.press.station: hold.press.t_ns for hold in state.holds}
    begun = {contact.station for contact in state.contacts if contact.mode is Mode.BURST}
    stuck = []
    for station in (s for s in down(state) if s not in begun):
        since = going.get(station)
        if since is None or now_ns >= since + 10 * S:
            stuck.append(station)
        else:
            times.append(since + 10 * S)
    return tuple(stuck)


def _ready(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Ready)
    if phase.standings_until_at_ns is not None and now_ns < phase.standings_until_at_ns:
        times.append(phase.standings_until_at_ns)
        return StandingsScreen(len(table.hands), team_lines(table, ranked=True))
    missing = waiting(state, phase)
    times.append(phase.asked_at_ns + EMPHASIS_NS)
    emphasis = 0 < len(missing) <= 2 and now_ns >= phase.asked_at_ns + EMPHASIS_NS
    let_go = next(iter(labels(table, _leaning(state, phase, now_ns, times))), None)
    game = game_of(table)
    target, notes = game.title(table)[1], game.notes(table, phase.playing)
    return ReadyScreen(len(table.hands) + 1, target, labels(table, missing), team_lines(table), emphasis, let_go, notes)


def _leaning(state: State, phase: Ready, now_ns: int, times: Times) -> list[str]:
    """Players whose button blocks the start: down for good, or the last thing that is waited for."""
    stuck = _stuck_down(state, now_ns, times)
    if not waiting(state, phase):
        held = {hold.press.station: hold.press.t_ns + LET_GO_NS for hold in state.holds}
        times += held.values()
        stuck += tuple(station for station, since in held.items() if now_ns >= since)
    return [station for station in blocking(state, phase) if station in stuck]


def _starting(state: State, now_ns: int, times: Times) -> Screen:
    phase = state.phase
    assert isinstance(phase, Starting)
    resuming = isinstance(phase, Resuming)
    words = ("3", "2", "1") if resuming else ("READY", "SET")
    word = None
    for beat, text in zip((*phase.beats_at_ns, phase.go_at_ns), (*words, "GO!"), strict=True):
        times.append(beat)
        word = text if now_ns >= beat else word
    return CountdownScreen(word, resuming)


def _stopped(state: State, now_ns: int, times: Times) -> Screen:
    phase = state.phase
    assert isinstance(phase, Stopped)
    return WaitScreen(labels(state.table, phase.stoppers))


def _counting(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Counting)
    hand = len(table.hands) + 1
    if phase.sheet_until_at_ns is not None:
        return SheetScreen(hand, _sheet(table, phase))
    specs = game_of(table).fields(table, phase.counts[0].team, phase.callers)
    legend = max(phase.last_tap_at_ns, phase.asked_at_ns) + LEGEND_NS
    times.append(legend)
    cells = tuple(
        _cell(table, count, game_of(table).fields(table, count.team, phase.callers)) for count in phase.counts
    )
    return CountScreen(hand, tuple(s.name for s in specs), cells, now_ns >= legend, phase.knob is not None)


def _cell(table: Table, count: Count, specs: tuple[FieldSpec, ...]) -> CountCell:
    shown = tuple(
        spec.sign(value) if touched or spec.locked else None
        for value, touched, spec in zip(count.values, count.touched, specs, strict=True)
    )
    locked = tuple(spec.locked for spec in specs)
    label = label_of(table, count.team)
    return CountCell(label, shown, count.cursor, count.cursor is None, count.refusal, locked)


def _fixing(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Fixing)
    wrong = fixing.changed(table, phase)
    fields = {count.team: fixing.specs(table, phase, count.team) for count in phase.counts}
    cells = (_cell(table, count, fields[count.team]) for count in phase.counts)
    marked = (replace(c, done=c.done and count.team in wrong) for c, count in zip(cells, phase.counts, strict=True))
    names = tuple(spec.name for spec in fields[phase.counts[0].team])
    return FixScreen(phase.hand + 1, names, tuple(marked), bool(wrong))


def _checking(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Checking)
    seats = tuple((number(table, s), s in phase.pressed) for s in table.setup.stations)
    return CheckScreen(seats, phase.turned)


def _off(state: State, now_ns: int, times: Times) -> Screen:
    return OffScreen(UNPLUG_S)


def _sheet(table: Table, phase: Counting) -> tuple[TeamLine, ...]:
    """The standings as they will be once this count is sealed."""
    counts = tuple((count.team, count.values) for count in phase.counts)
    result = game_of(table).result(table, phase, counts)
    return team_lines(replace(table, hands=(*table.hands, result)), ranked=True)


def _over(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Over)
    winners = tuple(label_of(table, team) for team in phase.winners)
    missing = () if not phase.ready else tuple(s for s in everyone(table) if s not in phase.ready)
    return OverScreen(len(table.hands), winners, team_lines(table, ranked=True), labels(table, missing))


def _power_back(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, PowerBack)
    missing = tuple(s for s in players(state, phase) if s not in phase.ready)
    play = getattr(phase.inner, "play", None)
    played = getattr(play, "played_ns", None)
    return PowerBackScreen(phase.away_s, len(table.hands) + 1, played, phase.inner.name, labels(table, missing))


def _vote(state: State, now_ns: int, times: Times) -> Screen:
    phase, table = state.phase, state.table
    assert isinstance(phase, Vote)
    left = max(-(-(phase.until_at_ns - now_ns) // S), 0)
    times.append(phase.until_at_ns - (left - 1) * S)
    cast = dict(phase.votes)
    votes = tuple((label_of(table, team), cast.get(team)) for team in phase.voters)
    return VoteScreen(phase.question, tuple(label_of(table, team) for team in phase.subject), votes, left)


_SCREENS: dict[type, Callable[[State, int, Times], Screen]] = {
    Lobby: _lobby,
    Ready: _ready,
    Starting: _starting,
    Resuming: _starting,
    Stopped: _stopped,
    Counting: _counting,
    Fixing: _fixing,
    Checking: _checking,
    Off: _off,
    Over: _over,
    PowerBack: _power_back,
    Vote: _vote,
}


# -- lamps ---------------------------------------------------------------------------------------------------------


def _lamps(state: State, now_ns: int, times: Times) -> tuple[Lamp, ...]:
    patterns: Shown = dict(_patterns(game_of(state.table))[type(state.phase)](state))
    if isinstance(state.phase, _CALM):
        patterns |= dict.fromkeys(_stuck_down(state, now_ns, times), (lamps.FAULT, 0))
    for wink in state.winks:
        under, since = patterns.get(wink.station, (lamps.DARK, 0))
        ends = lamps.wink_ends_ns(wink, under)
        times.append(ends)
        if now_ns < ends:
            patterns[wink.station] = (lamps.wink(wink, under, since), wink.at_ns)
    shown = []
    for station in state.table.setup.stations:
        pattern, since = patterns.get(station, (lamps.DARK, 0))
        change = lamps.changes_ns(pattern, since, now_ns)
        times += [] if change is None else [change]
        name = pattern.name if now_ns >= since else lamps.DARK.name  # it asks when an answer counts, not before
        shown.append(Lamp(station, lamps.lit(pattern, since, now_ns), name))
    return tuple(shown)


_CALM = (Lobby, Ready, Stopped, TimeOut, Vote, Counting, Fixing, Over, PowerBack)
"""Where a lamp may show that its button is down: not in play, and not in the beats before it."""


def _lobby_lamps(state: State) -> Shown:
    seated = [seat.station for seat in state.table.seats if seat.name is not None]
    return asked(state.table.setup.stations, seated, state.phase.asked_at_ns - GUARD_NS)


def _ready_lamps(state: State) -> Shown:
    """Blinking twice: you hold the reserve."""
    phase = state.phase
    assert isinstance(phase, Ready)
    shown = asked(seats_of(state.table, phase.playing), phase.ready, phase.asked_at_ns)
    holding = game_of(state.table).holders(state.table) - phase.ready
    since = phase.asked_at_ns + GUARD_NS
    return {s: (lamps.DOUBLE, since) if s in holding else pattern for s, pattern in shown.items()}


def _starting_lamps(state: State) -> Shown:
    phase = state.phase
    assert isinstance(phase, Starting)
    pattern = lamps.beats(phase.beats_at_ns, phase.go_at_ns)
    return dict.fromkeys(seats_of(state.table, phase.playing), (pattern, 0))


def _stopped_lamps(state: State) -> Shown:
    assert isinstance(state.phase, Stopped)
    return asked(state.phase.stoppers, (), state.phase.asked_at_ns)


def _counting_lamps(state: State) -> Shown:
    """Blinking for whoever has the team's pen, or for both of a pair while nobody has; a hold takes it over."""
    phase = state.phase
    assert isinstance(phase, Counting)
    shown: Shown = {}
    for count in phase.counts:
        seats = counters(state.table, count.team)
        idle = seats if count.cursor is None else tuple(s for s in seats if count.pen not in (None, s))
        shown |= asked(seats, idle, phase.asked_at_ns)
    return shown


def _fixing_lamps(state: State) -> Shown:
    assert isinstance(state.phase, Fixing)
    return asked(seats_of(state.table, tuple(c.team for c in state.phase.counts)), (), state.phase.asked_at_ns)


def _checking_lamps(state: State) -> Shown:
    assert isinstance(state.phase, Checking)
    return asked(state.table.setup.stations, state.phase.pressed, state.phase.asked_at_ns - GUARD_NS)


def _over_lamps(state: State) -> Shown:
    assert isinstance(state.phase, Over)
    return asked(everyone(state.table), state.phase.ready, state.phase.asked_at_ns)


def _vote_lamps(state: State) -> Shown:
    phase = state.phase
    assert isinstance(phase, Vote)
    voted = tuple(team for team, _ in phase.votes)
    return asked(seats_of(state.table, phase.voters), seats_of(state.table, voted), phase.asked_at_ns)


def _power_back_lamps(state: State) -> Shown:
    assert isinstance(state.phase, PowerBack)
    return asked(players(state, state.phase), state.phase.ready, state.phase.asked_at_ns)


def _dark(state: State) -> Shown:
    return {}


_PATTERNS: dict[type, Callable[[State], Shown]] = {
    Lobby: _lobby_lamps,
    Ready: _ready_lamps,
    Starting: _starting_lamps,
    Resuming: _starting_lamps,
    Stopped: _stopped_lamps,
    TimeOut: _dark,
    Counting: _counting_lamps,
    Fixing: _fixing_lamps,
    Checking: _checking_lamps,
    Off: _dark,
    Over: _over_lamps,
    PowerBack: _power_back_lamps,
    Vote: _vote_lamps,
}


@cache
def _screens(game: Game) -> dict[type, Callable[[State, int, Times], Screen]]:
    return {**_SCREENS, **game.screens}


@cache
def _patterns(game: Game) -> dict[type, Callable[[State], Shown]]:
    return {**_PATTERNS, **game.lamps}
