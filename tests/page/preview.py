"""The scripted table of the page's tests: sample screens in order.

The knob steps through them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from referee.core.messages import Msg, msg
from referee.core.model.view import (
    CountCell,
    CountdownScreen,
    CountScreen,
    GivenPoints,
    HandLine,
    Label,
    Lamp,
    LobbyScreen,
    MatchSheet,
    OverScreen,
    PhotoLine,
    PhotoScreen,
    PlayingScreen,
    ReadyScreen,
    Screen,
    SeatCell,
    StandingsScreen,
    StopScreen,
    TeamLine,
    VerdictScreen,
    View,
)
from referee.core.units import MS, S
from referee.core.values import Json, replace
from referee.page.feed import Feed
from referee.protocol.gestures import KNOB
from referee.protocol.snapshot import Snapshot
from referee.screens import draw
from tests.page.lines import acting, sound
from tests.screens.samples import FIELDS

NAMES = ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom", "Emma", "Paul", "Nina", "Finn")
TOTALS = (64, 51, 38, 102, -12, 27, 80, 9, 33, 45, 71, 20)
GAINED = (28, 14, -6, 9, 0, 17, 3, -2, 11, 5, -4, 22)
MOTIFS = {
    "lobby": ("asked", ((988, 150), (784, 220))),
    "starting": ("beat", ((600, 150),)),
    "called": ("call", ((800, 80), (1200, 80)) * 3),
    "verdict": ("verdict_clear", ((800, 120), (1200, 240))),
    "over": ("winner", ((523, 180), (659, 180), (784, 180), (659, 180), (1047, 600))),
}


def label(number: int) -> Label:
    return Label((number,), NAMES[number - 1])


def lines(seats: int, gained: bool = False) -> tuple[TeamLine, ...]:
    totals = TOTALS[:seats]
    return tuple(
        TeamLine(
            label(index + 1),
            Fraction(total),
            1 + sum(other > total for other in totals),
            False,
            Fraction(GAINED[index]) if gained else None,
        )
        for index, total in enumerate(totals)
    )


def cells(seats: int) -> tuple[CountCell, ...]:
    counts = [(("0", "2", "8"), None), (("4", "2", None), 2), ((None, None, None), 0), (("3", "0", "9"), None)]
    return tuple(
        CountCell(label(n), digits, cursor, cursor is None, locked=(False,) * len(FIELDS))
        for n, (digits, cursor) in zip(range(1, seats + 1), counts * 3, strict=False)
    )


def scenes(seats: int) -> list[tuple[str, Screen, str]]:
    """Return (phase, screen, lamp pattern with one letter per seat: d dark, s steady, b blinking)."""
    table = lines(seats)
    sitting = tuple(SeatCell(n, NAMES[n - 1] if n != seats else None) for n in range(1, seats + 1))
    later = ((label(2), 180 * MS),)
    word, hint = msg("claim.nertz"), msg("do.show_pile")
    half = Fraction(1, 2)
    missing = "".join("b" if n in (3, seats) else "s" for n in range(1, seats + 1))
    verdict = VerdictScreen("clear", False, (label(1),), label(2), 180 * MS, 20 * MS, later, half, word=word, hint=hint)
    return [
        ("lobby", LobbyScreen("NNA", 100, sitting, seats - 1), "s" * (seats - 1) + "b"),
        ("ready", ReadyScreen(5, 100, (label(3), label(seats)), table), missing),
        ("starting", CountdownScreen(msg("beat.set")), "s" * seats),
        ("playing", PlayingScreen(5, 100, 151 * S, table), "d" * seats),
        ("called", StopScreen(), "s" * seats),
        ("verdict", verdict, "s" + "d" * (seats - 1)),
        (
            "counting",
            CountScreen(5, FIELDS, cells(seats)),
            "sbbs" * 3,
        ),
        ("ready", StandingsScreen(5, lines(seats, gained=True)), "b" * seats),
        ("over", OverScreen(9, (label(4),), table, tuple(label(n) for n in range(1, seats + 1))), "b" * seats),
    ]


SCORES = ((28, 7, 12, 30), (-6, 26, 18, 22), (31, 9, -4, 14), (11, 9, 12, 36))
"""Scores of four hands for the first four seats; the other seats use them in turn, less 1 per round."""


def photo(seats: int, *, far: int = 9 * MS) -> PhotoScreen:
    """Return two presses of buttons of one pod, a bouncing one, and one on a wire."""
    pod = (PhotoLine(label(1), 0, 300_000, ((0, 70 * MS),), True, common_ns=2 * MS),)
    second = PhotoLine(label(2), far, 400_000, ((far, far + 2 * MS), (far + 4 * MS, 90 * MS)), False)
    third = PhotoLine(label(seats), far + 15 * MS, 300_000, ((far + 15 * MS, 60 * MS),), False, late=True)
    return PhotoScreen(20 * MS, 100 * MS, (*pod, second, third))


def sheet(seats: int) -> MatchSheet:
    """Return four hands: the second has a failed call, the third a correction, and the table gave points."""
    rows = [tuple(Fraction(SCORES[hand][seat % 4] - seat // 4) for seat in range(seats)) for hand in range(4)]
    totals, hands = [Fraction(0)] * seats, []
    for number, row in enumerate(rows):
        totals = [total + score for total, score in zip(totals, row, strict=True)]
        hands.append(
            HandLine(
                "call" if number != 2 else "stuck",
                (max(range(seats), key=lambda at: row[at]),) if number != 2 else (),
                row,
                tuple(totals),
                tuple(at for at in range(seats) if totals[at] == max(totals)),
                (1,) if number == 2 else (),
                (photo(seats), photo(seats, far=26 * MS))[: 2 if number == 1 else number != 2],
                (GivenPoints(1, Fraction(-5), msg("reason.penalty")),) if number == 1 else (),
            )
        )
    table = tuple(
        TeamLine(
            label(at + 1), total, 1 + sum(t > total for t in totals), totals.count(total) > 1, rows[-1][at], at == 1
        )
        for at, total in enumerate(totals)
    )
    start = (Fraction(0),) * seats
    return MatchSheet("NNA Nertz", 150, tuple(label(n + 1) for n in range(seats)), table, start, tuple(hands))


SIDES: list[dict[str, Json]] = [
    {
        "seats": [1],
        "reserve": [9, "7C"],
        "piles": [["KD", "QS", "JH"], ["9H", "8S"], [], ["4C"]],
        "stock": 3,
        "waste": ["2D", "KC", "5H"],
        "away": [],
        "mends": False,
    },
    {
        "seats": [2],
        "reserve": [4, "AC"],
        "piles": [["10H"], ["QC", "JD"], ["6S"], ["3H"]],
        "stock": 2,
        "waste": ["8D"],
        "away": ["waste"],
        "mends": False,
    },
    {
        "seats": [3],
        "reserve": [12, "2S"],
        "piles": [["JC"], ["", "9D"], ["7H"], ["KS"]],
        "stock": 0,
        "waste": [],
        "away": [],
        "mends": True,
    },
]
FELT: dict[str, Json] = {
    "lake": [["4H", [0, 1, 1, 2]], ["AS", [2]], ["6D", [0, 0, 1, 2, 1, 0]], ["*=3C", [1, 0, 2]]],
    "astray": [[1, "5S", 1]],
}
"""Cards as simulator/table/cards_document.py writes them: an impossible hand that has everything a page can show."""


class Show:
    """The scripted table: `step` shows the next scene, a press toggles its seat's lamp, the knob steps."""

    def __init__(self, seats: int = 8, *, watch: bool = False, bots: Sequence[str] | None = None) -> None:
        usual = ("5", "6") if seats > 6 else ()
        self.feed = Feed(
            map(str, range(1, seats + 1)), bots=usual if bots is None else bots, act=None if watch else acting(self)
        )
        self.seats = seats
        self.language = "en"
        self.at = 0
        self.log: list[tuple[str, bool] | int] = []
        self.down: set[str] = set()
        self.moves: list[tuple[int, str]] = []
        self.blink = True
        self.show()

    def contact(self, name: str, closed: bool) -> None:
        self.log.append((name, closed))
        (self.down.add if closed else self.down.discard)(name)
        if name == KNOB and closed:
            self.turn(1)
        self.show()

    def turn(self, steps: int) -> None:
        self.log.append(steps)
        self.at += steps
        self.show()
        if motif := MOTIFS.get(self.view().phase):
            self.feed.play(sound(*motif))

    def card(self, seat: int, move: str) -> None:
        self.moves.append((seat, move))

    def hasten(self, times: int) -> None:
        self.moves.append((times, "speed"))

    def visitors(self, count: int) -> None:
        """Ignore visitors."""

    def view(self) -> View:
        scenery = scenes(self.seats)
        phase, screen, letters = scenery[self.at % len(scenery)]
        lamps = tuple(self._lamp(str(n + 1), letters[n]) for n in range(self.seats))
        inverted = isinstance(screen, StopScreen)
        match = None if phase == "lobby" else sheet(self.seats)
        if match is not None and phase == "over":
            match = replace(match, winners=(3,))
        call = photo(self.seats) if phase in ("verdict", "counting") else None
        return View(
            now_ns=0,
            seq=self.at,
            phase=phase,
            screen=screen,
            lamps=lamps,
            invert=inverted,
            language=self.language,
            match=match,
            call=call,
        )

    def _lamp(self, station: str, letter: str) -> Lamp:
        if station in self.down:
            return Lamp(station, True, "wink")
        return Lamp(
            station, letter == "s" or (letter == "b" and self.blink), {"b": "slow", "s": "steady"}.get(letter, "dark")
        )

    def show(self) -> None:
        view = self.view()
        self.feed.publish(Snapshot(view, draw(view).tobytes()))

    def deal(self, lesson: Iterable[Msg] = (), *, seats: Iterable[int] = (1, 2, 3)) -> None:
        """Deal cards of three teams, the first a person's."""
        sides: list[Json] = [{**side, "seats": [seat]} for side, seat in zip(SIDES, seats, strict=True)]
        self.feed.lay({**FELT, "sides": sides, "mine": [], "bots": [2, 3], "refused": {}, "pace": 100}, lesson)

    def deal_three(self, *mine: int, discards: str = "9S", turn: int = 1) -> None:
        """Deal three cards each at 31.

        Only the page that has taken up seat 1 receives that seat's cards.
        """
        sides: list[Json] = [{"seats": [seat], "hand": ["", "", ""], "worth": ""} for seat in (1, 2, 3)]
        lying: dict[str, Json] = {"sides": sides, "deck": 4, "discards": discards, "turn": [turn]}
        own: dict[str, Json] = {str(seat): ["AH", "KH", "10C"] for seat in mine}
        table: dict[str, Json] = {"mine": [*mine], "bots": [2, 3], "refused": {}, "pace": 100}
        self.feed.lay({**lying, "own": own, **table})

    def turn_cards(self, *cards: str, reason: str, right: bool) -> None:
        """Turn cards in the middle in a game of claims; `right`: whether there is a reason to press."""
        claim: dict[str, Json] = {"reason": reason, "cards": [*cards], "right": right, "said": "J"}
        table: dict[str, Json] = {"mine": [], "bots": [2, 3], "refused": {}, "pace": 100}
        self.feed.lay({"sides": [], "claim": claim, **table})

    def beat(self) -> None:
        self.blink = not self.blink
        self.show()
