"""The hall's store, on SQLite and PostgreSQL: what it takes, refuses, and concludes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.core.documents.delivery import NO_ROW, Forgotten, GameRules, Received, Row, encode
from referee.core.values import replace
from referee.hall.access import AccessError
from referee.hall.intake import ODD_S, Intake
from referee.hall.model import (
    Allowed,
    Corrected,
    Drawn,
    Entered,
    EventError,
    Finished,
    Format,
    Game,
    Moved,
    Opened,
    Outcome,
    Seats,
    Undone,
    Voided,
    places_of,
)
from referee.hall.schema import DatabaseError
from referee.hall.store import Store
from tests.hall.made import NOW_S, Course, record, result

PEOPLE = ("Anna", "Ben", "Cy", "Di")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A store with one invited table."""
    store = Store(url, lambda: NOW_S)
    store.invite("t1")
    yield store
    store.close()


@pytest.fixture
def intake(store: Store) -> Intake:
    """What takes the messages."""
    return Intake(store, lambda: NOW_S)


def drawn(store: Store, *tables: tuple[str, ...], game: Game | None = None) -> int:
    """Open an event and draw its first round: the players of each table, t1 first."""
    id_ = store.open(Opened("Club", Format(), game or Game(), 1))
    seats, number = [], 0
    for at, people in enumerate(tables, 1):
        for name in people:
            number += 1
            store.append(id_, Entered(number, (name,)), number)
        seats.append(Seats(1, f"t{at}", tuple(range(number - len(people) + 1, number + 1))))
    store.append(id_, Drawn(1, tuple(seats), (), 1), number + 1)
    return id_


def win(intake: Intake, course: Course) -> None:
    """Send four hands, after which the first player has won."""
    for _ in range(4):
        intake.result("t1", encode(course.hand()))


# -- results -------------------------------------------------------------------------------------------------------


def test_results_of_a_match_are_stored_in_their_order_only(store: Store, intake: Intake) -> None:
    course = Course("m1", PEOPLE)
    first, second, third = (course.hand() for _ in range(3))
    assert intake.result("t1", encode(second)) == "gap"
    assert store.received("t1") == Received(store.hall, {})
    assert [intake.result("t1", encode(one)) for one in (first, first, third, second, first, third)] == [
        "stored", "repeated", "gap", "stored", "repeated", "stored",
    ]  # fmt: skip
    assert store.received("t1") == Received(store.hall, {"m1": third.row})
    held = store.match("t1", "m1")
    assert held
    assert held.record
    assert held.record.totals["Anna"] == 90


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=2, unique=True).map(sorted), max_size=8))
def test_results_that_leave_others_out_are_stored_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, spans: list[list[int]]
) -> None:
    """Messages come in any order, overlap, and come again."""
    path = tmp_path_factory.mktemp("hall") / "hall.db"
    course = Course("m1", PEOPLE)
    made = [course.hand(10) for _ in range(6)]
    rows, last, kept = [NO_ROW, *(one.row for one in made)], 0, list[Row]()
    with closing(Store(f"sqlite:///{path}")) as store:
        store.invite("t1")
        intake = Intake(store, lambda: NOW_S)
        for begin, end in spans:
            message = replace(made[end - 1], after=rows[begin])
            taken = intake.result("t1", encode(message))
            assert taken == ("repeated" if end <= last else "gap" if begin > last else "stored")
            if taken == "stored":
                last, kept = end, [*kept, rows[end]]
        assert store.received("t1") == Received(store.hall, {"m1": rows[last]} if last else {})
    with closing(sqlite3.connect(path)) as database:
        stored = database.execute('SELECT evening, number FROM results ORDER BY "order"').fetchall()
        assert stored == kept
        counts = database.execute('SELECT results FROM matches UNION SELECT max("order") FROM results').fetchall()
        assert counts == [(len(kept) or None,)]


def test_changed_result_is_refused_and_listed(store: Store, intake: Intake) -> None:
    course = Course("m1", PEOPLE)
    one = course.hand()
    intake.result("t1", encode(one))
    assert intake.result("t1", encode(replace(one, record=Course("m1", PEOPLE).hand(40).record))) == "changed"
    held, (trouble,) = store.match("t1", "m1"), store.troubles()
    assert held
    assert held.record
    assert held.record.totals["Anna"] == 30
    assert (trouble.table, trouble.match, trouble.kind) == ("t1", "m1", "changed")
    store.dismiss("t1", "m1", "changed")
    assert not store.troubles()


def test_corrected_times_make_no_other_result(intake: Intake) -> None:
    made = record("m1", [dict.fromkeys(PEOPLE, (30, 0))])
    intake.result("t1", encode(result("m1", (1, 3), NO_ROW, made)))
    later = replace(made, begun_s=NOW_S + 60, hands=tuple(replace(hand, counted_s=NOW_S) for hand in made.hands))
    assert intake.result("t1", encode(result("m1", (1, 3), NO_ROW, later))) == "repeated"


def test_table_that_lost_a_row_goes_on(store: Store, intake: Intake) -> None:
    course = Course("m1", PEOPLE)
    first, _, third = (course.hand() for _ in range(3))
    intake.result("t1", encode(first))
    intake.result("t1", encode(result("m1", (1, 5), first.row, record("m1", [dict.fromkeys(PEOPLE, (9, 0))]))))
    assert intake.result("t1", encode(replace(third, after=first.row))) == "stored"
    assert intake.result("t1", encode(replace(third, row=(1, 4), after=first.row))) == "repeated"  # it comes late


def test_uninvited_table_is_listed_and_gets_no_answer(store: Store, intake: Intake) -> None:
    one = Course("m1", PEOPLE).hand()
    assert intake.result("t2", encode(one)) == "uninvited"
    assert intake.result("t" * 40, encode(one)) == "uninvited"
    assert [(table.name, table.invited) for table in store.tables()] == [("t1", True), ("t2", False)]
    assert store.received("t2") is None
    assert not store.matches()
    store.invite("t2")
    assert intake.result("t2", encode(one)) == "stored"
    store.invite("t2", False)
    assert store.received("t2") is None
    with pytest.raises(ValueError, match="1 to 32"):
        store.invite("t 3")


def test_bad_record_is_acknowledged_and_listed(store: Store, intake: Intake) -> None:
    course = Course("m1", PEOPLE)
    one, two = course.hand(), course.hand()
    intake.result("t1", encode(one))
    assert two.record is not None
    assert intake.result("t1", encode(replace(two, record=two.record | {"totals": {}}))) == "stored"
    held, (trouble,) = store.match("t1", "m1"), store.troubles()
    assert held
    assert held.row == two.row
    assert "totals" in held.refused
    assert trouble.kind == "refused"
    assert held.record
    assert held.record.totals["Anna"] == 30, "the last good record stays"
    other = replace(course.hand(), record=Course("m2", PEOPLE).hand().record)
    assert intake.result("t1", encode(other)) == "stored"
    assert str(store.troubles()[0].sentence) == "the record cannot be read (the record is of match 'm2')"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]" * 600_000, b'{"format":2}', b'{"format":1,"match":"m","row":[1,3],"after":[2,0],"record":null}',
     b'{"format":1,"match":"m\\u0000","row":[1,3],"after":[0,0],"record":null}',
     b'{"format":1,"match":"m","row":[9223372036854775809,3],"after":[0,0],"record":null}'],
)  # fmt: skip
def test_unreadable_message_changes_nothing_and_is_listed(store: Store, intake: Intake, content: bytes) -> None:
    assert intake.result("t1", content) is None
    assert not intake.forgotten("t1", content)
    assert [trouble.kind for trouble in store.troubles()] == ["unreadable"]
    assert not store.matches()
    assert intake.result("t2", content) is None
    assert "t2" in [table.name for table in store.tables()]
    assert len(store.troubles()) == 1


def test_times_that_are_years_off_are_marked(store: Store, intake: Intake) -> None:
    made = record("m1", [dict.fromkeys(PEOPLE, (30, 0))], begun_s=NOW_S - ODD_S - 1)
    intake.result("t1", encode(result("m1", (1, 3), NO_ROW, made)))
    intake.result("t1", encode(Course("m2", PEOPLE).hand()))
    assert {held.match: held.odd_time for held in store.matches()} == {"m1": True, "m2": False}


@pytest.mark.parametrize("now_s", [-1, 2**32])
def test_hall_with_a_wrong_clock_stores_results(url: str, now_s: int) -> None:
    """After 2038, seconds no longer fit into 32 bits."""
    with closing(Store(url, now=lambda: now_s)) as store:
        store.invite("t1")
        assert Intake(store).result("t1", encode(Course("m1", PEOPLE).hand())) == "stored"
        store.note("t1", "m1", "unused", "a test")
        store.open(Opened("Cup", Format(), Game(), 1))
        store.access.admit("ann", "director", "a long password")
        assert store.access.login("ann", "wrong", "1.2.3.4") is None
        assert store.access.login("ann", "a long password", "1.2.3.4")


def test_table_has_a_budget_of_matches(store: Store, intake: Intake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.hall.store.MOST_MATCHES", 2)
    courses = [Course(f"m{n}", PEOPLE) for n in range(3)]
    assert [intake.result("t1", encode(one.hand())) for one in courses] == ["stored", "stored", "full"]
    assert intake.result("t1", encode(courses[0].hand())) == "stored"


def test_two_halls_at_once_store_each_result_once(url: str) -> None:
    stores = [Store(url, lambda: NOW_S) for _ in range(2)]
    assert stores[0].hall == stores[1].hall
    stores[0].invite("t1")
    drawn(stores[0], PEOPLE)
    course, taken = Course("m1", PEOPLE), list[str | None]()
    results = [encode(course.hand()) for _ in range(4)]

    def feed(store: Store) -> None:
        taken.extend(Intake(store, lambda: NOW_S).result("t1", one) for one in results)

    threads = [threading.Thread(target=feed, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, taken)) == ["repeated"] * 4 + ["stored"] * 4
    (event,) = stores[0].events().values()
    assert [type(made) for made in event.decisions].count(Finished) == 1
    for store in stores:
        store.close()


# -- events --------------------------------------------------------------------------------------------------------


def test_drawn_match_that_is_over_gives_the_outcome(store: Store, intake: Intake) -> None:
    id_ = drawn(store, PEOPLE)
    seating, rules = store.seatings()["t1"]
    assert seating.teams == tuple((name,) for name in PEOPLE)
    assert rules == GameRules(seating.game, {})
    course = Course("m1", PEOPLE)
    for _ in range(3):
        intake.result("t1", encode(course.hand()))
        assert not store.event(id_).outcomes
    intake.result("t1", encode(course.hand()))
    (outcome,) = store.event(id_).outcomes
    assert outcome.points == {1: Fraction(120), 2: Fraction(100), 3: Fraction(80), 4: Fraction(60)}
    assert not store.seatings()
    intake.result("t1", encode(course.undo()))
    assert not store.event(id_).outcomes
    assert "t1" in store.seatings()
    intake.result("t1", encode(course.hand(40)))
    assert store.event(id_).outcomes[0].points[1] == 130
    (held,) = store.matches()
    assert held.event == id_
    assert not store.matches(undrawn=True)


def test_match_that_has_no_hands_any_more_gives_no_outcome(store: Store, intake: Intake) -> None:
    id_, course = drawn(store, PEOPLE), Course("m1", PEOPLE)
    win(intake, course)
    assert store.event(id_).outcomes
    for _ in range(4):
        last = course.undo()
        intake.result("t1", encode(last))
    assert last.record is None
    assert not store.event(id_).outcomes


def test_match_that_was_never_drawn_is_stored_and_listed(store: Store, intake: Intake) -> None:
    id_ = drawn(store, PEOPLE)
    win(intake, Course("m1", ("Eve", "Fay", "Gil", "Hal")))
    assert [held.match for held in store.matches(undrawn=True)] == ["m1"]
    assert not store.event(id_).outcomes


def test_match_from_before_the_draw_does_not_count(store: Store, intake: Intake) -> None:
    friendly = Course("m1", PEOPLE)
    intake.result("t1", encode(friendly.hand()))
    id_ = drawn(store, PEOPLE)
    for _ in range(3):
        intake.result("t1", encode(friendly.hand()))
    assert not store.event(id_).outcomes
    win(intake, Course("m2", PEOPLE))
    assert store.event(id_).outcomes[0].match == "m2"


def test_match_counts_once_its_players_are_moved_to_it(store: Store, intake: Intake) -> None:
    id_ = drawn(store, PEOPLE, ("Eve", "Fay", "Gil", "Hal"))
    win(intake, Course("m1", ("Anna", "Ben", "Cy", "Eve")))
    assert not store.event(id_).outcomes
    assert store.matches(undrawn=True)
    event = store.append(id_, Moved(4, swapped=5), len(store.event(id_).decisions))
    assert event.outcomes[0].points[5] == 60
    assert event == store.event(id_)
    assert not store.matches(undrawn=True)


def test_voided_match_is_not_used_again(store: Store, intake: Intake) -> None:
    id_, course = drawn(store, PEOPLE), Course("m1", PEOPLE)
    win(intake, course)
    store.append(id_, Voided(1, "t1", "wrong rules"), len(store.event(id_).decisions))
    intake.result("t1", encode(course.undo()))
    intake.result("t1", encode(course.hand(40)))
    assert not store.event(id_).outcomes
    win(intake, Course("m2", PEOPLE))
    assert store.event(id_).outcomes[0].match == "m2"


def test_result_by_hand_outranks_the_record_and_the_difference_is_listed(store: Store, intake: Intake) -> None:
    id_, course = drawn(store, PEOPLE), Course("m1", PEOPLE)
    win(intake, course)
    points = {number: Fraction(10 * number) for number in range(1, 5)}
    places = {number: 5 - number for number in range(1, 5)}
    corrected = Corrected(Outcome(1, "t1", "", points, places, "the cards were mixed up"))
    store.append(id_, corrected, len(store.event(id_).decisions))
    intake.result("t1", encode(course.undo()))
    intake.result("t1", encode(course.hand(40)))
    assert store.event(id_).outcomes[0].points == points
    assert {trouble.kind for trouble in store.troubles()} == {"unused"}


def kinds(store: Store) -> list[str]:
    """Return the kinds of all troubles."""
    return [trouble.kind for trouble in store.troubles()]


def test_match_by_other_rules_waits_for_a_decision(store: Store, intake: Intake) -> None:
    """It is accepted, that is undone, it is refused; the next match counts."""
    id_ = drawn(store, PEOPLE, game=Game("pagat"))
    win(intake, Course("m1", PEOPLE))
    assert (store.event(id_).outcomes, kinds(store), store.matches(undrawn=True)) == ((), ["game"], [])
    for decision, counting, troubles in (
        (Allowed("m1", "t1", by="director"), ["m1"], []),
        (Undone(7), [], ["game"]),
        (Allowed("m1", "t1", False, "director"), [], []),
    ):
        event = store.append(id_, decision, len(store.event(id_).decisions))
        assert [outcome.match for outcome in event.outcomes] == counting
        assert kinds(store) == troubles
        if counting:
            with pytest.raises(EventError, match="decided already"):
                store.append(id_, decision, len(event.decisions))
    assert store.matches(undrawn=True)
    win(intake, Course("m2", PEOPLE))
    assert kinds(store) == ["game"]


def test_result_by_hand_settles_a_match_by_other_rules(store: Store, intake: Intake) -> None:
    id_ = drawn(store, PEOPLE, game=Game("nna", {"target": 90}))
    win(intake, Course("m1", PEOPLE))
    assert kinds(store) == ["game"]
    points = {number: Fraction(10 * number) for number in range(1, 5)}
    corrected = Corrected(Outcome(1, "t1", "", points, places_of(points), "as agreed"), "director")
    event = store.append(id_, corrected, len(store.event(id_).decisions))
    assert (event.outcomes[0].points, kinds(store)) == (points, ["unused"])


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (Game(), True),
        (Game(target=50), True),  # the table's target is higher
        (Game("nna", {"call_word": "Nerts", "rotate_seats": True}), True),
        (Game("nna150"), False),
        (Game(target=110), False),
        (Game("nna", {"penalty": 1}), False),
        (Game("spoons", target=3), False),
    ],
)
def test_rules_that_change_scores_must_be_the_events(store: Store, intake: Intake, game: Game, counts: bool) -> None:
    id_ = drawn(store, PEOPLE, game=game)
    win(intake, Course("m1", PEOPLE))
    assert bool(store.event(id_).outcomes) is counts
    assert kinds(store) == ([] if counts else ["game"])
    assert all(str(trouble.sentence) for trouble in store.troubles())


def test_second_director_must_look_again(store: Store) -> None:
    id_ = drawn(store, PEOPLE)
    number = len(store.event(id_).decisions)
    store.append(id_, Undone(number), number)
    with pytest.raises(EventError, match="changed meanwhile"):
        store.append(id_, Undone(number - 1), number)
    with pytest.raises(EventError, match="no event 99"):
        store.append(99, Undone(2), 1)
    assert len(store.event(id_).decisions) == number + 1


def test_store_reads_the_same_again(store: Store, intake: Intake, url: str) -> None:
    id_, course = drawn(store, PEOPLE), Course("m1", PEOPLE)
    for _ in range(4):
        intake.result("t1", encode(course.hand()))
    again = Store(url, lambda: NOW_S)
    assert again.event(id_) == store.event(id_)
    assert again.hall == store.hall
    assert again.received("t1") == store.received("t1")
    assert again.matches() == store.matches()
    again.close()


# -- names that are removed ----------------------------------------------------------------------------------------


def test_forgotten_name_is_nowhere_any_more(store: Store, intake: Intake, url: str) -> None:
    id_, course = drawn(store, PEOPLE), Course("m1", PEOPLE)
    for _ in range(4):
        intake.result("t1", encode(course.hand()))
    last = course.undo()
    intake.result("t1", encode(last))
    store.note("t1", "m1", "refused", "the team anna is strange")
    assert not intake.forgotten("t1", encode(Forgotten(2, "Anna", after=1))), "the first one is missing"
    assert intake.forgotten("t1", encode(Forgotten(1, "anna")))
    assert not intake.forgotten("t1", encode(Forgotten(1, "Ben"))), "it is a repeated one"
    received = store.received("t1")
    assert received
    assert received.forgotten == 1
    assert intake.result("t1", encode(last)) == "repeated", "a late copy does not bring the name back"
    again = Store(url, lambda: NOW_S)
    everything = f"{again.events()} {again.matches()} {again.troubles()} {again.seatings()}"
    assert "anna" not in everything.lower()
    assert "Ben" in everything
    assert again.event(id_) == store.event(id_)
    again.close()


# -- access --------------------------------------------------------------------------------------------------------


def test_people_log_in_with_their_password_only(store: Store, url: str) -> None:
    access = store.access
    access.admit("Dora", "director", "a long password")
    assert access.login("Dora", "a long passwort", "1.2.3.4") is None
    assert access.login("Nora", "a long password", "1.2.3.4") is None
    token = access.login("Dora", "a long password", "1.2.3.4")
    assert token
    assert (person := access.person(token))
    assert person.name == "Dora"
    assert person.may("helper")
    assert person.may("director")
    assert access.person("x" * 43) is None
    access.logout(token)
    assert access.person(token) is None
    token = access.login("Dora", "a long password", "1.2.3.4")
    access.admit("Dora", "helper", "another password")
    assert token
    assert access.person(token) is None
    access.dismiss("Dora")
    assert not access.people()
    assert access.login("Dora", "another password", "1.2.3.4") is None


def test_guessing_is_slowed_down(url: str) -> None:
    now_s = [NOW_S]
    store = Store(url, lambda: now_s[0])
    store.access.admit("Dora", "director", "a long password")
    for _ in range(5):
        assert store.access.login("Dora", "wrong", "1.2.3.4") is None
    with pytest.raises(AccessError, match="too many"):
        store.access.login("Dora", "a long password", "1.2.3.4")
    assert store.access.login("Dora", "a long password", "5.6.7.8")
    now_s[0] += 61
    assert store.access.login("Dora", "a long password", "1.2.3.4")
    store.close()


@pytest.mark.parametrize(
    ("name", "role", "password"),
    [("Dora", "boss", "long enough"), ("Dora", "helper", "short"), ("", "helper", "x" * 9)],
)
def test_people_need_a_name_a_role_and_a_long_password(store: Store, name: str, role: str, password: str) -> None:
    with pytest.raises(AccessError):
        store.access.admit(name, role, password)


@pytest.mark.parametrize(
    "url", ["mysql://x", "nonsense", "sqlite:////nonexistent/folder/hall.db", "postgresql://127.0.0.1:1/x"]
)
def test_unusable_database_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(DatabaseError, match="database"):
        Store(url)


def test_a_new_hall_removes_names_though_earlier_ones_went_to_another_hall(intake: Intake, store: Store) -> None:
    intake.result("t1", encode(Course("m", ("Anna", "Ben")).hand()))
    assert intake.forgotten("t1", encode(Forgotten(3, "Anna")))
    assert not intake.forgotten("t1", encode(Forgotten(5, "Ben", after=4)))
    assert intake.forgotten("t1", encode(Forgotten(4, "Ben", after=3)))
    (held,) = store.matches("t1")
    assert held.record is not None
    assert not {"Anna", "Ben"} & set(held.record.people)
    assert store.received("t1") == Received(store.hall, {"m": (1, 3)}, 4)


def test_matches_of_an_event_are_found_behind_others(intake: Intake, store: Store) -> None:
    id_ = drawn(store, PEOPLE)
    mine = Course("mine", PEOPLE)
    for _ in range(4):
        intake.result("t1", encode(mine.hand()))
    for at in range(3):
        intake.result("t1", encode(Course(f"other{at}", ("Eva", "Flo")).hand()))
    assert [held.match for held in store.matches(event=id_, most=1)] == ["mine"]
