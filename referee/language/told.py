"""What the core says, by key: for each message its place on the display with the most characters there, and speech.

A key's first part is its kind, and the kind is its place: "toast.too_late" is said at the place "toast" on the display,
and at the place "speech" to whoever does not see it. What stands beside a key are its widest values.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from referee.core.messages import TEXT_LETTERS, Label, Msg, Part
from referee.core.model.labels import numbers_text
from referee.core.model.registry import all_documents
from referee.core.names import LANGUAGES, cut
from referee.core.values import replace
from referee.language.numbers import decimal_text
from referee.language.words import SPEECH, Longest, Word

if TYPE_CHECKING:
    from referee.language.rulebook import Ruling

LIMITS = {
    "undo": 11,  # what can be undone; a value of other texts
    "choice": 8,  # what a setting can be set to, where it is a word; a value of other texts
    "item": 19,  # a line of the knob's list, in small letters beside the triangle; opened, it is the list's title
    "title": 18,  # what a list asks or says above its lines; the pause's own stands big
    "toast": 21,  # the short answer at the bottom, and what the device says there of its own state: in capitals
    "hint": 16,  # a hint in the lobby
    "claim": 10,  # what is called out at a claim
    "do": 15,  # what people do while a verdict is shown
    "ask": 15,  # a question to all; spoken, whom it is about is named
    "beat": 8,  # a beat, as large as the display
    "refusal": 21,  # why a count cannot be
    "about": 21,  # what a line of the knob's list is, beneath the list
    "agree": 21,  # a rule that matters, in the question whether it is agreed
    "note": 21,  # what somebody must know before dealing
    "teach": 21,  # what newcomers are told to do now, below the picture
    "row": 11,  # what the work piles are called; a value of other texts
    "field": 5,  # a field of the count: the first word stands above its column
    "seat": 8,  # what one seat has asked itself, big
    "reason": 12,  # what points are given for
    "why": 16,  # what a time out was for
    "told": 16,  # where a team stands, in words on the page
    "phase": 16,  # a phase by its name, in capitals
}
"""The most characters of each place, where a key says no other."""
RULEBOOK = frozenset({"topic", "find", "rule", "source", "pile", "stock"})
"""Places of the rulebook's words (rulebook.py)."""
CAPITALS = frozenset({"toast"})
"""Places where everything stands in capitals, values, too."""
NAMED = {"ask": ("who",), "do": ("who",), "seat": ("who",)}
"""Values that only the spoken text has: a question, and what is to be done, shows beside it whom it is about."""
COUNTED = {"note.pays": "points", "note.points": "points", "title.points": "points", "item.points": "choice"}
"""Messages whose spoken text has a plural by a figure with a sign, a half or a part: the value that it is."""
SHORT = {
    "ask.bonus": "ask.bonus_parts",
    "ask.bonus_parts": "ask.bonus_any",
    "title.game": "title.preset",
    "toast.bonus_stays": "toast.voted_no",
    "toast.claim_right": "toast.claims_right",
    "toast.claim_wrong": "toast.claims_wrong",
}
"""What is said instead where the values are too long for the place."""
FIGURES = frozenset({"s", "ms", "points"})
"""Values by whose name it is known that they are figures: they may have a part."""
OPEN = "◄"
"""Stands before the value of a line that is open."""
MOST_SCORE = 11
"""Characters of a score in the knob's list."""


class Told(Word):
    """A message of the core at its place on the display; `spoken`: the same as speech."""

    def __init__(self, key: str, limit: int | None = None, **widest: object) -> None:
        place = key.partition(".")[0]
        super().__init__(key, limit or LIMITS[place], place, **widest)
        more = dict.fromkeys(NAMED.get(place, ()), "") | ({"count": 2} if key in COUNTED else {})
        self.spoken = Word(key, None, SPEECH, **widest, **more)

    def or_round(self) -> Self:
        self.spoken.or_round()
        return super().or_round()


_CHOICES = {
    "none": Told("choice.none"),
    "burn": Told("choice.burn"),
    "rotate": Told("choice.rotate"),
    "redeal": Told("choice.redeal"),
    "abandon": Told("choice.abandon"),
    "score": Told("choice.score"),
    "play_on": Told("choice.play_on"),
    "zero": Told("choice.zero"),
    "ready": Told("choice.ready"),
    "one": Told("choice.one"),
    "winner": Told("choice.winner"),
    "minus": Told("choice.minus"),
    "triple_minus": Told("choice.triple_minus"),
    "distance": Told("choice.distance"),
    "any": Told("choice.any"),
    "kept": Told("choice.kept"),
    "reversed": Told("choice.reversed"),
    "row": Told("choice.row"),
    "klondike": Told("choice.klondike"),
    "suit": Told("choice.suit"),
    "by_players": Told("choice.by_players"),
    "lands": Told("choice.lands"),
    "returns": Told("choice.returns"),
    "first": Told("choice.first"),
    "both": Told("choice.both"),
    "table": Told("choice.table"),
    "calls": Told("choice.calls"),
    "hand": Told("choice.hand"),
    "share": Told("choice.share"),
    "tied": Told("choice.tied"),
    "all": Told("choice.all"),
    "difference": Told("choice.difference"),
    "each_hand": Told("choice.each_hand"),
    "free": Told("choice.free"),
    "alternate": Told("choice.alternate"),
    "self": Told("choice.self"),
    "left": Told("choice.left"),
    "stop": Told("choice.stop"),
    "note": Told("choice.note"),
    "usual": Told("choice.usual"),
    "yes": Told("choice.yes"),
    "no": Told("choice.no"),
    "safe": Told("choice.safe"),
    "one_left": Told("choice.one_left"),
    "first_31": Told("choice.first_31"),
    "at_31": Told("choice.at_31"),
    "silent": Told("choice.silent"),
    "quiet": Told("choice.quiet"),
    "nothing": Told("choice.nothing"),
    "ms": Told("choice.ms", ms=100),
    "s": Told("choice.s", s="1.2"),
    "low": Told("choice.low"),
    "mid": Told("choice.mid"),
    "loud": Told("choice.loud"),
    "high": Told("choice.high"),
}
_TOLD = (
    *_CHOICES.values(),
    Told("undo.join"),
    Told("undo.leave"),
    Told("undo.pair"),
    Told("undo.name"),
    Told("undo.start"),
    Told("undo.sits_out"),
    Told("undo.is_back"),
    Told("undo.newcomer"),
    Told("undo.button"),
    Told("undo.mute"),
    Told("undo.move"),
    Told("undo.won"),
    Told("undo.verdict"),
    Told("undo.overrule"),
    Told("undo.division"),
    Told("undo.void").or_round(),
    Told("undo.end_of_hand"),
    Told("undo.count"),
    Told("undo.correction"),
    Told("undo.points"),
    Told("undo.time_out"),
    Told("undo.setting"),
    Told("undo.teaching"),
    Told("undo.agreement"),
    Told("undo.reserve"),
    Told("undo.seats"),
    Told("undo.match_end"),
    Told("undo.rematch"),
    Told("undo.resume"),
    Told("undo.new_table"),
    Told("item.start", count=8),
    Told("item.resume_match", score="64:51:38:12"),
    Told("item.rematch"),
    Told("item.other_table"),
    Told("item.start_without", seats="3,7"),
    Told("item.joins_lowest", seat=12, score="-1234½"),
    Told("item.joins_last", seat=12),
    Told("item.joins", seat=12),
    Told("item.go_on"),
    Told("item.stuck"),
    Told("item.stuck_again"),
    Told("item.stuck_after_play"),
    Told("item.burn_reserve"),
    Told("item.go_round"),
    Told("item.end_hand"),
    Told("item.tidy"),
    Told("item.whose"),
    Told("item.timeouts", seat=12, name="WWWWWW", number=99),
    Told("item.stands"),
    Told("item.false_call"),
    Told("item.false_start"),
    Told("item.tie"),
    Told("item.another_first"),
    Told("item.another_last"),
    Told("item.divide_bonus"),
    Told("item.other_parts"),
    Told("item.photo"),
    Told("item.void_hand").or_round(),
    Told("item.time_out"),
    Told("item.no_other_31"),
    Told("item.not_a_31"),
    Told("item.late_31"),
    Told("item.a_31"),
    Told("item.knock"),
    Told("item.one_place_more"),
    Told("item.undo", what=Longest("undo")),
    Told("item.redo", what=Longest("undo")),
    Told("item.count_by_knob"),
    Told("item.fix_counts"),
    Told("item.give_points"),
    Told("item.points", seat=12, name="WWWWWW", choice="+50"),
    Told("item.game"),
    Told("item.house_rules"),
    Told("item.sound_language"),
    Told("item.device"),
    Told("item.check"),
    Told("item.off"),
    Told("item.switch_off"),
    Told("item.address"),
    Told("item.rulebook"),
    Told("item.phones"),
    Told("item.revoke"),
    Told("item.revoke_all"),
    Told("item.more"),
    Told("item.move_seats"),
    Told("item.teach", choice=_CHOICES["yes"]),
    Told("item.target", choice="500"),
    Told("item.bonus", choice="25"),
    Told("item.penalty", choice="3"),
    Told("item.set_stuck", choice=_CHOICES["abandon"]),
    Told("item.set_false", choice=_CHOICES["play_on"]),
    Told("item.set_tie", choice="100 ms"),
    Told("item.stacking", choice=_CHOICES["yes"]),
    Told("item.call_word", choice="SCROOGE"),
    Told("item.start_words", choice=_CHOICES["ready"]),
    Told("item.start_by", choice=_CHOICES["all"]),
    Told("item.handicap", choice=_CHOICES["distance"]),
    Told("item.lives", choice="5"),
    Told("item.limit", choice="10 s"),
    Told("item.three", choice=_CHOICES["none"]),
    Told("item.knock_from", choice=_CHOICES["any"]),
    Told("item.county", choice=_CHOICES["yes"]),
    Told("item.flush", choice=_CHOICES["nothing"]),
    Told("item.early_knock", choice=_CHOICES["yes"]),
    Told("item.knocker_tied", choice=_CHOICES["safe"]),
    Told("item.knocker_not_best", choice=_CHOICES["safe"]),
    Told("item.knocker_after_31", choice="-2"),
    Told("item.places", choice="6"),
    Told("item.ends", choice=_CHOICES["first_31"]),
    Told("item.volume", choice=_CHOICES["loud"]),
    Told("item.language", choice=max(LANGUAGES.values(), key=len)),
    Told("item.hold", choice="0.8 s"),
    Told("item.bright", choice=_CHOICES["high"]),
    Told("item.teams"),
    Told("item.name"),
    Told("item.new_name"),
    Told("item.other_button"),
    Told("item.button", seat=12),
    Told("item.mute"),
    Told("item.mute_seat", seat=12),
    Told("item.unmute"),
    Told("item.leave"),
    Told("item.leaves", seat=12),
    Told("item.call_by_voice"),
    Told("item.end_match"),
    Told("item.play_on"),
    Told("item.back"),
    Told("item.seat", seat=12, name="WWWWWW"),
    Told("item.named", seat=12, choice="WWWWWW"),
    Told("item.port", port=65535),
    Told("item.parts", parts="25:25:25"),
    Told("title.time_out", limit=8),
    Told("title.tidy", limit=8),
    Told("title.late", limit=17, who="8 WWWWWW"),
    Told("title.close_tie", limit=17),
    Told("title.close", limit=17, who="8Wi ~ 7Wi"),
    Told("title.points", seat=12, name="WWWWWW", points="+50"),
    Told("title.why", seat=12, name="WWWWWW"),
    Told("title.over_at", limit=17, hand=99),
    Told("title.switch_off", limit=17),
    Told("title.revoke", limit=17),
    Told("title.joins", limit=17, seat=12),
    Told("title.game", preset="W" * 10, target=999),
    Told("title.preset", preset="W" * 16),
    Told("about.no_bonus", target=999, bonus=0),
    Told("about.bonus", target=999, bonus=25),
    Told("about.each_hand"),
    Told("about.points", target=999),
    Told("about.teach"),
    Told("about.handicap_winner"),
    Told("about.handicap_minus"),
    Told("about.handicap_triple"),
    Told("about.handicap_distance"),
    Told("about.lives", count=9),
    Told("about.bus"),
    Told("about.quebec"),
    Told("toast.too_late"),
    Told("toast.teach_on"),
    Told("toast.seats_moved"),
    Told("toast.not_all"),
    Told("toast.voted_yes"),
    Told("toast.voted_no"),
    Told("toast.bonus_stays", parts="9:8:8"),
    Told("toast.claim_right", who="8 WWWWWW", count=12),
    Told("toast.claims_right"),
    Told("toast.claim_wrong", who="8 WWWWWW", count=12),
    Told("toast.claims_wrong"),
    Told("toast.next_match"),
    Told("toast.teach_off"),
    Told("toast.all_out"),
    Told("toast.all_work"),
    Told("toast.early", seat=12, name="WWWWWW"),
    Told("toast.not_changed"),
    Told("toast.no_stacking", seat=12, name="WWWWWW"),
    Told("toast.name_not_kept"),
    Told("toast.letters_most"),
    Told("toast.wait"),
    Told("toast.power_was_off"),
    Told("toast.two_teams"),
    Told("toast.revoked"),
    Told("toast.let_go", seat=12),
    Told("toast.late_press", seat=12, name="WWWWWW"),
    Told("toast.joins_push", seat=12),
    Told("toast.can_play", seat=12, name="WWWWWW"),
    Told("toast.time_out_of", seat=12, name="WWWWWW", number=99),
    Told("toast.undone", what=Longest("undo")),
    Told("toast.redone", what=Longest("undo")),
    Told("toast.not_saved"),
    Told("toast.see_log"),
    Told("toast.last_unreadable"),
    Told("toast.check_table"),
    Told("toast.see_referee"),
    Told("toast.no_buttons"),
    Told("toast.no_lamps"),
    Told("toast.no_sound"),
    Told("toast.no_display"),
    Told("toast.no_pods"),
    Told("toast.no_bots"),
    Told("toast.weak_supply"),
    Told("toast.too_hot"),
    Told("toast.bad_disk"),
    Told("toast.no_link", seats="1,2,4,5,7,8"),
    Told("toast.no_link_knob"),
    Told("toast.clock", seats="1,3,5-8", ms=99),
    Told("hint.go_on"),
    Told("hint.two_at_a_time"),
    Told("hint.already_pair"),
    Told("hint.let_go", seat=12),
    Told("claim.call"),
    Told("claim.own", limit=13, word="WWWWWWWWWWWW"),
    Told("do.show_pile"),
    Told("ask.end_match"),
    Told("ask.setting", limit=20, setting="W" * 19),
    Told("ask.move_seats"),
    Told("ask.false_call"),
    Told("ask.false_start"),
    Told("ask.tie"),
    Told("ask.first"),
    Told("ask.last"),
    Told("ask.void_hand").or_round(),
    Told("ask.end_hand"),
    Told("ask.call", call="WWWWWWWWWWWW!"),
    Told("ask.ride_on"),
    Told("ask.bonus", parts="9:8:8"),
    Told("ask.bonus_parts", parts="9:8:8"),
    Told("ask.bonus_any"),
    Told("beat.ready"),
    Told("beat.set"),
    Told("beat.go", limit=5),
    Told("beat.burn"),
    Told("beat.now"),
    Told("refusal.low", sum="99", most=0),
    Told("refusal.pack", sum="13+45", most=52),
    Told("refusal.caller", sum="13", most=0),
    Told("refusal.reserve", sum="14", most=13),
    Told("refusal.kings", sum="14", most=4),
    Told("refusal.lake", sum="9", most=10),
    Told("refusal.under_kings", sum="199", most=208),
    Told("refusal.one_pack", count=16),
    Told("refusal.to_knock", value="30½", least=21),
    Told("refusal.push_for_31"),
    Told("refusal.half"),
    Told("refusal.not_now"),
    Told("refusal.next_match"),
    Told("refusal.not_in_play"),
    Told("refusal.no_pair"),
    Told("refusal.later"),
    Told("refusal.no_points"),
    Told("refusal.name", most=64),
    Told("refusal.seat_taken", seat=12, name="WWWWWW"),
    Told("refusal.your_seat", seat=12),
    Told("refusal.press_first", seat=12),
    Told("refusal.no_count"),
    Told("refusal.numbers", size=3),
    Told("refusal.below", value=1, least=2),
    Told("refusal.above", value=39, most=30),
    Told("agree.reserve", limit=LIMITS["item"], choice="50"),
    Told("agree.river", limit=LIMITS["item"], choice="10"),
    Told("agree.turn", limit=LIMITS["item"], choice="1"),
    Told("agree.turn_order", limit=LIMITS["item"], choice=_CHOICES["reversed"]),
    Told("agree.jokers", limit=LIMITS["item"], choice="2"),
    Told("agree.layout", limit=LIMITS["item"], choice=_CHOICES["klondike"]),
    Told("agree.foundations", limit=LIMITS["item"], choice=_CHOICES["by_players"]),
    Told("agree.in_flight", limit=LIMITS["item"], choice=_CHOICES["returns"]),
    Told("agree.same_place", limit=LIMITS["item"], choice=_CHOICES["first"]),
    Told("agree.withholding", limit=LIMITS["item"], choice=_CHOICES["yes"]),
    Told("agree.river_transfer", limit=LIMITS["item"], choice=_CHOICES["yes"]),
    Told("agree.tiebreak", limit=LIMITS["item"], choice=_CHOICES["share"]),
    Told("agree.tiebreak_teams", limit=LIMITS["item"], choice=_CHOICES["tied"]),
    Told("agree.settlement", limit=LIMITS["item"], choice=_CHOICES["each_hand"]),
    Told("agree.king_bonus", limit=LIMITS["item"], choice="100"),
    Told("agree.pile_control", limit=LIMITS["item"], choice=_CHOICES["alternate"]),
    Told("agree.rotate_seats", limit=LIMITS["item"], choice=_CHOICES["yes"]),
    Told("agree.pack_check", limit=LIMITS["item"], choice=_CHOICES["yes"]),
    Told("agree.shuffle_for", limit=LIMITS["item"], choice=_CHOICES["left"]),
    Told("agree.start", limit=LIMITS["item"], choice=_CHOICES["note"]),
    Told("agree.gift", limit=LIMITS["item"], choice="5"),
    Told("agree.more", n=99),
    Told("agree.no_stacking"),
    Told("note.deals_count", who="8Wi", count=99),
    Told("note.deals", who="8Wi"),
    Told("note.phone_asleep", who="8Wi"),
    Told("note.tie_break", tied="1:2:3:4:5"),
    Told("note.rest", seats="1-2,4,6,8"),
    Told("note.pays", who="8Wi", to="7Wi", points="99.33"),
    Told("note.points", who="8Wi", points="-50", reason="W" * 12),
    Told("note.piles", piles=5),
    Told("note.one_starts"),
    Told("note.pack_check", cards=52),
    Told("note.shuffle_left"),
    Told("note.seats_move"),
    Told("note.pair", who="8Wi", other="7Wi", pile=Longest("pile"), stock=Longest("stock")),
    Told("note.sorts", who="8Wi", lake=Longest("field")),
    Told("teach.pack", cards=60),
    Told("teach.row", cards=9, row=Longest("row")),
    Told("teach.klondike"),
    Told("teach.pile", pile=Longest("pile"), cards=50),
    Told("teach.pile_top", pile=Longest("pile")),
    Told("teach.pile_open", pile=Longest("pile")),
    Told("teach.stock", stock=Longest("stock"), cards=50),
    Told("teach.tap_ready"),
    Told("teach.tap_start"),
    Told("teach.hands_off"),
    Told("teach.at_once"),
    Told("teach.press", pile=Longest("pile"), call=Longest("claim")),
    Told("teach.aces"),
    Told("teach.aces_must"),
    Told("teach.ones"),
    Told("teach.ones_must"),
    Told("teach.up_suit"),
    Told("teach.up_colour"),
    Told("teach.up_altern"),
    Told("teach.up_any"),
    Told("teach.down", row=Longest("row")),
    Told("teach.red_black"),
    Told("teach.pairs"),
    Told("teach.no_building", row="Reihe"),
    Told("teach.gap"),
    Told("teach.turn", stock=Longest("stock"), cards=3),
    Told("teach.jokers"),
    Told("teach.stacking"),
    Told("teach.false_points", points=999),
    Told("teach.false_zero"),
    Told("teach.nobody"),
    Told("teach.count_first"),
    Told("teach.left", left="REST", pile=Longest("pile")),
    Told("teach.lake", lake=Longest("field")),
    Told("teach.enter"),
    Told("teach.points", points=100),
    Told("teach.bonus", points=100),
    Told("teach.kings", points=100),
    Told("teach.lay_nothing", stock=Longest("stock")),
    Told("teach.then_burn", stock=Longest("stock")),
    Told("teach.then_rotate", stock=Longest("stock")),
    Told("teach.then_redeal", stock=Longest("stock")),
    Told("teach.then_abandon", stock=Longest("stock")),
    Told("teach.then_score", stock=Longest("stock")),
    Told("teach.deal_three"),
    Told("teach.rest_open"),
    Told("teach.aim_31"),
    Told("teach.card_values"),
    Told("teach.draw"),
    Told("teach.tap_done"),
    Told("teach.knock_hold"),
    Told("teach.knock_means"),
    Told("teach.knock_from", value=30),
    Told("teach.knock_late"),
    Told("teach.has_31"),
    Told("teach.best_suit"),
    Told("teach.tens_ones"),
    Told("teach.three_alike", value="30½"),
    Told("teach.straight_flush"),
    Told("teach.loses_life"),
    Told("teach.loses_place"),
    Told("teach.wins_point"),
    Told("teach.deal_all"),
    Told("teach.deal_four"),
    Told("teach.turn_cards"),
    Told("teach.slap_alike"),
    Told("teach.slap_jack"),
    Told("teach.slap_fruit"),
    Told("teach.slap_sandwich"),
    Told("teach.slap_button"),
    Told("teach.slap_wrong", points=20),
    Told("teach.slap_gift", points=5),
    Told("teach.device_counts"),
    Told("teach.first_to", target=999),
    Told("teach.say_rank"),
    Told("teach.rank_press"),
    Told("teach.pass_left"),
    Told("teach.four_press"),
    Told("teach.you_too"),
    Told("teach.last_pays"),
    Told("teach.letters_out", letters=20),
    Told("field.left"),
    Told("field.lake", unit=10),
    Told("field.area", unit=10),
    Told("field.dutch", unit=10),
    Told("field.middle", unit=10),
    Told("field.kings"),
    Told("field.value", unit=10),
    Told("field.half", limit=1),
    Told("reason.penalty"),
    Told("reason.illegal_play"),
    Told("reason.miscount"),
    Told("reason.agreed"),
    Told("reason.mistyped"),
    Told("reason.found"),
    Told("why.collision"),
    Told("why.dropped"),
    Told("why.other"),
    Told("told.lives", count=9),
    Told("told.letters", 18, count=99),
    Told("told.county"),
    Told("told.out"),
    Told("told.back"),
    Told("told.middle"),
    Told("told.front"),
    Told("told.steps"),
    Told("told.second_step"),
    Told("told.asks_the_driver"),
    Told("told.off"),
    Told("phase.lobby"),
    Told("phase.power_back"),
    Told("phase.ready"),
    Told("phase.agreement"),
    Told("phase.starting"),
    Told("phase.playing"),
    Told("phase.declared"),
    Told("phase.called"),
    Told("phase.verdict"),
    Told("phase.counting"),
    Told("phase.resuming"),
    Told("phase.stopped"),
    Told("phase.timeout"),
    Told("phase.stuck"),
    Told("phase.search"),
    Told("phase.burning"),
    Told("phase.vote"),
    Told("phase.fixing"),
    Told("phase.check"),
    Told("phase.off"),
    Told("phase.over"),
    *(Told(key) for game in all_documents() for key in game.WORDS if key.partition(".")[0] in LIMITS),
)
BY_KEY = {word.key: word for word in _TOLD}
"""Key -> how it is shown and spoken: every message that the core gives."""


def word_of(key: str) -> Told | Ruling | None:
    """The word of a message's key; None where no catalogue has it. The rulebook's are looked up when one is opened."""
    word = BY_KEY.get(key)
    if word is None and key.partition(".")[0] in RULEBOOK:
        from referee.language.rulebook import RULINGS

        return RULINGS.get(key)
    return word


def display_text(part: Part | None) -> str:
    """What the display says for it, in the language that is spoken; a name or a figure stands as it is."""
    return _message(part) if isinstance(part, Msg) else "" if part is None else _value("", part)


def shown_within(message: Msg, limit: int) -> str:
    """What the display says for it, with the names of those whom it names as long as `limit` characters let them be:
    "2 Ben: pile of 14"; with two letters of them where no more fit."""
    named = {name: value for name, value in message.values if isinstance(value, Label)}
    for letters in range(max((len(who.name) for who in named.values()), default=0), 1, -1):
        whole = {name: f"{who.numbers[0]} {who.name[:letters]}" for name, who in named.items()}
        text = _message(
            replace(message, values=tuple((name, whole.get(name, value)) for name, value in message.values))
        )
        if len(text) <= limit:
            return text
    return display_text(message)


def unknown(message: Msg) -> str:
    """What stands for a message that no catalogue has, such as an untranslated game's: seen, and harmless."""
    return message.key.rpartition(".")[2].replace("_", " ")


def phase_shown(phase: str) -> str:
    """A phase by its name ("POWER_BACK") as the display calls it; one that has no text by the name itself."""
    word = BY_KEY.get(f"phase.{phase.lower()}")
    return word() if word else phase.replace("_", " ")


def _message(message: Msg) -> str:
    word = word_of(message.key)
    if word is None:
        return unknown(message)
    values = {name: _value(name, value) for name, value in message.values}
    text = word(**values | _count(message))
    while word.limit is not None and len(text) > word.limit and word.key in SHORT:
        word = BY_KEY[SHORT[word.key]]
        text = word(**values)
    return text.upper() if word.place in CAPITALS else text


def _count(message: Msg) -> dict[str, Part | tuple[Part, ...]]:
    """The value that chooses the plural form, as a number."""
    return {name: value for name, value in message.values if name == "count"}


def _value(name: str, value: Part | tuple[Part, ...]) -> str:
    """A value as the display has it, by its name where that is a list's."""
    if isinstance(value, tuple):
        return _LISTS[name](value)
    if isinstance(value, Msg):
        return _message(value)
    if isinstance(value, Label):
        return value.short
    if isinstance(value, str) and _long_name(name, value):
        return cut(value, TEXT_LETTERS)
    if isinstance(value, str) and name in FIGURES:
        return decimal_text(value)
    return _halves(value) if isinstance(value, Fraction) else str(value)


def _long_name(name: str, value: str) -> bool:
    """Whether it is a name that is to be cut: of a player, or one that a line can be turned to."""
    return name == "name" or (name == "choice" and len(value) > LIMITS["choice"] and value[0] != OPEN)


def _halves(value: Fraction) -> str:
    """A whole number or one with a half: "12½"."""
    return str(value) if value.denominator == 1 else f"{'-' * (value < 0)}{int(abs(value)) or ''}½"


def _join_by(sign: str) -> Callable[[tuple[Part, ...]], str]:
    return lambda parts: sign.join(_value("", part) for part in parts)


def _score(parts: tuple[Part, ...]) -> str:
    text = _join_by(":")(parts)
    return text if len(text) <= MOST_SCORE else f"{text[: MOST_SCORE - 1]}…"


def _seats(parts: tuple[Part, ...]) -> str:
    """The numbers of all buttons, of teams each of its members'."""
    numbers = [part.numbers if isinstance(part, Label) else (part,) for part in parts]
    return numbers_text(number for seats in numbers for number in seats if isinstance(number, int))


def _first_numbers(parts: tuple[Part, ...]) -> str:
    """Teams by their first buttons: "1:2"."""
    return ":".join(str(part.numbers[0]) for part in parts if isinstance(part, Label))


def _labels(parts: tuple[Part, ...]) -> str:
    """One with the whole name, several by their letters."""
    labels = [part for part in parts if isinstance(part, Label)]
    return f"{labels[0].numbers[0]} {labels[0].called}" if len(labels) == 1 else " ~ ".join(who.short for who in labels)


_LISTS = {
    "seats": _seats,
    "tied": _first_numbers,
    "who": _labels,
    "sum": _join_by("+"),
    "parts": _join_by(":"),
    "score": _score,
}
"""How a list of values is written, by the value's name."""
