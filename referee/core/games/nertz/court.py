"""The table's rules, its court, and a press that becomes a call."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from referee.core.games.nertz.rules import PRESETS, NertzRules, with_options
from referee.core.model.state import Setup, Table, seats_of
from referee.core.presses.arbiter import Court, Law, Verdict, rule
from referee.core.presses.signals import RELEASE_NS, Contact
from referee.core.units import ns_from_ms
from referee.core.values import replace


@cache
def _rules(preset: str, options: tuple[tuple[str, object], ...]) -> NertzRules:
    return with_options(PRESETS[preset], dict(options))


def rules_of(setup: Setup) -> NertzRules:
    """The table's rules: its preset with its options."""
    return _rules(setup.preset, setup.options)


def court_of(table: Table, playing: tuple[str, ...]) -> Court:
    """An empty court for the teams of the hand and their buttons that are heard."""
    setup = table.setup
    law = Law(ns_from_ms(rules_of(setup).tie_ms), setup.max_err_ns, setup.latency_ns, setup.lockout_ns)
    team_of = {station: team for team in playing for station in seats_of(table, (team,))}
    return Court.opened(law, team_of, dict.fromkeys(setup.remote, setup.latency_ns))


def ruled(court: Court, contacts: Iterable[Contact]) -> Verdict:
    """The verdict as it falls. Rows that came so late that a press was taken or left out too early make it grey."""
    verdict = rule(court)
    doubts = (contact.doubted_ns for contact in contacts if contact.station in court.team_of)
    return replace(verdict, grey=True) if any(in_call(verdict, t_ns) for t_ns in doubts) else verdict


def in_call(verdict: Verdict, t_ns: int) -> bool:
    """Whether a row of that time bears on a verdict: what a contact does is one thing for up to RELEASE_NS."""
    return verdict.presses[0].t_ns - RELEASE_NS <= t_ns <= verdict.deadline_ns
