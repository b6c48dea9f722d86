"""The preset's words: the call, the counted piles, and how a stuck table goes on."""

from __future__ import annotations

import pytest

from referee.core.games.nertz.dialect import DIALECTS, piles_turned, spoken_at
from referee.core.games.nertz.play import GAME
from referee.core.games.nertz.rules import PRESETS
from referee.core.messages import msg
from referee.core.model.registry import rulebook
from referee.core.model.table import Setup
from referee.core.model.view import (
    CountdownScreen,
    CountScreen,
    MenuScreen,
    VerdictScreen,
    VoteScreen,
)
from referee.core.units import MS, S
from referee.language.speech import speech_of
from referee.language.words import LANGUAGES, catalogue
from tests.core.sitting import Sitting
from tests.english import en

WORDS = {
    "nna": "NERTZ!, MIDDLE, Nertz pile, Stream, River",
    "nna150": "NERTZ!, MIDDLE, Nertz pile, Stream, River",
    "pagat": "NERTS!, AREA, Nerts pile, stock, work piles",
    "pagat25": "NERTS!, AREA, Nerts pile, stock, work piles",
    "reeves": "NERTS!, AREA, Nerts pile, stock, work piles",
    "racing-demon": "OUT!, AREA, Demon, stock, work piles",
    "dutch-blitz": "BLITZ!, DUTCH, Blitz pile, stock, Post piles",
    "ligretto": "LIGRETTO!, MID, Ligretto pile, stock, row",
    "solitaire-frenzy": "NERTS!, AREA, Nerts pile, stock, work piles",
}
"""The call, the counted place, the reserve, the cards in the hand and those that are open."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_call_is_one_word_on_the_display_and_aloud(language: str) -> None:
    for dialect in DIALECTS.values():
        shown, said = (catalogue(language).text((place, dialect.call.key)) for place in ("claim", "speech"))
        assert shown.casefold() == said.casefold()


def table(preset: str, **options: object) -> Sitting:
    return Sitting(Setup(preset, tuple(options.items()), ("1", "2", "3")))


def test_words_belong_to_presets_and_a_table_may_have_its_own_call() -> None:
    for preset in WORDS:
        own = spoken_at(preset, "")
        said = (own.call, msg(own.lake), own.pile, own.stock, own.row)
        assert ", ".join(map(en, said)) == WORDS[preset]
    assert spoken_at("a house's own", "") == DIALECTS["pagat"]
    assert en(spoken_at("a house's own", "Fish!").call) == "Fish!"
    assert en(spoken_at("nna", "RELAX ! ").call) == "RELAX!"


@pytest.mark.parametrize(("preset", "word"), [("ligretto", ""), ("nna", "Pounce!")])
def test_the_call_is_shown_said_and_in_the_rulebook(preset: str, word: str) -> None:
    call, lake = WORDS[preset].split(", ")[:2]
    options = {"call_word": word} if word else {}
    sitting = table(preset, **options).playing("1", "2", "3").press("2").wait(1 * S)
    assert en(sitting.screen(VerdictScreen).word) == (word or call)
    assert not word or speech_of(sitting.view).startswith("Pounce! ")
    assert [en(name) for name in sitting.wait(5 * S).screen(CountScreen).field_names] == ["LEFT", lake, lake]
    said = " ".join(en(page.text) for told in rulebook(preset, options) for page in told.pages)
    assert (word or call) in said
    assert not word or call not in said


@pytest.mark.parametrize(
    ("preset", "stuck", "pile"),
    [("nna", "", "stream"), ("pagat", "", "waste"), ("reeves", "", "stock"), ("dutch-blitz", "", "hand"),
     ("ligretto", "rotate", "hand"), ("dutch-blitz", "redeal-stock", "stock"), ("ligretto", "", "")],
)  # fmt: skip
def test_what_a_stuck_table_turns_over_is_the_preset_s_way(preset: str, stuck: str, pile: str) -> None:
    assert piles_turned(Setup(preset), stuck or PRESETS[preset].stuck) == pile


@pytest.mark.parametrize(
    ("preset", "options", "lands"),
    [("nna", {}, True), ("racing-demon", {}, False), ("nna", {"in_flight": "returns"}, False)],
)
def test_the_verdict_says_what_becomes_of_a_card_in_the_air(preset: str, options: dict[str, str], lands: bool) -> None:
    """It lands by most rules, and goes back in Keeling's Racing Demon."""
    sitting = table(preset, **options).playing("1", "2", "3").press("2").wait(1 * S)
    assert sitting.screen(VerdictScreen).airborne == msg("do.air_lands" if lands else "do.air_returns")


def test_whoever_chooses_a_preset_reads_what_it_is() -> None:
    sitting = table("nna").choose("Game").push()
    assert en(sitting.screen(MenuScreen).about) == "to 100, no bonus"
    assert en(sitting.turn(1).screen(MenuScreen).about) == "to 150, caller +10"
    each_hand = Setup("pagat", (("settlement", "each-hand"),), stations=("1", "2"))
    assert GAME.about(Sitting(each_hand).engine.state.table) == msg("about.each_hand")


def test_nobody_sorts_and_no_backs_are_asked_for_while_nobody_plays() -> None:
    state = table("nna").seated("1", "2").engine.state
    assert GAME.notes(state.table, ()) == ()
    assert [note.key for note in GAME.notes(state.table, ("1", "2"))] == ["note.backs", "note.sorts"]


def test_a_start_may_be_counted_in_numbers() -> None:
    """Words and numbers are 0.75 s apart, and Go comes at the same time."""
    sitting = Sitting(Setup("nna", (("start_words", "numbers"),), stations=("1", "2"))).seated("1", "2")
    sitting.wait(1 * S).tap("1", "2")
    begun_ns = sitting.engine.state.phase.asked_at_ns
    seen = [en(sitting.until(begun_ns + n * S * 3 // 4).screen(CountdownScreen).word or "") for n in range(5)]
    assert seen == ["", "1", "2", "3", "GO!"]
    plain = Sitting(Setup("nna", stations=("1", "2"))).seated("1", "2").wait(1 * S).tap("1", "2").wait(1 * S)
    assert en(plain.screen(CountdownScreen).word or "") == "READY"
    counted = Sitting(sitting.setup).seated("1", "2").wait(1 * S).tap("1", "2").wait(1600 * MS).press("1")
    assert counted.phase == "STOPPED"


def test_a_call_by_voice_is_asked_in_the_word_that_was_turned_to_at_the_knob() -> None:
    sitting = Sitting(Setup("nna", (), ("1", "2", "3"))).tap("1", "2", "3").choose("House rules").choose("Call word:")
    values = sitting.engine.state.menu.values if sitting.engine.state.menu else ()
    sitting.turn([en(value.text) for value in values].index("SQUEAL")).push().choose("Back").seated()
    sitting.choose("Players").choose("Mute").choose("3").wait(1 * S).tap("1", "2").wait(6 * S)
    sitting.press("knob", ns=400 * MS).choose("Call by voice")
    sitting.choose("3")
    assert en(sitting.screen(VoteScreen).question) == "SQUEAL!?"
