"""Points of dispute in the Nertz games, in the display's order: the most frequent first.

Sources as in rules.py: NNA, pagat, Reeves, Keeling, the makers of the boxed games. "rules": several of the sources
agree. "blog": NNA's answers to players. "house": what tables agree on. "ours": a decision of this project, where no
source has an answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.core.games.nertz.dialect import spoken_at
from referee.core.games.nertz.rules import PRESETS, option_values, with_options
from referee.core.rulebook import Facts, say, topic

PILES_BY = ("row", "two", "three")
"""Number of table sizes with extra work piles (`few`) -> the value of the fact `piles`."""
NNA = ("nna", "nna150")
KEELING = "racing-demon"


def _but(*presets: str) -> tuple[str, ...]:
    """Return the names of all Nertz presets except the given ones."""
    return tuple(preset for preset in PRESETS if preset not in presets)


TOPICS = (
    topic(
        "stuck",
        say("stuck_search", "nna", stuck="burn"),
        say("stuck_burn", "nna", "stock", stuck="burn"),
        say("stuck_burn_pile", "nna", "pile", stuck="burn"),
        say("stuck_play", "nna", stuck="burn"),
        say("stuck_burn_again", "ours", "pile", stuck="burn"),
        say("stuck_wait stuck_rotate", "pagat", stuck="rotate", preset=_but("dutch-blitz", "ligretto")),
        say("stuck_rotate_top", "makers", stuck="rotate", preset="dutch-blitz"),
        say("stuck_rotate_top", "ours", stuck="rotate", preset="ligretto"),
        say("stuck_again", "pagat", stuck="rotate"),
        say("stuck_redeal", "reeves", stuck="redeal-stock"),
        say("stuck_alone", "reeves ours", stuck="redeal-stock"),
        say("stuck_redealt", "reeves", stuck="redeal-stock"),
        say("stuck_abandon", "keeling", stuck="abandon"),
        say("stuck_score", "makers", stuck="score"),
        say("stuck_call", "blog", "pile"),
        say("stuck_consent", "house", preset=NNA),
    ),
    topic(
        "same_place",
        say("place_first", "rules"),
        say("place_table", "nna", same_place="table"),
        say("place_both", "pagat reeves", same_place="both"),
        say("place_arrival", "keeling", same_place="first", preset=KEELING),
        say("place_arrival", "keeling ours", same_place="first", preset=_but(KEELING)),
    ),
    topic(
        "in_flight",
        say("flight_lands", "nna pagat reeves", in_flight="lands"),
        say("flight_returns", "keeling", in_flight="returns"),
        say("flight_table", "table"),
    ),
    topic("held_card", say("held_late", "rules")),
    topic("let_go", say("let_go", "rules"), say("let_go_arrival", "keeling", preset=KEELING)),
    topic("misplaced", say("misplaced_back", "nna"), say("misplaced_penalty", "house")),
    topic("fumble", say("fumble_order fumble_purpose fumble_timeout", "nna")),
    topic(
        "part",
        say("part_moves", "rules", building=True),
        say("part_often", "nna", building=True),
        say("part_none", "makers", building=False),
    ),
    topic(
        "transfer",
        say("transfer", "rules", river_transfer=True, building=True),
        say("transfer_place", "ours", river_transfer=True, building=True),
        say("transfer_full", "rules", river_transfer=True, building=True),
        say("transfer_no", "house", river_transfer=False, building=True),
        say("transfer_row", "makers", building=False),
    ),
    topic(
        "available",
        say("available", "rules", "pile", building=True),
        say("available_row", "makers", "pile", building=False),
        say("available_blocked", "rules"),
    ),
    topic(
        "withholding",
        say("withholding_aces", "nna", "pile", withholding=True),
        say("withholding_now", "ours", withholding=True),
        say("withholding_others", "nna", withholding=True),
        say("withholding_table", "table", withholding=True),
        say("withholding_free", "pagat reeves keeling", withholding=False),
    ),
    topic(
        "stacking",
        say("stacking_no", "rules", stacking=False),
        say("stacking", "nna", stacking=True),
        say("stacking_most", "nna", "most", stacking=True),
    ),
    topic("one_card", say("one_card", "rules", stacking=False), say("one_card_stacking", "rules", stacking=True)),
    topic(
        "middle",
        say("middle_suit", "rules", foundations="suit", boxed=False),
        say("middle_boxed", "makers", foundations="suit", boxed=True),
        say("middle_players", "keeling", foundations="by-players"),
        say("middle_any middle_take", "rules"),
    ),
    topic(
        "columns",
        say("columns", "rules", building=True, boxed=False),
        say("columns_boxed", "makers", building=True, boxed=True),
        say("columns_own", "rules", building=True),
        say("columns_ace", "nna", withholding=True),
        say("columns_row", "makers", building=False),
        say("columns_piles", "rules", "river", piles="row"),
        say("columns_two", "makers", "river", piles="two"),
        say("columns_three", "makers", "river", piles="three"),
        say("columns_klondike", "house", piles="klondike"),
    ),
    topic(
        "empty_place",
        say("empty_place", "rules", "pile", building=True),
        say("empty_row", "rules", "pile", building=False),
    ),
    topic(
        "full_pile",
        say("full_dead", "rules"),
        say("full_king", "nna", preset=NNA),
        say("full_aside", "pagat", preset=_but(*NNA, "reeves", KEELING)),
        say("full_removed", "reeves", preset="reeves"),
        say("full_player", "keeling", preset=KEELING),
    ),
    topic(
        "jokers",
        say("jokers_none", "rules", jokers=0),
        say("jokers_say jokers_lift", "pagat", jokers=2),
        say("jokers_ace", "ours", jokers=2),
        say("jokers_column", "pagat", jokers=2, preset=_but("reeves")),
        say("jokers_column_suit", "reeves", jokers=2, preset="reeves"),
        say("jokers_free", "pagat", jokers=2, preset=_but("reeves")),
        say("jokers_count", "pagat", jokers=2),
    ),
    topic("timeout", say("timeout_when timeout_all", "nna"), say("timeout_ends", "ours")),
    topic("timeout_now", say("timeout_yes timeout_no", "nna")),
    topic(
        "false_call",
        say("false_play_on", "ours", false_call="play-on"),
        say("false_points", "house", "points", false_call="points"),
        say("false_zero", "house", false_call="zero"),
        say("false_all_out", "ours", false_call="zero"),
        say("false_table false_others false_later false_alone", "ours"),
        say("false_silent", "house"),
    ),
    topic(
        "must_call",
        say("must_not", "rules", "call pile"),
        say("must_wait", "pagat reeves keeling"),
        say("must_stuck", "blog", preset=NNA),
    ),
    topic(
        "tie_calls",
        say("tie_measured", "ours", "tie_ms"),
        say("tie_shared", "nna", "bonus", has_bonus=True),
        say("tie_halves", "nna ours", has_bonus=True),
        say("tie_no_bonus", "rules", has_bonus=False),
        say("tie_table", "nna"),
    ),
    topic(
        "tie_target",
        say("equal_calls", "nna", tiebreak="calls"),
        say("equal_hand", "nna", tiebreak="hand"),
        say("equal_tied", "ours", tiebreak=("calls", "hand"), tiebreak_teams="tied"),
        say("equal_all", "ours", tiebreak=("calls", "hand"), tiebreak_teams="all"),
        say("equal_share", "keeling", tiebreak="share", preset=KEELING),
        say("equal_share", "ours", tiebreak="share", preset=_but(KEELING)),
        say("equal_settled", "ours", tiebreak="share", settlement="difference"),
    ),
    topic(
        "pair",
        say("pair_names", "nna", "pile stock"),
        say("pair_free", "nna", pile_control="free"),
        say("pair_alternate", "house", pile_control="alternate"),
        say("pair_both", "nna"),
        say("pair_go", "nna", "stock"),
        say("pair_alone", "nna", "pile stock"),
    ),
    topic(
        "hands",
        say("hands_both", "nna", preset=NNA),
        say("hands_one", "pagat reeves", preset=_but(*NNA, KEELING)),
        say("hands_finger", "keeling", preset=KEELING),
    ),
    topic(
        "touching",
        say("touching_misplaced", "nna", preset=NNA),
        say("touching_never", "pagat keeling", preset=_but(*NNA)),
    ),
    topic("shielding", say("shielding", "nna", "pile"), say("shielding_table", "table")),
    topic(
        "looking",
        say("looking_top", "rules", "pile", preset=_but(KEELING)),
        say("looking_demon", "keeling", preset=KEELING),
        say("looking_down", "nna"),
    ),
    topic(
        "before_go",
        say("before_look", "nna"),
        say("before_river", "nna", preset=NNA),
        say("before_hand", "nna", "pile stock"),
        say("start_ready", "nna", start_words="ready"),
        say("start_numbers", "nna", start_words="numbers"),
    ),
    topic(
        "false_start",
        say("start_first", "rules"),
        say("start_stop", "ours", start="stop"),
        say("start_note", "ours", start="note"),
        say("start_one", "keeling", start_by="one"),
        say("start_all", "rules", start_by="all"),
        say("head_start head_start_press", "ours"),
    ),
    topic(
        "shuffling",
        say("shuffle", "nna"),
        say("shuffle_neighbour", "nna", shuffle_for="self"),
        say("shuffle_left", "nna", shuffle_for="left"),
        say("deal_river", "nna", "reserve", preset=NNA, layout="row"),
        say("deal_pile", "rules", "reserve pile", preset=_but(*NNA), layout="row"),
        say("deal_klondike", "house", "reserve", layout="klondike"),
    ),
    topic(
        "turning",
        say("turn_three", "rules", turn=3, turn_order="kept"),
        say("turn_reversed", "pagat", turn=3, turn_order="reversed"),
        say("turn_one", "pagat", turn=1),
        say("turn_below", "ours"),
        say("turn_blocked", "nna", turn=3, preset=NNA),
    ),
    topic("taken_back", say("taken_back", "nna")),
    topic(
        "short_stock", say("short_turn", "rules", turn=3), say("short_one", "rules", turn=1), say("short_over", "rules")
    ),
    topic("tidying", say("tidying", "keeling"), say("tidying_columns", "nna")),
    topic("talking", say("talking standing", "nna")),
    topic(
        "counting",
        say("count_left", "nna", "pile"),
        say("count_middle", "nna"),
        say("count_pack", "ours", pack_check=True),
        say("count_no_pack", "ours", pack_check=False),
        say("count_limits", "ours"),
    ),
    topic(
        "score",
        say("score_hand", "rules", "penalty pile"),
        say("score_bonus", "nna pagat", "bonus", has_bonus=True),
        say("score_no_bonus", "rules", has_bonus=False),
        say("score_kings", "house", "king_bonus", has_kings=True),
        say("score_no_kings", "rules", has_kings=False, boxed=False),
        say("score_abandoned", "keeling", stuck="abandon"),
    ),
    topic(
        "target",
        say("target", "rules", "target", settlement=("none", "difference")),
        say("target_hand", "pagat", settlement="each-hand"),
        say("target_pays", "pagat", settlement="difference"),
        say("target_unpaid", "rules", settlement="none"),
    ),
    topic(
        "backs",
        say("backs", "rules"),
        say("backs_sorted", "nna"),
        say("backs_box", "makers", boxed=True),
    ),
    topic(
        "aim",
        say("aim_hand", "rules", "pile"),
        say("aim_match", "rules", "target", settlement=("none", "difference")),
        say("aim_each_hand", "pagat", settlement="each-hand"),
        say("aim_at_once", "rules"),
    ),
    topic(
        "handicap",
        say("handicap_none", "rules", handicap="none"),
        say("handicap_winner", "ours", handicap="winner"),
        say("handicap_negative", "ours", handicap="negative"),
        say("handicap_three", "ours", handicap="negative-three"),
        say("handicap_distance", "ours", handicap="distance"),
        say("handicap_least", "ours", handicap=("winner", "negative", "negative-three", "distance")),
    ),
    topic(
        "seats",
        say("seats_equal", "nna"),
        say("seats_rotate", "nna", rotate_seats=True),
        say("seats_stay", "ours", rotate_seats=False),
        say("seats_space", "nna"),
        say("seats_pairs", "pagat reeves"),
        say("seats_lone", "nna"),
        say("seats_singles", "pagat keeling"),
    ),
    topic(
        "leaving",
        say("leaving_abandon", "keeling", stuck="abandon"),
        say("leaving", "ours", stuck=("burn", "rotate", "redeal-stock", "score")),
    ),
)
"""Points of dispute in the Nertz games, the most frequent first."""


def facts(preset: str, options: Mapping[str, object]) -> Facts:
    """Return name -> value for these rules. The rulebook needs them to choose its answers."""
    rules = with_options(PRESETS[preset], options)
    words, values = spoken_at(preset, rules.call_word), option_values(rules)
    return {
        **{name: value if isinstance(value, int | str) else f"{value:g}" for name, value in values.items()},
        "preset": preset,
        "building": rules.building,
        "boxed": rules.boxed,
        "false_call": rules.false_call.partition(":")[0],
        "points": rules.false_points,
        "has_bonus": rules.bonus > 0,
        "has_kings": rules.king_bonus > 0,
        "most": rules.work_piles(0) + 2,
        "pile": words.pile,
        "call": words.call,
        "stock": words.stock,
        "piles": "klondike" if rules.layout == "klondike" else PILES_BY[len(rules.few)],
    }
