"""What the core says, by key: for each message its place on the display with the most characters there, and speech.

A key's first part is its kind, and the kind is its place: "toast.too_late" is said at the place "toast" on the display,
and at the place "speech" to whoever does not see it. What stands beside a key are its widest values.
"""

from __future__ import annotations

from referee.core.messages import Msg
from referee.language.words import SPEECH, Longest, Word

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
    "note": 21,  # what somebody must know before dealing
    "field": 10,  # a field of the count: the first word stands above its column
    "phase": 16,  # a phase by its name, in capitals
}
"""The most characters of each place, where a key says no other."""
CAPITALS = frozenset({"toast"})
"""Places where everything stands in capitals, values, too."""
NAMED = {"ask": ("who",), "do": ("who",)}
"""Values that only the spoken text has: a question, and what is to be done, shows beside it whom it is about."""


class Told(Word):
    """A message of the core at its place on the display; `spoken`: the same as speech."""

    def __init__(self, key: str, limit: int | None = None, **widest: object) -> None:
        place = key.partition(".")[0]
        super().__init__(key, limit or LIMITS[place], place, **widest)
        self.spoken = Word(key, None, SPEECH, **widest, **dict.fromkeys(NAMED.get(place, ()), ""))


_CHOICES = {
    "none": Told("choice.none"),
    "burn": Told("choice.burn"),
    "rotate": Told("choice.rotate"),
    "redeal": Told("choice.redeal"),
    "abandon": Told("choice.abandon"),
    "score": Told("choice.score"),
    "play_on": Told("choice.play_on"),
    "zero": Told("choice.zero"),
    "winner": Told("choice.winner"),
    "minus": Told("choice.minus"),
    "triple_minus": Told("choice.triple_minus"),
    "distance": Told("choice.distance"),
    "any": Told("choice.any"),
    "first_31": Told("choice.first_31"),
    "at_31": Told("choice.at_31"),
    "off": Told("choice.off"),
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
    Told("undo.knock"),
    Told("undo.31"),
    Told("undo.not_31"),
    Told("undo.place"),
    Told("undo.won"),
    Told("undo.right"),
    Told("undo.wrong"),
    Told("undo.last"),
    Told("undo.false"),
    Told("undo.verdict"),
    Told("undo.overrule"),
    Told("undo.division"),
    Told("undo.void"),
    Told("undo.end_of_hand"),
    Told("undo.count"),
    Told("undo.correction"),
    Told("undo.setting"),
    Told("undo.match_end"),
    Told("undo.rematch"),
    Told("undo.resume"),
    Told("undo.new_table"),
    Told("item.start", count=8),
    Told("item.resume_match", score="64:51:38:12"),
    Told("item.rematch"),
    Told("item.other_table"),
    Told("item.start_without", seats="3,7"),
    Told("item.joins_lowest", seat=8),
    Told("item.joins", seat=8),
    Told("item.go_on"),
    Told("item.stuck"),
    Told("item.stuck_again"),
    Told("item.stuck_after_play"),
    Told("item.burn_reserve"),
    Told("item.stands"),
    Told("item.false_call"),
    Told("item.tie"),
    Told("item.another_first"),
    Told("item.another_last"),
    Told("item.divide_bonus"),
    Told("item.photo"),
    Told("item.void_hand"),
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
    Told("item.game"),
    Told("item.house_rules"),
    Told("item.sound_language"),
    Told("item.device"),
    Told("item.check"),
    Told("item.off"),
    Told("item.switch_off"),
    Told("item.address"),
    Told("item.more"),
    Told("item.target", choice="500"),
    Told("item.bonus", choice="25"),
    Told("item.penalty", choice="3"),
    Told("item.set_stuck", choice=_CHOICES["abandon"]),
    Told("item.set_false", choice=_CHOICES["play_on"]),
    Told("item.set_tie", choice="100 ms"),
    Told("item.handicap", choice=_CHOICES["distance"]),
    Told("item.lives", choice="5"),
    Told("item.limit", choice="10 s"),
    Told("item.three", choice=_CHOICES["none"]),
    Told("item.knock_from", choice=_CHOICES["any"]),
    Told("item.places", choice="6"),
    Told("item.ends", choice=_CHOICES["first_31"]),
    Told("item.volume", choice=_CHOICES["loud"]),
    Told("item.language", choice="Italiano"),
    Told("item.hold", choice="0.8 s"),
    Told("item.bright", choice=_CHOICES["high"]),
    Told("item.teams"),
    Told("item.name"),
    Told("item.new_name"),
    Told("item.other_button"),
    Told("item.button", seat=8),
    Told("item.mute"),
    Told("item.mute_seat", seat=8),
    Told("item.unmute"),
    Told("item.leave"),
    Told("item.leaves", seat=8),
    Told("item.call_by_voice"),
    Told("item.end_match"),
    Told("item.play_on"),
    Told("item.back"),
    Told("title.time_out", limit=8),
    Told("title.late", limit=17, seat=8, name="WWWWWW"),
    Told("title.close_tie", limit=17),
    Told("title.close", limit=17, who="8Wi ~ 7Wi"),
    Told("title.over_at", limit=17, hand=99),
    Told("title.switch_off", limit=17),
    Told("title.joins", limit=17, seat=8),
    Told("title.game", preset="RACING-DEM", target=999),
    Told("toast.too_late"),
    Told("toast.all_work"),
    Told("toast.early", seat=8, name="WWWWWW"),
    Told("toast.not_changed"),
    Told("toast.name_not_kept"),
    Told("toast.letters_most"),
    Told("toast.wait"),
    Told("toast.power_was_off"),
    Told("toast.two_teams"),
    Told("toast.let_go", seat=8),
    Told("toast.late_press", seat=8),
    Told("toast.joins_push", seat=8),
    Told("toast.can_play", seat=8, name="WWWWWW"),
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
    Told("toast.no_link", seats="1,2,4,5,7,8"),
    Told("toast.no_link_knob"),
    Told("toast.clock", seats="1,3,5-8", ms=99),
    Told("hint.go_on"),
    Told("hint.two_at_a_time"),
    Told("hint.already_pair"),
    Told("hint.let_go", seat=8),
    Told("claim.call"),
    Told("claim.nertz"),
    Told("claim.slap"),
    Told("claim.last"),
    Told("do.show_pile"),
    Told("ask.end_match"),
    Told("ask.false_call"),
    Told("ask.tie"),
    Told("ask.first"),
    Told("ask.last"),
    Told("ask.void_hand"),
    Told("ask.end_hand"),
    Told("ask.call"),
    Told("ask.bonus"),
    Told("ask.not_a_31"),
    Told("ask.31"),
    Told("ask.ride_on"),
    Told("ask.bonus_parts", parts="9:8:8"),
    Told("beat.ready"),
    Told("beat.set"),
    Told("beat.go", limit=5),
    Told("beat.burn"),
    Told("refusal.low", sum="99", least=0),
    Told("refusal.pack", sum="45+13", most=52),
    Told("refusal.caller", sum="13", most=0),
    Told("refusal.reserve", sum="14", most=13),
    Told("refusal.kings", sum="14", most=4),
    Told("refusal.to_knock", value="30½", least=21),
    Told("refusal.push_for_31"),
    Told("refusal.half"),
    Told("refusal.below", value=1, least=2),
    Told("refusal.above", value=39, most=30),
    Told("note.deals_count", who="8Wi", count=99),
    Told("note.deals", who="8Wi"),
    Told("field.left", limit=5),
    Told("field.lake", digit="tens"),
    Told("field.kings", limit=5),
    Told("field.value", digit="tens"),
    Told("field.half", limit=1),
    Told("phase.lobby"),
    Told("phase.power_back"),
    Told("phase.ready"),
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
)
BY_KEY = {word.key: word for word in _TOLD}
"""Every message of the core."""


def shown(message: Msg) -> str:
    """The message as the display says it, in the language that is spoken."""
    word = BY_KEY[message.key]
    text = word(**{name: _shown(value) for name, value in message.values})
    return text.upper() if word.place in CAPITALS else text


def _shown(value: object) -> object:
    return shown(value) if isinstance(value, Msg) else value
