"""`view(state, now_ns)` computes what the outputs show. It changes nothing."""

from __future__ import annotations

from referee.core.match.advance import shown_menu
from referee.core.messages import Msg, msg
from referee.core.model import lamps
from referee.core.model.labels import number, team_label, team_lines
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import game_of, preset_name
from referee.core.model.state import Listed, Phase, State
from referee.core.model.table import Table, points_given
from referee.core.model.view import (
    PAGE_NS,
    CardScreen,
    GivenPoints,
    HandLine,
    Lamp,
    MatchSheet,
    MenuScreen,
    NameScreen,
    PhonesScreen,
    PhotoScreen,
    RuleScreen,
    Screen,
    View,
    WifiScreen,
)
from referee.core.phases.adjusting import reason_text
from referee.core.phases.common import held_down, in_turn
from referee.core.phases.lobby import Lobby, seat_cells
from referee.core.phases.over import Over
from referee.core.phases.phones import phone_lines
from referee.core.phases.photo import photo_of
from referee.core.phases.ready import Ready
from referee.core.phases.seating import signs
from referee.core.phases.teaching import lesson_of
from referee.core.phases.verdict import Judged, judged_in
from referee.core.presses.signals import KNOB
from referee.core.units import MS, S
from referee.core.values import by_identity, replace

LAST_MATCH = "history/last"
"""The page of the newest match, below the page's address."""

DIM_NS = 60 * S
BLINK_NS = 150 * MS
"""How long the screen is inverted to show that a tap came too early."""


def view(state: State, now_ns: int) -> View:
    """Return the view at `now_ns`, with the time at which it next changes without an event.

    Raises LookupError for a phase without a screen or menu, and any error of the phase's screen.
    """
    times: Times = []
    screen = _menu_screen(state) or state.phase.screen(state, now_ns, times)
    if screen is None:
        raise LookupError(f"there is neither a screen nor a list for {state.phase!r}")
    shown = _lamps(state, now_ns, times)
    toast = state.toast if state.toast and now_ns < state.toast.until_at_ns else None
    if toast:
        times.append(toast.until_at_ns)
    times.append(state.touched_at_ns + DIM_NS)
    lesson = lesson_of(state, screen) if state.table.teaching else ()
    line = in_turn(len(lesson), state.phase.asked_at_ns, now_ns, times)
    inverted = _inverted_span(state, now_ns)
    times += inverted
    page = _page(state, screen, now_ns, times)
    return View(
        now_ns=now_ns,
        seq=state.seq,
        phase=state.phase.name,
        screen=screen,
        lamps=shown,
        invert=inverted[0] <= now_ns < inverted[1],
        go_ns=state.phase.go_ns(),
        changes_at_ns=min((t for t in times if t > now_ns), default=None),
        banner=_banner(state),
        dim=now_ns >= state.touched_at_ns + DIM_NS,
        toast=toast.text if toast else None,
        language=state.table.setup.language,
        volume_percent=state.table.setup.volume_percent,
        brightness_percent=state.table.setup.brightness_percent,
        voice=state.table.setup.voice,
        phones=phone_lines(state) if state.phones else (),
        revoked=state.revoked,
        rounds=game_of(state.table).rounds,
        dark=game_of(state.table).dark,
        lesson=lesson,
        lesson_line=line,
        match=sheet(state.table),
        call=open_call(state.table, state.phase),
        page=page,
    )


def _page(state: State, screen: Screen, now_ns: int, times: Times) -> int:
    """Return how often a screen with several pages has turned its page.

    Return 0 for the screen of PLAYING: outputs turn its pages by the hand's clock.
    """
    if not screen.is_paged():
        return 0
    begun = state.phase.first_page_at_ns()
    turned = max(now_ns - begun, 0) // PAGE_NS
    times.append(begun + (turned + 1) * PAGE_NS)
    return turned


def _banner(state: State) -> Msg | None:
    """Return the warning about buttons without a link: they can neither call nor answer."""
    if not state.away:
        return None
    seats = tuple(sorted(number(state.table, station) for station in state.away if station != KNOB))
    return msg("toast.no_link", seats=seats) if seats else msg("toast.no_link_knob")


def _inverted_span(state: State, now_ns: int) -> tuple[int, int]:
    """Return the span in which the whole screen is inverted.

    After a tap that came too early, that is a short blink. Otherwise the phase has its own span.
    """
    blinked_at_ns = state.blinked_at_ns
    if blinked_at_ns is not None and blinked_at_ns <= now_ns < blinked_at_ns + BLINK_NS:
        return (blinked_at_ns, blinked_at_ns + BLINK_NS)
    return state.phase.inverted_at_ns()


# -- screens -------------------------------------------------------------------------------------------------------


def _menu_screen(state: State) -> MenuScreen | NameScreen | PhonesScreen | CardScreen | WifiScreen | RuleScreen | None:
    menu = shown_menu(state)
    if menu is None:
        return None
    if menu.spelling is not None:
        name = menu.spelling
        return NameScreen(
            number(state.table, name.station), name.text, signs(state.table.setup.language, name.text), name.at
        )
    if menu.code == "phones":
        return PhonesScreen(state.address or "", seats=seat_cells(state.table))
    if menu.code in ("own", "home", "off"):
        return WifiScreen(menu.code)
    if menu.code:
        return CardScreen(f"{(state.address or '').partition(' ')[0]}{LAST_MATCH}")
    own = state.phase.list_heading() if isinstance(state.phase, Listed) else _menu_title(state)
    title = menu.title or own
    if menu.sources:
        page = menu.items[menu.cursor].text
        return RuleScreen(title, page, menu.sources[menu.cursor], menu.cursor + 1, len(menu.items))
    big = isinstance(state.phase, Listed) and menu.title is None
    value = menu.values[menu.value].text if menu.values else None
    lines = menu.values[menu.value :][:1] or menu.items[menu.cursor :][:1]
    about = lines[0].about if lines else None
    return MenuScreen(title, tuple(line.text for line in menu.items), menu.cursor, big, value=value, about=about)


def _menu_title(state: State) -> Msg:
    """Return what the phase's own list is for."""
    phase = state.phase
    if isinstance(phase, Judged):
        return msg("title.what_wrong")
    if isinstance(phase, Lobby | Over):
        return msg("title.next_match")
    return msg("title.next_hand") if isinstance(phase, Ready) else msg(f"phase.{phase.name.lower()}")


# -- lamps ---------------------------------------------------------------------------------------------------------


def _lamps(state: State, now_ns: int, times: Times) -> tuple[Lamp, ...]:
    patterns: Shown = dict(state.phase.lamps(state))
    if state.phase.faults:
        patterns |= dict.fromkeys(held_down(state, now_ns, times), (lamps.FAULT, 0))
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
        name = pattern.name if now_ns >= since else lamps.DARK.name  # answers count only from `since` on
        shown.append(Lamp(station, lamps.is_lit(pattern, since, now_ns), name))
    return tuple(shown)


# -- the match so far ----------------------------------------------------------------------------------------------


@by_identity(4)
def sheet(table: Table) -> MatchSheet | None:
    """Return the sheet with all hands and scores of the match; None before there are teams.

    Cached per table, because every view needs it.
    """
    if not table.teams:
        return None
    game = game_of(table)
    ids = [team.id for team in table.teams]
    stages = [replace(table, hands=table.hands[:count]) for count in range(len(table.hands) + 1)]
    totals = [{place.team: place.total for place in game.standings(stage)} for stage in stages]
    leaders = [tuple(ids.index(p.team) for p in game.standings(stage) if p.place == 1) for stage in stages]
    booked = [game.booked_hand(table, hand) for hand in range(len(table.hands))]
    return MatchSheet(
        preset=preset_name(table.setup.preset),
        target=game.target(table),
        teams=tuple(team_label(table, team) for team in table.teams),
        lines=team_lines(table),
        start=tuple(totals[0][team] for team in ids),
        hands=tuple(
            HandLine(
                end=hand.end,
                callers=tuple(ids.index(team) for team in hand.callers),
                scores=tuple(
                    totals[at + 1][team] - totals[at][team] - points_given(table.adjustments, at + 1).get(team, 0)
                    if team in hand.played
                    else None
                    for team in ids
                ),
                totals=tuple(totals[at + 1][team] for team in ids),
                leaders=leaders[at + 1],
                corrected=tuple(ids.index(team) for team in hand.corrected),
                calls=_photos(table, at),
                given=_points_given(table, at + 1, ids),
                reasons=tuple(reason_text(why) for hand, why in table.corrections if hand == at + 1),
            )
            for at, hand in enumerate(booked)
        ),
        calls=_photos(table, len(table.hands)),
        given=_points_given(table, 0, ids),
        winners=tuple(ids.index(team) for team in game.winners(table)),
    )


def _points_given(table: Table, after: int, ids: list[str]) -> tuple[GivenPoints, ...]:
    found = (one for one in table.adjustments if one.after == after)
    return tuple(GivenPoints(ids.index(one.team), one.points, reason_text(one.reason)) for one in found)


def _photos(table: Table, hand: int) -> tuple[PhotoScreen, ...]:
    return tuple(photo_of(table, call.verdict, call.evidence) for call in table.calls if call.hand == hand)


def open_call(table: Table, phase: Phase) -> PhotoScreen | None:
    """Return the photo finish of the call whose verdict or count is on the screen; else None."""
    judged = judged_in(phase)
    return _photo(table, judged) if judged is not None else None


@by_identity(4)
def _photo(table: Table, judged: Judged) -> PhotoScreen | None:
    return photo_of(table, judged.verdict, judged.evidence) if judged.verdict is not None else None
