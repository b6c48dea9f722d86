"""Slap (Snap, Slapjack, Egyptian Ratscrew, Halli Galli): a claim stops the table, all answer it once, cards move on.

Whoever slaps first claims what lies there. Each team says once whether the claim was right: tap right, hold wrong
(`phases/answers.py`). A right one brings a point, a wrong one pays, and at the last answer play goes on: no beats, no
ready check between two slaps. Which cards there are the device does not know: points stand for cards won.

Sources: pagat's pages on Snap, Slapjack and Egyptian Ratscrew; the boxed rules of Halli Galli.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Played
from referee.core.model.options import RuleOption
from referee.core.model.state import Phase, State, Step, Table, down_among
from referee.core.model.transitions import Row, Setting
from referee.core.phases import answers, claims, points
from referee.core.phases.common import decide, to
from referee.core.phases.contest import ContestCall
from referee.core.phases.over import Over
from referee.core.phases.points import PointsGame, Values
from referee.core.phases.verdict import OFFERED_NS, Judged
from referee.core.rulebook.book import Topic
from referee.core.units import MS
from referee.core.values import replace

BREATH_NS = 400 * MS
"""Whoever still has a button down at the last answer could not slap: so long play waits for them, and no longer."""
TIE_MS = 20
"""ARBITER.md: below that nobody can tell which of two sounds came first."""
_ALIKE = msg("teach.slap_alike")
REASONS = {
    "snap": _ALIKE,
    "slapjack": msg("teach.slap_jack"),
    "ratscrew": _ALIKE,
    "halli-galli": msg("teach.slap_fruit"),
}
"""Preset -> for what people slap."""
_PAGAT = {
    "target": (20, "assumed: so many right slaps are about a pack won"),
    "penalty": (1, "pagat: a wrong slap costs a card"),
    "gift": (0, "pagat"),
    "tie_ms": (TIE_MS, "ARBITER.md"),
}


def on_played(state: State, phase: Judged, event: Played) -> Step:
    """The slap is in the book: cards move again, as soon as no button is down, or it was the last one."""
    step = points.on_played(state, phase, event)
    if isinstance(step.state.phase, Over):
        return step
    playing, now = phase.play.playing, state.now_ns
    go = now + (BREATH_NS if down_among(state, playing) else 0)
    play = replace(phase.play, played_ns=0, false_calls=()).running(state.table, go, go)
    return to(step.state, replace(play, resumed=False), Cue(f"claim_{event.move}", go))


class Slap(PointsGame):
    """The game at the table and on paper; see phases.points.PointsGame."""

    NAME = FAMILY = "Slap"
    HAS_RULEBOOK = True
    OPTIONS = (
        RuleOption("target", "number", "points that end the match; 0: the table ends it", "assumed", 0, 999),
        RuleOption("penalty", "number", "what a wrong slap costs", "1 in pagat's rules of all four", 0, 20),
        RuleOption("gift", "number", "what a wrong slap gives each other team", "1 in Halli Galli, else 0", 0, 5),
        RuleOption("tie_ms", "milliseconds", "slaps within so many ms are a tie", "20: ARBITER.md", 0, 500),
    )
    PRESETS = {
        "snap": ("Snap: two cards alike", _PAGAT),
        "slapjack": ("Slapjack: slap the jacks", _PAGAT),
        "ratscrew": ("Egyptian Ratscrew: doubles and sandwiches", _PAGAT),
        "halli-galli": (
            "Halli Galli: five of one fruit",
            _PAGAT | {"gift": (1, "boxed rules: a card to each other player"), "penalty": (0, "see gift")},
        ),
    }
    settings = (
        Setting("target", "item.target", tuple((n, n) for n in (10, 20, 50, 75, 100))),
        Setting("penalty", "item.penalty", tuple((n, n) for n in (0, 1, 2, 3))),
        Setting("gift", "agree.gift", tuple((n, n) for n in (0, 1, 2, 3))),
        Setting("tie_ms", "item.set_tie", tuple((n, msg("choice.ms", ms=n)) for n in (0, 5, 10, 20, 30, 50, 100))),
    )
    matters = ("penalty", "tie_ms")
    counted_by = frozenset({"penalty", "gift"})
    word = msg("claim.slap")
    WORDS = ("claim.slap", "undo.right", "undo.wrong")
    end = "right"
    ENDS = (end, "wrong")
    answered = True
    goes_on = False
    rows = (
        *(row for row in claims.ROWS if row.trigger is not ContestCall),  # a hold says that it was wrong
        *answers.ROWS,
        Row(Judged, Played, on_played, ("PLAYING", "OVER"), "the slap is in the book"),
    )

    def topics(self) -> tuple[Topic, ...]:
        from referee.core.games.slap.rulebook import TOPICS

        return TOPICS

    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        if end == "right":
            return dict.fromkeys(callers, 1)
        gift, others = rules["gift"], [team for team in playing if team not in callers]
        costs = rules["penalty"] + gift * len(others)
        return dict.fromkeys(others, gift * len(callers)) | dict.fromkeys(callers, -costs)

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        rules = self.rules_of(table)
        if part == "deal":
            return (msg("teach.deal_all"), msg("teach.tap_ready"))
        told = (
            (True, msg("teach.turn_cards")),
            (True, REASONS[table.setup.preset]),
            (table.setup.preset == "ratscrew", msg("teach.slap_sandwich")),
            (True, msg("teach.slap_button")),
            (rules["penalty"], msg("teach.slap_wrong", points=rules["penalty"])),
            (rules["gift"], msg("teach.slap_gift", points=rules["gift"])),
            (True, msg("teach.device_counts")),
            (rules["target"], msg("teach.first_to", target=rules["target"])),
        )
        return tuple(line for said, line in told if said)

    def upheld(self, state: State, judged: Phase) -> Step:
        """Right or wrong, by the answers; who undoes it is asked again."""
        assert isinstance(judged, Judged)
        assert judged.verdict is not None
        again = replace(judged, until_at_ns=state.now_ns + OFFERED_NS)
        end = "right" if answers.right(judged) else "wrong"
        return decide(replace(state, phase=again), Played(state.now_ns, end, judged.verdict.callers))


GAME = Slap()
