"""Last one (Spoons, Pig, Irish Snap): all press, and who presses last loses the hand.

The first press starts the race. The arbiter judges all presses as for a call, with a tie window and doubtful cases, but
looks for the last press (`presses/arbiter.py`). A player who has not pressed within the limit is last. Each lost
hand gives the player the next letter of a word such as SPOON. A player who has the whole word is out, and the last one
left wins the match. If all players tie for last, no player gets a letter. If the table finds that there was no reason
to press, the player who pressed first gets the letter.

Sources: pagat's pages on Spoons, Pig and Irish Snap.

Points of dispute in Last one (Spoons, Pig, Irish Snap), the most frequent first.

Source: pagat's pages on these games. Three rules are decisions of this project: a press replaces taking a spoon or
laying a hand on the pile, a lost hand of Irish Snap gives a letter too, and how a false start is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.core.messages import Msg, msg
from referee.core.model.events import Cue, Overruled, Played
from referee.core.model.options import RuleOption
from referee.core.model.state import Phase, State, Step
from referee.core.model.table import Table
from referee.core.model.transitions import Setting, numbers
from referee.core.phases import points
from referee.core.phases.armed import TIE_SETTING, USUAL_TIE, tie_option
from referee.core.phases.common import decide
from referee.core.phases.points import PointsGame, Values
from referee.core.rulebook import say, topic
from referee.core.units import S
from referee.core.values import replace

LIMIT_S = 5
"""Time limit in s: longer than a player needs to react to the others' presses."""


def _preset(lives: int, source: str) -> Mapping[str, tuple[int, str]]:
    return {"lives": (lives, source), "limit_s": (LIMIT_S, "assumed"), "tie_ms": USUAL_TIE}


class LastOne(PointsGame):
    """The game Last one; phases.points.PointsGame describes the methods.

    Each lost hand costs a player one letter of a word, e.g. SPOON. A player's points are the number of letters not yet
    lost.
    """

    NAME = FAMILY = "Last one"
    RULEBOOK = "referee.core.games.lastone"
    OPTIONS = (
        RuleOption("lives", "number", "letters of the word; a lost hand costs one", "5 or 3 in pagat", 1, 20),
        RuleOption("limit_s", "number", "seconds after the first press within which all must press", "assumed", 1, 30),
        tie_option("presses"),
    )
    PRESETS = {
        "spoons": ("Spoons: five letters, S-P-O-O-N", _preset(5, "pagat: the word SPOON")),
        "pig": ("Pig: three letters, P-I-G", _preset(3, "pagat: the word PIG")),
        "irish-snap": ("Irish Snap: the last hand on the pile loses", _preset(5, "assumed: as in Spoons")),
    }
    settings = (
        Setting("lives", "item.lives", numbers(1, 3, 4, 5, 6)),
        Setting("limit_s", "item.limit", tuple((n, msg("choice.s", s=n)) for n in (2, 3, 5, 10))),
        TIE_SETTING,
    )
    counted_by = frozenset({"lives"})
    counts = "letters"
    tells_gain = False
    spelled = {"spoons": "SPOONS", "pig": "PIG"}
    word = msg("claim.last")
    dark = "all"
    reasons = {"spoons": "four", "pig": "four", "irish-snap": "rank"}
    end = "last"
    ENDS = (end, "false")
    clear_sound = "verdict_last"
    accuses_first = True
    goes_on = False
    rows = points.ROWS

    def limit_ns(self, table: Table) -> int | None:
        return int(self.rules_of(table)["limit_s"]) * S

    def start(self, rules: Values) -> int:
        return int(rules["lives"])

    def points(self, rules: Values, end: str, callers: Sequence[str], playing: Iterable[str]) -> Mapping[str, int]:
        return {} if set(callers) == set(playing) else dict.fromkeys(callers, -1)

    def winners_at(self, rules: Values, totals: Mapping[str, int]) -> tuple[str, ...]:
        left = tuple(team for team, letters in totals.items() if letters > 0)
        return left if len(left) == 1 else ()

    def next_players(self, table: Table) -> tuple[str, ...]:
        return tuple(team for team, letters in self.totals(table).items() if letters > 0)

    def lesson(self, table: Table, part: str, playing: tuple[str, ...]) -> tuple[Msg, ...]:
        irish = table.setup.preset == "irish-snap"
        if part == "deal":
            return (msg("teach.deal_all" if irish else "teach.deal_four"), msg("teach.tap_ready"))
        first = ("teach.say_rank", "teach.rank_press") if irish else ("teach.pass_left", "teach.four_press")
        told = (*first, "teach.you_too", "teach.last_pays")
        return (*map(msg, told), msg("teach.letters_out", letters=self.rules_of(table)["lives"]))

    def after_false_claim(self, state: State, judged: Phase, event: Overruled) -> Step | None:
        """Record the hand as lost by the player who pressed first; there was no reason to press.

        The player who pressed last loses nothing.
        """
        step = decide(state, Played(state.now_ns, "false", event.teams))
        return replace(step, cues=(Cue("false_start", state.now_ns, cancels=True), *step.cues))


DOCUMENTS = GAME = LastOne()


TOPICS = (
    topic(
        "last_who",
        say("last_measured", "ours", "tie_ms"),
        say("last_limit", "ours", "limit_s"),
        say("last_tied last_table", "ours"),
    ),
    topic(
        "last_begins",
        say("last_four", "pagat", preset=("spoons", "pig")),
        say("last_rank", "pagat", preset="irish-snap"),
        say("last_pair", "house", preset="irish-snap"),
        say("last_everybody", "rules"),
    ),
    topic("last_false", say("last_pays_first last_asked", "ours"), say("last_cards", "table")),
    topic("last_bluff", say("last_feint", "house", preset=("spoons", "pig")), say("last_press", "ours")),
    topic(
        "last_passing",
        say("last_draw", "pagat", preset="spoons"),
        say("last_together", "pagat", preset="pig"),
        say("last_count last_again", "pagat", preset="irish-snap"),
    ),
    topic(
        "last_letters",
        say("last_word", "pagat", preset=("spoons", "pig")),
        say("last_word_ours", "ours", preset="irish-snap"),
        say("last_lives", "rules", "lives"),
        say("last_left", "rules"),
    ),
    topic("last_out", say("last_rests", "ours")),
    topic("last_again_dealt", say("last_void last_rest", "ours")),
    topic("aim", say("aim_not_last", "rules"), say("last_left", "rules")),
)
"""Points of dispute in Last one, the most frequent first."""
