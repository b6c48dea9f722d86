"""Format a played match as text: each hand, its scores, and the totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from referee.commands.terminal import Terminal
from referee.core.messages import msg
from referee.core.model.paper import score_text
from referee.core.model.view import Label, TeamLine, VerdictScreen
from referee.core.reading import count_text
from referee.core.units import clock_text, ms_text, s_text
from referee.language.display import display_text
from referee.language.say import message_speech
from referee.simulator.table.transcript import HandTranscript, MatchRecord

BAR = 20
"""Width of the bar for a total at the target, in characters."""
FALSE_START = "false"
"""How a hand that ended with a false start is recorded: the players judged it, or the device (reflex duel)."""
MOVES = {"knock": "knocked"}
"""Verbs for moves that end a hand. For other moves, the name of the cards is used."""


def story(
    match: MatchRecord, seed: int, terminal: Terminal, options: Iterable[tuple[str, object]] = ()
) -> Iterator[str]:
    """Yield the match as lines of text. A rich terminal shows colours, bars and curves.

    `options`: the options that differ from the preset.
    """
    target = f" to {match.target}" if match.target else ""
    yield f"{terminal.paint(f'{match.preset}{target}', 'strong')}, evening {seed}"
    if given := ", ".join(f"{name} {str(value).lower()}" for name, value in options):
        yield f"Changed options: {given}"
    yield "At the table: " + ", ".join(f"{seat.number} {seat.name}" for seat in match.seats if seat.name)
    for hand in match.hands:
        yield ""
        yield from _hand(hand, match.target, terminal)
    yield ""
    hands = count_text(len(match.hands), "hand")
    yield terminal.paint(f"{names_of(match.winners)} {_wins(match.winners)} after {hands}.", "good")
    if terminal.rich:
        yield from _curves(match, terminal)
    else:
        yield "  " + " : ".join(display_text(line.told) or score_text(line.total) for line in match.lines)


def count_of(hand: HandTranscript, values: tuple[int, ...]) -> list[int] | float:
    """Return a team's entered count as a match document has it.

    In Nertz, that is [foundation cards, reserve cards, kings (if they count)]; in 31, the value of the team's cards.
    """
    if hand.fields[0] == "field.value":
        tens, ones, *half = values
        return 10 * tens + ones + sum(half) / 2 if sum(half) else 10 * tens + ones
    left, tens, ones, *kings = values
    return [tens * 10 + ones, left, *kings]


def _hand(hand: HandTranscript, target: int | None, terminal: Terminal) -> Iterator[str]:
    yield f"{terminal.paint(f'Hand {hand.number}', 'strong')}  {terminal.paint(clock_text(hand.played_ns), 'weak')}"
    for stop in hand.stops:
        yield f"  {names_of(stop)} stopped the start: not ready yet."
    if hand.ended == FALSE_START:
        if hand.false_calls or hand.verdict is None:
            who = " and ".join(_of_seat(hand, number) for number in hand.false_calls)
            yield f"  {who or 'Somebody'} pressed first, and the table found it a false start."
        else:
            yield f"  {names_of(hand.verdict.callers)} pressed too early."
    else:
        for number in hand.false_calls:
            yield f"  {_of_seat(hand, number)} called, the table found it false, and play went on."
        yield f"  {_end_text(hand) or _claim_text(hand)}."
    for line in hand.lines:
        yield _team(hand, line, target, terminal)
    for number in hand.miscounts:
        yield f"  Nobody noticed that {_of_seat(hand, number)} had {_count_text(hand, hand.truth[number])}."


def _of_seat(hand: HandTranscript, number: int) -> str:
    """Return the name of the team with that seat number."""
    return next((name_of(line.label) for line in hand.lines if number in line.label.numbers), f"seat {number}")


def _count_text(hand: HandTranscript, values: tuple[int, ...]) -> str:
    count = count_of(hand, values)
    if not isinstance(count, list):
        return f"{count}"
    kings = "".join(f", {count_text(number, 'king')}" for number in count[2:])
    return f"{count[1]} left, {count[0]} {_where(hand)}{kings}"


def _where(hand: HandTranscript) -> str:
    """Return the game's words for where played cards lie, such as "on the Dutch piles"."""
    return message_speech(msg(hand.fields[1]))


def _team(hand: HandTranscript, line: TeamLine, target: int | None, terminal: Terminal) -> str:
    values = hand.counts.get(line.label.numbers[0])
    count = count_of(hand, values) if values else ""
    kings = "".join(f"  {count_text(number, 'king')}" for number in count[2:]) if isinstance(count, list) else ""
    told = (
        f"{count[0]:>3} {_where(hand)} {count[1]:>3} left{kings}"
        if isinstance(count, list)
        else f"{count:>{4 if hand.ended else 24}}"
    )
    delta = line.delta or Fraction(0)
    style = "good" if delta > 0 else "bad" if delta < 0 else "weak"
    scored = terminal.paint(f"{'+' * (delta >= 0) + score_text(delta):>6}", style)
    way = terminal.paint(terminal.bar(float(line.total) / target, BAR), "bar") if target else ""
    total = display_text(line.told) or score_text(line.total)
    return f"  {line.place}.  {name_of(line.label):<10}{told}  {scored}  {total:>10}  {way}".rstrip()


def _end_text(hand: HandTranscript) -> str:
    """Return a sentence on how a hand without a call ended; "" for other hands."""
    if hand.by:
        return f"{names_of(hand.by)} {MOVES.get(hand.ended, f'had {hand.ended}')}"
    return {"stuck": "Nobody could move any more", "abandoned": "The hand was abandoned"}.get(hand.ended, "")


def _claim_text(hand: HandTranscript) -> str:
    """Return a sentence on the verdict and, if the players judged a claim, on the claim."""
    if hand.verdict is not None and hand.verdict.last:
        return f"Last of all: {names_of(hand.verdict.callers)}"
    if hand.ended == "won":
        return _verdict(hand.verdict, "was first")
    if hand.ended:  # a claim that all players judged
        return f"{_verdict(hand.verdict, 'slapped')}. It was {hand.ended}"
    return _verdict(hand.verdict)


def _verdict(verdict: VerdictScreen | None, did: str = "called") -> str:
    if verdict is None:
        return "Nobody called"
    grey = ", too close to measure" if verdict.grey else ""
    gap = "" if verdict.gap_ns is None else f"{ms_text(verdict.gap_ns, 2)} ms"
    if verdict.kind == "tie":
        text = f"A tie: {names_of(verdict.callers)} within {gap}{grey}"
    else:
        text = f"{names_of(verdict.callers)} {did}{grey}"
    later = ", ".join(f"{name_of(label)} {s_text(after_ns)} s later" for label, after_ns in verdict.later)
    return f"{text}; {later}" if later else text


def _wins(winners: tuple[Label, ...]) -> str:
    return "wins" if len(winners) == 1 else "share the win"


def _curves(match: MatchRecord, terminal: Terminal) -> Iterator[str]:
    """Yield a curve for each team: its totals after each hand. All curves have the same scale."""
    won = {label.numbers for label in match.winners}
    totals: dict[tuple[int, ...], list[float]] = {}
    for hand in match.hands:
        for line in hand.lines:
            before = float(line.total - (line.delta or 0))
            totals.setdefault(line.label.numbers, [before]).append(float(line.total))
    least, most = min(map(min, totals.values())), max(map(max, totals.values()))
    for line in match.lines:
        name = terminal.paint(f"{name_of(line.label):<10}", "strong" if line.label.numbers in won else "weak")
        curve = terminal.curve(totals[line.label.numbers], least, most)
        yield f"  {name} {terminal.paint(curve, 'bar')}  {display_text(line.told) or score_text(line.total)}"


def names_of(labels: tuple[Label, ...]) -> str:
    """Return the names of several teams, joined with "and"."""
    return " and ".join(map(name_of, labels))


def name_of(label: Label) -> str:
    """Return a team's seat numbers and its name: "1+2 Ann"."""
    return f"{'+'.join(str(n) for n in label.numbers)} {label.name}"
