"""What is sent when, without a broker: a window of results, retries, names to remove."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.delivery import Forgotten, Received, Result, Row, decode
from referee.mqtt import delivery
from referee.mqtt.broker import BrokerError
from referee.mqtt.delivery import ASKS_S, FEWEST_ASKS, GREETING_S, MOST_ASKS, RETRIES_S, Delivery, SilentError
from referee.mqtt.outbox import RECENT_S
from referee.protocol.mqtt import FromChild, Status
from referee.storage.evenings.folder import compress, evenings_in
from referee.storage.records.forget import forget
from referee.storage.records.removed_names import FORGOTTEN, INDEX, Forgets, has_hall
from tests.mqtt.test_outbox import NOW_S, a_match, recorded, state_with, written


class Table:
    """A delivery with a clock of its own, and a broker that keeps what is published."""

    def __init__(self, state: Path, *, has_others: bool = False, wall_s: int = NOW_S) -> None:
        self.now_s, self.wall_s = 1000.0, wall_s
        self.sent: list[tuple[str, bytes]] = []
        self.reports: list[FromChild] = []
        self.delivery = Delivery(
            state, self.reports.append, lambda: self.now_s, lambda: self.wall_s, has_others=has_others
        )

    def publish(self, part: str, content: bytes, *, qos: int = 0, retain: bool = False) -> None:
        """Keep a message."""
        assert (qos, retain) == (0, False)
        self.sent.append((part, content))

    def work(self, wait_s: float = 0.0) -> list[Result]:
        """Let time pass and send. Return the new results."""
        self.now_s += wait_s
        self.sent.clear()
        self.delivery.work(self)
        return [decode(Result, content) for part, content in self.sent if part == "result"]

    def receive(self, rows: dict[str, Row], hall: str = "h1", forgotten: int = 0, *, live: bool = True) -> None:
        """Let the hall say what it holds, or (live False) the broker what it has retained."""
        self.delivery.take("received", msgspec.json.encode(Received(hall, rows, forgotten)), live)

    def connect(self) -> None:
        """Connect to a broker."""
        self.delivery.reset()
        self.work()

    def silence_s(self) -> float:
        """Let time pass until the table leaves the broker, and return how long that takes. At most an hour."""
        begun_s = self.now_s
        while self.now_s < begun_s + 3600:
            try:
                self.work(self.delivery.wait_s)
            except SilentError as error:
                self.delivery.lose(error)
                return self.now_s - begun_s
        return math.inf


class Hall:
    """Stores a result only if it holds the row before."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}
        self.taken: Counter[Row] = Counter()

    def take(self, result: Result) -> None:
        """Take a result, unless it comes out of order or again."""
        if self.rows.get(result.match, (0, 0)) == result.after:
            self.rows[result.match] = result.row
            self.taken[result.row] += 1


@given(st.lists(st.sampled_from(["take", "lose", "restore", "reconnect", "swap"]), max_size=12))
def test_every_result_arrives_once_and_in_order(tmp_path_factory: pytest.TempPathFactory, faults: list[str]) -> None:
    """Messages are lost or swapped, the hall is restored from an old copy: in the end it holds all."""
    table, hall = Table(state_with(tmp_path_factory.mktemp("state"), "duel")), Hall()
    delivery.WINDOW, usual = 3, delivery.WINDOW
    copy: dict[str, Row] = {}
    table.receive(hall.rows)
    for fault in [*faults, *["take"] * 8]:
        try:
            results = table.work(RETRIES_S[-1])
        except SilentError:
            results, fault = [], "reconnect"
        if fault == "lose":
            continue
        if fault == "restore":
            hall.rows, hall.taken = (
                dict(copy),
                Counter(row for row in hall.taken if row <= max(copy.values(), default=(0, 0))),
            )
        if fault == "reconnect":
            table.delivery.reset()
        for result in results[::-1] if fault == "swap" else results:
            hall.take(result)
        table.receive(hall.rows)
        copy = dict(hall.rows) if fault == "take" and not copy else copy
    delivery.WINDOW = usual
    assert hall.taken == Counter([recorded()[-1].row])
    assert table.work(RETRIES_S[-1]) == []


def test_nothing_is_sent_before_the_hall_has_spoken(tmp_path: Path) -> None:
    state = state_with(tmp_path / "state", "duel")
    table = Table(state)
    assert table.work() == []
    assert not has_hall(state)
    assert table.delivery.wait_s == ASKS_S[0]
    table.receive({}, "h1")
    table.delivery.take("hall", b"h2")
    assert table.work() == []  # another hall runs now
    table.delivery.take("hall", b"h1")
    assert table.work() != []
    assert has_hall(state)


def test_evenings_before_the_first_contact_stay_at_the_table(tmp_path: Path) -> None:
    """The hall is restored from an old copy, the table restarts and loses its index."""
    state = tmp_path / "state"
    for days_ago in (3, 0):
        written(state, a_match(days_ago + 1).rows, wall_s=NOW_S - days_ago * RECENT_S)
    compress(evenings_in(state))
    table = Table(state)
    table.receive({})
    (sent,) = table.work()
    assert sent.row[0] == 2
    for lost in (False, True):
        table = Table(state)
        table.receive({})
        assert table.work() == [sent]
        if lost:
            (state / INDEX).unlink()
    table = Table(state)
    table.receive({sent.match: sent.row})
    assert table.work() == []


@pytest.mark.parametrize("days", [-3000, 5, 3000])
def test_evening_is_sent_though_the_clock_was_set_before_the_first_contact(tmp_path: Path, days: int) -> None:
    """A board without a battery plays by a wrong clock until it finds a network."""
    state = tmp_path / "state"
    for ago in (3, 0):
        written(state, a_match(ago + 1).rows, wall_s=NOW_S - ago * RECENT_S)
    table = Table(state)
    table.wall_s += days * RECENT_S
    table.receive({})
    assert [one.row[0] for one in table.work(RECENT_S / 2)] == [2]


def test_confirmed_results_make_room_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "WINDOW", 2)
    state = tmp_path / "state"
    for seconds in (1, 2, 3):
        written(state, a_match(seconds).rows)
    compress(evenings_in(state))
    table = Table(state)
    table.receive({})
    first, second = table.work()
    assert table.work() == []
    assert 0 < table.delivery.wait_s <= RETRIES_S[0]
    held = {first.match: first.row}
    table.receive(held)
    (third,) = table.work()
    assert table.work(RETRIES_S[0]) == [second, third]  # nothing was confirmed
    table.receive(held | {second.match: second.row, third.match: third.row})
    assert table.work(GREETING_S) == []
    assert table.delivery.wait_s >= RETRIES_S[-1] - GREETING_S


def test_quiet_time_does_not_delay_the_next_retry(tmp_path: Path) -> None:
    table = Table(state_with(tmp_path / "state", "duel"))
    last = recorded()[-1]
    for _ in range(5):
        table.receive({last.match: last.row})
        assert table.work(ASKS_S[-1] / 2) == []
    table.receive({})  # the hall is restored from an old copy
    first = table.work()
    assert first != []
    assert table.work(RETRIES_S[0]) == first


def test_table_reads_its_records_when_they_have_changed(tmp_path: Path) -> None:
    """A table that has had a hall reads them before it connects."""
    state = state_with(tmp_path / "state", "duel")
    last = recorded()[-1]
    for has_had_hall in (False, True):
        table = Table(state)
        table.delivery.prepare()
        hidden = (state / "records").rename(tmp_path / "hidden")
        table.receive({} if has_had_hall else {last.match: last.row})
        assert table.work() == []
        hidden.rename(state / "records")
        assert len(table.work(RETRIES_S[0])) == has_had_hall
        table.delivery.note_saved()
        table.receive({}, "h2")
        assert len(table.work(RETRIES_S[-1])) == 1


def test_match_that_the_hall_refuses_does_not_stop_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "WINDOW", 1)
    state = tmp_path / "state"
    for seconds in (1, 2):
        written(state, a_match(seconds).rows)
    compress(evenings_in(state))
    table = Table(state)
    table.receive({})
    (refused,) = table.work()
    (other,) = table.work(RETRIES_S[0])
    assert other.match != refused.match
    table.receive({other.match: other.row})
    assert [one.match for one in table.work()] == [refused.match]


def test_result_that_is_too_long_is_logged_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(delivery, "MOST_BYTES", 1000)
    table = Table(state_with(tmp_path / "state", "duel"))
    caplog.clear()
    table.receive({})
    assert table.work() == table.work(RETRIES_S[0]) == []
    (said,) = caplog.messages
    assert said.endswith("bytes, more than a hall takes (1000)")


def test_hall_that_is_away_is_reported(tmp_path: Path) -> None:
    table = Table(state_with(tmp_path / "state", "duel"))
    table.receive({}, live=False)
    table.work()
    assert table.reports == []
    table.work(GREETING_S)
    table.delivery.take("hall", b"h1")
    table.work()
    table.delivery.take("hall", b"")
    table.work()
    table.delivery.lose(BrokerError("gone"))
    assert table.reports == [Status("hall"), Status(""), Status("hall"), Status("broker")]


# -- a hall that does not answer -----------------------------------------------------------------------------------


def test_unconfirmed_results_lead_to_another_broker(tmp_path: Path) -> None:
    """Results are sent again, the hall is asked, and then the table leaves; more slowly each time in a row."""
    table = Table(state_with(tmp_path / "state", "duel"))
    table.connect()
    table.delivery.take("hall", b"h1")
    table.receive({})
    assert table.work() != []
    first_s = table.silence_s()
    assert RETRIES_S[0] < first_s <= sum(ASKS_S[:FEWEST_ASKS]) + ASKS_S[0]
    assert table.reports[-1] == Status("hall")
    waits_s = []
    for _ in range(4):
        table.connect()
        table.delivery.take("hall", b"h1", live=False)
        table.receive({}, live=False)  # the broker has it retained, which is no answer
        waits_s.append(table.silence_s())
    assert waits_s == [sum(ASKS_S[:most]) for most in (FEWEST_ASKS + 1, MOST_ASKS, MOST_ASKS, MOST_ASKS)]
    assert table.reports[-1] == Status("hall")
    table.connect()
    table.receive({})
    assert table.work() != []
    assert table.reports[-1] == Status("")
    assert table.silence_s() == first_s


def test_idle_table_finds_a_dead_subscription(tmp_path: Path) -> None:
    """Who plays next comes from the hall too, so a table asks although all results are confirmed."""
    table = Table(tmp_path)
    table.connect()
    for _ in range(5):
        table.delivery.take("hall", b"h1")
        table.receive({})
        table.work(ASKS_S[-1])
        assert [part for part, _ in table.sent] == ["online"]
    assert table.silence_s() < 2 * ASKS_S[-1]


def test_table_that_is_not_invited_stays(tmp_path: Path) -> None:
    table = Table(tmp_path, has_others=True)
    table.connect()
    table.delivery.take("hall", b"h1", live=False)
    for _ in range(100):
        table.delivery.take("received", b"")  # the answer
        table.work(table.delivery.wait_s)


@pytest.mark.parametrize(("has_others", "has_had_hall"), [(False, True), (True, False), (True, True)])
def test_table_stays_while_the_hall_is_away(tmp_path: Path, has_others: bool, has_had_hall: bool) -> None:
    """Only a table with several brokers that has had a hall looks for it elsewhere, slowly."""
    table = Table(state_with(tmp_path / "state", "duel"), has_others=has_others)
    if has_had_hall:
        table.receive({})
        table.work()
    table.connect()
    assert table.silence_s() == (sum(ASKS_S[:MOST_ASKS]) if has_others and has_had_hall else math.inf)


def test_hall_that_starts_has_time_to_answer(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.connect()
    for _ in range(20):
        table.work(table.delivery.wait_s)
    table.delivery.take("hall", b"h1")
    table.work()
    assert table.sent == []
    assert table.delivery.wait_s == ASKS_S[0]


@given(st.lists(st.sampled_from(["lose", "answer", "presence", "away", "wait"]), max_size=30))
def test_hall_that_answers_is_never_left(tmp_path_factory: pytest.TempPathFactory, course: list[str]) -> None:
    """However retained messages come or are missing: a hall that answers at least each second ask is kept."""
    table, lost = Table(state_with(tmp_path_factory.mktemp("state"), "duel"), has_others=True), 0
    table.connect()
    for step in course:
        if step == "presence":
            table.delivery.take("hall", b"h1", live=False)
        elif step == "away":
            table.delivery.take("hall", b"")
        asks = 0
        while step == "wait" and not asks:
            table.work(table.delivery.wait_s)
            asks = sum(part == "online" for part, _ in table.sent)
        lost += asks
        if step == "answer" or lost > 1:
            lost = 0
            table.receive({})


# -- names to remove -----------------------------------------------------------------------------------------------


def test_removed_name_is_sent_until_the_hall_confirms(tmp_path: Path) -> None:
    state = tmp_path / "state"
    written(state, a_match(1).rows)
    forget(state, "Ben")  # no hall yet
    assert not (state / FORGOTTEN).exists()
    table = Table(state)
    table.receive({})
    table.work()
    forget(state, "Anna")
    forget(state, "Nobody")
    assert b"Anna" in (state / FORGOTTEN).read_bytes()
    table = Table(state)
    table.receive({})
    for wait_s in (0.0, RETRIES_S[0]):
        table.work(wait_s)
        names = [decode(Forgotten, content) for part, content in table.sent if part == "forgotten"]
        assert [(one.number, one.name) for one in names] == [(1, "Anna")]
    table.receive({}, forgotten=1)
    table.work(RETRIES_S[-1])
    assert not [part for part, _ in table.sent if part == "forgotten"]
    assert b"Anna" not in (state / FORGOTTEN).read_bytes()
    for name in ("Lea", "Pia"):
        Forgets(state).add(name)
    wanted = [(2, "Lea", 0), (3, "Pia", 2)]
    for confirmed in (1, 0):  # also for a hall that has removed none
        assert [(one.number, one.name, one.after) for one in Forgets(state).due(confirmed)] == wanted
    forgets = Forgets(state)
    forgets.confirm(2)
    assert [(one.number, one.name, one.after) for one in Forgets(state).due(0)] == [(3, "Pia", 0)]
