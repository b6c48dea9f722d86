"""The display's own words, with the most characters that each may have on its place (8, 16 or 21 a line).

What the core sends is said by referee/language/told.py. A word is called to get it in the language that is spoken, with
its values: `HAND_SMALL(hand=5)`; too long a one is a mistake when the catalogues are checked.
"""

from __future__ import annotations

from referee.language.words import Word

LARGE, MIDDLE, SMALL = 8, 16, 21  # characters of 16x32, 8x16 and 6x8 across 128 pixels

CANNOT_START = Word("cannot_start", MIDDLE)

# LOBBY
TO_TARGET = Word("to_target", SMALL, preset="W" * 11, target=999)
TEAMS = Word("teams", 10, count=12)
TAP_TO_JOIN = Word("tap_to_join", MIDDLE)
HOLD_TWO = Word("hold_two", SMALL)
PRESS_EACH = Word("press_each", 14)
PUSH_DONE = Word("push_done", SMALL)
TURN_FOR_NAME = Word("turn_for_name", SMALL)
NEW_NAME = Word("new_name", 11)
PUSH_FOR_NAME = Word("push_for_name", SMALL)

# NAME
NAME_OF = Word("name_of", 7, number=12)
NAME_TURNS = Word("name_turns", 13)
NAME_TAKES = Word("name_takes", 12)
NAME_ENDS = Word("name_ends", 11)
NAME_SIGNS = {" ": Word("sign_space", 8), "◄": Word("sign_back", 8)}
NAME_NEIGHBOURS = {" ": "_"}
"""What of the wheel is a word when it is chosen, and what stands for it beside another letter."""

# PHONES
SCAN = Word("scan", 10)

# AGREEMENT
WE_PLAY = Word("we_play", 12)
TAP_AGREED = Word("tap_agreed", 12)
AGREED = Word("agreed", 12)
TAP = Word("tap", 7)
TURN_MORE = Word("turn_more", 6)

# READY, PLAYING
HAND_SMALL = Word("hand_small", 12, hand=9999).or_round()
HAND_LARGE = Word("hand_large", LARGE, hand=99).or_round()
TARGET = Word("target", 8, target=9999)
CLOCK_PLAYED = Word("clock_played", LARGE)
DEAL = Word("deal", LARGE)
WAIT_FOR = Word("wait_for", 6)
WAITING_FOR = Word("waiting_for", SMALL)
TAP_WHEN_READY = Word("tap_when_ready", MIDDLE)
STILL_TO_TAP = Word("still_to_tap", MIDDLE)
ALL_READY = Word("all_ready", MIDDLE)
ANY_PRESS_WAITS = Word("any_press_waits", SMALL)
GO_ON = Word("go_on", MIDDLE)
TIME_OUT_HINT = Word("time_out_hint", SMALL)
WAIT = Word("wait", LARGE)
TAP_AGAIN = Word("tap_again", SMALL)
PUSH_GO_ON = Word("push_go_on", SMALL)
BUTTON_DOWN = Word("button_down", MIDDLE, number=12)
LET_GO = Word("let_go", LARGE)
OTHER_BUTTON = Word("other_button", SMALL)
WITHOUT_IT = Word("without_it", SMALL)

# OFF
OFF = Word("off", LARGE)
PULL_PLUG = Word("pull_plug", MIDDLE)
PLUG_WHEN = Word("plug_when", SMALL, n=15)

# CALLED
STOP = Word("stop", 7)
PRESS = Word("press", 8)
LAST_LOSES = Word("last_loses", SMALL)
NOT_PRESSED = Word("not_pressed", MIDDLE)
WITHIN = Word("within", 14, ms="0.5")
ALONE = Word("alone", MIDDLE)
BY_VOTE = Word("by_vote", 14)
FIRST_BY_VOTE = Word("first_by_vote", MIDDLE)
TIE = Word("tie", LARGE)
TURN_PHOTO = Word("turn_photo", 12)
WAS_IT_RIGHT = Word("was_it_right", SMALL, word="W" * 7)
RIGHT_ALONE = Word("right_alone", SMALL)
TOO_CLOSE = Word("too_close", SMALL)
LATE = Word("late", SMALL, who="1An", s="-59.999")
SECONDS = Word("seconds", 8, s="999.99")
PHOTO = Word("photo", 7)
TIE_BAND = Word("tie_band", 14, ms="0.5")

# VOTE
YES = Word("yes", 4)
NO = Word("no", 4)
TAP_YES = Word("tap_yes", 10)
HOLD_NO = Word("hold_no", 11)
EVERYBODY = Word("everybody", 5)
TAP_ADMITS = Word("tap_admits", 15)

# TURNS
KNOCKED = Word("knocked", 13, who="12Wi")
TO_GO = Word("to_go", 14, count=12)
COUNTY = Word("county", LARGE)
KNOCK_FROM = Word("knock_from", 14, value=30)
TURN_TO = Word("turn_to", SMALL, who="12WWWWWW")
HOLD_KNOCKS = Word("hold_knocks", 12)
OWN_DISCARD = Word("own_discard", SMALL)
TAP_DONE = Word("tap_done", 9)
HAS_31 = Word("has_31", 12)
TAP_NONE = Word("tap_none", SMALL)

# STUCK, BURN
PILE_EMPTY = Word("pile_empty", MIDDLE)
CALL_NOW = Word("call_now", LARGE)
PRESS_CALLS = Word("press_calls", 15)
SEARCH_TWICE = Word("search_twice", MIDDLE)
SEARCH_ONCE = Word("search_once", MIDDLE)
SO_MANY_OF = Word("so_many_of", MIDDLE, done=12, all=12)
TAP_NOTHING = Word("tap_nothing", SMALL)
HOLD_CAN_PLAY = Word("hold_can_play", SMALL)
ALL_TEAMS = Word("all_teams", 10)
BURN_IN = Word("burn_in", 10)
MOVE_IN = Word("move_in", 10)
BURN_COUNT = Word("burn_count", 9, count=9)
MOVE_COUNT = Word("move_count", 9, count=9)
NO_PLAY_YET = Word("no_play_yet", 12)
BURN_HOW = {
    "stream": Word("burn_stream", SMALL),
    "reserve": Word("burn_reserve", SMALL),
    "waste": Word("burn_waste", SMALL),
    "hand": Word("burn_hand", SMALL),
    "stock": Word("burn_stock", SMALL),
}

# COUNT, SHEET, STANDINGS, OVER
TAP_HOLD = Word("tap_hold", 11)
COUNT_AGAIN = Word("count_again", 11)
TAP_HOLD_ALONE = Word("tap_hold_alone", SMALL)
FIX_TURN = Word("fix_turn", SMALL, hand=99)
FIX_SAVE = Word("fix_save", SMALL, hand=99)
TURN_PUSH = Word("turn_push", SMALL)
STANDINGS = Word("standings", 10)
TAP_READY = Word("tap_ready", 14)
SCORES = Word("scores", 10)
MATCH_OVER = Word("match_over", 12)
HANDS = Word("hands", 9, count=99).or_round()
TAP_REMATCH = Word("tap_rematch", SMALL)
REMATCH_NEEDS = Word("rematch_needs", 17)

PHONE_SLEEPS = Word("phone_sleeps", 21)
PHONE_SLEEPS_SHORT = Word("phone_sleeps_short", 9)

# POWER BACK, menu
POWER_OFF = Word("power_off", 14)
AWAY_S = Word("away_s", 6, n=59)
AWAY_MIN = Word("away_min", 6, n=59)
AWAY_H = Word("away_h", 6, n=99)
AWAY_DAYS = Word("away_days", 6, n=9999)
PLAYED = Word("played", MIDDLE, clock="9:59:59")
TAP_GO_ON = Word("tap_go_on", 14)
GO_ON_NEEDS = Word("go_on_needs", 16)
