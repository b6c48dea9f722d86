"""What the device says aloud: short sentences for people who do not see the display.

`Voice` turns each new view into the words to say now. An utterance is derived from the screen and said when it
changes. While cards move, only the call and a player's own Go are spoken. At most twelve words; GO and burn beats are
tones only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from referee.core.messages import Label, Msg
from referee.core.model.view import (
    CallNowScreen,
    CountCell,
    CountdownScreen,
    CountScreen,
    DeclaredScreen,
    OverScreen,
    PlayingScreen,
    PowerBackScreen,
    ReadyScreen,
    Screen,
    SearchScreen,
    StandingsScreen,
    StopScreen,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
    WaitScreen,
)
from referee.core.values import Value
from referee.language import say
from referee.language.counting import ONES, TENS, unit_of
from referee.language.words import reader_name, speaking, text_at

VOICE = "voice"
"""The place of these texts in the catalogues."""
ALL = "all"
"""The level at which everything is spoken; else only `BRIEF`."""
BRIEF = VerdictScreen | OverScreen | PlayingScreen
"""The screens that are spoken at the level "verdicts"."""
HUSHED = StopScreen
"""The screen at which speech ends, since the sound of the call is played."""
MOST_COUNTS = 2
"""Maximum number of new counts to say.

If more appear at once, they were entered before the voice was on.
"""
MOST_NAMES = 8
"""Maximum number of names to say; of more people, only the number is said."""


class Utterance(Value):
    """Words to say. Empty words stop all speech.

    follows: do not interrupt the words before; say these after them.
    """

    words: str
    language: str = "en"
    follows: bool = False


class Voice:
    """Decides what to say when a view differs from the previous one, which it remembers."""

    def __init__(self) -> None:
        self._last = ""
        self._counted: frozenset[tuple[int, ...]] = frozenset()

    def hear(self, view: View) -> Utterance | None:
        """Return what to say when this view is shown; None if there is nothing new to say."""
        speak = SPOKEN.get(type(view.screen))
        if not (speak or isinstance(view.screen, HUSHED)):
            return None
        with speaking(view.language, rounds=view.rounds):
            words = " ".join(speak(view.screen)) if speak and _is_spoken(view) else ""
            words = self._news(view.screen) if isinstance(view.screen, CountScreen) and view.voice == ALL else words
        before, self._last = self._last, words
        if words == before:
            return None
        follows = bool(before) and words.startswith(before)
        return Utterance(words[len(before) :].strip() if follows else words, view.language, follows)

    def _news(self, screen: CountScreen) -> str:
        """Return words about the counts that were finished since the last view.

        If there are none or more than `MOST_COUNTS`, return the words for the last view, so that nothing is said.
        """
        done = {cell.label.numbers: cell for cell in screen.cells if cell.done}
        fresh = [cell for numbers, cell in done.items() if numbers not in self._counted]
        self._counted = frozenset(done)
        if not 0 < len(fresh) <= MOST_COUNTS:
            return self._last
        names = screen.field_names
        return " ".join(_voiced("counted", who=_who([cell.label]), number=_numbers(cell, names)) for cell in fresh)


def _is_spoken(view: View) -> bool:
    return view.voice == ALL or isinstance(view.screen, BRIEF)


def _voiced(key: str, /, **values: object) -> str:
    return text_at(VOICE, key, **values)


def _who(labels: Sequence[Label]) -> str:
    """Return names without seat numbers; for more than `MOST_NAMES` teams, how many they are."""
    if len(labels) > MOST_NAMES:
        return _voiced("many", count=len(labels))
    return say.list_speech([reader_name(label.name) for label in labels])


def _numbers(cell: CountCell, names: Iterable[Msg]) -> str:
    """Return a count as numbers, e.g. "3, 28". The digits for tens and ones become one number."""
    numbers: list[str] = []
    tens = ""
    for digit, name in zip(cell.fields, names, strict=False):
        if unit_of(name) == TENS:
            tens = (digit or "").lstrip("0")
        elif unit_of(name) == ONES:
            numbers.append(tens + (digit or ""))
        elif digit and digit != "-":
            numbers.append(digit)
    return ", ".join(numbers)


# -- screens -----------------------------------------------------------------------------------------------------------


def _beat(screen: CountdownScreen) -> Iterator[str]:
    if isinstance(screen.word, Msg) and screen.word.key in ("beat.ready", "beat.set"):
        yield say.as_sentence(say.message_speech(screen.word))


def _playing(screen: PlayingScreen) -> Iterator[str]:
    """Yield what to say at the moment when players who start later get their own Go.

    Nothing else is said during play.
    """
    if screen.later and not screen.later_s:
        yield _voiced("own_go", who=_who(screen.later))


def _wait(screen: WaitScreen) -> Iterator[str]:
    if screen.labels:
        yield _voiced("stopped", who=_who(screen.labels), count=len(screen.labels))
    elif screen.held:
        yield _voiced("let_go", who=_who(screen.held))


def _verdict(screen: VerdictScreen) -> Iterator[str]:
    callers, count = _who(screen.callers), len(screen.callers)
    if screen.last:
        yield _voiced("last_maybe" if screen.grey else "last", who=callers, count=count)
    elif screen.grey:
        yield _voiced("grey", who=callers)
    elif screen.kind == "tie":
        yield _voiced("tie", who=callers)
    else:
        yield f"{say.message_speech(screen.word)} {callers}."
    if screen.by_vote:
        yield _voiced("by_vote")
    elif text := later_text(screen):
        yield text


def later_text(screen: VerdictScreen) -> str:
    """Return who pressed next, and how much later; "" if the verdict does not say it."""
    if screen.kind == "tie" or screen.last or screen.grey or screen.next_caller is None or screen.gap_ns is None:
        return ""
    return _voiced("later", who=_who([screen.next_caller]), s=say.gap_text(screen.gap_ns))


def _call_now(screen: CallNowScreen) -> Iterator[str]:
    yield _voiced("call_now")


def _search(screen: SearchScreen) -> Iterator[str]:
    yield _voiced("search", count=screen.times)


def _vote(screen: VoteScreen) -> Iterator[str]:
    yield say.message_speech(screen.question, who=_who(screen.subject))


def _turn(screen: TurnScreen) -> Iterator[str]:
    if screen.knocker:
        yield _voiced("knocked", who=_who([screen.knocker]))
    yield _voiced("turn", who=_who([screen.turn]))


def _declared(screen: DeclaredScreen) -> Iterator[str]:
    yield _voiced("declared", who=_who(screen.declared))


def _standings(screen: StandingsScreen) -> Iterator[str]:
    lines = sorted(screen.lines, key=lambda line: line.place)
    first = [line for line in lines if line.place == 1]
    if len(lines) < 2 or any(line.told for line in lines):
        return
    if len(first) > 1:
        yield _voiced("level", who=_who([line.label for line in first]))
    else:
        lead = abs(first[0].total - lines[1].total)
        yield _voiced("leads", who=_who([first[0].label]), lead=say.points(lead), count=2 if lead != 1 else 1)


def _ready(screen: ReadyScreen) -> Iterator[str]:
    if screen.let_go:
        yield _voiced("let_go", who=_who([screen.let_go]))
    elif screen.emphasis:
        yield _voiced("waiting", who=_who(screen.waiting))


def _over(screen: OverScreen) -> Iterator[str]:
    if screen.winners:
        yield _voiced("wins", who=_who(screen.winners), count=len(screen.winners))


def _power_back(screen: PowerBackScreen) -> Iterator[str]:
    yield _voiced("power_back")


def _counting(screen: CountScreen) -> Iterator[str]:
    yield from ()  # `Voice` itself says which counts are new


Speak = Callable[[Any], Iterator[str]]
SPOKEN: dict[type[Screen], Speak] = {
    CountdownScreen: _beat,
    PlayingScreen: _playing,
    WaitScreen: _wait,
    VerdictScreen: _verdict,
    CallNowScreen: _call_now,
    SearchScreen: _search,
    VoteScreen: _vote,
    TurnScreen: _turn,
    DeclaredScreen: _declared,
    StandingsScreen: _standings,
    ReadyScreen: _ready,
    OverScreen: _over,
    PowerBackScreen: _power_back,
    CountScreen: _counting,
}
"""Screen class -> its words. At any other screen, speech that has begun goes on."""
