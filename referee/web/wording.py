"""What the pages of the evening, of the rulebook and of the set-up say, each in its reader's language."""

from __future__ import annotations

from referee.language.words import Word


def _word(key: str, *values: str) -> Word:
    return Word(key, "book")


NAV = _word("nav")
NAV_TABLE = _word("nav.table")
NAV_EVENINGS = _word("nav.evenings")
NAV_WALL = _word("nav.wall")
NAV_JOIN = _word("nav.join")
HISTORY = _word("history")
STATISTICS = _word("statistics")
RULEBOOK = _word("rulebook")
SETUP = _word("setup")
LANGUAGE = _word("language")
EARLIER = _word("earlier")
LATER = _word("later")
NO_MATCH = _word("no_match")
NO_HAND = _word("no_hand")
NOT_TOLD = _word("not_told")
NO_SUCH_MATCH = _word("no_such_match")
EVENING = _word("evening", "date")
UNDATED = _word("undated")
DATE = _word("date")
MATCH = _word("match")
MATCH_NUMBER = _word("match.number", "number")
MATCHES = _word("matches", "count")
HANDS = _word("hands", "count")
CALLS = _word("calls", "count")
RESULT = _word("result")
WON = _word("won", "who")
NOT_OVER = _word("not_over")
IMPORTED = _word("imported")
IMPORT = _word("import")
IMPORT_FILES = _word("import.files")
IMPORT_DO = _word("import.do")
IMPORT_KEPT = _word("import.kept", "number")
IMPORT_HERE = _word("import.here", "number")
IMPORT_BROKEN = _word("import.broken")
IMPORT_LONG = _word("import.long")
IMPORT_NOT_NOW = _word("import.not_now")
AND = _word("and", "first", "last")
PLAYED_BY = _word("played_by", "who")
BEGUN = _word("begun", "when")
MINUTES = _word("minutes", "count")
TO_EVENING = _word("to_evening")
STANDINGS = _word("standings")
PLACE = _word("place")
TEAM = _word("team")
TOTAL = _word("total")
HAND = _word("hand")
HOW = _word("how")
TIME = _word("time")
LEAD = _word("lead")
SCORES_A_HAND = _word("scores_a_hand")
COUNTS = _word("counts")
CORRECTED = _word("corrected")
CORRECTED_NOTE = _word("corrected.note")
CORRECTED_WHY = _word("corrected.why", "hand", "reasons")
FALSE_CALL = _word("false_call", "who")
ADJUSTED = _word("adjusted", "team", "points", "reason", "hand")
TIME_OUT = _word("time_out", "team", "reason", "hand")
TIME_OUT_OF_NOBODY = _word("time_out.nobody", "reason", "hand")
TIDIED = _word("tidied", "hand")
COURSE = _word("course")
LEAD_CHANGES = _word("lead_changes", "count")
LEAD_UNCHANGED = _word("lead_unchanged")
BEFORE = _word("before")
AS_TABLE = _word("as_table")
TAKE_ALONG = _word("take_along")
BG_STATS = _word("bg_stats")
BG_STATS_FILE = _word("bg_stats.file")
AS_PICTURE = _word("as_picture", "kind")
AS_PAGE = _word("as_page")
TIED = _word("tied")
ENDS = {
    "call": _word("end.call"),
    "stuck": _word("end.stuck"),
    "abandoned": _word("end.abandoned"),
    "knock": _word("end.knock"),
    "right": _word("end.right"),
    "wrong": _word("end.wrong"),
    "last": _word("end.last"),
    "false": _word("end.false"),
    "played": _word("end.played"),
}
"""How a hand may end; one that is not here goes by its own name."""
PLAYER = _word("player")
WINS = _word("wins")
MATCHES_HEAD = _word("matches.head")
HANDS_HEAD = _word("hands.head")
MEAN = _word("mean")
BEST = _word("best")
CALLS_HEAD = _word("calls.head")
QUICKEST = _word("quickest")
CLOSEST = _word("closest")
PEOPLE = _word("people")
DUELS = _word("duels")
DUELS_ABOUT = _word("duels.about")
BETTER = _word("better")
LEVEL = _word("level")
RECORDS = _word("records")
LEADS = _word("leads", "least", "typical")
CALLS_TIED = _word("calls.tied", "count")
BESTS = {
    "hand": _word("best.hand"),
    "total": _word("best.total"),
    "quickest": _word("best.quickest"),
    "closest": _word("best.closest"),
    "longest_hand": _word("best.longest_hand"),
    "longest_match": _word("best.longest_match"),
}
"""Kind of a best that the device keeps -> what the page calls it."""
SECONDS = _word("seconds", "s")
PRESET = _word("preset")
WORDS = _word("words")
SEARCH = _word("search")
NOT_FOUND = _word("not_found")
NO_SUCH_PRESET = _word("no_such_preset")
ALL_PRESETS = _word("all_presets")
AT_THIS_TABLE = _word("at_this_table", "preset")
THE_TABLE = _word("the_table")
HOST_SETS = _word("host_sets")
SETS_IN_LOBBY = _word("sets_in_lobby")
SET = _word("set")
ALLOWED = _word("allowed")
TEAMS = _word("teams")
TEAM_OF = _word("team_of", "number")
NOBODY_SITS = _word("nobody_sits")
PAIR = _word("pair")
PART = _word("part")
AGREED = _word("agreed", "who")
NOT_AGREED = _word("not_agreed")
ROLES = _word("roles")
HOUSE_PRESETS = _word("house.presets")
HOUSE_NAME = _word("house.name")
HOUSE_SAVE = _word("house.save")
HOUSE_USE = _word("house.use")
HOUSE_FORGET = _word("house.forget")
WINS_OF_EVENING = _word("wins_of_evening")
MOST_WINS = _word("most_wins", "who")
MADE = _word("made")
"""Where a page that was taken along comes from."""
