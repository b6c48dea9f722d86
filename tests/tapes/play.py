"""Play a tape through the Engine, and report in one sentence what differs from it.

Conditions after `is`: a phase's name; `verdict clear|tie|grey SEAT...` (the callers); `totals N...` in seat order;
`hands N` sealed so far; `asking SEAT...` (seats with a blinking lamp; none: no seat); `winner SEAT...`; `clock M:SS` of
the hand; `toast TEXT`; `lesson TEXT`, the line for newcomers, or none; `question TEXT` of a vote; `page N TITLE` of the
rulebook; `lit PATTERN...`, `names NAME...` by station, - for no one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from referee.core.model.events import Ruled, Sealed
from referee.core.model.registry import game_of
from referee.core.model.state import playing_of
from referee.core.model.transitions import PileGame
from referee.core.model.view import CountScreen, PlayingScreen, RuleScreen, VoteScreen
from referee.core.phases.over import Over
from referee.core.units import MS, S, clock_text
from tests.core.sitting import Sitting
from tests.english import all_en, en
from tests.tapes.tape import Line, Tape, ns

TAP_NS, CALL_NS, HOLD_NS, TIMEOUT_NS = 100 * MS, 200 * MS, 950 * MS, 400 * MS
BETWEEN_NS = 200 * MS
BOOT_NS = 7 * S
"""Clock of a boot when the device is up."""


class TapeFailedError(AssertionError):
    """The evening differs from the tape."""


class Play:
    """An evening in progress."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.table = Sitting(tape.setup)
        self.began_ns = self.table.now_ns
        """The evening's beginning on the clock of the present boot."""

    def run(self, lines: Sequence[Line] | None = None, watch: Callable[[Line], object] = lambda line: None) -> Play:
        """Run these lines (all by default); `watch` is called before each gesture."""
        for line in self.tape.lines if lines is None else lines:
            if line.told:
                self.check(line)
                continue
            self.table.wait(self._pause_ns(line))
            watch(line)
            _VERBS[line.verb](self, line)
        return self

    def _pause_ns(self, line: Line) -> int:
        if line.wait_ns is not None:
            return line.wait_ns
        assert line.at_ns is not None
        return max(self.began_ns + line.at_ns - self.table.now_ns, 0)

    # -- gestures ---------------------------------------------------------------------------------------------------

    def each(self, line: Line, press: Callable[[tuple[str, ...]], object], times: int = 1) -> None:
        """Press one after the other with a pause between, or all at once."""
        turns = [line.who] if line.together else [(who,) for who in line.who]
        for number, who in enumerate(turn for turn in turns for _ in range(times)):
            self.table.wait(BETWEEN_NS if number else 0)
            press(who)

    def tap(self, line: Line) -> None:
        times = int(line.words[0]) if line.words else 1
        self.each(line, lambda who: self.table.press(*who, ns=TAP_NS), times)

    def press(self, line: Line) -> None:
        usual = {"hold": HOLD_NS, "call": CALL_NS, "push": TAP_NS, "timeout": TIMEOUT_NS}
        lasts_ns = ns(line.words[0]) if line.words else usual[line.verb]
        self.each(line, lambda who: self.table.press(*who, ns=lasts_ns))

    def mash(self, line: Line) -> None:
        for _ in range(int(line.words[0])):
            self.table.press(*line.who, ns=40 * MS).wait(30 * MS)

    def down(self, line: Line) -> None:
        self.table.edges(*((who, True, 0) for who in line.who))

    def up(self, line: Line) -> None:
        self.table.open(*line.who)

    def count(self, line: Line) -> None:
        """Enter LEFT, LAKE and, where they count, KINGS, by taps with a hold after each field."""
        left, lake, *kings = (int(word) for word in line.words)
        (who,) = line.who
        cells = self.table.screen(CountScreen).cells
        locked = next(cell.locked[0] for cell in cells if int(who) in cell.label.numbers)
        for digit in (0 if locked else left, *divmod(lake, 10), *kings):
            for _ in range(digit):
                self.table.press(who, ns=TAP_NS).wait(BETWEEN_NS)
            self.table.press(who, ns=HOLD_NS).wait(BETWEEN_NS)

    def turn(self, line: Line) -> None:
        self.table.turn(int(line.words[0]))

    def choose(self, line: Line) -> None:
        self.table.choose(" ".join(line.words))

    def power(self, line: Line) -> None:
        """Switch off and on; held buttons stay held."""
        away_s = int(line.words[0])
        elapsed_ns = self.table.now_ns - self.began_ns
        down = tuple(c.station for c in self.table.engine.state.contacts if c.closed)
        self.table.power_cut(BOOT_NS, away_s, down)
        self.began_ns = self.table.now_ns - elapsed_ns - away_s * S

    def wait(self, line: Line) -> None:
        """Do nothing: only the time before it counts."""

    # -- conditions ----------------------------------------------------------------------------------------------------

    def check(self, line: Line) -> None:
        """Check a condition; raise TapeFailedError if it is not met."""
        wanted = (line.verb, *line.words)
        found = self.so(line.verb, line.words)
        if found != wanted:
            said, was = " ".join(wanted), " ".join(found)
            raise TapeFailedError(
                f"{self.tape.name}, line {line.number}: is {said}? It was {was} in {self.table.phase}"
            )

    def so(self, what: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the present state in the words of the tape."""
        if what.isupper():
            return (self.table.phase,)
        return (what, *_TOLD[what](self, words))

    def story(self) -> tuple[object, ...]:
        """Return the result of an evening: sealed counts, callers, totals, phase, winners."""
        sealed = [event.counts for event in self.table.decisions(Sealed)]
        return self.table.phase, sealed, _totals(self, ()), _winner(self, ())


# -- answers -----------------------------------------------------------------------------------------------------------


def _verdict(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    ruled = play.table.decisions(Ruled)
    if not ruled:
        return ("none",)
    phase = play.table.engine.state.phase
    verdict = getattr(getattr(phase, "inner", None) or phase, "verdict", None) or ruled[-1].verdict
    return ("grey" if verdict.grey else verdict.kind, *verdict.callers)


def _totals(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    table = play.table.engine.state.table
    return tuple(str(place.total) for place in game_of(table).standings(table)) if table.teams else ()


def _hands(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return (str(len(play.table.engine.state.table.hands)),)


def _asking(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return play.table.asked


def _winner(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    phase = play.table.engine.state.phase
    return phase.winners if isinstance(phase, Over) else ()


def _clock(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hand's clock; a difference of a second depends on when it is read."""
    screen = play.table.screen(PlayingScreen)
    near = (screen.played_ns + n * S for n in (0, -1, 1))
    shown = [clock_text(played_ns) for played_ns in near if played_ns >= 0]
    return words if words[0] in shown else (shown[0],)


def _toast(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple((en(play.table.view.toast) or "nothing").split())


def _question(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(en(play.table.screen(VoteScreen).question).split())


def _page(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    screen = play.table.screen(RuleScreen)
    return (str(screen.page), *en(screen.title).split())


def _lit(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(play.table.lit.split())


def _names(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple((seat.name or "-").replace(" ", "_") for seat in play.table.engine.state.table.seats)


def _lesson(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the present line for newcomers."""
    view = play.table.view
    return tuple(en(view.lesson[view.lesson_line]).split()) if view.lesson else ("none",)


def _notes(play: Play, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the given notes of READY or OVER, separated by strokes, that are among the present ones."""
    table, phase = play.table.engine.state.table, play.table.engine.state.phase
    over = isinstance(phase, Over)
    game = game_of(table)
    paid = game.payments(table) if isinstance(game, PileGame) else ()
    found = all_en(paid if over else game.notes(table, playing_of(phase)))
    return words if {*" ".join(words).split(" / ")} <= {*found} else tuple(" / ".join(found).split())


_TOLD: dict[str, Callable[[Play, tuple[str, ...]], tuple[str, ...]]] = {
    "verdict": _verdict,
    "totals": _totals,
    "lesson": _lesson,
    "hands": _hands,
    "asking": _asking,
    "winner": _winner,
    "clock": _clock,
    "toast": _toast,
    "question": _question,
    "notes": _notes,
    "page": _page,
    "lit": _lit,
    "names": _names,
}
_VERBS: dict[str, Callable[[Play, Line], None]] = {
    "tap": Play.tap,
    "hold": Play.press,
    "press": Play.press,
    "call": Play.press,
    "mash": Play.mash,
    "down": Play.down,
    "up": Play.up,
    "count": Play.count,
    "push": Play.press,
    "turn": Play.turn,
    "choose": Play.choose,
    "timeout": Play.press,
    "off": Play.power,
    "wait": Play.wait,
}
