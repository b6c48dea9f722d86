"""The screen in words, as a screen reader says them. One short function a screen; nothing changes by the second."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from referee.core.model.view import (
    BurnScreen,
    CallNowScreen,
    CheckScreen,
    CountCell,
    CountdownScreen,
    CountScreen,
    DeclaredScreen,
    FixScreen,
    Label,
    LobbyScreen,
    MenuScreen,
    OffScreen,
    OverScreen,
    PhotoScreen,
    PlayingScreen,
    PowerBackScreen,
    ReadyScreen,
    SearchScreen,
    SeatQuestion,
    SheetScreen,
    StandingsScreen,
    StopScreen,
    TeamLine,
    TurnScreen,
    VerdictScreen,
    View,
    VoteScreen,
    WaitScreen,
)
from referee.core.units import clock_text, ms_text, s_text


def words_of(view: View) -> str:
    """The whole view in a few sentences: the screen, the answer to a gesture, what is wrong."""
    say = _SAY.get(type(view.screen))
    parts = [say(view.screen) if say else "", view.toast and f"{view.toast}.", view.banner and f"{view.banner}."]
    return " ".join(part for part in parts if part)


def points(value: Fraction) -> str:
    """A total as people read it.

    >>> points(Fraction(-5, 2)), points(Fraction(64))
    ('-2.5', '64')
    """
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.1f}"


def _who(label: Label) -> str:
    return f"{' and '.join(map(str, label.numbers))} {label.name}"


def _all(labels: Iterable[Label]) -> str:
    return ", ".join(_who(label) for label in labels)


def _score(line: TeamLine) -> str:
    brought = "" if line.delta is None else f", {'plus' if line.delta >= 0 else 'minus'} {points(abs(line.delta))}"
    return f"{_who(line.label)} {line.told or points(line.total)}{brought}{', corrected' if line.corrected else ''}"


def _scores(lines: Iterable[TeamLine]) -> str:
    return "; ".join(map(_score, lines)) + "."


def _target(target: int | None) -> str:
    return "" if target is None else f" to {target}"


def _lobby(screen: LobbyScreen) -> str:
    seats = [f"{cell.number} {cell.name}" for cell in screen.seats if cell.name]
    who = ", ".join(seats) if seats else "nobody yet"
    hint = f" {screen.hint}." if screen.hint else ""
    return f"{screen.preset}{_target(screen.target)}. Tap to join. In: {who}.{hint}"


def _ready(screen: ReadyScreen) -> str:
    if screen.let_go:
        return f"{_who(screen.let_go)}: let go."
    notes = "".join(f" {note}." for note in screen.notes)
    waiting = f"Waiting for {_all(screen.waiting)}." if screen.waiting else "All are ready."
    return f"Hand {screen.hand}{_target(screen.target)}: deal. {waiting}{notes}"


def _countdown(screen: CountdownScreen) -> str:
    return screen.word or ("The hand goes on." if screen.resuming else "All are ready.")


def _wait(screen: WaitScreen) -> str:
    return f"Wait: {_all(screen.labels)}."


def _playing(screen: PlayingScreen) -> str:
    return f"Hand {screen.hand} is played. {_scores(screen.lines)}"


def _turn(screen: TurnScreen) -> str:
    knocked = f" {_who(screen.knocker)} has knocked, {screen.left} to go." if screen.knocker else ""
    own = " The own discard may be taken back." if screen.own_discard else ""
    look = f" Push the knob for the turn of {_who(screen.look)}." if screen.look else ""
    least = f" Knock from {screen.minimum}." if screen.minimum and not screen.knocker else ""
    turn = f"Hand {screen.hand}{_target(screen.target)}, turn of {_who(screen.turn)}."
    return f"{turn}{knocked}{own}{_asked(screen.questions)}{look}{least} {_scores(screen.lines)}"


def _asked(questions: Iterable[SeatQuestion]) -> str:
    return "".join(f" {_who(asked.label)}: {asked.question} Tap yes, hold on." for asked in questions)


def _declared(screen: DeclaredScreen) -> str:
    waiting = f" Waiting for {_all(screen.waiting)}: tap for none, hold for a 31." if screen.waiting else ""
    return f"31! {_all(screen.declared)}.{_asked(screen.questions)}{waiting}"


def _stop(screen: StopScreen) -> str:
    return "Stop!"


def _verdict(screen: VerdictScreen) -> str:
    grey = " Too close to measure." if screen.grey else ""
    later = "".join(f" Then {_who(label)} after {s_text(gap_ns)} seconds." for label, gap_ns in screen.later[:1])
    late = "".join(f" {_who(label)}'s press came too late to count." for label, _ in screen.late)
    if screen.kind == "clear" and not screen.grey:
        return f"Nertz! {_all(screen.callers)}.{later}{late}"
    gap = "" if screen.gap_ns is None else f" {s_text(screen.gap_ns, 3)} seconds."
    named = [*screen.callers, *([screen.next_caller] if screen.next_caller else [])]
    return f"Nertz! {'Tie' if screen.kind == 'tie' else 'First'}: {_all(named)}.{gap}{grey}{late}"


def _photo(screen: PhotoScreen) -> str:
    lines = "; ".join(f"{_who(line.label)} {ms_text(line.press_ns)} ms" for line in screen.lines)
    shared = max((line.common_ns for line in screen.lines), default=0)
    pods = f" One pod's presses may be off together by {ms_text(shared)} ms." if shared else ""
    return f"Photo finish, tie within {ms_text(screen.tie_window_ns, 0)} ms: {lines}.{pods}"


def _count(screen: CountScreen) -> str:
    cells = "; ".join(map(_cell, screen.cells))
    if screen.knob:
        return f"Count hand {screen.hand}. {cells}. Turn the knob for the value, push it for the next field."
    legend = " Tap counts one more, hold goes to the next field." if screen.legend else ""
    return f"Count hand {screen.hand}. {cells}.{legend}"


def _check(screen: CheckScreen) -> str:
    missing = ", ".join(str(number) for number, pressed in screen.seats if not pressed)
    return (
        f"Press each button. {f'Not yet: {missing}.' if missing else 'All have been heard.'} Push the knob when done."
    )


def _off(screen: OffScreen) -> str:
    return f"Switched off. The plug may be pulled in {screen.unplug_s} seconds."


def _fix(screen: FixScreen) -> str:
    what = "Push to save." if screen.changed else "Turn for another hand, tap to change your count."
    return f"Fix the counts of hand {screen.hand}. {'; '.join(map(_cell, screen.cells))}. {what}"


def _cell(cell: CountCell) -> str:
    shown = " ".join("blank" if digit is None else digit for digit in cell.fields)
    end = cell.refusal or ("done" if cell.done else "")
    return f"{_who(cell.label)} {shown}{', ' if end else ''}{end}"


def _sheet(screen: SheetScreen) -> str:
    return f"Hand {screen.hand} is counted. {_scores(screen.lines)}"


def _standings(screen: StandingsScreen) -> str:
    return f"Standings after {screen.hands} hand{'' if screen.hands == 1 else 's'}. {_scores(screen.lines)}"


def _over(screen: OverScreen) -> str:
    return f"Match over: {_all(screen.winners)}. {_scores(screen.lines)} Tap for a rematch."


def _menu(screen: MenuScreen) -> str:
    at = screen.items[screen.cursor] if screen.cursor < len(screen.items) else ""
    at = f"{at.rpartition(': ')[0]}: {screen.value}" if screen.value is not None else at
    return f"{screen.title}. {at}, {screen.cursor + 1} of {len(screen.items)}."


def _power_back(screen: PowerBackScreen) -> str:
    played = "" if screen.played_ns is None else f", {clock_text(screen.played_ns)} played"
    return f"The power was off. Hand {screen.hand}{played}. Tap to go on."


def _vote(screen: VoteScreen) -> str:
    about = f" {_all(screen.subject)}." if screen.subject else ""
    votes = ", ".join(f"{_who(label)} {_VOTES[said]}" for label, said in screen.votes)
    return f"{screen.question.capitalize()}{about} {votes}. Tap for yes, hold for no."


_VOTES = {True: "yes", False: "no", None: "has not voted"}


def _call_now(screen: CallNowScreen) -> str:
    return "Is your pile empty? Call now: a press is the call."


def _search(screen: SearchScreen) -> str:
    times = "twice" if screen.times == 2 else "once"
    missing = f" Still searching: {_all(screen.waiting)}." if screen.waiting else ""
    nothing = f"{screen.answered} of {screen.teams} found nothing."
    return f"Search {times}. {nothing}{missing} Tap for nothing, hold if you can play."


def _burn(screen: BurnScreen) -> str:
    again = ", no play yet" if screen.burns > 1 else ""
    how = f" {_PILES[screen.pile]}." if screen.pile in _PILES else ""
    return f"{screen.word.capitalize()}. Burn {screen.burns}{again}.{how}"


_PILES = {
    "stream": "Top card to the bottom",
    "reserve": "Nertz pile: top card to the bottom",
    "waste": "Turn the waste over, then the top card to the bottom",
    "stock": "Stock onto the waste, then turn it over",
}


_SAY: dict[type, Callable[[Any], str]] = {
    LobbyScreen: _lobby,
    ReadyScreen: _ready,
    CountdownScreen: _countdown,
    WaitScreen: _wait,
    TurnScreen: _turn,
    DeclaredScreen: _declared,
    PlayingScreen: _playing,
    StopScreen: _stop,
    VerdictScreen: _verdict,
    PhotoScreen: _photo,
    CountScreen: _count,
    FixScreen: _fix,
    CheckScreen: _check,
    OffScreen: _off,
    SheetScreen: _sheet,
    StandingsScreen: _standings,
    OverScreen: _over,
    MenuScreen: _menu,
    PowerBackScreen: _power_back,
    VoteScreen: _vote,
    CallNowScreen: _call_now,
    SearchScreen: _search,
    BurnScreen: _burn,
}
