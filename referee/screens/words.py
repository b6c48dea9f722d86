"""Words that several screens have, with the most characters that each may have on its place (8, 16 or 21 a line).

A word of one screen stands in that screen's module; what the core sends is said by referee/language/told/. A word is
called to get it in the language that is spoken, with its values: `HAND_SMALL(hand=5)`; too long a one is a mistake when
the catalogues are checked.
"""

from __future__ import annotations

from referee.language.words import Word

LARGE, MIDDLE, SMALL = 8, 16, 21  # characters of 16x32, 8x16 and 6x8 across 128 pixels

HAND_SMALL = Word("hand_small", 12, hand=9999).or_round()
TARGET = Word("target", 8, target=9999)
WAIT_FOR = Word("wait_for", 6)
ALL_READY = Word("all_ready", MIDDLE)
LET_GO = Word("let_go", LARGE)
ALONE = Word("alone", MIDDLE)
SECONDS = Word("seconds", 8, s="999.99")
TAP_YES = Word("tap_yes", 10)
HOLD_NO = Word("hold_no", 11)
COUNTY = Word("county", LARGE)
SO_MANY_OF = Word("so_many_of", MIDDLE, done=12, all=12)
