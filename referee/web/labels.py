"""The page's own labels, in the table's language."""

from __future__ import annotations

from referee.core.cards.moves import RULES
from referee.language.words import Word


def _label(key: str, *values: str) -> Word:
    return Word(key, None, "page", **dict.fromkeys(values, ""))


LAID = _label("laid")
SIMULATED = _label("simulated")
TABLE = _label("table")
REFEREE = _label("referee")
ABOUT = _label("about")
PHASE = _label("phase")
SOUND_ON = _label("sound_on")
SOUND_OFF = _label("sound_off")
DEVICE = _label("device")
DISPLAY = _label("display")
TURN_LEFT = _label("turn_left")
TURN_RIGHT = _label("turn_right")
PUSH = _label("push")
ETCHED = _label("etched")
CLOCKS = _label("clocks")
CLOCK_AWAY = _label("clock.away")
SEATS = _label("seats")
NO_SCRIPT = _label("no_script", "words")
MANUAL = _label("manual")
MANUAL_DARK = _label("manual.dark")
MANUAL_DARK_MEANS = _label("manual.dark_means")
MANUAL_DARK_IN = {
    "31": _label("manual.dark_turns"),
    "Slap": _label("manual.dark_slap"),
    "Last one": _label("manual.dark_last"),
}
"""What a press of a dark button does in other games than the Nertz family, by `View.game`."""
MANUAL_BLINKING = _label("manual.blinking")
MANUAL_BLINKING_MEANS = _label("manual.blinking_means")
MANUAL_STEADY = _label("manual.steady")
MANUAL_STEADY_MEANS = _label("manual.steady_means")
MANUAL_KNOB = _label("manual.knob")
MANUAL_KNOB_MEANS = _label("manual.knob_means")
MANUAL_KEYS = _label("manual.keys", "count")
BUTTON = _label("button", "number")
BOT = _label("bot")
A_BOT = _label("a_bot")
WITH = _label("with", "number")
POINTS = _label("points", "total")
LAMP = _label("lamp", "state")
LOST = _label("lost")
THIS_COMPUTER_ONLY = _label("this_computer_only")
CARDS = _label("cards")
CARDS_LAKE = _label("cards.lake")
CARDS_LAKE_NONE = _label("cards.lake_none")
CARDS_NONE = _label("cards.none")
CARDS_BACK = _label("cards.back")
CARDS_JOKER = _label("cards.joker")
CARDS_CARD = _label("cards.card", "rank", "suit")
CARDS_RANKS = _label("cards.ranks")
CARDS_SUITS = _label("cards.suits")
CARDS_RESERVE = _label("cards.reserve", "count", "card")
CARDS_PILE = _label("cards.pile", "number", "cards")
CARDS_STOCK = _label("cards.stock")
CARDS_NO_STOCK = _label("cards.no_stock")
CARDS_WASTE = _label("cards.waste", "card")
CARDS_FOUNDATION = _label("cards.foundation", "number", "card", "whose")
CARDS_ASTRAY = _label("cards.astray")
CARDS_SPEED = _label("cards.speed")
CARDS_KEYS = _label("cards.keys")
CARDS_SKIP = _label("cards.skip")
CARDS_TAKE = _label("cards.take")
CARDS_LEAVE = _label("cards.leave")
CARDS_MIDDLE = _label("cards.middle")
CARDS_COUNTS = _label("cards.counts", "left", "lake")
CARDS_COUNTED = _label("cards.counted", "left", "lake")
CARDS_PICKED = _label("cards.picked", "card")
CARDS_DISCARDS = _label("cards.discards", "card")
CARDS_HAND = _label("cards.hand", "cards")
CARDS_THROW = _label("cards.throw", "card")
CARDS_TURN_KEYS = _label("cards.turn_keys")
_TURN_RULES = ("drawn", "undrawn", "taken back", "not your turn", "exchanged")
CARD_RULES = {rule: _label(f"cards.rule.{rule.replace(' ', '_')}") for rule in (*RULES, "rests", *_TURN_RULES)}
"""Why a move of cards is refused: the rules of `core/cards/moves.py`, that no cards are moved now, and those of a game
of turns (table/deal.py)."""
JOIN = _label("join")
JOIN_TITLE = _label("join.title")
JOIN_ABOUT = _label("join.about")
JOIN_CODE = _label("join.code")
JOIN_WHERE = _label("join.where")
JOIN_PAIR = _label("join.pair")
JOIN_NAME = _label("join.name")
JOIN_KNOWN = _label("join.known")
JOIN_SEAT = _label("join.seat")
JOIN_FREE = _label("join.free")
JOIN_SIT = _label("join.sit")
JOIN_CHANGE = _label("join.change")
JOIN_WATCH = _label("join.watch")
JOIN_YOU = _label("join.you")
JOIN_PAIRED = _label("join.paired")
JOIN_SAVED = _label("join.saved")
JOIN_LEAVE = _label("join.leave")
JOIN_AWAKE = _label("join.awake")
JOIN_NEEDS_SCRIPT = _label("join.needs_script")
COUNT_TITLE = _label("count.title")
COUNT_SAVE = _label("count.save")
COUNT_CLEAR = _label("count.clear")
COUNT_DONE = _label("count.done")
COUNT_OPEN = _label("count.open")
COUNT_BY = _label("count.by", "who")
COUNT_BY_PHONE = _label("count.by_phone")
COUNT_BY_KNOB = _label("count.by_knob")
COUNT_WAIT = _label("count.wait")
PHONES_TITLE = _label("phones.title")
PHONE = _label("phone", "number")
ROLE_OWN = _label("role.own")
ROLE_KEEPER = _label("role.keeper")
ROLE_HOST = _label("role.host")
PHONE_FORGET = _label("phone.forget")
NOT_PAIRED = _label("not_paired")
WRONG_CODE = _label("wrong_code")
NOT_YOUR_TEAM = _label("not_your_team")
ONLY_HOST = _label("only_host")
ONLY_KEEPER = _label("only_keeper")
NO_SEAT = _label("no_seat")
VOTE_TITLE = _label("vote.title")
VOTE_YES = _label("vote.yes")
VOTE_NO = _label("vote.no")
VOTE_SAID_YES = _label("vote.said_yes")
VOTE_SAID_NO = _label("vote.said_no")
FIX_TITLE = _label("fix.title")
FIX_HAND = _label("fix.hand")
FIX_TEAM = _label("fix.team")
FIX_REASON = _label("fix.reason")
FIX_SAVE = _label("fix.save")
GIVE_TITLE = _label("give.title")
GIVE_POINTS = _label("give.points")
GIVE_SAVE = _label("give.save")
FIX_NONE = _label("fix.none")
ASLEEP = _label("asleep")
ASLEEP_COUNT = _label("asleep.count", "who")
CODE_USED_UP = _label("code_used_up")
TOO_MANY_PHONES = _label("too_many_phones")
NO_SUCH_PHONE = _label("no_such_phone")
NO_SUCH_HOUSE = _label("no_such_house")
TOO_MANY_HOUSES = _label("too_many_houses")
OVERTAKEN = _label("overtaken")
TOO_OFTEN = _label("too_often")
FOREIGN = _label("foreign")
NOT_HERE = _label("not_here")
NOT_HERE_WHY = _label("not_here.why")
ONLY_PAIRED = _label("only_paired")
OTHER_NAME = _label("other_name")
NAV = _label("nav")
BOARD_TITLE = _label("board.title")
BOARD_ABOUT = _label("board.about")
BOARD_WALL = _label("board.wall")
BOARD_SEATS = _label("board.seats")
BOARD_HAND = _label("board.hand", "number").or_round()
BOARD_HAND_HEAD = _label("board.hand_head").or_round()
BOARD_TARGET = _label("board.target", "target")
BOARD_NO_MATCH = _label("board.no_match")
BOARD_TOTALS = _label("board.totals")
BOARD_PLACE = _label("board.place")
BOARD_TEAM = _label("board.team")
BOARD_TOTAL = _label("board.total")
BOARD_LAST = _label("board.last").or_round()
BOARD_CURVE = _label("board.curve").or_round()
BOARD_HANDS = _label("board.hands").or_round()
BOARD_NO_HAND = _label("board.no_hand").or_round()
BOARD_ENDED = _label("board.ended")
BOARD_LEAD = _label("board.lead")
BOARD_LEAD_NEW = _label("board.lead_new", "who")
BOARD_CALLED = _label("board.called")
BOARD_CORRECTED = _label("board.corrected")
BOARD_CORRECTED_WHY = _label("board.corrected_why", "reason")
BOARD_WON = Word("board.won", None, "page", who="", count=2)
BOARD_ADJUSTED = _label("board.adjusted", "who", "points", "reason")
BOARD_AS_TABLE = _label("board.as_table")
BOARD_CLOCK = _label("board.clock").or_round()
BOARD_SIMULATED = _label("board.simulated")
PHOTO_TITLE = _label("photo.title", "number").or_round()
PHOTO_FALSE = _label("photo.false", "number").or_round()
PHOTO_OPEN = _label("photo.open")
PHOTO_NONE = _label("photo.none")
PHOTO_ALL = _label("photo.all")
PHOTO_WINDOW = _label("photo.window", "ms")
PHOTO_PRESS = _label("photo.press")
PHOTO_OWN = _label("photo.own")
PHOTO_COMMON = _label("photo.common")
PHOTO_CLOSED = _label("photo.closed")
PHOTO_WHAT = _label("photo.what")
PHOTO_CALLER = _label("photo.caller")
PHOTO_LATE = _label("photo.late")
PHOTO_EXPLAINED = _label("photo.explained")
PHOTO_PLAY = _label("photo.play")
PHOTO_SVG = _label("photo.svg")
PHOTO_PNG = _label("photo.png")
ENDS = {
    "call": _label("end.call"),
    "stuck": _label("end.stuck"),
    "abandoned": _label("end.abandoned"),
    "right": _label("end.right"),
    "wrong": _label("end.wrong"),
    "last": _label("end.last"),
    "false": _label("end.false"),
    "knock": _label("end.knock"),
    "declared": _label("end.declared"),
}
"""How a hand ended, by the games' own words; another game's word stands as it is."""
LAMPS = {
    "dark": _label("lamp.dark"),
    "steady": _label("lamp.steady"),
    "slow": _label("lamp.slow"),
    "double": _label("lamp.double"),
    "alternate": _label("lamp.alternate"),
    "beat": _label("lamp.beat"),
    "all_on": _label("lamp.all_on"),
    "pulse3": _label("lamp.pulse3"),
    "fault": _label("lamp.fault"),
    "wink": _label("lamp.wink"),
}
"""A lamp pattern's name -> what a screen reader says that the lamp does."""
