"""A tape with trouble beside it: buttons are grazed, the device dies between gestures; the story must be its own."""

from __future__ import annotations

from random import Random

from referee.core.units import S
from tests.campaign.judge import WrongError
from tests.campaign.plan import Plan
from tests.tapes.kill import go_on, in_the_middle, killed
from tests.tapes.play import Play
from tests.tapes.tape import read

GRAZE_NS = 300_000


def taped(plan: Plan) -> int:
    """How many hands were sealed. Raises WrongError when it ended otherwise than without the trouble."""
    assert plan.tape is not None
    tape, rng = read(plan.tape), Random(f"{plan.seed}/tape")
    whole = Play(tape).run().story()
    gestures = [line for line in tape.lines if not line.told]
    places = sorted(rng.randrange(len(gestures)) for _ in plan.cuts)
    play, done = Play(tape), 0
    for place in places:
        play.run(gestures[done:place], watch=lambda line: _graze(play, rng, plan))
        done = place
        if not in_the_middle(play.table.engine.state):
            at_ns = play.table.now_ns
            play.table = go_on(killed(play.table, at_ns + 60 * S), play.table.engine.state, at_ns)
    play.run(gestures[done:], watch=lambda line: _graze(play, rng, plan))
    if play.story() != whole:
        raise WrongError(f"{plan.tape}, killed before {places}: {play.story()} instead of {whole}")
    return len(whole[1])  # type: ignore[arg-type]


def _graze(play: Play, rng: Random, plan: Plan) -> None:
    """A touch too light, some time before a gesture."""
    if not plan.grazes_s or rng.randrange(plan.grazes_s):
        return
    table = play.table
    station = rng.choice(table.engine.state.table.setup.stations)
    if any(c.closed for c in table.engine.state.contacts if c.station == station):
        return
    table.edges((station, True, 0), (station, False, GRAZE_NS))
