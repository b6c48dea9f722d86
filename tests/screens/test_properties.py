"""Random views: drawing never raises, nothing is cut at the edge, numbers stay whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from referee.core.messages import Label, Msg, msg
from referee.core.model import view as v
from referee.core.model.registry import game_named, presets, rulebook
from referee.core.model.table import Seat, Setup, Table, Team
from referee.core.phases.agreement import AgreementScreen
from referee.core.phases.device import WIFI_NOTES, CheckScreen, OffScreen
from referee.core.phases.fixing import FixScreen
from referee.core.phases.seating import signs
from referee.core.phases.teaching import PARTS
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.core.values import replace
from referee.language.display import is_known
from referee.language.words import LANGUAGES, speaking, word
from referee.screens import draw, render
from referee.screens.canvas import Canvas, Mark
from referee.screens.fonts import font
from referee.screens.labels import delta_text, score_text
from referee.screens.tables import hand_total
from tests.english import keys_at
from tests.screens.samples import FIELDS, NAMES, samples

names = st.text(st.sampled_from("abcgjpqyzABWMöÄßèÙ-'ğ1"), min_size=1, max_size=6) | st.text(
    st.sampled_from("Wgjy é王Д👍\u200dع"), min_size=1, max_size=64
)
halves = st.integers(-2469, 2469).map(lambda n: Fraction(n, 2))
ns = st.integers(0, 10**13)
short_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)
any_message = st.builds(Msg, short_text.filter(lambda key: not is_known(key)))
"""A message without a catalogue entry is shown by its key, so this gives any text."""
hands = st.integers(1, 150)
_PAYS = msg("note.pays", who=Label((8,), "Wilhelmina"), to=Label((7, 8), "Willi"), points="1234.33")
pages = [page for preset in presets() for told in rulebook(preset, {}) for page in told.pages]
rule_titles = st.sampled_from([told.title for preset in presets() for told in rulebook(preset, {})])
rule_texts = st.sampled_from([page.text for page in pages])
rule_sources = st.sampled_from([page.sources for page in pages])
targets = st.none() | st.integers(1, 999)


@st.composite
def labels(draw_: st.DrawFn, least: int = 1, most: int = 12) -> tuple[Label, ...]:
    """Draw teams of lone seats and pairs."""
    pairs = draw_(st.booleans())
    most = min(most, 6) if pairs else most
    count = draw_(st.integers(min(least, most), most))
    numbers = [(i + 1, i + 7) if pairs else (i + 1,) for i in range(count)]
    return tuple(Label(n, draw_(names)) for n in numbers)


@st.composite
def team_lines(draw_: st.DrawFn) -> tuple[v.TeamLine, ...]:
    who = draw_(labels())
    totals = [draw_(halves) for _ in who]
    return tuple(
        v.TeamLine(
            label,
            total,
            place=1 + sum(t > total for t in totals),
            shared=totals.count(total) > 1,
            delta=draw_(st.none() | st.integers(-104, 104).map(lambda n: Fraction(n, 2))),
            corrected=draw_(st.booleans()),
        )
        for label, total in zip(who, totals, strict=True)
    )


@st.composite
def pictured(draw_: st.DrawFn) -> tuple[v.TeamLine, ...]:
    """Draw lives, places of a bus, or points: all teams of a table have the same kind."""
    if draw_(st.booleans()):
        return draw_(team_lines())
    signs = st.sampled_from(("♥♥♥♥", "♥", "9♥", "⌂", "✗", "■□□_", "□□□_■", "□□□__■"))
    return tuple(replace(line, shown=draw_(signs)) for line in draw_(team_lines()))


def on_the_bus(name: str, number: int) -> v.TeamLine:
    return v.TeamLine(Label((number,), name), Fraction(0), 1, shared=True, shown="■□□_")


# Names too long for one row put the pictures at the display's very edge.
BUS_AT_THE_EDGE = tuple(on_the_bus(name, i + 1) for i, name in enumerate(("A", "ANNA", "BO", "FRIEDA")))


# A name above a place on the bus and a hand's score, under a title: the score must touch no name.
BUS_STACKED = (
    *(on_the_bus("1", number) for number in (1, 2)),
    replace(on_the_bus("111111", 3), delta=Fraction(0)),
)


def asked(numbers: Sequence[int], names_: Sequence[str]) -> tuple[v.SeatQuestion, ...]:
    """Draw questions asked by seats."""
    labels_ = (Label((number,), name) for number, name in zip(numbers, names_, strict=False))
    return tuple(v.SeatQuestion(label, msg("seat.31" if label.numbers[0] % 2 else "seat.knock")) for label in labels_)


FOUR_LIVES = tuple(
    v.TeamLine(Label((n,), "1"), Fraction(0), 1, True, shown="♥♥♥♥" if n < 5 else "⌂") for n in range(1, 6)
)
WITHOUT_LIVES = v.TurnScreen(1, None, Label((12,), "1"), FOUR_LIVES, None, 0, (), None, 0)
PARTNER_OF_TEN = v.LobbyScreen("1", None, (*(v.SeatCell(n, None) for n in (1, 2, 3)), v.SeatCell(4, "111111", 10)), 4)
TWO_MISSING = v.ReadyScreen(1, None, (Label((1,), "1"), Label((2,), "1")), (), emphasis=True)
VOTE_OF_TEN = v.VoteScreen(msg("ask.void"), (), tuple((Label((n,), "1g"), None) for n in range(1, 11)), 9)
ASKED_BY_MANY = v.TurnScreen(1, None, Label((12,), "Bo"), (), None, 0, asked((1, 3, 11, 4), ("Bo",) * 4), None, 0)
"""Several ask whether to knock; next to the question are the seats with 31, one of them with two digits."""


@st.composite
def count_cells(draw_: st.DrawFn) -> tuple[v.CountCell, ...]:
    digit = st.none() | st.integers(0, 9).map(str)
    left = st.none() | st.integers(0, 13).map(str)
    return tuple(
        v.CountCell(
            label,
            (draw_(left), draw_(digit), draw_(digit)),
            cursor := draw_(st.none() | st.integers(0, 2)),
            done=cursor is None,
            refusal=draw_(st.none() | st.just(msg("refusal.pack", sum=(13, 45), most=52))),
            asleep=cursor is not None and draw_(st.booleans()),
        )
        for label in draw_(labels())
    )


claims = [msg(key) for key in sorted(keys_at("claim") - {"claim.own"})]
claims.append(msg("claim.own", word="WWWWWWWWWWWW"))


@st.composite
def verdicts(draw_: st.DrawFn) -> v.VerdictScreen:
    who = draw_(labels())
    kind = draw_(st.sampled_from(["clear", "tie"]))
    callers = who[: max(1, len(who) // 2)] if kind == "tie" else who[:1]
    later = tuple((w, draw_(ns)) for w in who[len(callers) :])
    return v.VerdictScreen(
        kind,
        draw_(st.booleans()),
        callers,
        later[0][0] if later else None,
        draw_(st.none() | ns),
        draw_(st.sampled_from([500_000, 20_000_000])),
        later,
        Fraction(draw_(st.integers(0, 16)), 16),
        word=draw_(st.sampled_from(claims)),
        last=draw_(st.booleans()),
        answers=draw_(st.none() | st.just(tuple((w, draw_(st.none() | st.booleans())) for w in who))),
        hint=draw_(st.sampled_from([None, *map(msg, sorted(keys_at("do")))])),
    )


@st.composite
def photos(draw_: st.DrawFn) -> v.PhotoScreen:
    instants = st.integers(-(10**9), 10**9)
    lines = tuple(
        v.PhotoLine(
            label,
            draw_(instants),
            draw_(st.integers(0, 10**8)),
            tuple(tuple(sorted((draw_(instants), draw_(instants)))) for _ in range(draw_(st.integers(0, 4)))),  # type: ignore[misc]
            draw_(st.booleans()),
            draw_(st.booleans()),
            draw_(st.integers(0, 10**10)),
        )
        for label in draw_(labels())
    )
    return v.PhotoScreen(draw_(st.integers(0, 10**8)), draw_(st.integers(0, 10**9)), lines)


@st.composite
def lobbies(draw_: st.DrawFn) -> v.LobbyScreen:
    count = draw_(st.integers(1, 12))
    cells = tuple(
        v.SeatCell(n, name := draw_(st.none() | names), draw_(st.none() | st.integers(1, 12)) if name else None)
        for n in range(1, count + 1)
    )
    naming = draw_(st.none() | st.integers(1, 12))
    hint = draw_(st.none() | any_message)
    return v.LobbyScreen(draw_(names), draw_(targets), cells, count, naming, hint, draw_(st.booleans()))


@st.composite
def spellings(draw_: st.DrawFn) -> v.NameScreen:
    """Draw a partial name and any place of the wheel."""
    text = draw_(st.text(st.sampled_from("ABCÖàz0 -'"), max_size=64))
    wheel = signs(draw_(tongues), text)
    return v.NameScreen(draw_(st.integers(1, 12)), text, wheel, draw_(st.integers(0, len(wheel) - 1)))


tongues = st.sampled_from(["en", "de", "it"])
fields = st.just(FIELDS)
menus = st.builds(
    lambda title, items, at, big, waiting: v.MenuScreen(title, tuple(items), at % max(1, len(items)), big, waiting),
    any_message,
    st.lists(any_message | short_text, max_size=9),
    st.integers(0, 8),
    st.booleans(),
    labels(0),
)
words = st.none() | st.sampled_from([msg("beat.ready"), msg("beat.set"), msg("beat.go"), 3, "WXYZ ÄÖÜ", "lower"])
ballots = st.lists(st.none() | st.booleans(), min_size=12, max_size=12)
piles = st.sampled_from(["stream", "reserve", "waste", "stock", ""])
seats_asking = st.builds(asked, st.permutations(range(1, 13)), st.lists(names, max_size=12))
one_label = st.builds(Label, st.just((12,)), names)
checked = st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=12).map(tuple)
screens = st.one_of(
    lobbies(),
    spellings(),
    st.builds(
        v.TurnScreen, hands, targets, one_label, pictured(), st.none() | one_label, st.integers(0, 8), seats_asking,
        st.none() | one_label, st.integers(0, 30),
    ),
    st.builds(v.DeclaredScreen, labels(1, 4), labels(0), seats_asking, st.integers(0, 15)),
    st.builds(v.StandingsScreen, hands, pictured()),
    st.builds(
        v.ReadyScreen, hands, targets, labels(0), team_lines(), st.booleans(),
        st.none() | st.builds(Label, st.just((11,)), names), st.lists(any_message, max_size=3).map(tuple),
    ),
    st.builds(
        AgreementScreen, names, st.lists(any_message, max_size=3).map(tuple), st.integers(1, 3),
        st.integers(1, 3), labels(0), st.booleans(),
    ),
    st.builds(v.CountdownScreen, words, st.booleans()),
    st.builds(v.WaitScreen, labels(), st.booleans()),
    st.builds(v.WaitScreen, st.just(()), st.just(False), labels()),
    st.builds(v.PlayingScreen, hands, targets, ns, team_lines()),
    st.builds(v.StopScreen),
    verdicts(),
    photos(),
    st.builds(v.CountScreen, hands, fields, count_cells(), st.booleans(), st.booleans(), labels()),
    st.builds(FixScreen, hands, fields, count_cells(), st.booleans()),
    st.builds(v.RuleScreen, rule_titles, rule_texts, rule_sources, st.integers(1, 7), st.integers(1, 7)),
    st.builds(OffScreen, st.integers(0, 99)),
    st.builds(v.WifiScreen, st.just("own"), st.sampled_from(list(WIFI_NOTES.values()))),
    st.builds(v.WifiScreen, st.just("own"), name=st.just("Table 10"), password=st.just("wwwwwwwwww")),
    st.builds(OfferScreen, st.from_regex(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,3}", fullmatch=True)),
    st.builds(UpdateScreen, st.just("0.2.0")),
    st.builds(CheckScreen, checked, st.integers()),
    st.builds(v.StandingsScreen, hands, team_lines()),
    st.builds(lambda t, w: v.OverScreen(9, tuple(x.label for x in t[:w]), t), team_lines(), st.integers(1, 12)),
    st.builds(lambda t, n: v.OverScreen(9, (t[0].label,), t, (), (_PAYS, _PAYS), n), team_lines(), st.integers(0, 2)),
    menus,
    st.builds(
        lambda question, about, voters, said, left, asleep: v.VoteScreen(
            question, about, tuple(zip(voters, said, strict=False)), left, asleep=voters[:asleep]
        ),
        any_message, labels(0), labels(), ballots, st.integers(0, 15), st.integers(0, 12),
    ),
    st.builds(v.CallNowScreen, st.integers(0, 5)),
    st.builds(v.SearchScreen, st.sampled_from([1, 2]), st.integers(0, 12), st.integers(1, 12), labels(0)),
    st.builds(v.BurnScreen, st.sampled_from([3, 2, 1, msg("beat.burn")]), piles, st.integers(1, 99)),
    st.builds(v.PowerBackScreen, st.none() | st.integers(0, 10**7), hands, st.none() | ns, short_text, labels(0)),
)  # fmt: skip
PAIR = (Seat("1", "Anna"), Seat("2", "Ben"))
TEAMS = (Team("1", ("1",)), Team("2", ("2",)))
lines_taught = [
    line
    for preset in presets()
    for part in ("deal", "play")
    for line in game_named(preset).lesson(Table(Setup(preset), PAIR, TEAMS), part, ("1", "2"))
]


def a_view(
    screen: v.Screen, page: int, invert: bool, banner: Msg | None, toast: Msg | None, lesson: list[Msg]
) -> v.View:
    """Return a view of that screen, with a lesson only where the screen has one."""
    told = tuple(lesson) if type(screen) in PARTS else ()
    return v.View(0, 0, "", screen, (), invert=invert, banner=banner, toast=toast, lesson=told, page=page)


views = st.builds(
    a_view,
    screens,
    st.integers(0, 3),
    st.booleans(),
    st.none() | any_message,
    st.none() | any_message,
    st.lists(st.sampled_from(lines_taught), max_size=3),
)


sizes = st.sampled_from([(128, 64), (256, 64)])


def ink_box(mark: Mark) -> tuple[int, int, int, int] | None:
    """Return the pixels that the text sets, on an unlimited surface."""
    face = font(mark.font)
    page = Image.new("1", (len(mark.text) * face.width or 1, face.height))
    for i, char in enumerate(mark.text):
        page.paste(face.glyph(char) if char != " " else 0, (i * face.width, 0, (i + 1) * face.width, face.height))
    box = page.getbbox()
    return box and (box[0] + mark.x, box[1] + mark.y, box[2] + mark.x, box[3] + mark.y)


def stands_readable(canvas: Canvas, mark: Mark) -> bool:
    """Return whether the picture shows exactly this text at its place, light on dark or dark on light."""
    box = ink_box(mark)
    if box is None:
        return True
    alone = Canvas(canvas.image.size)
    alone.text(mark.x, mark.y, mark.text, font(mark.font))
    wanted, found = alone.image.crop(box), canvas.image.crop(box)
    return found.tobytes() in (wanted.tobytes(), ImageChops.invert(wanted).tobytes())


def numbers_of(mark: Mark) -> list[Mark]:
    """Return the numbers in a text, each at its place.

    A letter's descender may touch a close neighbour.
    """
    width = font(mark.font).width
    return [
        mark._replace(text=found.group(), x=mark.x + found.start() * width)
        for found in re.finditer(r"[-+]?[\d½.:]*\d[½]?", mark.text)
    ]


@given(views, sizes, tongues)
@example(replace(samples()["playing-eight-hard"], toast=Msg("x" * 30)), (128, 64), "en")
@example(v.View(0, 0, "", v.StandingsScreen(1, BUS_AT_THE_EDGE), ()), (256, 64), "en")
@example(v.View(0, 0, "", PARTNER_OF_TEN, ()), (128, 64), "en")
@example(v.View(0, 0, "", TWO_MISSING, (), lesson=(msg("teach.pack", cards=52),)), (128, 64), "en")
@example(replace(samples()["search-twelve"], page=1), (128, 64), "it")
@example(v.View(0, 0, "", ASKED_BY_MANY, ()), (128, 64), "en")
def test_drawing_never_raises_and_cuts_nothing_at_the_edge(view: v.View, size: tuple[int, int], language: str) -> None:
    canvas = render(view, size, language)
    assert canvas.image.size == size
    assert canvas.image.mode == "1"
    for mark in canvas.marks:
        box = ink_box(mark)
        assert box is None or (box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]), mark


@given(views, sizes, tongues)
@example(v.View(0, 0, "", v.StandingsScreen(1, BUS_STACKED), ()), (256, 64), "en")
@example(v.View(0, 0, "", WITHOUT_LIVES, ()), (256, 64), "it")
@example(v.View(0, 0, "", VOTE_OF_TEN, (), toast=Msg("0")), (256, 64), "en")
@example(v.View(0, 0, "", AgreementScreen("W王王王👍", (), 1, 2, (), False), ()), (256, 64), "it")
def test_numbers_are_never_covered_or_cut(view: v.View, size: tuple[int, int], language: str) -> None:
    canvas = render(view, size, language)
    for mark in canvas.marks:
        if mark.font != "6x8":
            for number in numbers_of(mark):
                assert stands_readable(canvas, number), mark


@pytest.mark.parametrize(
    ("delta", "told", "text"),
    [(9, None, "+9"), (-9, None, "-9"), (0, None, "0"), (0, msg("told.lives", count=3), ""), (None, None, "")],
)
def test_a_hand_without_a_score_has_no_sign(delta: int | None, told: Msg | None, text: str) -> None:
    gained = None if delta is None else Fraction(delta)
    assert hand_total(v.TeamLine(Label((1,), "Anna"), Fraction(3), 1, False, gained, told=told)) == text


@given(team_lines(), st.sampled_from([None, msg("toast.not_saved")]), sizes)
def test_standings_show_every_score_whole(
    lines: tuple[v.TeamLine, ...], banner: Msg | None, size: tuple[int, int]
) -> None:
    """For one to twelve teams on up to three pages, with and without a banner."""

    def shown(*, gains: bool) -> list[Canvas]:
        screen = v.StandingsScreen(1, lines, gains=gains)
        return [render(v.View(0, 0, "", screen, (), banner=banner, page=n), size) for n in range(6)]

    totals, gains = shown(gains=False), shown(gains=len(lines) > v.WITH_GAINS)
    texts = [m.text.rstrip("*") for canvas in totals for m in canvas.marks]
    assert all(score_text(t.total) in texts for t in lines)
    texts = [m.text for canvas in gains for m in canvas.marks]
    assert len(lines) < 3 or all(t.delta is None or delta_text(t.delta) in texts for t in lines)
    for canvas in (*totals, *gains):
        assert all(stands_readable(canvas, m) for m in canvas.marks if m.text.lstrip("=+-")[:1].isdigit())


@given(views, sizes)
def test_inverting_is_exact_and_a_wider_display_is_drawn(view: v.View, size: tuple[int, int]) -> None:
    plain = draw(replace(view, invert=False), size)
    assert ImageChops.invert(plain).tobytes() == draw(replace(view, invert=True), size).tobytes()


def test_a_clock_tick_changes_the_clock_alone() -> None:
    """Otherwise partial updates would save nothing."""
    view = samples()["playing-four"]
    assert isinstance(view.screen, v.PlayingScreen)
    later = replace(view, screen=replace(view.screen, played_ns=view.screen.played_ns + 10**9))
    box = ImageChops.logical_xor(draw(view), draw(later)).getbbox()
    assert box is not None
    assert box[2] - box[0] <= 8  # the last digit
    assert (box[1] // 8, (box[3] - 1) // 8) == (0, 1)  # in pages of the panel, which are eight rows high


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=12), tongues, st.sampled_from([128, 256]))
def test_every_voter_stands_behind_the_answer(said: list[bool | None], language: str, width: int) -> None:
    """Checked up to twelve voters."""
    ballots = tuple((Label((n,), NAMES[n - 1]), answer) for n, answer in enumerate(said, 1))
    asked = v.VoteScreen(msg("ask.false_call"), (Label((3,), "Max"),), ballots, 9, admits=True)
    marks = render(v.View(0, 0, "", asked, ()), (width, 64), language).marks
    assert not [mark.text for mark in marks if "…" in mark.text]
    assert {mark.text for mark in marks} >= {str(n) for n in range(1, len(said) + 1)}


def test_a_past_hand_that_is_counted_again_stays_on_its_page() -> None:
    """A person who corrects at button 11 of twelve sees their own digits on a page that does not change."""
    cells = tuple(
        v.CountCell(Label((n,), NAMES[n - 1]), ("0", "2", "8"), 1 if n == 11 else None, False) for n in range(1, 13)
    )
    for page in range(3):
        shown = render(v.View(0, 0, "", FixScreen(3, FIELDS, cells, False), (), page=page))
        assert "11" in [mark.text for mark in shown.marks]
        closed = tuple(replace(cell, cursor=None) for cell in cells)
        other = render(v.View(0, 0, "", FixScreen(3, FIELDS, closed, False), (), page=page))
        assert ("11" in [mark.text for mark in other.marks]) == (page == 1)


def test_ready_asks_those_whom_it_waits_for_to_tap() -> None:
    for view in samples().values():
        if isinstance(view.screen, v.ReadyScreen) and view.screen.waiting and not view.screen.let_go:
            taught = replace(view, lesson=(msg("teach.tap_ready"),), lesson_line=0)
            for shown in (view, replace(view, banner=msg("toast.see_log")), taught):
                for size, language in product(((128, 64), (256, 64)), LANGUAGES):
                    with speaking(language):
                        asks = set(map(word, ("waiting_for", "tap_when_ready", "still_to_tap")))
                    texts = " ".join(mark.text for mark in render(shown, size, language).marks)
                    assert any(ask in texts for ask in asks), shown
