"""Display, page and screen reader say the same, in every language, in every phase of every game of the registry.

The phases are the transition table's, so a new one without an example fails here. Examples are the tapes' evenings and
the stories below, looked at after each gesture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from referee.core.match.transition_table import rows
from referee.core.model import view as v
from referee.core.model.registry import all_games, game_named, game_of, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import CountedGame, Game
from referee.core.phases.counting import Counting
from referee.core.phases.device import CheckScreen
from referee.core.phases.fixing import Fixing, FixScreen
from referee.core.phases.race import Race
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.display import SHORT
from referee.language.say import LAST_SECONDS_FROM, phase_name
from referee.language.speech import speech_of
from referee.language.words import ALOUD, LANGUAGES, Catalogue, Key, current_language, speaking
from referee.screens import draw, render
from referee.web.documents import view_document
from referee.web.face import face_of, numbers_of
from referee.web.snapshot import Snapshot
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.language.catalogues import MESSAGES
from tests.screens.samples import samples
from tests.tapes.play import Play
from tests.tapes.tape import names, read

GAMES = all_games()
PEOPLE = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))
COUNTS = {Counting.name, Fixing.name}
"""Phases of games whose hands are counted; the shared rows have them everywhere."""

# -- the examples --------------------------------------------------------------------------------------------------


SEEN: dict[Game, dict[tuple[str, str], v.View]] = {game: {} for game in GAMES}
"""Game -> a view of each phase with each of its screens."""
LOOKED: dict[Game, dict[v.Screen, v.View]] = {game: {} for game in GAMES}
"""Game -> every different screen, with a view that had it."""
STEPS: dict[str, tuple[v.View, v.View]] = {}
"""Two views one after the other, each such pair once."""


def lobby(preset: str) -> Sitting:
    return Sitting(Setup(preset, (), ("1", "2", "3"), PEOPLE)).tap("1", "2", "3")


def device(preset: str) -> None:
    """The buttons are checked, and the device is switched off."""
    lobby(preset).choose("Device").choose("Check").press("1").push()
    lobby(preset).choose("Device").choose("Off").choose("Switch off")


def agreeing(preset: str) -> None:
    """All are asked what they play, and one has tapped."""
    Sitting(Setup(preset, (), ("1", "2", "3"), PEOPLE, agreement=True)).tap("1", "2", "3").seated().tap("1")


def interrupted(preset: str) -> None:
    """A pause in the hand, and a power cut."""
    table = lobby(preset).seated().tap("1", "2", "3").wait(6 * BREATH_NS)
    if isinstance(table.engine.state.phase, Race):
        table.close("knob").wait(BREATH_NS).open("knob")
    else:
        table.choose("Time out")
    table.power_cut().wait(BREATH_NS)


def without_race() -> None:
    """What the game of turns has of its own: a knock, values, a 31 that is declared."""
    counted = table_of_31(3).dealt().knocks().done().done().values({"1": 20, "2": 25, "3": 30})
    counted.wait(9 * S).choose("Fix counts")
    table = table_of_31(3).dealt().declares("1").wait(16 * S)
    table.wait(9 * S)
    table.choose("More").choose("End match").wait(BREATH_NS).tap("1", "2", "3")
    for _ in range(4):
        table.wait(20 * S)


def examples(game: Game) -> dict[tuple[str, str], v.View]:
    """A view of each phase with each of its screens: all that the tapes and the stories come by."""
    look()
    return SEEN[game]


@cache
def look() -> None:
    """Every tape and story, once, for all games."""
    collect, before = Sitting._collect, dict[int, tuple[Sitting, v.View]]()

    def watched(table: Sitting) -> None:
        collect(table)
        view, of = table.view, game_of(table.engine.state.table)
        old = before.get(id(table), (table, view))[1]
        before[id(table)] = (table, view)
        STEPS.setdefault(repr([(one.screen, one.toast, one.banner) for one in (old, view)]), (old, view))
        SEEN[of].setdefault((table.phase, type(view.screen).__name__), view)
        screen = replace(view.screen, played_ns=0) if isinstance(view.screen, v.PlayingScreen) else view.screen
        LOOKED[of].setdefault(screen, view)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sitting, "_collect", watched)
        for name in names():
            Play(read(name)).run()
        for one in GAMES:
            preset = next(preset for preset in presets() if game_named(preset) is one)
            device(preset)
            agreeing(preset)
            interrupted(preset)
        without_race()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_every_phase_has_an_example(game: Game) -> None:
    phases = {phase.name for phase, _ in rows(game)} - (set() if isinstance(game, CountedGame) else COUNTS)
    assert phases - {phase for phase, _ in examples(game)} == set()


# -- what each of them says ----------------------------------------------------------------------------------------


def heard(say: Callable[[], Any], patch: pytest.MonkeyPatch) -> set[tuple[str, str, str, str]]:
    """The (language, place, key, text) of every word that is said there."""
    said, call = set[tuple[str, str, str, str]](), Catalogue.say

    def noted(catalogue: Catalogue, key: Key, values: Mapping[str, object]) -> str:
        text = call(catalogue, key, values)
        said.add((current_language(), *key, text.casefold()))
        return text

    with patch.context() as now:
        now.setattr(Catalogue, "say", noted)
        say()
    return said


def page_of(view: v.View) -> dict[str, Any]:
    """What the page's script is sent, and what other programs read."""
    snapshot = Snapshot(view, render(view, language=view.language).image.tobytes())
    return {**face_of(snapshot), "document": view_document(view)}


def turned(view: v.View) -> Iterator[v.View]:
    """The view, and of a list the view at each line to which the knob can be turned from it."""
    yield view
    if isinstance(view.screen, v.MenuScreen):
        for cursor in range(len(view.screen.items)):
            yield replace(view, screen=replace(view.screen, cursor=cursor))


every = pytest.mark.parametrize("language", LANGUAGES)
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)


@every
@each_game
def test_what_the_display_says_is_spoken_and_the_page_has_both(
    game: Game, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the table's language and no other; each message of the core that is written is also spoken.

    A list is written with the lines above and below the cursor; each of them is spoken when the knob comes to it.
    """
    for view in (replace(view, language=language) for view in examples(game).values()):
        written = heard(lambda view=view: render(view, language=language), monkeypatch)  # type: ignore[misc]
        read = heard(lambda view=view: [*map(speech_of, turned(view))], monkeypatch)  # type: ignore[misc]
        sentences = " ".join(map(speech_of, turned(view))).casefold()
        sent = heard(lambda view=view: page_of(view), monkeypatch)  # type: ignore[misc]
        assert {said[0] for said in written | read | sent} <= {language}
        of_the_core = {key.removesuffix(SHORT) for _, place, key, _ in written if place in MESSAGES}
        assert of_the_core <= {key for _, place, key, text in read if place == ALOUD and text in sentences}, view.screen
        page = page_of(view)
        with speaking(language, rounds=view.rounds):
            assert page["phase"] == phase_name(view.phase)
        assert page["language"] == page["document"]["language"] == language
        assert page["words"] == speech_of(view) != ""


SMALL = re.compile(r"(?:^|[.!?] )(?!(?:www|http))[a-zäöüàèéìòù]")
STRAY = re.compile(r"[.!?][.;,:]|[;,:][.;,:]| [.;,:!?]")
"""Marks that are read aloud, or swallow the sentence before them."""
POINT = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")
"""A figure with a point in it; an address has more of them."""


@every
@each_game
def test_speech_is_made_of_sentences(game: Game, language: str) -> None:
    """Each begins with a capital, a name or a figure and ends once: at every screen of the evenings and each line of
    its lists, and in the samples. (Their names have capitals.)"""
    for view in (replace(view, language=language) for view in (*all_views(game), *all_views(None))):
        for said in map(speech_of, turned(view)):
            assert not SMALL.search(said), (SMALL.findall(said), said)
            assert not STRAY.search(said), (STRAY.findall(said), said)
            assert language == "en" or not POINT.search(said), (POINT.findall(said), said)


# -- what each of them says in figures -----------------------------------------------------------------------------

FIGURE = re.compile(r"(?=[\d½])(\d+(?:\.\d+)?)?(½?)")
COMMA = re.compile(r"(?<=\d),(?=\d)")


def pointed(text: str) -> str:
    """A text of any language, its figures with a decimal point."""
    return COMMA.sub(".", text)


def figures(text: str) -> set[float]:
    """The numbers of a text without their signs."""
    return {float(whole or 0) + (0.5 if half else 0) for whole, half in FIGURE.findall(text)}


def unsaid(screen: v.Screen) -> set[float]:
    """The figures of the display that speech may leave out or say in a word, and why."""
    match screen:
        case v.LobbyScreen():  # a free button is an invitation to whoever sits at it: "Tap your button to join"
            empty = {float(cell.number) for cell in screen.seats if not cell.name}
            return empty | ({0.0} if not screen.teams else set())  # "Nobody has sat down yet"
        case v.NameScreen():  # the wheel beside the letter at which the knob is
            return {float(sign) for sign in screen.signs if sign.isdigit()}
        case CheckScreen():  # those that were heard are all but the named ones
            return {float(number) for number, pressed in screen.seats if pressed}
        case v.PlayingScreen():  # the clock: a reader that says every second is silenced
            return figures(f"{screen.played_ns // S // 60} {screen.played_ns // S % 60}")
        case v.VoteScreen() | v.DeclaredScreen() | v.CallNowScreen():  # the seconds left, likewise
            return {float(screen.left_s)}
        case v.PowerBackScreen():  # "0:43" is 43 seconds
            return {0.0}
        case v.PhotoScreen():  # how far the axis goes; and its 0, which the last one's press is
            return {float(screen.span_ns / MS - (screen.tie_window_ns / MS if screen.last else 0)), 0.0}
        case v.SearchScreen():  # "1 card" is the top card
            return {1.0}
        case v.MenuScreen(about=about) if about is not None:  # "< 0" is "below zero"
            return {0.0}
        case v.CountScreen() | FixScreen():  # "tap: +1" is "tap for one more"; a half is a word; digits see below
            return {1.0, 0.5, *map(float, range(10))}
        case _:
            return set()


def said_figures(view: v.View) -> set[float]:
    """What is spoken; of times the milliseconds that were told in seconds, too, and the other way round."""
    still = replace(view, screen=replace(view.screen, value=None)) if isinstance(view.screen, v.MenuScreen) else view
    said = figures(pointed(" ".join(map(speech_of, (view, *turned(still))))))
    if isinstance(view.screen, v.VerdictScreen | v.PhotoScreen):
        return said | {one * 1000 for one in said} | {one / 1000 for one in said}
    return said


def is_said(shown: float, said: set[float], screen: v.Screen) -> bool:
    """The same; of times as far as both are rounded: hundredths of a second on the verdict and in speech."""
    off = {v.VerdictScreen: 0.005, v.PhotoScreen: 5 if shown >= 100 else 0.05}.get(type(screen), 1e-9)
    return any(abs(shown - one) <= off for one in said)


def all_views(game: Game | None) -> list[v.View]:
    """Every screen that the game's examples came by; without a game the samples of the pictures."""
    if game is None:
        return list(samples().values())
    examples(game)
    return list(LOOKED[game].values())


sources = pytest.mark.parametrize("game", [*GAMES, None], ids=lambda game: type(game).__name__ if game else "samples")


@every
@sources
def test_each_figure_of_the_display_is_spoken_and_the_page_has_it(game: Game | None, language: str) -> None:
    """Scores, counts, times, pages and seats of every picture; what speech leaves out is named with its reason.

    The page has what is spoken (above), and of a count the whole numbers, which are held here.
    """
    for view in (replace(view, language=language) for view in all_views(game)):
        texts = [mark.text for mark in render(view, language=language).marks]
        if isinstance(view.screen, v.VerdictScreen | v.PhotoScreen | v.OverScreen):  # elsewhere "1,2" are two seats
            texts = list(map(pointed, texts))
        shown = set().union(*map(figures, texts))
        said = said_figures(view) | unsaid(view.screen)
        missing = {one for one in shown if not is_said(one, said, view.screen)}
        assert not missing, (missing, view.screen, speech_of(view))
        if isinstance(view.screen, v.CountScreen):
            units = [dict(name.values).get("unit") for name in view.screen.field_names]
            for cell in view.screen.cells:
                counted = {float(one) for one in numbers_of(cell.fields, units) if one is not None}
                assert counted <= said | {0.5}, (counted, cell)


# -- what changes --------------------------------------------------------------------------------------------------


def without_clocks(view: v.View) -> v.View:
    """The view without what runs by itself: nobody wants it spoken at every tick.

    The hand's clock, the verdict's bar, seconds before and within the last ones, notes that take turns, a hint that
    comes after a while, pages, the lines of a lesson, a blink.
    """
    screen = view.screen
    if isinstance(screen, v.PlayingScreen):
        screen = replace(screen, played_ns=0)
    elif isinstance(screen, v.VerdictScreen):
        screen = replace(screen, left_share=Fraction(1))
    elif isinstance(screen, v.CallNowScreen):
        screen = replace(screen, left_s=0)
    elif isinstance(screen, v.VoteScreen | v.DeclaredScreen):
        screen = replace(screen, left_s=LAST_SECONDS_FROM if screen.left_s <= LAST_SECONDS_FROM else 99)
    elif isinstance(screen, v.ReadyScreen):
        screen = replace(screen, note=0, emphasis=False)
    elif isinstance(screen, v.CountScreen):
        screen = replace(screen, legend=False)
    return replace(view, screen=screen, invert=False, page=0, lesson_line=0)


def test_whatever_changes_the_picture_changes_the_speech() -> None:
    """A field of a count that is passed by a hold, a vote that comes in, its last seconds: each is heard."""
    look()
    assert len(STEPS) > 1000
    assert [
        (old.screen, new.screen)
        for old, new in STEPS.values()
        if speech_of(old) == speech_of(new)
        and draw(without_clocks(old)).tobytes() != draw(without_clocks(new)).tobytes()
    ] == []
