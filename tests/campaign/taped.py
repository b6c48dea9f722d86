"""A tape with trouble beside it: buttons are grazed, the device dies between gestures; the story must be its own."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from referee.core.presses.signals import WINDOW_NS
from referee.core.units import S
from tests.campaign.judge import WrongError
from tests.campaign.plan import Plan
from tests.tapes.kill import go_on, in_the_middle, killed
from tests.tapes.play import Play
from tests.tapes.tape import Line, read

GRAZE_NS = 300_000


def taped(plan: Plan) -> int:
    """How many hands were sealed. Raises WrongError when it ended otherwise than without the trouble."""
    assert plan.tape is not None
    tape, rng = read(plan.tape), Random(f"{plan.seed}/tape")
    whole = Play(tape).run().story()
    gestures = [line for line in tape.lines if not line.told]
    soon = {line.number: _pressed_soon(gestures[n + 1 :]) for n, line in enumerate(gestures)}
    places = sorted(rng.randrange(len(gestures)) for _ in plan.cuts)
    play, done = Play(tape), 0
    for place in places:
        play.run(gestures[done:place], watch=lambda line: _graze(play, rng, plan, soon[line.number]))
        done = place
        if not in_the_middle(play.table.engine.state):
            at_ns = play.table.now_ns
            play.table = go_on(killed(play.table, at_ns + 60 * S), play.table.engine.state, at_ns)
    play.run(gestures[done:], watch=lambda line: _graze(play, rng, plan, soon[line.number]))
    if play.story() != whole:
        raise WrongError(f"{plan.tape}, killed before {places}: {play.story()} instead of {whole}")
    return len(whole[1])  # type: ignore[arg-type]


def _pressed_soon(gestures: Sequence[Line]) -> frozenset[str]:
    """Whose next press comes so soon that a touch now is its first bounce, by these gestures."""
    stations, wait_ns = set[str](), 0
    for line in gestures:
        wait_ns += WINDOW_NS if line.wait_ns is None else line.wait_ns  # at an instant of its own: not so soon
        if wait_ns >= WINDOW_NS:
            break
        stations.update(line.who)
    return frozenset(stations)


def _graze(play: Play, rng: Random, plan: Plan, soon: frozenset[str]) -> None:
    """A touch too light, some time before a gesture; of nobody who presses soon."""
    if not plan.grazes_s or rng.randrange(plan.grazes_s):
        return
    table = play.table
    station = rng.choice(table.engine.state.table.setup.stations)
    if station in soon or any(c.closed for c in table.engine.state.contacts if c.station == station):
        return
    table.edges((station, True, 0), (station, False, GRAZE_NS))
