"""docs/rules.md: every statement of the rules, where it lives, and what of it is a decision of ours.

A home is written KIND:NAME. `answer:stuck_burn` is a sentence of the rulebook, `screen:burn` a sample of a screen,
`cards:test_...` a test, by the short names of FILES. `table:flight_table`: people judge it, and that sentence of the
rulebook says so. `python -m tests.docs --update` writes the document; tests/test_rules.py holds that each home is
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from referee.core.model.registry import all_documents, topics_of
from referee.core.rulebook.book import Statement
from referee.language.catalogue import ENGLISH, catalogue

OURS, TABLE = "ours", "table"
"""Sources that are none: a decision of the product's own; what no device can see, so that the table judges it."""
FILES = {
    "cards": "tests/core/cards/test_options.py",
    "flights": "tests/core/cards/test_flights.py",
    "models": "tests/core/cards/test_agreement.py",
    "sanity": "tests/core/cards/test_sanity.py",
    "sight": "tests/core/cards/test_sight.py",
    "score": "tests/core/games/nertz/test_scoring.py",
    "rules": "tests/core/games/nertz/test_rules.py",
    "match": "tests/core/games/nertz/test_document.py",
    "lessons": "tests/core/games/nertz/test_lessons.py",
    "counts": "tests/core/games/nertz/test_cards.py",
    "agreed": "tests/core/test_agreement.py",
    "hand": "tests/core/test_hand.py",
    "argument": "tests/core/test_argument.py",
    "division": "tests/core/test_division.py",
    "coming": "tests/core/test_coming_and_going.py",
    "teams": "tests/core/test_teams.py",
    "roles": "tests/core/test_roles.py",
    "teach": "tests/core/test_teaching.py",
    "settings": "tests/core/test_settings.py",
    "turns": "tests/core/games/thirtyone/test_table.py",
    "lives": "tests/core/games/thirtyone/test_document.py",
    "record": "tests/core/games/thirtyone/test_record.py",
    "slap": "tests/core/games/slap/test_play.py",
    "last": "tests/core/games/lastone/test_play.py",
    "book": "tests/core/rulebook/test_book.py",
}
"""Short name -> the file of tests."""


class Row(NamedTuple):
    """A statement in our own words, and its homes."""

    said: str
    homes: str


SECTIONS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "Table",
        (
            Row("Two teams or more play.", "hand:test_one_team_alone_cannot_start"),
            Row(
                "Each has a pack with a back of its own, and the first deal says so.",
                "answer:backs roles:test_the_first_deal_asks_for_backs_of_their_own screen:ready-backs",
            ),
            Row(
                "Five singles get crowded, pairs are better; a second box widens the table.",
                "answer:seats_singles answer:backs_box",
            ),
            Row("The table has the same room for all, round a middle that all reach.", "answer:seats_space"),
            Row(
                "All play at once to empty the reserve, call and have the most points.",
                "answer:aim_hand answer:aim_match answer:aim_each_hand answer:aim_at_once",
            ),
            Row(
                "A pair sits together and shares a pack; a lone player may face pairs.",
                "answer:seats_pairs answer:seats_lone hand:test_two_hold_together_pair_and_again_part",
            ),
            Row(
                "Before a hand a pair says who holds reserve and stock; most swap afterwards. A lone player has both.",
                "answer:pair_names answer:pair_free answer:pair_alone "
                "roles:test_a_partners_hold_takes_the_reserve_and_the_others_takes_it_over",
            ),
            Row(
                "Partners may be bound to alternate, and the device says who holds what.",
                "answer:pair_alternate coming:test_pairs_that_alternate_see_who_holds_the_reserve",
            ),
            Row(
                "Both of a pair play to columns and middle, pass playable cards and talk.",
                "answer:pair_both answer:talking",
            ),
            Row("Standing is allowed.", "answer:standing"),
            Row("At Go the stock's holder may cycle while the reserve's holder looks for places.", "answer:pair_go"),
            Row(
                "Others' cards are touched to give back a misplaced one, or never.",
                "answer:touching_misplaced answer:touching_never",
            ),
            Row("No pile is hidden from the others.", "answer:shielding table:shielding_table"),
            Row("Before Go reserve and stock may be in hand, the rest lies.", "answer:before_hand"),
            Row(
                "Only the top of the reserve is seen; Keeling's lies open.",
                "answer:looking_top answer:looking_demon sight:test_backs_are_what_lies_face_down "
                "cards:test_presets_deal_and_show_their_own_way",
            ),
            Row(
                "Cards that lie face down are never looked at.",
                "answer:looking_down sight:test_backs_are_what_lies_face_down",
            ),
            Row(
                "All sit equally far from the middle, or seats move on between hands.",
                "answer:seats_equal answer:seats_rotate roles:test_all_move_to_the_next_button_with_name_and_score",
            ),
            Row(
                "Packs are shuffled five times at least and cut; a neighbour may do it.",
                "answer:shuffle answer:shuffle_neighbour answer:shuffle_left",
            ),
            Row("Nobody touches the packs between shuffling and dealing.", "answer:shuffle"),
            Row(
                "Target, bonus, stacking and house rules are agreed before the first hand.",
                "agreed:test_all_tap_in_any_order_and_the_hand_is_dealt agreed:test_every_preset_says_what_it_is "
                "agreed:test_stacking_needs_everybody_s_yes screen:agreement screen:agreement-rules",
            ),
            Row("One person keeps the score: the device.", "hand:test_a_count_by_taps_and_holds_is_scored_and_sealed"),
        ),
    ),
    (
        "Packs and layout",
        (
            Row(
                "A pack has 52 cards, 54 with jokers, 40 in the boxed games.",
                "match:test_a_pack_and_a_reserve_have_the_cards_of_the_rules "
                "rules:test_boxed_packs_have_neither_jokers_nor_kings",
            ),
            Row(
                "Reserves have 13 cards, 10 in the boxed games, 11 or 12 by an option.",
                "rules:test_presets_have_their_values match:test_a_pack_and_a_reserve_have_the_cards_of_the_rules",
            ),
            Row(
                "There are four work piles, three in the boxed games, more at small tables there.",
                "answer:columns_piles answer:columns_two answer:columns_three "
                "cards:test_small_tables_have_more_work_piles cards:test_river_says_how_many_work_piles_there_are",
            ),
            Row(
                "NNA deals the River first, the others the reserve.",
                "answer:deal_river answer:deal_pile sanity:test_a_deal_is_laid_out_in_its_order "
                "lessons:test_each_part_of_a_hand_is_taught_by_the_rules_of_the_preset "
                "cards:test_presets_deal_and_show_their_own_way",
            ),
            Row(
                "Klondike's five columns are another layout.",
                "answer:columns_klondike answer:deal_klondike "
                "cards:test_layout_klondike_hides_cards_under_those_that_may_move",
            ),
            Row(
                "The stock is turned three at a time in its order.",
                "cards:test_turn_says_how_deep_the_next_card_lies answer:turn_three",
            ),
            Row(
                "One at a time, or in reversed order, by options.",
                "answer:turn_one answer:turn_reversed cards:test_turn_order_says_which_of_the_three_is_on_top",
            ),
            Row(
                "Boxed work piles alternate between two pairs of colours.",
                "answer:columns_boxed cards:test_boxed_columns_alternate_between_two_pairs_of_colours "
                "models:test_both_models_allow_the_same_moves",
            ),
            Row(
                "Nothing is built in Ligretto's row.",
                "cards:test_nothing_is_built_on_a_row answer:columns_row answer:part_none",
            ),
        ),
    ),
    (
        "Legal moves",
        (
            Row(
                "A foundation starts with the ace and goes up one by one.",
                "cards:test_a_foundation_begins_with_an_ace_and_a_full_one_is_dead answer:middle_suit "
                "answer:middle_boxed",
            ),
            Row(
                "A full foundation is dead: closed, set aside, taken out, or taken off by its player.",
                "answer:full_dead answer:full_king answer:full_aside answer:full_removed answer:full_player",
            ),
            Row(
                "Foundations follow by suit, or by the number of players.",
                "cards:test_foundations_by_players_follow_by_suit_by_colour_or_by_rank_alone answer:middle_players",
            ),
            Row("Anybody with a playable ace may start one at any time, and lay on any.", "answer:middle_any"),
            Row(
                "Work piles go down one by one in alternating colours.",
                "answer:columns answer:columns_boxed models:test_both_models_allow_the_same_moves",
            ),
            Row("A card moves with all that lies on it, as often as wanted.", "answer:part_moves answer:part_often"),
            Row(
                "An empty place takes reserve, waste or columns, and need not be filled.",
                "answer:empty_place answer:empty_row",
            ),
            Row(
                "With an empty place a card slides under a whole column; without one not.",
                "answer:transfer answer:transfer_full answer:transfer_no answer:transfer_row "
                "cards:test_river_transfer_slides_a_card_under_a_whole_pile",
            ),
            Row("A transfer leaves the place empty and takes no part of a column.", "answer:transfer_place"),
            Row(
                "Playable are the tops of reserve and waste and each column's last card.",
                "answer:available answer:available_row",
            ),
            Row("What lies beneath is blocked, not bypassed and not looked under.", "answer:available_blocked"),
            Row(
                "One card at a time goes to a foundation.",
                "answer:one_card answer:stacking_no answer:one_card_stacking",
            ),
            Row(
                "Where all agree, playable cards in order go together.",
                "answer:stacking answer:stacking_most agreed:test_stacking_needs_everybody_s_yes "
                "cards:test_stacking_plays_several_available_cards_in_order_at_once",
            ),
            Row("Only one's own columns, any foundation.", "answer:columns_own answer:middle_any"),
            Row(
                "Nobody takes from a foundation but a beaten card or one that does not fit.",
                "answer:middle_take flights:test_what_lies_wrong_at_the_call_goes_back",
            ),
            Row("A misplaced card goes back with everything that it disturbed.", "answer:misplaced_back"),
            Row(
                "Of two cards for one place the first stays.",
                "answer:place_first flights:test_of_two_cards_the_first_stays_and_the_other_returns",
            ),
            Row(
                "Nobody can tell: both stay, the table decides, or arrival alone counts.",
                "answer:place_both answer:place_table answer:place_arrival "
                "flights:test_same_place_says_what_happens_when_it_cannot_be_told",
            ),
            Row("Nobody is forced to play.", "answer:withholding_free"),
            Row(
                "NNA: aces, and reserve cards without a column, must go to the middle.",
                "answer:withholding_aces cards:test_withholding_asks_for_aces_and_for_reserve_cards_that_fit",
            ),
            Row("They go there at once.", "answer:withholding_now"),
            Row("Stream and River cards may be held back.", "answer:withholding_others"),
            Row("Whether a card was withheld no device sees.", "table:withholding_table"),
            Row(
                "No ace is built in the River.", "answer:columns_ace cards:test_withholding_builds_no_ace_in_the_river"
            ),
            Row("One hand, both hands or a finger.", "answer:hands_one answer:hands_both answer:hands_finger"),
            Row(
                "A short stock is turned as it is, the waste turned over in order, nothing added.",
                "answer:short_turn answer:short_one answer:short_over "
                "cards:test_the_waste_is_turned_over_in_order_when_the_stock_is_empty_and_not_before",
            ),
            Row("A turned group may not be taken back.", "answer:taken_back"),
            Row(
                "The next card of the waste becomes playable; NNA can be read otherwise.",
                "answer:turn_below answer:turn_blocked",
            ),
            Row(
                "A joker is announced before it leaves for a foundation.",
                "answer:jokers_say answer:jokers_lift flights:test_a_joker_is_announced_before_it_leaves",
            ),
            Row("A joker may be a starting ace.", "answer:jokers_ace"),
            Row(
                "On a column the card laid on it fixes it.",
                "answer:jokers_column answer:jokers_column_suit "
                "cards:test_a_joker_on_a_work_pile_is_what_its_place_asks_until_it_is_free_again",
            ),
            Row("Jokers score as any card; most packs have none.", "answer:jokers_count answer:jokers_none"),
            Row(
                "A fumbled pile is put back honestly; on purpose it is forbidden.",
                "answer:fumble_order answer:fumble_purpose",
            ),
            Row(
                "Foundations may be tidied in play; staggered columns are advised.",
                "answer:tidying answer:tidying_columns",
            ),
            Row("Illegal plays may be penalised by house rule.", "answer:misplaced_penalty"),
            Row(
                "A card not yet let go of may be taken back.",
                "answer:let_go answer:let_go_arrival flights:test_a_card_not_yet_let_go_of_may_be_taken_back",
            ),
        ),
    ),
    (
        "Start",
        (
            Row(
                "A hand starts when all say that they are ready.",
                "hand:test_all_tap_and_the_beats_run_to_go screen:ready",
            ),
            Row(
                "Until then open cards may be looked at; NNA's River may be rearranged.",
                "answer:before_look answer:before_river",
            ),
            Row("One voice counts down.", "screen:countdown-ready screen:countdown-set screen:countdown-go"),
            Row(
                "Keeling: play begins when one player presses Start.",
                "answer:start_one hand:test_one_tap_starts_for_all_where_the_rules_say_so",
            ),
            Row("Who moves before Go has started falsely.", "answer:start_first"),
            Row(
                "A press in the beats stops the start, or is noted; it costs nothing.",
                "answer:start_stop answer:start_note "
                "hand:test_a_press_from_the_first_beat_to_go_plus_100_ms_stops_the_start",
            ),
        ),
    ),
    (
        "Time out",
        (
            Row(
                "Only for an accident that stops two teams, or an emergency.", "answer:timeout_when answer:timeout_yes"
            ),
            Row("Not for one's own fumble, never as a tactic.", "answer:timeout_no"),
            Row(
                "Everybody stops at once.",
                "answer:timeout_all hand:test_the_knob_stops_the_clock_and_three_beats_start_it",
            ),
            Row(
                "It ends with a start.",
                "answer:timeout_ends hand:test_the_knob_stops_the_clock_and_three_beats_start_it",
            ),
            Row(
                "A call whose press came before it stands.",
                "hand:test_a_call_before_the_timeout_wins_and_after_it_nobody_can_call",
            ),
        ),
    ),
    (
        "Nobody can move",
        (
            Row(
                "All must be stuck; all search twice.",
                "answer:stuck_search screen:search cards:test_a_table_is_idle_when_all_have_looked_and_nobody_can_call",
            ),
            Row(
                "Then a stock card is burned together.",
                "answer:stuck_burn screen:burn argument:test_call_now_then_search_then_burn_on_the_beat",
            ),
            Row("Any play leads back to the search.", "answer:stuck_play"),
            Row(
                "After three burns without a play a reserve card may be burned.",
                "answer:stuck_burn_pile argument:test_the_reserve_is_burnt_after_three_burns_without_a_play",
            ),
            Row("A round after each burn, three more before the next reserve card.", "answer:stuck_burn_again"),
            Row("Nobody may be able to call first.", "answer:stuck_call screen:call-now"),
            Row(
                "Rotating: whoever is blocked waits for all; waste onto the stock, the top card to the bottom.",
                "answer:stuck_wait answer:stuck_rotate cards:test_a_rotation_and_a_redeal_differ_by_one_card",
            ),
            Row(
                "Still stuck: the hand is scored, or all go round again.",
                "answer:stuck_again argument:test_a_table_that_does_not_want_to_end_goes_back_to_its_list "
                "argument:test_after_a_no_the_table_may_go_round_once_more",
            ),
            Row(
                "Redealing: the rest of the stock on the waste, turned over.",
                "answer:stuck_redeal answer:stuck_redealt",
            ),
            Row(
                "One who is stuck alone moves the stock's top card.",
                "answer:stuck_alone cards:test_a_lone_player_who_is_stuck_sinks_a_card_where_stocks_are_redealt",
            ),
            Row("Dutch Blitz: all move the hand's top card to the bottom.", "answer:stuck_rotate_top"),
            Row("Ligretto: all agree to stop, scored as it lies.", "answer:stuck_score"),
            Row(
                "NNA: a stuck hand may be ended by consent.",
                "answer:stuck_consent argument:test_nna_ends_by_consent_after_burns",
            ),
            Row(
                "Keeling: all abandon the hand, without a score.",
                "answer:stuck_abandon answer:score_abandoned argument:test_racing_demon_abandons_without_a_score",
            ),
            Row(
                "A player who leaves has the same effect there; elsewhere the others play on.",
                "answer:leaving_abandon answer:leaving teams:test_racing_demon_abandons_the_hand_when_somebody_leaves",
            ),
        ),
    ),
    (
        "The call",
        (
            Row("Only with an empty reserve; not compulsory at once.", "answer:must_not answer:must_wait"),
            Row("At a stuck table who has none left must call.", "answer:must_stuck"),
            Row("It ends the hand at once.", "hand:test_a_clear_call_names_its_caller_and_nobody_before"),
            Row(
                "A card in flight lands, or returns.",
                "answer:flight_lands answer:flight_returns "
                "flights:test_in_flight_says_what_becomes_of_a_card_on_its_way_at_the_call",
            ),
            Row("Which card was in flight no button sees.", "table:flight_table"),
            Row("A card merely held is too late.", "answer:held_late"),
            Row(
                "Two calls around the same time: the device measures, the table may overrule.",
                "answer:tie_measured answer:tie_table hand:test_two_presses_in_the_tie_window_tie",
            ),
            Row(
                "Tied callers share the bonus; halves are kept; three may vote.",
                "answer:tie_shared answer:tie_halves answer:tie_no_bonus "
                "division:test_three_callers_are_asked_for_the_division",
            ),
            Row(
                "A call with cards left is false; no source sets a penalty.",
                "answer:false_silent answer:false_table "
                "argument:test_a_false_call_that_the_caller_admits_ends_at_once_and_play_goes_on",
            ),
            Row(
                "Tables play on, take points, or score the hand zero.",
                "answer:false_play_on answer:false_points answer:false_zero answer:false_all_out "
                "score:test_a_false_call_costs_what_the_table_agreed",
            ),
        ),
    ),
    (
        "Score of a hand",
        (
            Row(
                "One point a card in the middle, minus two (or one) a card left.",
                "answer:score_hand score:test_a_card_left_costs_what_the_preset_says",
            ),
            Row("The caller has a bonus, or none.", "answer:score_bonus answer:score_no_bonus"),
            Row("Kings may bring more.", "answer:score_kings score:test_kings_bring_what_the_house_pays"),
            Row(
                "The reserves are counted while one sorts the middle; then the middle.",
                "lessons:test_each_part_of_a_hand_is_taught_by_the_rules_of_the_preset roles:test_sorting_goes_round "
                "answer:backs_sorted "
                "answer:count_left answer:count_middle answer:count_pack",
            ),
            Row(
                "Nobody called: all subtract. Abandoned: no score.",
                "score:test_a_stuck_hand_subtracts_from_everybody score:test_an_abandoned_hand_scores_nothing",
            ),
            Row(
                "A count that cannot be is refused.",
                "answer:count_limits counts:test_no_hand_that_can_be_played_is_a_miscount "
                "hand:test_an_impossible_count_is_refused_at_the_third_hold",
            ),
        ),
    ),
    (
        "The match",
        (
            Row(
                "It ends when a team has the target after a hand; the highest wins.",
                "answer:target score:test_the_highest_at_the_target_wins",
            ),
            Row(
                "Each hand may be settled by itself.",
                "answer:target_hand score:test_each_hand_settled_by_itself_never_ends",
            ),
            Row(
                "The winner collects each difference.",
                "answer:target_pays score:test_the_winner_collects_each_difference screen:over-pays",
            ),
            Row(
                "Equal: most calls, then a hand.",
                "answer:equal_calls answer:equal_hand score:test_most_calls_break_a_tie_at_the_target",
            ),
            Row(
                "The tied teams alone play it, or by an option all.",
                "answer:equal_tied answer:equal_all coming:test_a_tie_break_hand_is_for_the_tied_alone "
                "screen:ready-tie-break",
            ),
            Row(
                "Or the win is shared, and each loser pays once.",
                "answer:equal_share answer:equal_settled score:test_a_shared_win_splits_what_the_losers_pay",
            ),
            Row(
                "Below the target after it: everyone plays on.",
                "score:test_a_tie_break_hand_that_drops_below_the_target_lets_everybody_back_in",
            ),
            Row("Places are shared.", "score:test_places_are_shared"),
            Row(
                "Handicaps change the reserve, never below three, and are said before the deal.",
                "answer:handicap_none answer:handicap_winner answer:handicap_negative answer:handicap_three "
                "answer:handicap_distance answer:handicap_least "
                "coming:test_a_handicap_is_told_before_the_deal_and_bounds_the_count",
            ),
        ),
    ),
    (
        "31",
        (
            Row(
                "Cards of one suit worth 31, or as near as possible.",
                "answer:aim_31 answer:values answer:values_sum lives:test_what_three_cards_are_worth",
            ),
            Row(
                "Two to nine players or more, one pack.",
                "turns:test_nine_players_are_possible_where_there_is_a_ninth_button "
                "record:test_the_configuration_checks_options_by_the_rules",
            ),
            Row(
                "Three cards each, one starts the discards; clockwise.",
                "answer:turns_deal answer:turns_round turns:test_a_hand_begins_without_beats_left_of_the_dealer",
            ),
            Row("It is not Schwimmen, Schnauz or the banking game.", "answer:other_31"),
            Row(
                "Draw one, discard one; the card from the discards stays.",
                "answer:turns_draw answer:discard_stock answer:discard_top",
            ),
            Row(
                "A knock instead of drawing; everybody else has one more turn.",
                "answer:aim_knock answer:knock_when answer:knock_last "
                "turns:test_after_a_knock_everybody_else_has_one_more_turn",
            ),
            Row(
                "A minimum to knock, or no knock before everybody's first turn, by options.",
                "answer:knock_minimum answer:knock_early answer:knock_late "
                "turns:test_without_early_knock_everybody_has_a_turn_first",
            ),
            Row(
                "The lowest loses; who ties with the knocker loses, the knocker not.",
                "answer:lowest_loses answer:lowest_knocker",
            ),
            Row(
                "Houses make the tied knocker pay one or two, or one who is not highest.",
                "answer:lowest_knocker_one answer:lowest_knocker_two answer:lowest_not_highest "
                "lives:test_what_a_house_rule_makes_of_a_hand",
            ),
            Row(
                "The knocker alone lowest loses two, or what is left.",
                "answer:lowest_knocker_alone answer:lowest_one_life "
                "turns:test_a_knocker_alone_at_the_bottom_loses_two_or_what_is_left",
            ),
            Row(
                "The last two: one's own discard may be taken back after a knock.",
                "answer:retake_two turns:test_the_last_two_may_take_back_their_own_discard",
            ),
            Row(
                "A 31 is declared at once and ends the hand; all others lose one.",
                "answer:declare_when answer:declare_knock answer:declare_knock_all "
                "turns:test_a_31_ends_the_hand_when_all_have_said_that_they_have_none",
            ),
            Row(
                "A house may make the knocker pay two for it.",
                "answer:declare_knock_two lives:test_what_a_house_rule_makes_of_a_hand",
            ),
            Row(
                "Several dealt a 31: all but they lose a life.",
                "answer:dealt_several turns:test_several_dealt_31s_are_no_race",
            ),
            Row(
                "Without a life one plays on the county; the next loss is out.",
                "answer:county answer:county_none answer:county_lives "
                "turns:test_the_county_then_out_then_the_last_one_in_wins",
            ),
            Row("The last one in wins.", "answer:county_last"),
            Row("Coins and a kitty may show the lives.", "answer:stakes_coins answer:stakes_device"),
            Row("The stock runs out: the discards are shuffled.", "answer:empty_stock"),
            Row(
                "Three of a kind, straight flush: by options.",
                "answer:three_none answer:three_30 answer:three_best answer:flush_none answer:flush",
            ),
            Row(
                "The bus: losers move on, a double loss stops on the steps, levels may be added.",
                "answer:county_bus answer:lowest_places answer:lowest_steps answer:county_levels "
                "turns:test_the_bus_moves_who_loses_and_gets_longer_by_a_vote "
                "lives:test_any_hands_end_at_the_places_of_the_model",
            ),
            Row(
                "Quebec counts points until a 31, or to 31 points.",
                "answer:lowest_points answer:lowest_points_tied answer:declare_point answer:dealt_points "
                "answer:county_points answer:county_first answer:county_to_31 answer:aim_points "
                "lives:test_any_hands_end_with_the_points_of_the_model "
                "turns:test_quebec_counts_points_until_a_31",
            ),
        ),
    ),
    (
        "Slap: Snap, Slapjack, Egyptian Ratscrew, Halli Galli",
        (
            Row(
                "The first slap wins what lies there; the device says whose it was.",
                "answer:aim_slap answer:slap_measured answer:slap_lowest answer:slap_table "
                "slap:test_a_right_slap_brings_a_point_and_cards_move_again",
            ),
            Row(
                "Tied slaps share: a point each, or each pays.",
                "answer:slap_tied slap:test_a_tie_shares_and_a_grey_one_is_contested",
            ),
            Row(
                "What is slapped is the game's own: a pair, a jack, a sandwich, five fruits.",
                "answer:slap_alike answer:slap_jack answer:slap_doubles answer:slap_fruit answer:slap_agreed",
            ),
            Row(
                "A wrong slap costs a card, or gives one to each of the others.",
                "answer:slap_costs answer:slap_gives answer:slap_free slap:test_a_wrong_slap_pays",
            ),
            Row(
                "All say once whether it was right; a majority of no makes it wrong.",
                "answer:slap_answers answer:slap_silence "
                "slap:test_a_wrong_slap_pays slap:test_as_many_right_as_wrong_and_silence_let_it_stand "
                "slap:test_each_answers_once_and_not_in_the_lockout",
            ),
            Row(
                "Whoever slapped may admit it at once.",
                "answer:slap_admits slap:test_its_own_slapper_s_hold_settles_it_at_once",
            ),
            Row("What lay there no button sees.", "table:slap_cards"),
            Row(
                "Until all have answered no other slap counts, and a button that is down is waited for.",
                "answer:slap_closed answer:slap_held "
                "slap:test_whoever_still_holds_a_button_is_waited_for_half_a_second_at_most",
            ),
            Row("A hand that twitches is no slap.", "answer:slap_twitch"),
            Row(
                "Cards are turned in turn, away from oneself, and looked at by all at once.",
                "answer:slap_turn answer:slap_turn_early",
            ),
            Row("Ratscrew: a court card asks the next one for others.", "answer:slap_royals answer:slap_over"),
            Row(
                "Points stand for cards: nobody goes out for want of them.",
                "answer:aim_slap_points answer:slap_points answer:slap_out answer:slap_back_in answer:slap_still_rings "
                "slap:test_many_slaps_in_a_row_add_up",
            ),
            Row(
                "The first at the target wins; without one the table ends the match.",
                "answer:slap_wins answer:slap_shares answer:slap_endless "
                "slap:test_the_last_slap_ends_the_match_and_undo_asks_again",
            ),
            Row(
                "A pause of the table takes no slap, and ends in play or in a new deal.",
                "answer:slap_rest slap:test_a_pause_ends_in_play_or_in_a_new_deal",
            ),
        ),
    ),
    (
        "Last one: Spoons, Pig, Irish Snap",
        (
            Row(
                "Whoever presses last loses the hand.",
                "answer:aim_not_last answer:last_measured answer:last_table last:test_the_last_press_loses_a_letter",
            ),
            Row(
                "Who does not press within the limit is last.",
                "answer:last_limit last:test_who_never_presses_within_the_limit_is_last",
            ),
            Row(
                "Last ones who are tied all pay; all together, nobody.",
                "answer:last_tied last:test_a_tie_costs_both_and_a_grey_one_is_contested "
                "last:test_where_all_were_last_together_nobody_pays",
            ),
            Row(
                "Four of a kind begins; in Irish Snap a card that is what was said.",
                "answer:last_four answer:last_rank answer:last_pair answer:last_everybody",
            ),
            Row(
                "Whoever began without a reason pays instead.",
                "answer:last_pays_first answer:last_asked last:test_a_false_start_costs_whoever_pressed_first",
            ),
            Row("What somebody held no button sees.", "table:last_cards"),
            Row("A feint is none once the button is down.", "answer:last_feint answer:last_press"),
            Row(
                "Cards are passed to the left, or laid in turn with the next rank said.",
                "answer:last_draw answer:last_together answer:last_count answer:last_again",
            ),
            Row(
                "A hand that is lost is a letter; with the whole word one is out, and the last one in wins.",
                "answer:last_word answer:last_word_ours answer:last_lives answer:last_left answer:last_rests "
                "last:test_who_has_the_whole_word_is_out_and_one_is_left",
            ),
            Row(
                "A hand may be dealt again, and the table may pause.",
                "answer:last_void answer:last_rest last:test_a_hand_to_be_dealt_again_costs_nobody_a_letter",
            ),
        ),
    ),
)
"""Section -> its statements."""
_SAID = [said for game in all_documents() for topic in topics_of(game) for said in topic.statements]
STATEMENTS = {said.key: said for said in reversed(_SAID)}
"""Every sentence of the rulebook by its key, as the first presets have it: where a source says it, not as ours."""
HEAD = """# The rules, and where each of them lives

Generated by `make docs` from `tests/rules.py`; `tests/test_rules.py` holds that every home is there, and that no
sentence of the rulebook is without a statement. *Decision of ours*: no source says it. *The table judges*: no device
can see it.
"""


def document() -> str:
    """The whole document."""
    sections = (line for n, section in enumerate(SECTIONS, 1) for line in _section(n, *section))
    return "\n".join([HEAD, *sections]).rstrip() + "\n"


def _section(number: int, title: str, rows: tuple[Row, ...]) -> Iterator[str]:
    yield from (f"## {number}. {title}", "", "| | statement | where |", "|---|---|---|")
    for n, row in enumerate(rows, 1):
        yield f"| {number}.{n} | {row.said} | {'; '.join(map(_told, row.homes.split()))} |"
    yield ""


def _told(home: str) -> str:
    kind, _, name = home.partition(":")
    if kind == "screen":
        return f"screen `{name}`"
    if kind in FILES:
        return f"`{FILES[kind]}::{name}`"
    text = re.sub(r"{(\w+)}", r"*\1*", catalogue(ENGLISH).text(("rule", f"rule.{name}")))
    return f"{_who(kind, STATEMENTS[name])} “{text}”"


def _who(kind: str, statement: Statement) -> str:
    if kind == "table":
        return "*the table judges:*"
    return "*decision of ours:*" if OURS in statement.sources else "rulebook:"
