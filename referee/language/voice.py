"""What the device says aloud: short sentences for people who do not see the display.

`Voice` turns each new view into the words to say now. An utterance is derived from the screen and said when it
changes, after the ones before; only a call ends those. While cards move, only the call and a player's own Go are
spoken. At most twelve words; GO and burn beats are tones only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from referee.core.messages import Label, Msg
from referee.core.model.view import (
    CallNowScreen,
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
    TeamLine,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
    WaitScreen,
)
from referee.core.values import Value
from referee.language import say
from referee.language.counting import entered
from referee.language.words import reader_name, speaking, text_at

VOICE = "voice"
"""The place of these texts in the catalogues."""
ALL = "all"
"""The level at which everything is spoken; else only `BRIEF`."""
BRIEF = VerdictScreen | OverScreen | PlayingScreen | StopScreen
"""The screens that are spoken at the level "verdicts"."""
PHASES = {"TIMEOUT": "time_out", "RESUMING": "going_on"}
"""Phase -> the text that is said when it begins, at the level `ALL`."""
RESULTS = frozenset(
    f"toast.{name}"
    for name in (
        *("false_call", "false_points", "false_zero", "call_stands", "voted_yes", "voted_no", "not_all", "not_changed"),
        *("bonus_stays", "claim_right", "claim_wrong"),
    )
)
"""Keys of the messages that say how a vote has ended. They are spoken at every level."""
MOST_COUNTS = 2
"""Maximum number of new counts to say.

If more appear at once, they were entered before the voice was on.
"""
MOST_NAMES = 8
"""Maximum number of names to say; of more people, only the number is said."""


class Utterance(Value):
    """Words to say after the words before; if `follows` is False, they end those at once."""

    words: str
    language: str = "en"
    follows: bool = True


class Voice:
    """Decides what to say when a view differs from the previous one, which it remembers."""

    def __init__(self) -> None:
        self._last = ""
        self._phase = ""
        self._toast: Msg | None = None
        self._counted: frozenset[tuple[int, ...]] = frozenset()
        self._open: frozenset[tuple[int, ...]] = frozenset()  # teams that are still counting

    def hear(self, view: View) -> Utterance | None:
        """Return what to say when this view is shown; None if there is nothing new to say."""
        begins, self._phase = view.phase != self._phase, view.phase
        result, self._toast = view.toast if view.toast != self._toast else None, view.toast
        with speaking(view.language, rounds=view.rounds):
            said = [_voiced(PHASES[view.phase])] if begins and view.voice == ALL and view.phase in PHASES else []
            if result is not None and result.key in RESULTS:
                said.insert(0, _result(result))
            words = " ".join(filter(None, (*said, self._words(view))))
        called = begins and isinstance(view.screen, StopScreen)
        return Utterance(words, view.language, not called) if words or called else None

    def _words(self, view: View) -> str:
        """Return the words of the screen that the view before did not have."""
        speak = SPOKEN.get(type(view.screen))
        if speak is None:
            return ""
        counts = " ".join(self._counts(view.screen)) if view.voice == ALL else ""
        before, self._last = self._last, " ".join(speak(view.screen)) if _is_spoken(view) else ""
        fresh = "" if before.startswith(self._last) else self._last.removeprefix(before).strip()
        return f"{counts} {fresh}".strip()

    def _counts(self, screen: Screen) -> Iterator[str]:
        """Yield a sentence for each count that was finished since the last view, if at most `MOST_COUNTS` were.

        The count that ends the hand is on no view: yield that team's points.
        """
        before, self._open = self._open, frozenset()
        if isinstance(screen, CountScreen):
            self._open = frozenset(cell.label.numbers for cell in screen.cells if not cell.done)
            fresh = [cell for cell in screen.cells if cell.done and cell.label.numbers not in self._counted]
            self._counted = frozenset(cell.label.numbers for cell in screen.cells if cell.done)
            for cell in fresh if len(fresh) <= MOST_COUNTS else ():
                yield _voiced("counted", who=_who([cell.label]), number=entered(cell, screen.field_names))
        elif isinstance(screen, StandingsScreen) and len(before) <= MOST_COUNTS:
            yield from (_points(line) for line in screen.lines if line.label.numbers in before and not line.told)


def _points(line: TeamLine) -> str:
    """Return a team's points of the last hand."""
    number = line.delta or Fraction(0)
    return _voiced("scored", who=_who([line.label]), number=say.points(number), count=2 - (abs(number) == 1))


def _result(message: Msg) -> str:
    """Return the result of a vote, with names without seat numbers."""
    who = dict(message.values).get("who", ())
    labels = [label for label in who if isinstance(label, Label)] if isinstance(who, tuple) else []
    return say.own_sentence(message, who=_who(labels))


def _is_spoken(view: View) -> bool:
    return view.voice == ALL or isinstance(view.screen, BRIEF)


def _voiced(key: str, /, **values: object) -> str:
    return text_at(VOICE, key, **values)


def _who(labels: Sequence[Label], joint: str = "and") -> str:
    """Return names without seat numbers; for more than `MOST_NAMES` teams, how many they are."""
    if len(labels) > MOST_NAMES:
        return _voiced("many", count=len(labels))
    return say.list_speech([reader_name(label.name) for label in labels], joint)


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
    if screen.is_close:
        yield _voiced("last_close" if screen.last else "grey", who=_who(screen.doubted, "or"))
    elif screen.last:
        yield _voiced("last", who=callers, count=count)
    elif screen.kind == "tie":
        yield _voiced("tie", who=callers)
    else:
        yield f"{say.message_speech(screen.word)} {callers}."
    if screen.by_vote:
        yield _voiced("by_vote")
    elif text := later_text(screen):
        yield text
    if any(answer is None for _, answer in screen.answers or ()):
        yield _voiced("right")


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


def _stop(screen: StopScreen) -> Iterator[str]:
    """Yield what to say if all must press; of any other call, only the sound is heard."""
    if screen.waiting:
        yield _voiced("press")


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
    StopScreen: _stop,
}
"""Screen class -> its words. At any other screen, speech that has begun goes on."""
