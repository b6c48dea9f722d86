"""The table in motion: cards in the air, two cards for one place, dropped and wrong cards.

Theory of operation. A `Position` holds correctly placed cards. A card on its way to a foundation is not there until it
lands: it still counts at its source, and that place is blocked, so that nothing must be changed if it returns. This
module holds the cards that are away (`Motion`) and their events, each at an instant:

    send ──► in the air ── lands ──► stays                   becomes part of the position
                │   │                beaten                  another card came first: it returns
                │   │                astray                  it fits nothing: it stays there until put back
                │   │                disputed                two at once: the table decides
                └── fumbled                                  dropped

A card laid on one that is astray or disputed is also astray, and returns with it.

Two cards of different teams for the same place that land less than `apart_ns` apart cannot be distinguished by eye. A
flight takes at least that long, so all rivals of a card are known when it lands. Under the rule "first" the instants
decide; two cards with the same instant both return. For several cards played at once the instants decide under every
rule: a place with two cards of one rank takes only single cards.

docs/glossary.md explains the piles: reserve, work pile, stock, waste, foundation.
"""

from __future__ import annotations

from collections.abc import Collection

from referee.core.cards.apply import apply_move
from referee.core.cards.check import breach, unfit
from referee.core.cards.notation import move_text
from referee.core.cards.position import WASTE, Position
from referee.core.cards.rules import BUILD, CALL, PLAY, SLIDE, TURN, TURN_OVER, CardMove, IllegalMoveError
from referee.core.values import Value, replace


class Flight(Value):
    """One card or several on the way to a foundation. They land at `lands_ns`.

    new: whether the card begins a foundation in the next free place. fitted: whether the play was legal when the card
    was sent.
    """

    move: CardMove
    lands_ns: int
    new: bool
    fitted: bool


class Motion(Value):
    """All cards of a table at the instant `now_ns`, including those in the air.

    apart_ns: the order of two landings closer than this is unknown. flights: the cards in the air, in sending order.
    astray: the cards on wrong foundations, the lowest first. disputed: groups of cards that landed on the same place at
    once, until the table decides. mended_ns: for each team, until when it sorts cards that it dropped.
    """

    position: Position
    now_ns: int
    apart_ns: int
    flights: tuple[Flight, ...] = ()
    astray: tuple[Flight, ...] = ()
    disputed: tuple[tuple[Flight, ...], ...] = ()
    mended_ns: tuple[int, ...] = ()


def in_motion(position: Position, now_ns: int, apart_ns: int) -> Motion:
    """Return a table with the cards of this position, none of them in the air."""
    return Motion(position, now_ns, apart_ns, mended_ns=(now_ns,) * len(position.teams))


def away(motion: Motion, team: int) -> frozenset[int]:
    """Return the team's places whose card is in the air, on a wrong foundation or disputed.

    The team's moves cannot use these places now.
    """
    flights = (*motion.flights, *motion.astray, *(flight for group in motion.disputed for flight in group))
    return frozenset(place for flight in flights if flight.move.team == team for place in _sources(flight.move))


def _sources(move: CardMove) -> tuple[int, ...]:
    return (move.source, *move.more)


def _places_of(move: CardMove) -> tuple[int, ...]:
    """Return the places that a team's move takes cards from or lays cards on.

    Foundations do not count.
    """
    if move.kind in (TURN, TURN_OVER):
        return (WASTE,)
    return (*_sources(move), move.target) if move.kind in (BUILD, SLIDE) else _sources(move)


def _refuse(motion: Motion, rule: str, move: CardMove) -> IllegalMoveError:
    return IllegalMoveError(rule, move, move_text(motion.position, move))


# -- players' actions; after an IllegalMoveError nothing has changed ---------------------------------------------------


def act(motion: Motion, move: CardMove, at_ns: int) -> Motion:
    """Make a team's move that takes effect at once: on its own piles, or a joker's announcement.

    Raises IllegalMoveError.
    """
    motion = _at(motion, move, at_ns)
    rule = "place" if move.kind in (PLAY, CALL) else _hindrance(motion, move) or _breach(motion, move)
    if rule is not None:
        raise _refuse(motion, rule, move)
    return replace(motion, position=apply_move(motion.position, move))


def send(motion: Motion, move: CardMove, at_ns: int, lands_ns: int) -> Motion:
    """Send one card or several on the way to a foundation.

    The card need not fit yet, because another card can land before it. It can also be sent to a wrong foundation.
    Raises IllegalMoveError.
    """
    motion = _at(motion, move, at_ns)
    rule = "instant" if lands_ns < at_ns + motion.apart_ns else _hindrance(motion, move) or _breach(motion, move)
    new = move.target == len(motion.position.foundations)
    if move.kind != PLAY or (rule is not None and (new or rule != "foundation")):
        raise _refuse(motion, rule or "place", move)
    return replace(motion, flights=(*motion.flights, Flight(move, lands_ns, new, rule is None)))


def fumble(motion: Motion, team: int, at_ns: int, mended_ns: int) -> Motion:
    """Drop the team's cards that are in the air. They return to the places that they came from.

    The team cannot move until `mended_ns`.
    """
    motion = _at(motion, CardMove(team, PLAY), at_ns)
    until = (*motion.mended_ns[:team], mended_ns, *motion.mended_ns[team + 1 :])
    return replace(_without(motion, [flight for flight in motion.flights if flight.move.team == team]), mended_ns=until)


def put_back(motion: Motion) -> Motion:
    """Give the wrong cards of one foundation, and all cards on them, back to their teams."""
    wrong = motion.astray[0].move.target
    return replace(motion, astray=tuple(flight for flight in motion.astray if flight.move.target != wrong))


def decide(motion: Motion, team: int) -> Motion:
    """Settle the first disputed place: keep this team's card, give the other teams' cards back."""
    first, *others = motion.disputed
    stays = next(flight for flight in first if flight.move.team == team)
    return replace(motion, position=apply_move(motion.position, stays.move), disputed=tuple(others))


def _breach(motion: Motion, move: CardMove) -> str | None:
    return breach(motion.position, move, away(motion, move.team))


def _hindrance(motion: Motion, move: CardMove) -> str | None:
    """Return the reason why the team cannot move these cards now; None if it can.

    "fumble": the team is sorting dropped cards. "in the air": a place of the move is in `away`.
    """
    if 0 <= move.team < len(motion.mended_ns) and motion.now_ns < motion.mended_ns[move.team]:
        return "fumble"
    return "in the air" if away(motion, move.team).intersection(_places_of(move)) else None


# -- events over time -------------------------------------------------------------------------------------------------


def advance(motion: Motion, to_ns: int) -> Motion:
    """Return the table at a later instant, with all landings until then."""
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
    """Return the flight's move. If it begins a foundation, set `target` to the next free place."""
    return replace(flight.move, target=len(motion.position.foundations)) if flight.new else flight.move


def _is_covered(motion: Motion, flight: Flight) -> bool:
    """Return whether a wrong or disputed card lies on the foundation where the flight lands."""
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
    """Return other teams' cards for the same place that land almost at the same time."""
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
