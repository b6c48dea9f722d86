"""What a table hears and reads: the word of the call, the piles that are counted, how a stuck table goes on."""

from __future__ import annotations

import pytest

from referee.core.games.nertz.dialect import DIALECTS, beat_word, piles_turned, spoken_at
from referee.core.games.nertz.rules import PRESETS, TITLES
from referee.core.messages import msg
from referee.core.model.registry import preset_called, preset_name, rulebook
from referee.core.model.table import Setup
from referee.core.model.view import (
    BurnScreen,
    CountdownScreen,
    CountScreen,
    LobbyScreen,
    MenuScreen,
    VerdictScreen,
    VoteScreen,
)
from referee.core.units import MS, S
from referee.language.speech import speech_of
from tests.core.sitting import Sitting
from tests.english import en

WORDS = {
    "nna": ("NERTZ!", "LAKE"),
    "nna150": ("NERTZ!", "LAKE"),
    "pagat": ("NERTS!", "AREA"),
    "pagat25": ("NERTS!", "AREA"),
    "reeves": ("NERTS!", "AREA"),
    "racing-demon": ("OUT!", "AREA"),
    "dutch-blitz": ("BLITZ!", "DUTCH"),
    "ligretto": ("LIGRETTO!", "MID"),
    "solitaire-frenzy": ("NERTS!", "AREA"),
}

PILES = {
    "nna": ("Nertz pile", "Stream", "River"),
    "pagat": ("Nerts pile", "stock", "work piles"),
    "reeves": ("Nerts pile", "stock", "work piles"),
    "racing-demon": ("Demon", "stock", "work piles"),
    "dutch-blitz": ("Blitz pile", "stock", "Post piles"),
    "ligretto": ("Ligretto pile", "stock", "row"),
}
"""What a preset calls the pile to get rid of, the cards in the hand and the cards that lie open."""


def table(preset: str, stuck: str = "") -> Sitting:
    options = (("stuck", stuck),) if stuck else ()
    return Sitting(Setup(preset, options, stations=("1", "2", "3"), names=(("1", "Anna"), ("2", "Ben"), ("3", "Max"))))


def test_words_belong_to_presets_and_a_preset_without_has_the_familys() -> None:
    """No row for a preset that is none; a preset that a house adds says what most of the family says."""
    assert DIALECTS.keys() <= PRESETS.keys()
    assert spoken_at("a house's own", "") == DIALECTS["pagat"]
    assert en(spoken_at("a house's own", "Fish!").call) == "Fish!"
    assert en(spoken_at("nna", "RELAX ! ").call) == "RELAX!"


@pytest.mark.parametrize("preset", PILES)
def test_the_piles_have_the_words_of_the_preset(preset: str) -> None:
    """In lessons and in the rulebook."""
    own = spoken_at(preset, "")
    assert (en(own.pile), en(own.stock), en(own.row)) == PILES[preset]


@pytest.mark.parametrize("preset", WORDS)
def test_the_call_and_the_piles_counted_have_the_words_of_the_preset(preset: str) -> None:
    """At the verdict what the caller says, above the count's columns where the cards lie."""
    sitting = table(preset).playing("1", "2", "3").press("2").wait(1 * S)
    assert en(sitting.screen(VerdictScreen).word) == WORDS[preset][0]
    sitting.wait(5 * S)
    heads = [en(name) for name in sitting.screen(CountScreen).field_names]
    assert heads == ["LEFT", WORDS[preset][1], WORDS[preset][1]]


@pytest.mark.parametrize(
    ("preset", "stuck", "pile"),
    [("nna", "", "stream"), ("pagat", "", "waste"), ("reeves", "", "stock"), ("dutch-blitz", "", "hand"),
     ("ligretto", "rotate", "hand"), ("dutch-blitz", "redeal-stock", "stock"), ("ligretto", "", "")],
)  # fmt: skip
def test_what_a_stuck_table_turns_over_is_the_preset_s_way(preset: str, stuck: str, pile: str) -> None:
    """Boxed games move the top card to the bottom and flip nothing; another way out brings its own."""
    assert piles_turned(Setup(preset), stuck or PRESETS[preset].stuck) == pile


def test_only_where_a_card_is_burnt_the_beat_says_so() -> None:
    """A table that moves its pile together is told when."""
    assert [beat_word(pile) for pile in ("stream", "reserve")] == [msg("beat.burn")] * 2
    assert [beat_word(pile) for pile in ("hand", "waste", "stock")] == [msg("beat.now")] * 3


def test_a_stuck_table_of_dutch_blitz_is_told_in_its_words() -> None:
    """Stuck, nobody can play: the top card goes to the bottom on the beat."""
    sitting = table("dutch-blitz").playing("1", "2", "3").wait(1 * S)
    sitting.hold("knob").choose("Stuck").wait(6 * S).tap("1", "2", "3")
    assert (sitting.screen(BurnScreen).pile, sitting.screen(BurnScreen).word) == ("hand", 3)
    sitting.wait(5 * S // 2)
    assert sitting.screen(BurnScreen).word == msg("beat.now")


def test_people_call_a_preset_by_its_title_up_to_the_colon() -> None:
    """That is what the display writes, and what commands and the configuration take, in any case."""
    assert [preset_name(preset) for preset in ("nna", "nna150", "dutch-blitz")] == [
        "NNA Nertz",
        "NNA 150",
        "Dutch Blitz",
    ]
    assert len({preset_name(preset) for preset in TITLES}) == len(TITLES)
    for preset in TITLES:
        assert preset_called(preset_name(preset)) == preset_called(preset_name(preset).upper()) == preset
    assert table("racing-demon").screen(LobbyScreen).preset == "Racing Demon"


def test_whoever_chooses_a_preset_reads_what_it_is() -> None:
    """Beneath the list, of the line at the knob; a line without anything to say has nothing there."""
    sitting = table("nna").choose("Game")
    assert en(sitting.screen(MenuScreen).about) == "to 100, no bonus"
    assert en(sitting.turn(1).screen(MenuScreen).about) == "to 150, caller +10"
    assert sitting.turn(-9).choose("Back").choose("House rules").screen(MenuScreen).about is None
    each_hand = Setup("pagat", (("settlement", "each-hand"),), stations=("1", "2"))
    from referee.core.games.nertz import game  # a game's play stands on the shared phases, which its lists do not

    assert game().about(Sitting(each_hand).engine.state.table) == msg("about.each_hand")


def test_a_start_may_be_counted_in_numbers() -> None:
    """1, 2, 3 and Go, three quarters of a second apart; Go comes when it would by the words; a press stops it."""
    sitting = Sitting(Setup("nna", (("start_words", "numbers"),), stations=("1", "2"))).seated("1", "2")
    sitting.wait(1 * S).tap("1", "2")
    begun_ns = sitting.engine.state.phase.asked_at_ns
    seen = [en(sitting.until(begun_ns + n * S * 3 // 4).screen(CountdownScreen).word or "") for n in range(5)]
    assert seen == ["", "1", "2", "3", "GO!"]
    plain = Sitting(Setup("nna", stations=("1", "2"))).seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S)
    assert en(plain.screen(CountdownScreen).word or "") == "READY"
    counted = Sitting(sitting.setup).seated("1", "2").wait(1 * S).tap("1", "2").wait(1600 * MS).press("1")
    assert counted.phase == "STOPPED"


@pytest.mark.parametrize("word", ["POUNCE", "PEANUTS", "SQUEAL"])
def test_the_words_that_tables_call_out_are_turned_to_at_the_knob(word: str) -> None:
    """Chosen apart from the preset: a push, a turn, a push, and the verdict says it."""
    sitting = Sitting(Setup("nna", (), ("1", "2"))).tap("1", "2").choose("House rules").choose("Call:")
    values = sitting.engine.state.menu.values if sitting.engine.state.menu else ()
    sitting.turn([en(value.text) for value in values].index(word)).push().choose("Back").playing("1", "2")
    assert en(sitting.press("1").screen(VerdictScreen).word) == f"{word}!"


@pytest.mark.parametrize("preset", WORDS)
def test_a_table_may_call_out_its_own_word(preset: str) -> None:
    """On the display, in speech and in the rulebook; the piles stay the preset's."""
    options = (("call_word", "Pounce!"),)
    sitting = Sitting(Setup(preset, options, ("1", "2", "3"))).playing("1", "2", "3").press("2").wait(1 * S)
    assert en(sitting.screen(VerdictScreen).word) == "Pounce!"
    assert speech_of(sitting.view).startswith("Pounce! ")
    assert [en(name) for name in sitting.wait(5 * S).screen(CountScreen).field_names][1:] == [WORDS[preset][1]] * 2
    said = {en(page.text) for told in rulebook(preset, dict(options)) for page in told.pages}
    assert any("Pounce!" in text for text in said)
    assert not any(WORDS[preset][0] in text for text in said)


def test_a_call_by_voice_is_asked_in_the_table_s_word() -> None:
    """Whoever has a muted button called aloud: did they?"""
    sitting = Sitting(Setup("nna", (("call_word", "SQUEAL"),), ("1", "2", "3"))).seated("1", "2", "3")
    sitting.choose("Teams").choose("Mute").choose("3").wait(1 * S).tap("1", "2").wait(6 * S)
    sitting.press("knob", ns=400 * MS).choose("Call by voice")
    if not isinstance(sitting.view.screen, VoteScreen):
        sitting.choose("3")
    assert en(sitting.screen(VoteScreen).question) == "SQUEAL!?"
