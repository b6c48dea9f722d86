"""Display, page and screen reader say the same, in every language, in every phase of every game of the registry.

The phases are the transition table's, so a new one without an example fails here. Examples are the tapes' evenings and
the stories below, looked at after each gesture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from referee.core.match.transition_table import rows
from referee.core.model.registry import all_games, game_named, game_of, presets
from referee.core.model.table import Setup
from referee.core.model.transitions import CountedGame, Game
from referee.core.model.view import (
    PAGE_NS,
    CallNowScreen,
    CountScreen,
    DeclaredScreen,
    LobbyScreen,
    MenuScreen,
    NameScreen,
    OverScreen,
    PhotoLine,
    PhotoScreen,
    PlayingScreen,
    PowerBackScreen,
    ReadyScreen,
    Screen,
    SearchScreen,
    SheetScreen,
    StandingsScreen,
    TeamLine,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
)
from referee.core.phases.counting import Counting
from referee.core.phases.device import CheckScreen
from referee.core.phases.fixing import Fixing, FixScreen
from referee.core.phases.race import Race
from referee.core.units import MS, S
from referee.core.values import replace
from referee.language import say
from referee.language.display import SHORT
from referee.language.say import phase_name
from referee.language.speech import speech_of
from referee.language.words import ALOUD, LANGUAGES, Catalogue, Key, current_language, sentence, speaking
from referee.screens import render
from referee.screens.canvas import Mark
from referee.screens.labels import all_pages
from referee.web.documents import view_document
from referee.web.face import face_of, numbers_of
from referee.web.finish import finish
from referee.web.snapshot import Snapshot
from tests.core.games.thirtyone.table import table as table_of_31
from tests.core.sitting import BREATH_NS, Sitting
from tests.language.catalogues import MESSAGES
from tests.screens.samples import FIELDS, NAMES, cells, samples, team_lines
from tests.tapes.play import Play
from tests.tapes.tape import names, read

GAMES = all_games()
PEOPLE = (("1", "Anna"), ("2", "Ben"), ("3", "Max"))
COUNTS = {Counting.name, Fixing.name}
"""Phases of games whose hands are counted; the shared rows have them everywhere."""

# -- the examples --------------------------------------------------------------------------------------------------


SEEN: dict[Game, dict[tuple[str, str], View]] = {game: {} for game in GAMES}
"""Game -> a view of each phase with each of its screens."""
LOOKED: dict[Game, dict[Screen, View]] = {game: {} for game in GAMES}
"""Game -> every different screen, with a view that had it."""


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


def examples(game: Game) -> dict[tuple[str, str], View]:
    """A view of each phase with each of its screens: all that the tapes and the stories come by."""
    look()
    return SEEN[game]


@cache
def look() -> None:
    """Every tape and story, once, for all games."""
    collect = Sitting._collect

    def watched(table: Sitting) -> None:
        collect(table)
        view, of = table.view, game_of(table.engine.state.table)
        SEEN[of].setdefault((table.phase, type(view.screen).__name__), view)
        LOOKED[of].setdefault(view.screen, view)

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


def page_of(view: View) -> dict[str, Any]:
    """What the page's script is sent, and what other programs read."""
    snapshot = Snapshot(view, render(view, language=view.language).image.tobytes())
    return {**face_of(snapshot), "document": view_document(view)}


def turned(view: View) -> Iterator[View]:
    """The view, and of a list the view at each line to which the knob can be turned from it."""
    yield view
    if isinstance(view.screen, MenuScreen):
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


def unsaid(screen: Screen) -> set[float]:
    """The figures of the display that speech may leave out or say in a word, and why."""
    match screen:
        case LobbyScreen():  # a free button is an invitation to whoever sits at it: "Tap your button to join"
            empty = {float(cell.number) for cell in screen.seats if not cell.name}
            return empty | ({0.0} if not screen.teams else set())  # "Nobody has sat down yet"
        case NameScreen():  # the wheel beside the letter at which the knob is
            return {float(sign) for sign in screen.signs if sign.isdigit()}
        case CheckScreen():  # those that were heard are all but the named ones
            return {float(number) for number, pressed in screen.seats if pressed}
        case PlayingScreen():  # the clock: a reader that says every second is silenced
            return figures(f"{screen.played_ns // S // 60} {screen.played_ns // S % 60}")
        case VoteScreen() | DeclaredScreen() | CallNowScreen():  # the seconds left, likewise
            return {float(screen.left_s)}
        case PowerBackScreen():  # "0:43" is 43 seconds
            return {0.0}
        case PhotoScreen():  # how far the axis goes; and its 0, which the last one's press is
            return {float(screen.span_ns / MS - (screen.tie_window_ns / MS if screen.last else 0)), 0.0}
        case SearchScreen():  # "1 card" is the top card
            return {1.0}
        case MenuScreen(about=about) if about is not None:  # "< 0" is "below zero"
            return {0.0}
        case CountScreen() | FixScreen():  # "tap: +1" is "tap for one more"; a half is a word; digits see below
            return {1.0, 0.5, *map(float, range(10))}
        case _:
            return set()


def said_figures(view: View) -> set[float]:
    """What is spoken; of times the milliseconds that were told in seconds, too, and the other way round."""
    still = replace(view, screen=replace(view.screen, value=None)) if isinstance(view.screen, MenuScreen) else view
    said = figures(pointed(" ".join(map(speech_of, (view, *turned(still))))))
    if isinstance(view.screen, VerdictScreen | PhotoScreen):
        return said | {one * 1000 for one in said} | {one / 1000 for one in said}
    return said


def is_said(shown: float, said: set[float], screen: Screen) -> bool:
    """The same; of times as far as both are rounded: hundredths of a second on the verdict and in speech."""
    off = {VerdictScreen: 0.005, PhotoScreen: 5 if shown >= 100 else 0.05}.get(type(screen), 1e-9)
    return any(abs(shown - one) <= off for one in said)


def all_views(game: Game | None) -> list[View]:
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
        if isinstance(view.screen, VerdictScreen | PhotoScreen | OverScreen):  # elsewhere "1,2" are two seats
            texts = list(map(pointed, texts))
        shown = set().union(*map(figures, texts))
        said = said_figures(view) | unsaid(view.screen)
        missing = {one for one in shown if not is_said(one, said, view.screen)}
        assert not missing, (missing, view.screen, speech_of(view))
        if isinstance(view.screen, CountScreen):
            units = [dict(name.values).get("unit") for name in view.screen.field_names]
            for cell in view.screen.cells:
                counted = {float(one) for one in numbers_of(cell.fields, units) if one is not None}
                assert counted <= said | {0.5}, (counted, cell)


@every
@sources
def test_a_photo_finish_tells_display_page_and_speech_the_same_times(game: Game | None, language: str) -> None:
    """How long after the first press, or before the last one, each press came: to the millisecond, with its sign."""
    for view in all_views(game):
        if isinstance(view.screen, PhotoScreen) and len(view.screen.lines) > 1:
            marks = [mark.text for mark in render(replace(view, language=language), language=language).marks]
            with speaking(language):
                rows = finish(view.screen, "").rows
            told = [row[1].removesuffix(" ms").replace("\N{MINUS SIGN}", "-") for row in rows]
            whole = {f"{round(float(pointed(one))):+d}" for one in told}
            pressed = {mark for mark in marks if re.fullmatch(r"[+-]\d+([.,]\d)?", mark)}
            assert pressed <= {*told, *whole, f"-{view.screen.tie_window_ns // MS}"}, (pressed, told)


# -- and of whom ---------------------------------------------------------------------------------------------------

BESIDE_PX = 3
"""A badge may stand so far below the upper edge of the larger figure beside it."""
BADGE_PX, AXIS_PX = 8, 56
"""In a photo finish a row begins with its number, and the axis lies below all rows."""
SEATED = tuple(line.label for line in team_lines([Fraction(0)] * 12))


def scored(teams: int) -> tuple[TeamLine, ...]:
    """So many teams whose figures are all different, and none of them a seat's number."""
    deltas = [Fraction((50 + n) * (-1) ** n) for n in range(teams)]
    return team_lines([Fraction((100 + 3 * n) * (-1) ** (n // 3)) for n in range(teams)], deltas)


Table = PlayingScreen | SheetScreen | StandingsScreen | OverScreen | TurnScreen | ReadyScreen
NOT_ALL = {"over", "turn", "ready"}
"""These have room for the first ones' figures on the display, or for none: page and speech have them all."""


def tables(teams: int) -> dict[str, Table]:
    """The screens that have a figure for each team."""
    lines = scored(teams)
    ranked = tuple(sorted(lines, key=lambda line: line.place))
    return {
        "ready": ReadyScreen(5, None, (), lines),
        "turn": TurnScreen(5, None, lines[-1].label, lines),
        "playing": PlayingScreen(5, None, 61 * S, lines),
        "sheet": SheetScreen(5, lines),
        "standings": StandingsScreen(5, ranked),
        "over": OverScreen(9, (ranked[0].label,), ranked),
    }


def beside(marks: Sequence[Mark], numbers: Collection[str]) -> dict[str, list[str]]:
    """Whose badge each figure stands beside: the nearest one above it or in its row, and of these the nearest to the
    left. Seat -> its figures."""
    badges = [mark for mark in marks if mark.text in numbers]
    told: dict[str, list[str]] = {}
    for mark in marks:
        before = [b for b in badges if b.x <= mark.x and b.y <= mark.y + BESIDE_PX and b is not mark]
        figure = re.fullmatch(r"(?:\D+ )?=?([+-]?\d+½?)", mark.text)
        if before and figure and mark not in badges:
            told.setdefault(max(before, key=lambda b: (b.y, b.x)).text, []).append(figure[1])
    return told


def view_of(screen: Screen, page: int = 0, language: str = "en") -> View:
    """That screen at some instant of a match."""
    return View(0, 0, "PLAYING", screen, (), page=page, language=language)


def parts_of(text: str, who: Sequence[str]) -> dict[str, str]:
    """What is said of each where it is named last, up to the next one's name."""
    at = sorted((text.rindex(f"{name}:"), name) for name in who)
    return {name: text[start:end] for (start, name), (end, _) in pairwise([*at, (len(text), "")])}


@every
@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("teams", [2, 3, 4, 8, 12])
@pytest.mark.parametrize("screen", tables(2))
def test_each_team_has_its_own_figures_on_display_page_and_aloud(
    screen: str, teams: int, size: tuple[int, int], language: str
) -> None:
    """Beside its badge stand its total and what the last hand brought, with their signs, and no other team's; behind
    its name the same is said, and stands in what the page is sent."""
    shown = tables(teams)[screen]
    lines = {str(line.label.numbers[0]): line for line in shown.lines}
    seen: dict[str, list[str]] = {}
    for page in range(len(all_pages(tuple(lines), 1))):
        now = (
            replace(shown, played_ns=page * PAGE_NS) if isinstance(shown, PlayingScreen) else shown
        )  # its own clock turns
        for seat, numbers in beside(render(view_of(now, page), size, language).marks, lines).items():
            seen.setdefault(seat, []).extend(numbers)
    for seat, numbers in seen.items():
        assert {Fraction(number) for number in numbers} <= {lines[seat].total, lines[seat].delta}, (seat, numbers)
    first = {shown.lines[0].label.numbers[0]} - ({1} if screen == "ready" else set())
    assert seen.keys() == lines.keys() if screen not in NOT_ALL else seen.keys() >= set(map(str, first))
    sent = page_of(view_of(shown, language=language))
    with speaking(language):
        who = {seat: sentence("who", name=line.label.name, numbers=seat) for seat, line in lines.items()}
        said = parts_of(sent["words"], list(who.values()))
        for seat, line in lines.items():
            own = (line.total, line.delta or Fraction(0))
            assert figures(said[who[seat]]) == {float(seat), *(abs(float(number)) for number in own)}
            assert all(say.points(number) in said[who[seat]] for number in own)
    document = {str(line["label"]["numbers"][0]): line for line in sent["document"]["screen"]["lines"]}
    assert {seat: (Fraction(line["total"]), Fraction(line["delta"])) for seat, line in document.items()} == {
        seat: (line.total, line.delta) for seat, line in lines.items()
    }


@every
@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("teams", [2, 4, 8])
def test_each_team_has_its_own_count_on_display_page_and_aloud(
    teams: int, size: tuple[int, int], language: str
) -> None:
    """The digits of its row, the numbers behind its name, and what a phone is sent are one count."""
    counts = {str(n): (n, 10 + 3 * n) for n in range(1, teams + 1)}
    entered = [(str(left), *str(lake)) for left, lake in counts.values()]
    done = cells(entered, [None] * teams)
    shown = CountScreen(5, FIELDS, tuple(replace(cell, locked=(False,) * 3) for cell in done))
    marks = [mark for mark in render(view_of(shown), size, language).marks if re.fullmatch(r"\d+", mark.text)]
    rows = ["".join(mark.text for mark in marks[4 * n : 4 * n + 4]) for n in range(teams)]
    assert rows == [f"{seat}{left}{lake}" for seat, (left, lake) in counts.items()]
    sent = page_of(view_of(shown, language=language))
    assert {str(cell["seats"][0]): tuple(cell["numbers"]) for cell in sent["count"]["cells"]} == counts
    with speaking(language):
        who = {seat: sentence("who", name=NAMES[int(seat) - 1], numbers=seat) for seat in counts}
    said = parts_of(sent["words"], list(who.values()))
    assert {seat: figures(said[who[seat]]) for seat in counts} == {
        seat: {float(seat), float(left), float(lake)} for seat, (left, lake) in counts.items()
    }


def timed(presses: int, last: bool) -> tuple[PhotoScreen, dict[str, int]]:
    """A photo finish of so many presses, 7 ms apart; how many ms after the first one, or before the last, each came."""
    at = {n: 7 * (n - 1) for n in range(1, presses + 1)}
    lines = tuple(
        PhotoLine(SEATED[n - 1], ms * MS, 100_000 * n, ((ms * MS, 100 * MS),), n == (presses if last else 1))
        for n, ms in at.items()
    )
    ends = max(at.values()) if last else 0
    return PhotoScreen(20 * MS, 100 * MS, lines, last=last), {str(n): abs(ms - ends) for n, ms in at.items()}


def times_beside(marks: Sequence[Mark], seats: Collection[str]) -> dict[str, float]:
    """Seat -> the time at the right end of the row that its number begins."""
    badges = [mark for mark in marks if mark.text in seats and mark.x < BADGE_PX]
    times = [mark for mark in marks if re.fullmatch(r"[+-]\d+(\.\d)?|0", pointed(mark.text)) and mark.y < AXIS_PX]
    return {
        max((b for b in badges if b.y <= mark.y + BESIDE_PX), key=lambda b: b.y).text: abs(float(pointed(mark.text)))
        for mark in times
    }


@every
@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("presses", [2, 3, 4, 8, 12])
def test_each_press_of_a_photo_finish_is_its_own_team_s(
    presses: int, last: bool, size: tuple[int, int], language: str
) -> None:
    """In the row of its number, behind its name, and in its row of the page: how long after the first press, or before
    the last one."""
    photo, came = timed(presses, last)
    seen: dict[str, float] = {}
    for page in range(len(all_pages(photo.lines, 4))):
        seen |= times_beside(render(view_of(photo, page, language), size, language).marks, came)
    assert seen == came
    with speaking(language):
        who = {
            seat: sentence("who", name=line.label.name, numbers=seat)
            for seat, line in zip(came, photo.lines, strict=True)
        }
        said = pointed(speech_of(view_of(photo, language=language)))
        at = [said.index(name) for name in who.values()]
        ends = [*at[1:], len(said)]
        for (seat, name), start, end in zip(who.items(), at, ends, strict=True):
            told = figures(said[start + len(name) : end])
            assert told == {came[seat], int(seat) / 10} - ({0.0} if last and not came[seat] else set()), said
        rows = {row[0]: row[1] for row in finish(photo, "").rows}
        assert [abs(float(pointed(rows[row]).split()[0].replace("\N{MINUS SIGN}", "-"))) for row in rows] == [
            *came.values()
        ]


@every
@pytest.mark.parametrize("size", [(128, 64), (256, 64)])
def test_each_later_press_of_a_verdict_is_its_own_team_s(size: tuple[int, int], language: str) -> None:
    """The nearest one in large, the next ones in small; all of them aloud."""
    later = tuple((SEATED[n - 1], n * 110 * MS) for n in range(2, 9))
    shown = VerdictScreen("clear", False, SEATED[:1], SEATED[1], 220 * MS, 20 * MS, later)
    marks = render(view_of(shown), size, language).marks
    assert "+0.22 s" in [pointed(mark.text) for mark in marks]
    small = [re.fullmatch(r"(\d)\D* \+(\d\.\d\d)", pointed(mark.text)) for mark in marks]
    pairs = [(found[1], float(found[2])) for found in small if found]
    badges = {mark.y: mark.text for mark in marks if mark.text.isdigit() and mark.x > size[0] / 2}
    pairs += [
        (badges[mark.y], float(pointed(mark.text))) for mark in marks if mark.y in badges and mark.text.startswith("+")
    ]
    assert len(pairs) == (1 if size[0] == 128 else 4)
    assert all(s == pytest.approx(int(seat) * 0.11) for seat, s in pairs)
    said = pointed(speech_of(view_of(shown, language=language)))
    with speaking(language):
        for label, ns in later:
            name = sentence("who", name=label.name, numbers=str(label.numbers[0]))
            assert figures(said[said.index(name) + len(name) :].split(" ", 2)[-1].split(". ")[0]) == {ns / S}, said
