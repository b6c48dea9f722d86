"""Which drawn table a record belongs to, and its outcome."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.match import account
from referee.core.documents.record import HandRecord, PlayerRecord, Record, TeamRecord, from_document, to_document
from referee.core.values import Document, replace
from referee.hall.decide import after, fold, forget, is_over, place_of_record
from referee.hall.model import Drawn, Entered, Event, Finished, Game, Left, Moved, Seats, Undone, Voided
from tests.hall import made
from tests.hall.events import by_hand, opened


def record(players: list[list[str]], counts: list[tuple[int, int]], match: str = "m1", called: bool = True) -> Record:
    """Return the record of one hand, read back as a hall reads it. counts: Lake and Nertz cards of each team."""
    teams = [" & ".join(names) for names in players]
    seats = iter(range(1, 20))
    who = tuple(
        TeamRecord(team, tuple(PlayerRecord(next(seats), name) for name in names))
        for team, names in zip(teams, players, strict=True)
    )
    end = {"end": "call", "callers": teams[:1]} if called else {"end": "stuck", "callers": []}
    hand = end | {"counts": {team: list(count) for team, count in zip(teams, counts, strict=True)}}
    document: Document = {"preset": "nna", "teams": teams, "hands": [hand], "options": {"target": 30}}
    told = account(document)
    made_record = Record(
        id=match,
        begun_s=None,
        ended_s=None,
        teams=who,
        hands=(HandRecord(scores=dict(told.hands[0])),),
        totals=dict(told.totals),
        winners=told.winners,
        match=document,
    )
    return from_document(to_document(made_record))


def singles(*names: str, match: str = "m1") -> Record:
    return record([[name] for name in names], [(35 - 9 * at, at) for at in range(len(names))], match)


def event_at(*tables: tuple[str, ...]) -> Event:
    """Return an event with these tables drawn in round 1; a name with & is a pair."""
    names = [name for table in tables for name in table]
    numbers = {name: number for number, name in enumerate(names, 1)}
    entered = [Entered(number, tuple(name.split("&"))) for name, number in numbers.items()]
    seats = tuple(Seats(1, f"t{at}", tuple(numbers[name] for name in table)) for at, table in enumerate(tables, 1))
    return fold([opened("swiss"), *entered, Drawn(1, seats, (), 1)])


NIGHT = event_at(("Anna", "Ben", "Max"), ("Lea", "Tom", "Pia"))


def test_names_are_matched_in_any_order_and_spelling() -> None:
    outcome = place_of_record(NIGHT, "t1", singles("MAX", "anna", "Ben"))
    assert outcome is not None
    assert (outcome.round, outcome.table, outcome.match) == (1, "t1", "m1")
    assert outcome.points == {3: 35, 1: 24, 2: 13}
    assert outcome.places == {3: 1, 1: 2, 2: 3}
    assert after(NIGHT, Finished(outcome)).outcomes == (outcome,)


def test_players_at_another_table_are_found() -> None:
    outcome = place_of_record(NIGHT, "t1", singles("Lea", "Tom", "Pia"))
    assert outcome is not None
    assert outcome.table == "t2"


@pytest.mark.parametrize(
    "names", [("Anna", "Ben"), ("Anna", "Ben", "Lea"), ("Anna", "Ben", "Max", "Lea"), ("Eva", "Ada")]
)
def test_match_that_was_not_drawn_has_no_place(names: tuple[str, ...]) -> None:
    assert place_of_record(NIGHT, "t1", singles(*names)) is None


def test_match_without_a_no_show_has_a_place_once_it_is_out() -> None:
    played = singles("Anna", "Ben")
    outcome = place_of_record(after(NIGHT, Left(3, "no-show")), "t1", played)
    assert outcome is not None
    assert outcome.points.keys() == {1, 2}


def test_entry_that_left_after_its_match_counts() -> None:
    event = after(NIGHT, Left(3))
    assert place_of_record(event, "t1", singles("Anna", "Ben", "Max")) is not None


def test_moved_entry_gives_a_place() -> None:
    assert place_of_record(NIGHT, "t1", singles("Anna", "Ben", "Lea")) is None
    assert place_of_record(after(NIGHT, Moved(3, swapped=4)), "t1", singles("Anna", "Ben", "Lea")) is not None


def test_pairs_are_matched_in_any_order() -> None:
    event = event_at(("Anna&Max", "Ben&Lea"))
    outcome = place_of_record(event, "t1", record([["lea", "Ben"], ["Max", "ANNA"]], [(31, 0), (12, 3)]))
    assert outcome is not None
    assert outcome.points == {2: 31, 1: 6}
    assert place_of_record(event, "t1", record([["Anna", "Ben"], ["Max", "Lea"]], [(31, 0), (12, 3)])) is None


def test_shared_place_is_shared() -> None:
    outcome = place_of_record(
        NIGHT, "t1", record([["Anna"], ["Ben"], ["Max"]], [(9, 1), (12, 0), (9, 1)], called=False)
    )
    assert outcome is not None
    assert outcome.places == {1: 2, 2: 1, 3: 2}


def test_same_players_again_belong_to_the_next_round() -> None:
    first = place_of_record(NIGHT, "t1", singles("Anna", "Ben", "Max"))
    assert first is not None
    event = after(NIGHT, Finished(first))
    assert place_of_record(event, "t1", singles("Anna", "Ben", "Max", match="m2")) is None
    event = after(event, Drawn(2, (Seats(2, "t1", (1, 2, 3)),), (), 1))
    second = place_of_record(event, "t1", singles("Anna", "Ben", "Max", match="m2"))
    assert second is not None
    assert second.round == 2
    late = place_of_record(event, "t1", singles("Ben", "Anna", "Max"))
    assert late is not None
    assert late.round == 1


def test_record_belongs_to_the_oldest_round_without_a_result() -> None:
    event = after(NIGHT, Drawn(2, (Seats(2, "t1", (1, 2, 3)),), (), 1))
    first = place_of_record(event, "t1", singles("Anna", "Ben", "Max"))
    assert first is not None
    assert first.round == 1


def test_voided_match_has_no_place_and_the_next_one_has() -> None:
    first = place_of_record(NIGHT, "t1", singles("Anna", "Ben", "Max"))
    assert first is not None
    event = after(after(NIGHT, Finished(first)), Voided(1, "t1"))
    assert place_of_record(event, "t1", singles("Anna", "Ben", "Max")) is None
    assert place_of_record(event, "t1", singles("Anna", "Ben", "Max", match="m2")) is not None
    assert place_of_record(after(event, Undone(len(event.decisions))), "t1", singles("Anna", "Ben", "Max")) is not None


def test_result_by_hand_is_named_although_it_outranks_the_record() -> None:
    event = after(NIGHT, by_hand(NIGHT.rounds[0][0], {1: 5, 2: 4, 3: 3}))
    outcome = place_of_record(event, "t1", singles("Anna", "Ben", "Max"))
    assert outcome is not None
    assert outcome.table == "t1"


def test_forgotten_name_keeps_its_match() -> None:
    first = place_of_record(NIGHT, "t1", singles("Anna", "Ben", "Max"))
    assert first is not None
    event = fold(forget(after(NIGHT, Finished(first)).decisions, "Ben"))
    assert event.outcomes == (first,)
    again = place_of_record(event, "t1", singles("Anna", "Player 7", "Max"))
    assert again == first


def test_match_is_over_with_a_winner_or_at_the_events_target() -> None:
    done, short = singles("Anna", "Ben"), record([["Anna"], ["Ben"]], [(20, 0), (9, 1)])
    assert is_over(NIGHT, done)
    assert not is_over(NIGHT, short)
    assert is_over(replace(NIGHT, game=Game("nna", {}, target=20)), short)
    assert not is_over(replace(NIGHT, game=Game("nna", {}, target=21)), short)


@given(
    st.lists(st.lists(st.integers(0, 48), min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(1, 150),
    st.sampled_from([40, 100, 300]),
)
def test_hands_after_the_events_target_do_not_count(hands: list[list[int]], target: int, own: int) -> None:
    event = replace(NIGHT, game=Game("nna", {}, target=target))
    names, played = ("Anna", "Ben", "Max"), []
    for hand in hands:
        played.append({name: (count, 0) for name, count in zip(names, hand, strict=True)})
        if made.record("m1", played, target=own).winners:
            break
    totals = [[sum(hand[name][0] for hand in played[:n]) for name in names] for n in range(1, len(played) + 1)]
    reached = [n for n, total in enumerate(totals, 1) if max(total) >= target]
    end = reached[0] if reached and target < own else len(played)
    short, whole = made.record("m1", played[:end], target=own), made.record("m1", played, target=own)
    assert place_of_record(event, "t1", whole) == place_of_record(event, "t1", short)
    assert is_over(event, whole) is bool(reached or whole.winners)


@pytest.mark.parametrize("target", [1, 2, 3])
def test_duel_has_no_target_of_its_own(target: int) -> None:
    hands = [
        {"end": "won", "callers": ["Anna"]},
        {"end": "won", "callers": ["Ben"]},
        {"end": "won", "callers": ["Ben"]},
    ]
    document: Document = {"preset": "reflex-duel", "players": ["Anna", "Ben"], "hands": hands}
    whole = replace(singles("Anna", "Ben"), match=document, winners=())
    event = replace(event_at(("Anna", "Ben")), game=Game("reflex-duel", {}, target=target))
    outcome = place_of_record(event, "t1", whole)
    assert outcome is not None
    assert outcome.points == ({1: 1, 2: 0} if target == 1 else {1: 1, 2: 2})
    assert is_over(event, whole) is (target < 3)


def test_tables_get_the_options_and_a_target_that_their_game_has() -> None:
    assert Game("nna", {"bonus": 10}, target=50).rules == {"bonus": 10, "target": 50}
    assert Game("nna", {"target": 75}).rules == {"target": 75}
    assert Game("31", {}, target=50).rules == {}
