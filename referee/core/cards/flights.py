"""The table in motion: cards in the air, two for one place, fumbles, cards on wrong foundations.

Theory of operation. A `Position` is what lies rightly. A card that has been taken for a foundation is no part of it
until it lands: it still counts where it came from, and that place is shut, so that whatever becomes of the card, going
back needs no bookkeeping. Here stand the cards that are away (`Motion`), and what happens to them, each at an instant:

    send ──► in the air ── lands ──► stays                   the position has it
                │   │                beaten                  another one came first: it returns
                │   │                astray                  it fits nothing: it lies there until it is put back
                │   │                disputed                two at once: the table decides
                └── fumbled

What is laid on a card that is astray or disputed is astray, too, and goes back with it.

Two cards of different teams for the same place whose landings are less than `apart_ns` from each other cannot be told
apart by eye. A flight takes at least that long, so all rivals of a card are known when it lands. Under "first" the
instants decide; two of the very same instant both return. Where stacks are played the instants decide under every
rule: a place that has two cards of one rank takes single cards.
"""

from __future__ import annotations

from collections.abc import Collection

from referee.core.cards.apply import apply_move
from referee.core.cards.check import breach, unfit
from referee.core.cards.moves import BUILD, CALL, PLAY, SLIDE, TURN, TURN_OVER, CardMove, IllegalMoveError
from referee.core.cards.notation import move_text
from referee.core.cards.position import WASTE, Position
from referee.core.values import Value, replace


class Flight(Value):
    """A play on its way: its cards are let go of at `lands_ns`.

    new: it begins a foundation, wherever there is room as it lands. fitted: it was legal as it was sent.
    """

    move: CardMove
    lands_ns: int
    new: bool
    fitted: bool


class Motion(Value):
    """A table at the instant `now_ns`.

    apart_ns: landings closer than this cannot be told apart. flights: in the air, in the order of their sending.
    astray: on wrong foundations, the lowest first. disputed: cards for the same place, one group each. mended_ns: until
    when each team puts fumbled cards in order.
    """

    position: Position
    now_ns: int
    apart_ns: int
    flights: tuple[Flight, ...] = ()
    astray: tuple[Flight, ...] = ()
    disputed: tuple[tuple[Flight, ...], ...] = ()
    mended_ns: tuple[int, ...] = ()


def in_motion(position: Position, now_ns: int, apart_ns: int) -> Motion:
    """A table where nothing is in the air yet."""
    return Motion(position, now_ns, apart_ns, mended_ns=(now_ns,) * len(position.teams))


def away(motion: Motion, team: int) -> frozenset[int]:
    """The places of the team that are shut, since their card is in the air, astray or disputed."""
    flights = (*motion.flights, *motion.astray, *(flight for group in motion.disputed for flight in group))
    return frozenset(place for flight in flights if flight.move.team == team for place in _sources(flight.move))


def _sources(move: CardMove) -> tuple[int, ...]:
    return (move.source, *move.more)


def _places_of(move: CardMove) -> tuple[int, ...]:
    """The places that a move of a team takes from or covers."""
    if move.kind in (TURN, TURN_OVER):
        return (WASTE,)
    return (*_sources(move), move.target) if move.kind in (BUILD, SLIDE) else _sources(move)


def _refuse(motion: Motion, rule: str, move: CardMove) -> IllegalMoveError:
    return IllegalMoveError(rule, move, move_text(motion.position, move))


# -- what people do; an IllegalMoveError leaves everything as it was ---------------------------------------------------


def act(motion: Motion, move: CardMove, at_ns: int) -> Motion:
    """Do a team's move at once: of the stock, in the River, an announcement. Raises IllegalMoveError."""
    motion = _at(motion, move, at_ns)
    rule = "place" if move.kind in (PLAY, CALL) else _hindrance(motion, move) or _breach(motion, move)
    if rule is not None:
        raise _refuse(motion, rule, move)
    return replace(motion, position=apply_move(motion.position, move))


def send(motion: Motion, move: CardMove, at_ns: int, lands_ns: int) -> Motion:
    """Send a play on its way. It need not fit its foundation yet: as it lands it may be beaten or go astray.

    Raises IllegalMoveError.
    """
    motion = _at(motion, move, at_ns)
    rule = "instant" if lands_ns < at_ns + motion.apart_ns else _hindrance(motion, move) or _breach(motion, move)
    new = move.target == len(motion.position.foundations)
    if move.kind != PLAY or (rule is not None and (new or rule != "foundation")):
        raise _refuse(motion, rule or "place", move)
    return replace(motion, flights=(*motion.flights, Flight(move, lands_ns, new, rule is None)))


def fumble(motion: Motion, team: int, at_ns: int, mended_ns: int) -> Motion:
    """Drop the team's cards in the air; they return, and the team moves nothing until `mended_ns`."""
    motion = _at(motion, CardMove(team, PLAY), at_ns)
    until = (*motion.mended_ns[:team], mended_ns, *motion.mended_ns[team + 1 :])
    return replace(_without(motion, [flight for flight in motion.flights if flight.move.team == team]), mended_ns=until)


def put_back(motion: Motion) -> Motion:
    """Return the wrong cards of the first foundation that has any, with all that was laid on them."""
    wrong = motion.astray[0].move.target
    return replace(motion, astray=tuple(flight for flight in motion.astray if flight.move.target != wrong))


def decide(motion: Motion, team: int) -> Motion:
    """The table's decision on the first disputed place: the card of that team stays, the others return."""
    first, *others = motion.disputed
    stays = next(flight for flight in first if flight.move.team == team)
    return replace(motion, position=apply_move(motion.position, stays.move), disputed=tuple(others))


def _breach(motion: Motion, move: CardMove) -> str | None:
    return breach(motion.position, move, away(motion, move.team))


def _hindrance(motion: Motion, move: CardMove) -> str | None:
    """Why the team cannot do anything there now."""
    if 0 <= move.team < len(motion.mended_ns) and motion.now_ns < motion.mended_ns[move.team]:
        return "fumble"
    return "in the air" if away(motion, move.team).intersection(_places_of(move)) else None


# -- what happens by itself -------------------------------------------------------------------------------------------


def advance(motion: Motion, to_ns: int) -> Motion:
    """The table at a later instant, with all that has landed until then."""
    while motion.flights and (first := min(motion.flights, key=_lands_ns)).lands_ns <= to_ns:
        motion = _land(motion, first)
    return replace(motion, now_ns=max(motion.now_ns, to_ns))


def _lands_ns(flight: Flight) -> int:
    return flight.lands_ns


def _at(motion: Motion, move: CardMove, at_ns: int) -> Motion:
    if at_ns < motion.now_ns:
        raise _refuse(motion, "instant", move)
    return advance(motion, at_ns)


def _without(motion: Motion, gone: Collection[Flight]) -> Motion:
    return replace(motion, flights=tuple(flight for flight in motion.flights if flight not in gone))


def _aim(motion: Motion, flight: Flight) -> CardMove:
    """The play as it lands: a new foundation is begun where there is room by now."""
    return replace(flight.move, target=len(motion.position.foundations)) if flight.new else flight.move


def _is_covered(motion: Motion, flight: Flight) -> bool:
    """Whether a card lies on that foundation which does not belong there, or not yet."""
    wrong = {other.move.target for other in motion.astray} | {group[0].move.target for group in motion.disputed}
    return not flight.new and flight.move.target in wrong


def _land(motion: Motion, flight: Flight) -> Motion:
    covered = _is_covered(motion, flight)
    if covered or unfit(motion.position, _aim(motion, flight)):
        beaten = flight.fitted and not covered
        return replace(_without(motion, (flight,)), astray=motion.astray if beaten else (*motion.astray, flight))
    rivals = _rivals(motion, flight)
    return _PLACING[motion.position.rules.same_place](motion, flight, rivals) if rivals else _stay(motion, (flight,))


def _rivals(motion: Motion, flight: Flight) -> tuple[Flight, ...]:
    """Other teams' cards that fit the same place and land too soon after this one to be told from it."""
    return tuple(
        other
        for other in sorted(motion.flights, key=_lands_ns)
        if other.move.team != flight.move.team
        and not (other.new or flight.new or other.move.more or flight.move.more)
        and other.move.target == flight.move.target
        and other.lands_ns < flight.lands_ns + motion.apart_ns
        and unfit(motion.position, other.move) is None
    )


def _stay(motion: Motion, flights: tuple[Flight, ...]) -> Motion:
    motion = _without(motion, flights)
    for flight in flights:
        motion = replace(motion, position=apply_move(motion.position, _aim(motion, flight)))
    return motion


def _first(motion: Motion, flight: Flight, rivals: tuple[Flight, ...]) -> Motion:
    level = [other for other in rivals if other.lands_ns == flight.lands_ns]
    return _without(motion, (flight, *level)) if level else _stay(motion, (flight,))


def _both(motion: Motion, flight: Flight, rivals: tuple[Flight, ...]) -> Motion:
    return _stay(motion, (flight, *rivals))


def _by_the_table(motion: Motion, flight: Flight, rivals: tuple[Flight, ...]) -> Motion:
    group = (flight, *rivals)
    return replace(_without(motion, group), disputed=(*motion.disputed, group))


_PLACING = {"first": _first, "both": _both, "table": _by_the_table}
