"""VERDICT: show who called first.

A press by wire arrives in time unless it is slow. A wireless pod (a box of buttons) may keep a press while its link is
down and deliver it with its true time during the count. Such a press is shown, and the knob offers the contest until
the count is final.

docs/glossary.md explains the terms of calls, such as tie window and lockout.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from referee.core.messages import Msg, msg
from referee.core.model import lamps
from referee.core.model.events import Cue, Ruled, Turned
from referee.core.model.labels import answer_lamps, label_of, seat_label
from referee.core.model.lamps import Shown, Times
from referee.core.model.registry import claim_game, game_of, pile_game
from referee.core.model.state import GUARD_NS, Phase, State, Step, inner_of
from referee.core.model.table import Table, seats_of, teams_heard
from referee.core.model.transitions import PileGame, Row, Transition, shown_lines
from referee.core.model.view import Label, Screen, VerdictScreen
from referee.core.phases.armed import in_call
from referee.core.phases.call import Called
from referee.core.phases.common import BACK, MENU_NS, blink, open_list, stay, to, within
from referee.core.phases.photo import evidence_of, photo_of
from referee.core.phases.power_back import PowerBack
from referee.core.phases.race import Race
from referee.core.presses.arbiter import ArmedSpan, Verdict, by_time, rule, settled_by, with_press
from referee.core.presses.signals import Contact, Doubted, Edge, Press, Pressed
from referee.core.units import S, ns_from_ms
from referee.core.values import field, replace

VERDICT_NS, BEFORE_COUNT_NS = 4 * S, 2 * S
"""How long a verdict is shown before the game goes on, in ns.

In this time the callers show that their pile is empty. A count begins sooner, because it also names the callers.
"""
OFFERED_NS = 15 * S
"""Maximum wait in ns for a contest that the device offers.

It does so after a doubtful verdict or a late press.
"""
BAR_STEPS = 16


class Judged(Phase, tag="judged"):
    """The verdict or its photo finish is on the screen. The game goes on at `until_at_ns`.

    boot: the boot whose clock stamped the call's presses; presses of a later boot cannot be compared with them.
    locked_until_at_ns: the end of the call's lockout. shares: how the players have divided the callers' bonus.
    anyway_until_at_ns: when the verdict would have ended without the photo finish. to_offer: the verdict is doubtful,
    so at `until_at_ns` the players may contest it before the game goes on. asks: all teams must answer whether the
    claim was right. answers: pairs of a team and its answer (True: right). by_vote: the players, not the device, have
    named the callers. stop_ns: when the stop tone sounded; waiting does not shift it, as it is compared with presses.
    asked_about: teams whose later press the players have been asked about after a false call.
    """

    name: ClassVar[str] = "VERDICT"
    argued: ClassVar[bool] = True
    waits: ClassVar[bool] = True
    play: Race = Race(0)
    armed: ArmedSpan = field(default=ArmedSpan(), name="court")
    verdict: Verdict | None = None
    evidence: tuple[Edge, ...] = ()
    until_at_ns: int = 0
    photo: bool = False
    anyway_until_at_ns: int = 0
    boot: str = ""
    locked_until_at_ns: int = 0
    shares: tuple[tuple[str, Fraction], ...] = ()
    asked_to_divide: bool = False
    to_offer: bool = False
    asks: bool = False
    answers: tuple[tuple[str, bool], ...] = ()
    by_vote: bool = False
    stop_ns: int = 0
    asked_about: tuple[str, ...] = ()

    @property
    def ruling(self) -> Verdict:
        """Return the verdict. Only a damaged journal has none, and no screen shows that state."""
        assert self.verdict is not None
        return self.verdict

    @property
    def stands_ns(self) -> int:
        """Return how long the verdict is shown without input, in ns."""
        return OFFERED_NS if self.asks else VERDICT_NS

    @property
    def answers_from_ns(self) -> int:
        """Return from when an answer counts, in ns: after the guard time and after the lockout."""
        return max(self.asked_at_ns + GUARD_NS, self.locked_until_at_ns)

    def too_early(self, team: str, station: str, t_ns: int) -> bool:
        return self.asks and t_ns < self.answers_from_ns

    def after_waiting(self, since_ns: int, now_ns: int) -> Phase:
        back = super().after_waiting(since_ns, now_ns)
        return replace(back, asked_at_ns=now_ns) if self.asks else back  # a late vote does not answer this question

    def after_cut(self) -> Phase:
        return replace(self, answers=())

    def after_undo(self) -> Phase:
        return replace(self, answers=())

    def locked_until_ns(self) -> int:
        return self.locked_until_at_ns

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns

    def screen(self, state: State, now_ns: int, times: Times) -> Screen:
        if self.photo:
            return photo_of(state.table, self.ruling, self.evidence)
        whole_ns = max(min(self.until_at_ns - self.asked_at_ns, VERDICT_NS), BAR_STEPS)
        step = whole_ns // BAR_STEPS
        left = min(max(self.until_at_ns - now_ns, 0), whole_ns)
        steps = -(-left // step)
        times.append(self.until_at_ns - (steps - 1) * step)
        shown = _verdict(state, self, Fraction(steps, BAR_STEPS))
        if self.by_vote:  # times are shown only if they were measured
            shown = replace(shown, by_vote=True, next_caller=None, gap_ns=None, later=(), later_err_ns=())
        if not self.asks:
            return shown
        said = dict(self.answers)
        teams = teams_heard(state.table, self.play.playing)
        return replace(shown, answers=tuple((label_of(state.table, team), said.get(team)) for team in teams))

    def lamps(self, state: State) -> Shown:
        """Return the lamps: the caller's is lit, the others pulse.

        In a tie, the callers' lamps alternate. If the verdict is in doubt, the lamps of all teams that pressed
        alternate. While all teams are asked whether the claim was right, the lamps of missing answers blink.
        """
        if self.asks:
            done = tuple(team for team, _ in self.answers)
            since_ns = self.answers_from_ns - GUARD_NS
            return answer_lamps(seats_of(state.table, self.play.playing), seats_of(state.table, done), since_ns)
        shown: Shown = dict.fromkeys(seats_of(state.table, self.play.playing), (lamps.PULSE3, self.asked_at_ns))
        named = list(self.ruling.callers)
        if self.ruling.grey:
            named += [p.team for p in self.ruling.standing if p.team not in named]
        for index, team in enumerate(named):
            pattern = lamps.STEADY if len(named) == 1 else lamps.ALTERNATE[index % 2]
            shown |= dict.fromkeys(seats_of(state.table, (team,)), (pattern, self.asked_at_ns))
        return shown


def _verdict(state: State, judged: Judged, left_share: Fraction) -> VerdictScreen:
    table, verdict = state.table, judged.ruling
    start = (verdict.standing or verdict.presses)[0].counts_ns
    callers = tuple(label_of(table, team) for team in verdict.callers)
    named = (*verdict.callers, *verdict.refuted)
    others = [p for p in (*verdict.presses, *verdict.ignored) if p.team not in named]
    first = {p.station: p for p in sorted(others, key=by_time, reverse=True)}  # each station once, with its first press
    after = sorted(first.values(), key=by_time)
    later = tuple((seat_label(table, p.station), p.counts_ns - start) for p in after)
    late = tuple((seat_label(table, p.station), p.t_ns - start) for p, _ in verdict.late)
    game = claim_game(table)
    last, early = game.limit_ns(table) is not None, game.is_early(judged)
    next_caller, gap_ns = _before_last(table, verdict) if last else next(iter(later), (None, None))
    if verdict.kind == "tie":
        next_caller, gap_ns = None, _apart(verdict)
    return VerdictScreen(
        kind=verdict.kind,
        grey=verdict.grey,
        callers=callers,
        next_caller=next_caller,
        gap_ns=gap_ns,
        tie_window_ns=verdict.window_ns,
        later=() if last else later,
        left_share=left_share,
        late=late,
        word=msg("claim.too_early") if early else game.call_word(table),
        hint=game.hint,
        airborne=game.airborne(table) if isinstance(game, PileGame) else None,
        last=last,
        refuted=tuple(label_of(table, team) for team in verdict.refuted),
        later_err_ns=() if last else tuple(p.err_ns for p in after),
        early=early,
    )


def _before_last(table: Table, verdict: Verdict) -> tuple[Label | None, int | None]:
    """Return who pressed last among the teams that are no callers, if the last press loses.

    The number is how many ns that press came before the callers' last press.
    """
    before = [p for p in verdict.presses if p.team not in verdict.callers]
    own = [p.counts_ns for p in verdict.presses if p.team in verdict.callers]
    if not before or not own:
        return None, None
    rival = max(before, key=by_time)
    return seat_label(table, rival.station), max(own) - rival.counts_ns


def _apart(verdict: Verdict) -> int | None:
    """Return the ns from the first to the last caller's press; None if a caller has no press."""
    pressed = (*verdict.presses, *verdict.ignored, *(late for late, _ in verdict.late))
    first = [min((p.counts_ns for p in pressed if p.team == team), default=None) for team in verdict.callers]
    times = [t for t in first if t is not None]
    return max(times) - min(times) if len(times) == len(first) else None


def judged_in(phase: Phase) -> Judged | None:
    """Return the verdict that a phase shows or on which its count is based; None without one."""
    found = phase if isinstance(phase, Judged) else inner_of(phase)
    return found if isinstance(found, Judged) and found.verdict is not None else None


def kept_call(table: Table, phase: Phase, hand: int) -> Table:
    """Return the table with this phase's call added, for its photo finish. `hand`: from 0."""
    judged = judged_in(phase)
    if judged is None:
        return table
    return replace(table, calls=(*table.calls, evidence_of(table, hand, judged.ruling, judged.evidence)))


def on_ruled(state: State, phase: Called, event: Ruled) -> Step:
    """Show the verdict. Before this, no screen has named a caller."""
    verdict = event.verdict
    game = claim_game(state.table)
    last = game.limit_ns(state.table) is not None
    locked = (max if last else min)(p.counts_ns for p in verdict.presses) + state.table.setup.lockout_ns
    judged = replace(_judge(state, phase, event), boot=state.boot, locked_until_at_ns=locked)
    state = replace(state, table=with_ages(state.table, verdict))
    sound = "verdict_grey" if verdict.grey else "verdict_tie" if verdict.kind == "tie" else game.clear_sound
    return to(state, judged, Cue(sound, event.at_ns, cancels=True))


def _judge(state: State, phase: Called, event: Ruled) -> Judged:
    claimed_ns = event.verdict.claimed_ns
    evidence = tuple(edge for edge in state.trail if edge.t_ns >= claimed_ns - ns_from_ms(5))
    play = phase.play.play_at_pause(event.verdict.presses[0].counts_ns)
    grey, asks = event.verdict.grey, claim_game(state.table).answered
    shown_ns = OFFERED_NS if asks else BEFORE_COUNT_NS if pile_game(state.table) else VERDICT_NS
    until = event.at_ns + (VERDICT_NS if grey else shown_ns)
    armed = settled_by(phase.armed, state.contacts)
    stopped = phase.asked_at_ns
    return Judged(event.at_ns, play, armed, event.verdict, evidence, until, to_offer=grey, asks=asks, stop_ns=stopped)


def with_ages(table: Table, verdict: Verdict) -> Table:
    """Return the table with the stations whose press was too old. A press that was not clears its station."""
    hand = len(table.hands) + 1
    others = tuple(one for one in table.old_calls if one[0] not in {p.station for p in verdict.presses if not p.old})
    new = ((p.station, hand) for p in verdict.presses if p.old and (p.station, hand) not in others)
    return replace(table, old_calls=(*others, *new))


def on_ruled_after_cut(state: State, phase: PowerBack, event: Ruled) -> Step:
    """Keep the verdict on a call that a power cut interrupted.

    Raises LookupError if the cut interrupted no call.
    """
    if not isinstance(phase.inner, Called):
        raise LookupError(f"a verdict without a call: the power cut interrupted {phase.inner.name}")
    return within(state, replace(phase, inner=_judge(state, phase.inner, event)))


def on_judged_turned(state: State, phase: Judged, event: Turned) -> Step:
    """Show the photo finish or, after a turn back, the verdict again."""
    photo = event.steps > 0
    anyway = phase.anyway_until_at_ns if phase.photo else phase.until_at_ns
    until = max(anyway, state.now_ns + (MENU_NS if photo else VERDICT_NS))
    return within(state, replace(phase, photo=photo, until_at_ns=until, anyway_until_at_ns=anyway))


# -- late presses: they are listed and shown, but only the players can reverse a verdict ----------------------------


def list_late(judged: Judged, press: Press) -> tuple[Judged, bool]:
    """Return the verdict with one more press listed, and whether that press is late evidence."""
    armed, verdict = with_press(judged.armed, press), judged.ruling
    fresh, known = rule(armed), {(p.station, p.t_ns) for p in verdict.presses}
    late = tuple(one for one in fresh.late if (one[0].station, one[0].t_ns) not in known)
    ignored = (p for p in (*fresh.presses, *fresh.ignored) if (p.station, p.t_ns) not in known)
    listed = replace(verdict, late=late, ignored=tuple(sorted(ignored, key=by_time)))
    return replace(judged, armed=armed, verdict=listed), len(late) > len(verdict.late)


def is_heard(state: State, judged: Judged, station: str) -> bool:
    """Return whether presses of this station can be compared with those of the verdict."""
    return judged.boot == state.boot and station in judged.armed.team_of


def is_doubted(state: State, judged: Judged, doubted: Doubted) -> bool:
    """Return whether the row that arrived too late (`doubted`) belongs to the judged call."""
    return is_heard(state, judged, doubted.station) and in_call(judged.ruling, doubted.t_ns)


def on_judged_pressed(state: State, phase: Judged, pressed: Pressed) -> Step:
    """List a later press. Show late evidence without changing the verdict."""
    if not is_heard(state, phase, pressed.press.station):
        return stay(state)
    if phase.asks and pressed.press.t_ns < phase.answers_from_ns:
        state = blink(state)  # too early to be an answer: show that
    phase, late = list_late(phase, pressed.press)
    if not late:
        return within(state, phase)
    return stay(offer_late(replace(state, phase=phase), pressed.press.station))


def on_judged_doubted(state: State, phase: Judged, doubted: Doubted) -> Step:
    """Offer to contest the verdict if a row of its call arrived too late to be considered."""
    return stay(offer_late(state, doubted.station) if is_doubted(state, phase, doubted) else state)


def offer_late(state: State, station: str) -> State:
    """Offer to contest the verdict because a press arrived too late to count; once in a hand."""
    judged, title = judged_in(state.phase), msg("title.late", who=(seat_label(state.table, station),))
    closes_at_ns = state.menu.closes_at_ns if state.menu is not None and state.menu.title == title else None
    if judged is None or (judged.play.late_offered and closes_at_ns is None):
        return state
    offered = replace(judged, play=replace(judged.play, late_offered=True))
    state = replace(state, phase=with_judged(state.phase, offered))
    return offer_contest(state, title, OFFERED_NS if closes_at_ns is None else closes_at_ns - state.now_ns)


def with_judged(phase: Phase, judged: Judged) -> Phase:
    """Return the phase with another verdict: its own, or the one on which its count is based."""
    return judged if isinstance(phase, Judged) else replace(phase, inner=judged)  # type: ignore[call-arg]


def offer_contest(state: State, title: Msg, for_ns: int) -> State:
    """List the ways to contest the verdict. If the list closes unused, the verdict is accepted."""
    phase = state.phase
    if isinstance(phase, Judged):
        anyway, until = phase.anyway_until_at_ns if phase.photo else phase.until_at_ns, state.now_ns + for_ns
        phase = replace(phase, photo=False, until_at_ns=until, anyway_until_at_ns=anyway, to_offer=False)
        state = replace(state, phase=phase)
    own = (row for row in game_of(state.table).rows if row.phase is type(state.phase))
    return open_list(state, (*shown_lines(state, own), BACK), title, for_ns=for_ns, asked=True)


ROWS: tuple[Transition, ...] = (
    Row(Called, Ruled, on_ruled, ("VERDICT",), "the verdict"),
    Row(PowerBack, Ruled, on_ruled_after_cut, (), "a call that the power cut interrupted"),
    Row(Judged, Turned, on_judged_turned, (), "turn: photo finish"),
    Row(Judged, Pressed, on_judged_pressed, (), "a later press is listed"),
    Row(Judged, Doubted, on_judged_doubted, (), "late evidence opens the contest"),
)
