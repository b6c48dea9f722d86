"""Phones that are asleep or imprecise: the table waits for a count or an answer that they cannot give.

A phone's page is connected while the phone's screen is lit. The match does not know that: the page's process reports
the connected phones, and the device marks in its view the teams for which the table waits in vain.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.messages import Label, msg
from referee.core.model.view import CountScreen, ReadyScreen, View, VoteScreen
from referee.core.values import replace


def with_sleepers(view: View, awake: frozenset[str]) -> View:
    """Mark in a view each team for which the table waits and whose phones are all asleep.

    While counting and voting, mark the team's row; at READY, add a note. awake: the names of the phones that have a
    page open.
    """
    screen = view.screen
    if isinstance(screen, CountScreen):
        cells = tuple(replace(c, asleep=not c.done and _sleeps(view, c.label, awake)) for c in screen.cells)
        return view if cells == screen.cells else replace(view, screen=replace(screen, cells=cells))
    if isinstance(screen, ReadyScreen):
        notes = tuple(msg("note.phone_asleep", who=who) for who in screen.waiting if _sleeps(view, who, awake))
        return replace(view, screen=replace(screen, notes=(*screen.notes, *notes))) if notes else view
    if isinstance(screen, VoteScreen):
        asleep = tuple(who for who, said in screen.votes if said is None and _sleeps(view, who, awake))
        return replace(view, screen=replace(screen, asleep=asleep)) if asleep else view
    return view


def with_wide_bounds(view: View, wide: Mapping[str, int]) -> View:
    """Add a note at READY on each phone whose touches have a wide error bound.

    A player with such a phone must be clearly ahead to win a call.

    wide: the error bounds in ms of these phones, by name.
    """
    if not isinstance(view.screen, ReadyScreen) or view.match is None:
        return view
    team_of = {number: team for team in view.match.teams for number in team.numbers}
    lines = [line for line in view.phones if line.phone in wide and line.number in team_of]
    notes = tuple(msg("note.phone_wide", who=team_of[line.number], ms=wide[line.phone]) for line in lines)
    return replace(view, screen=replace(view.screen, notes=(*view.screen.notes, *notes))) if notes else view


def _sleeps(view: View, who: Label, awake: frozenset[str]) -> bool:
    """Return whether a team has phones, and none of them has a page open."""
    phones = {line.phone for line in view.phones if line.number in who.numbers}
    return bool(phones) and not phones & awake
