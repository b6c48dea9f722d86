"""Display, page and screen reader agree, in every language, in every phase of every registered game.

The phases are the transition table's, so a new one without an example fails here. Examples are the tapes' evenings and
the stories below, checked after each gesture.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import chain, cycle
from typing import Any

import pytest

from referee.core.match.transition_table import rows
from referee.core.model import view as v
from referee.core.model.events import Linked
from referee.core.model.registry import all_games, game_named, game_of, presets, usual_rules
from referee.core.model.table import Setup
from referee.core.model.transitions import CountedGame, Game
from referee.core.phases.counting import Counting
from referee.core.phases.device import CheckScreen
from referee.core.phases.fixing import Fixing, FixScreen
from referee.core.phases.race import Race
from referee.core.phases.settings import offered_settings, set_option
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language.display import SHORT
from referee.language.say import LAST_SECONDS_FROM, phase_name
from referee.language.speech import speech_of
from referee.language.words import ALOUD, LANGUAGES, Catalogue, Key, current_language, speaking
from referee.page.api import view_document
from referee.page.table_document import face_of, numbers_of
from referee.protocol.snapshot import Snapshot
from referee.screens import draw, render
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.language.catalogues import MESSAGES
from tests.screens.samples import samples
from tests.tapes.play import Play
from tests.tapes.tape import names, read

GAMES = all_games()
PEOPLE = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))
COUNTS = {Counting.name, Fixing.name}
"""Phases of games whose hands are counted; the shared rows contain them for all games."""

# -- examples ----------------------------------------------------------------------------------------------------------


SEEN: dict[Game, dict[tuple[str, str], v.View]] = {game: {} for game in GAMES}
"""Game -> a view of each phase with each of its screens."""
LOOKED: dict[Game, dict[type, dict[v.Screen, v.View]]] = {game: defaultdict(dict) for game in GAMES}
"""Game -> kind of screen -> different screens, with one of their views."""
STEPS: dict[tuple[str, type, type], dict[object, tuple[v.View, v.View]]] = defaultdict(dict)
"""Phase and kinds of screen -> different pairs of successive views."""
OF_A_KIND = 100
"""Number of screens and of pairs that are kept of each kind."""


def lobby(preset: str) -> Sitting:
    return Sitting(Setup(preset, (), ("1", "2", "3"), PEOPLE)).tap("1", "2", "3")


def device(preset: str) -> None:
    """Check the buttons, hear of a newer version and install it, and switch off the device."""
    lobby(preset).choose("Device").choose("Check").press("1").push()
    lobby(preset).choose("Device").choose("Off").choose("Switch off")
    newer = lobby(preset).wait(6 * S)
    newer.engine.intake([Linked(newer.now_ns, "update:0.2.0", True)], newer.now_ns)
    newer.wait(S).press("knob", ns=S)


def agreeing(preset: str) -> None:
    """Ask all players about a rule of the table's own; one has tapped."""
    setup = Setup(preset, (), ("1", "2", "3"), PEOPLE, agreement=True)
    usual = usual_rules(setup)
    for setting in offered_settings(setup)[:1]:
        value = next(value for value, _ in setting.choices if value != usual[setting.name])
        own = set_option(setup, setting.name, value)
        Sitting(own).tap("1", "2", "3").seated().tap("1")


def interrupted(preset: str) -> None:
    """Pause in the hand, and cut the power."""
    table = lobby(preset).seated().tap("1", "2", "3").wait(6 * BREATH_NS)
    if isinstance(table.engine.state.phase, Race):
        table.close("knob").wait(BREATH_NS).open("knob")
    else:
        table.choose("Time out")
    table.power_cut().wait(BREATH_NS)


def without_race() -> None:
    """Play what is special to the game of turns: a knock, values, a declared 31."""
    counted = table_of_31(3).dealt().knocks().done().done().values({"1": 20, "2": 25, "3": 30})
    counted.wait(9 * S).choose("Fix counts")
    table = table_of_31(3).dealt().declares("1").wait(16 * S)
    table.wait(9 * S)
    table.choose("More").choose("End match").wait(BREATH_NS).tap("1", "2", "3")
    for _ in range(4):
        table.wait(20 * S)


def examples(game: Game) -> dict[tuple[str, str], v.View]:
    """Return a view of each phase with each of its screens, from the tapes and stories."""
    look()
    return SEEN[game]


@cache
def look() -> None:
    """Run every tape and story once for all games."""
    collect, before = Sitting._collect, dict[int, tuple[Sitting, v.View]]()

    def watched(table: Sitting) -> None:
        collect(table)
        view, of = table.view, game_of(table.engine.state.table)
        old = before.get(id(table), (table, view))[1]
        before[id(table)] = (table, view)
        steps = STEPS[table.phase, type(old.screen), type(view.screen)]
        if len(steps) < OF_A_KIND:
            steps.setdefault((old.screen, view.screen, old.toast, view.toast), (old, view))
        SEEN[of].setdefault((table.phase, type(view.screen).__name__), view)
        screen = replace(view.screen, played_ns=0) if isinstance(view.screen, v.PlayingScreen) else view.screen
        screens = LOOKED[of][type(screen)]
        if len(screens) < OF_A_KIND:
            screens.setdefault(screen, view)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sitting, "_collect", watched)
        patch.setattr(Sitting, "_look_until", lambda table, until_ns: None)  # the tapes' own tests check this
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
    phases -= set() if game.settings else {"AGREEMENT"}
    assert phases - {phase for phase, _ in examples(game)} == set()


# -- texts -------------------------------------------------------------------------------------------------------------


def heard(say: Callable[[], Any], patch: pytest.MonkeyPatch) -> set[tuple[str, str, str, str]]:
    """Return (language, place, key, text) of every text produced."""
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
    """Return the page script's message, and the document for other programs."""
    snapshot = Snapshot(view, render(view, language=view.language).image.tobytes())
    return {**face_of(snapshot), "document": view_document(view)}


def turned(view: v.View) -> Iterator[v.View]:
    """Yield the view, and for a list the view at each line that the knob can reach."""
    yield view
    if isinstance(view.screen, v.MenuScreen):
        for cursor in range(len(view.screen.items)):
            yield replace(view, screen=replace(view.screen, cursor=cursor))


def in_languages(game: Game | None) -> Iterator[v.View]:
    """Yield the screens of the game's examples, each in one language; without a game the samples in every one."""
    if game is None:
        yield from (replace(view, language=language) for view in samples().values() for language in LANGUAGES)
        return
    examples(game)
    views = chain.from_iterable(screens.values() for screens in LOOKED[game].values())
    yield from map(lambda view, language: replace(view, language=language), views, cycle(LANGUAGES))


every = pytest.mark.parametrize("language", LANGUAGES)
sources = pytest.mark.parametrize("game", [*GAMES, None], ids=lambda game: type(game).__name__ if game else "samples")
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)


@every
@each_game
def test_what_the_display_says_is_spoken_and_the_page_has_both(
    game: Game, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the table's language only; each displayed message of the core is also spoken.

    A list shows the lines above and below the cursor; each is spoken when the knob comes to it.
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
"""Punctuation that is read aloud, or hides the sentence before it."""
POINT = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")
"""A figure with a decimal point; an address has more points."""


@sources
def test_speech_is_made_of_sentences(game: Game | None) -> None:
    """Each sentence begins with a capital, a name or a figure and ends once.

    Checked at the screens of the evenings, each line of their lists, and the samples, whose names have capitals.
    """
    for view in in_languages(game):
        for said in map(speech_of, turned(view)):
            assert not SMALL.search(said), (SMALL.findall(said), said)
            assert not STRAY.search(said), (STRAY.findall(said), said)
            assert view.language == "en" or not POINT.search(said), (POINT.findall(said), said)


# -- figures -----------------------------------------------------------------------------------------------------------

FIGURE = re.compile(r"(?=[\d½])(\d+(?:\.\d+)?)?(½?)")
COMMA = re.compile(r"(?<=\d),(?=\d)")


def pointed(text: str) -> str:
    """Return a text of any language with decimal points in its figures."""
    return COMMA.sub(".", text)


def figures(text: str) -> set[float]:
    """Return the numbers of a text without their signs."""
    return {float(whole or 0) + (0.5 if half else 0) for whole, half in FIGURE.findall(text)}


def unsaid(screen: v.Screen) -> set[float]:
    """Return the display's figures that speech may leave out or say in a word.

    Each case has its reason.
    """
    match screen:
        case v.LobbyScreen():  # a free button invites the person there: "Tap your button to join"
            empty = {float(cell.number) for cell in screen.seats if not cell.name}
            return empty | ({0.0} if not screen.teams else set())  # "Nobody has sat down yet"
        case v.NameScreen():  # the wheel next to the letter at the knob's position
            return {float(sign) for sign in screen.signs if sign.isdigit()}
        case CheckScreen():  # the buttons heard are all but the named ones
            return {float(number) for number, pressed in screen.seats if pressed}
        case v.PlayingScreen():  # the clock, and a countdown: reading every second aloud would be a nuisance
            return figures(f"{screen.played_ns // S // 60} {screen.played_ns // S % 60} {screen.later_s}")
        case v.StandingsScreen():  # nobody says "plus 0"
            return {0.0}
        case v.VoteScreen() | v.DeclaredScreen() | v.CallNowScreen():  # the seconds left, likewise
            return {float(screen.left_s)}
        case v.PowerBackScreen():  # "0:43" is 43 seconds
            return {0.0}
        case v.PhotoScreen():  # the length of the axis, and its 0 for the last press
            return {float(screen.span_ns / MS - (screen.tie_window_ns / MS if screen.last else 0)), 0.0}
        case OfferScreen() | UpdateScreen():  # a version's letters are drawn one by one
            return {float(sign) for sign in screen.version if sign.isdigit()}
        case v.SearchScreen():  # "1 card" is the top card
            return {1.0}
        case v.MenuScreen(about=about) if about is not None:  # "< 0" is "below zero"
            return {0.0}
        case v.CountScreen() | FixScreen():  # "tap: +1" is "tap for one more"; a half is a word; digits see below
            return {1.0, 0.5, *map(float, range(10))}
        case _:
            return set()


def said_figures(view: v.View) -> set[float]:
    """Return the spoken figures, with times converted between milliseconds and seconds."""
    still = replace(view, screen=replace(view.screen, value=None)) if isinstance(view.screen, v.MenuScreen) else view
    said = figures(pointed(" ".join(map(speech_of, (view, *turned(still))))))
    if isinstance(view.screen, v.VerdictScreen | v.PhotoScreen):
        return said | {one * 1000 for one in said} | {one / 1000 for one in said}
    return said


def is_said(shown: float, said: set[float], screen: v.Screen) -> bool:
    """Return whether the figure is equal, for times within their rounding to hundredths of a second."""
    off = {v.VerdictScreen: 0.005, v.PhotoScreen: 5 if shown >= 100 else 0.05}.get(type(screen), 1e-9)
    return any(abs(shown - one) <= off for one in said)


@sources
def test_each_figure_of_the_display_is_spoken_and_the_page_has_it(game: Game | None) -> None:
    """Includes scores, counts, times, pages and seats.

    `unsaid` gives the exceptions with reasons. The page has the spoken text (above), and the whole numbers of a count,
    checked here.
    """
    for view in in_languages(game):
        texts = [mark.text for mark in render(view, language=view.language).marks]
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


# -- changes -----------------------------------------------------------------------------------------------------------


def without_clocks(view: v.View) -> v.View:
    """Return the view without parts that change by themselves, which must not be spoken at each tick.

    These are the hand's clock, the verdict's bar, seconds, alternating notes, a delayed hint, pages, the lines of a
    lesson, a blink.
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
    elif isinstance(screen, v.StandingsScreen):
        screen = replace(screen, gains=False)
    elif isinstance(screen, v.OverScreen):
        screen = replace(screen, note=0)
    elif isinstance(screen, v.CountScreen):
        screen = replace(screen, legend=False, called=())  # the verdict has named the callers
    elif isinstance(screen, v.LobbyScreen):
        screen = replace(screen, starts=False)
    return replace(view, screen=screen, invert=False, page=0, lesson_line=0)


def test_whatever_changes_the_picture_changes_the_speech() -> None:
    """Examples: a count's field passed by a hold, a new vote, its last seconds."""
    look()
    pairs = [pair for steps in STEPS.values() for pair in steps.values()]
    assert len(pairs) > 1000
    assert [
        (old.screen, new.screen)
        for old, new in pairs
        if speech_of(old) == speech_of(new)
        and draw(without_clocks(old)).tobytes() != draw(without_clocks(new)).tobytes()
    ] == []
