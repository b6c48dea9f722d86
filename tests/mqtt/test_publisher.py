"""The publisher and a real broker: views, verdicts and results arrive, and faults are logged once."""

from __future__ import annotations

import select
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import msgspec
import pytest

from referee.core.documents.delivery import GameRules, Seating, Verdict, hall_topic, presence_topic
from referee.core.messages import Label, msg
from referee.core.model.events import Sealed
from referee.core.model.view import VerdictScreen, View
from referee.core.values import replace
from referee.device.children.mqtt import TROUBLES, Publisher, shown_of, verdict_of
from referee.language.words import sentence, speaking
from referee.mqtt import child, delivery
from referee.mqtt.broker import Broker, BrokerError, check
from referee.protocol.mqtt import Announce, Settings, Show
from referee.storage.records.removed_names import INDEX
from tests.core.evenings import at_table, counted, played
from tests.mqtt.broker import PATIENCE_S, TABLE, Hall, Mosquitto, deaf, hall, mosquitto, refusing
from tests.mqtt.test_outbox import read, written


class Reports:
    """Waits for a publisher's reports."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.offered: list[tuple[str, ...]] = []
        self.games: list[GameRules] = []

    def offer(self, names: tuple[str, ...], rules: GameRules) -> None:
        self.offered.append(names)
        self.games.append(rules)
        self.note()

    def note(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def until(self, publisher: Publisher, trouble: str) -> None:
        self.wait(lambda: publisher.trouble == trouble)

    def wait(self, wanted: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(wanted, PATIENCE_S)


@contextmanager
def publishing(settings: Settings) -> Iterator[tuple[Publisher, Reports]]:
    """Run a publisher."""
    reports = Reports()
    publisher = Publisher(settings, reports.note, reports.offer)
    try:
        yield publisher, reports
    finally:
        publisher.stop()


@contextmanager
def connected(folder: Path, state: Path) -> Iterator[tuple[Mosquitto, Hall, Publisher, Reports]]:
    """Run a broker, a hall and a publisher, which has connected."""
    with mosquitto(folder) as broker, hall(broker) as far, publishing(broker.settings(state)) as (publisher, reports):
        far.until("online", lambda text: text == "online")
        yield broker, far, publisher, reports


@cache
def a_view() -> View:
    """Return the view of a table that plays."""
    return counted(at_table("1", "2").playing("1", "2"), "1", 10, "2").view


def a_verdict(callers: str = "Anna") -> View:
    """Return a view with a verdict."""
    screen = VerdictScreen("clear", False, (Label((1,), callers),), Label((2,), "Ben"), 12_300_000, 5_000_000)
    return replace(a_view(), screen=screen, phase="VERDICT", language="de")


def test_verdict_elsewhere_does_not_say_what_players_do_next() -> None:
    view = a_verdict()
    plain = view.screen
    assert isinstance(plain, VerdictScreen)
    at_table = replace(plain, hint=msg("do.show_pile"), airborne=msg("do.air_lands"))
    assert verdict_of(at_table, view) == verdict_of(plain, view)
    with speaking("de"):
        assert sentence("verdict.photo") not in verdict_of(plain, view).words


def test_live_match_reaches_the_hall(tmp_path: Path) -> None:
    """Results are sent only after the hall has said what it holds, and again until it confirms."""
    rows = played()
    sealed = [seq for seq, event in rows if isinstance(event, Sealed)]
    state = tmp_path / "state"
    with connected(tmp_path, state) as (broker, far, publisher, _):
        begun = next(at for at, (seq, _) in enumerate(rows) if seq > sealed[0])
        written(state, rows[:begun], wall_s=int(time.time()))
        publisher.note_saved()
        publisher.show(a_view())
        far.until("view")
        assert not [topic for topic, _ in far.heard if topic.endswith("/result")]
        assert not (state / INDEX).exists()
        far.receive({})
        first = far.until("result")
        assert (first["row"], first["after"]) == ([1, sealed[0]], [0, 0])
        far.receive({first["match"]: tuple(first["row"])})
        chain = [first]
        for end in (*(begun + count for count in (200, 400)), len(rows)):
            written(state, rows[begun:end], wall_s=int(time.time()))
            begun = end
            publisher.note_saved()
            while chain[-1]["row"] < max([*one.row] for one in read(state).due({}, 99)):
                one = far.until("result")
                chain += [one] if one not in chain else []
                far.receive(far.rows | {chain[-1]["match"]: tuple(chain[-1]["row"])})
        for match in {one["match"] for one in chain}:
            own = [one for one in chain if one["match"] == match]
            assert [one["after"] for one in own] == [[0, 0], *(one["row"] for one in own[:-1])]
        broker.kill()
        broker.start()  # it has lost all, also what the hall has said
        far.until("online", lambda text: text == "online")
        far.receive({chain[0]["match"]: (1, sealed[0])})  # the hall was restored from an old copy
        newest = next(one for one in reversed(chain) if one["match"] == chain[0]["match"])
        assert far.until("result", lambda document: document == newest | {"after": [1, sealed[0]]})
        publisher.stop()
        assert far.until("online", lambda text: text == "offline")


def test_view_is_retained_and_verdict_is_not(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, publishing(broker.settings(tmp_path, version="5")) as (publisher, _):
        with hall(broker) as far:
            far.until("online", lambda text: text == "online")
            publisher.show(a_view())
            publisher.show(a_verdict())
            verdict = far.until("verdict")
            assert (verdict["event_type"], verdict["who"], verdict["margin_ms"]) == ("clear", ["Anna"], 12.3)
            assert "Anna" in verdict["words"]
            publisher.show(replace(a_verdict(), now_ns=1))  # the same verdict
            publisher.show(a_view())
            publisher.show(a_verdict("Max"))
            assert far.until("verdict")["who"] == ["Max"]
        with hall(broker) as late:
            shown = late.until("view", lambda document: document["phase"] == "VERDICT")
            assert (shown["language"], shown["hand"], [team["name"] for team in shown["teams"]]) == (
                "de", 2, ["Anna", "Ben"],
            )  # fmt: skip
            late.until("config", lambda document: document["unique_id"] == f"referee_{TABLE}_verdict")
            assert not [topic for topic, _ in late.heard if topic.endswith("verdict")]


def test_views_are_at_most_two_per_second(tmp_path: Path) -> None:
    with connected(tmp_path, tmp_path) as (_, far, publisher, _):
        begun_s = time.monotonic()
        for number in range(1, 200):
            publisher.show(replace(a_view(), phase=f"AT {number}"))
        far.until("view", lambda document: document["phase"] == "AT 199")
        views = [topic for topic, _ in far.heard if topic.endswith("/view")]
        assert len(views) <= 2 + 2 * (time.monotonic() - begun_s)


def test_killed_table_is_offline_by_its_last_will(tmp_path: Path) -> None:
    with connected(tmp_path, tmp_path) as (_, far, publisher, _):
        assert publisher._child is not None
        publisher._child.process.kill()
        far.until("online", lambda text: text == "offline")
        far.until("online", lambda text: text == "online")  # it is started again


# -- faults --------------------------------------------------------------------------------------------------------


def test_broker_that_comes_late(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The trouble is shown and logged once; the newest view comes after that."""
    with mosquitto(tmp_path) as broker:
        broker.kill()
        with publishing(broker.settings(tmp_path)) as (publisher, reports):
            reports.until(publisher, "broker")
            assert TROUBLES[publisher.trouble] == msg("toast.no_broker")
            publisher.show(a_view())
            broker.start()
            with hall(broker) as far:
                far.until("view")
            reports.until(publisher, "")
    said = [line for line in capfd.readouterr().err.splitlines() if "MQTT broker" in line]
    assert [line.partition(" (")[0] for line in said] == [
        f"referee: the MQTT broker 127.0.0.1:{broker.port} is away",
        "referee: the MQTT broker is back",
    ]


def test_next_broker_after_an_error(tmp_path: Path) -> None:
    """A table with several brokers publishes at the next one that answers, and comes round to the first again."""
    with mosquitto(tmp_path) as first, mosquitto(tmp_path) as second:
        first.kill()
        settings = first.settings(tmp_path, others=(second.settings(tmp_path),))
        with publishing(settings) as (publisher, reports):
            with hall(second) as far:
                far.until("online", lambda text: text == "online")
            first.start()
            second.kill()
            with hall(first) as far:
                far.until("online", lambda text: text == "online")
            reports.until(publisher, "")


def test_next_broker_if_no_hall_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The first broker has retained the messages of a hall that no longer hears this table."""
    monkeypatch.setattr(delivery, "ASKS_S", (0.05, 0.05, 0.05, 0.05, 60.0))
    monkeypatch.setattr(child, "PAUSES_S", (0.0,))
    with mosquitto(tmp_path) as first, mosquitto(tmp_path) as second, hall(first) as silent, hall(second) as far:
        for one in (silent, far):
            one.publish(presence_topic("referee"), b"h1")
            one.receive({})
            one.until("received")
        publisher = child.Publisher(first.settings(tmp_path, others=(second.settings(tmp_path),)), lambda report: None)
        turn([publisher], lambda: any(topic.endswith("/online") for topic, _ in far.taken()))
        far.receive({})
        turn([publisher], lambda: "back" in caplog.text)
        publisher.close()
    assert caplog.messages == [
        f"no hall answers through the MQTT broker 127.0.0.1:{first.port}; the table plays on",
        "the MQTT broker is back",
    ]


def test_retained_message_is_no_answer(tmp_path: Path) -> None:
    """What a broker has kept does not show that a hall hears the table."""
    heard: list[tuple[str, bytes, bool]] = []
    with mosquitto(tmp_path) as one, hall(one) as far:
        far.receive({})
        far.until("received")
        link = Broker(one.settings(tmp_path), lambda *given: heard.append(given))
        for live in (False, True):
            while not heard:
                select.select([link.socket], [link.socket] if link.wants_write else [], [], 0.01)
                link.turn()
            ((part, _, is_live),) = heard
            assert (part, is_live) == ("received", live)
            heard.clear()
            far.receive({})
        link.close()


def test_slow_broker_gets_no_more_views(tmp_path: Path) -> None:
    """A view waits until the broker has confirmed the last one, so results do not wait behind many views."""
    heard: list[bytes] = []
    with deaf(echoes=0, confirms=2, heard=heard) as port:
        publisher = child.Publisher(Settings("127.0.0.1", port, False, TABLE, str(tmp_path)), lambda report: None)

        def count(part: str) -> int:
            return sum(content[2:].startswith(f"referee/table/{TABLE}/{part}".encode()) for content in list(heard))

        for number in (1, 2, 3):
            publisher.take(Show(shown_of(a_view())))
            turn([publisher], partial(lambda number: count("view") == number, number))
        for _ in range(3):
            publisher.take(Show(shown_of(a_view())))
            publisher.turn()
        publisher.take(Announce(Verdict("clear", ("Anna",), None, False, "Anna")))
        turn([publisher], lambda: count("verdict") > 0)
        assert count("view") == 3
        publisher.close()


def test_two_devices_with_one_name_disturb_each_other_less_and_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child, "PAUSES_S", (0.0, 0.0, 0.0, 0.0, 1000.0))
    with mosquitto(tmp_path) as broker:
        both = [child.Publisher(broker.settings(tmp_path), lambda report: None) for _ in range(2)]
        turn(both, lambda: any(one.wait_s > 900 for one in both))
        for one in both:
            one.close()
    said = Counter(caplog.messages)
    (sentence,) = [text for text in said if "does another device have the name 't1' too?" in text]
    assert said[sentence] <= 2  # each says it once
    assert said["the MQTT broker is back"] < 2 * child.MOST_ENDED


def turn(publishers: Sequence[child.Publisher], wanted: Callable[[], bool]) -> None:
    """Let publishers work in this process until something has happened."""
    end_s = time.monotonic() + PATIENCE_S
    while not wanted():
        assert time.monotonic() < end_s
        for publisher in publishers:
            publisher.turn()
        sockets = [publisher.sockets for publisher in publishers]
        reading, writing = ([one for pair in sockets for one in pair[at]] for at in (0, 1))
        select.select(reading, writing, [], 0.01)


def test_wrong_password_is_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "passwords"
    empty.touch()
    lines = f"allow_anonymous false\npassword_file {empty}"
    with mosquitto(tmp_path, lines) as broker:
        settings = broker.settings(tmp_path, user="anna", password="secret")
        with publishing(settings) as (publisher, reports):
            reports.until(publisher, "broker")
    said = capfd.readouterr().err
    assert f"the MQTT broker 127.0.0.1:{broker.port} is away (it refuses user name or password); the table" in said
    assert "secret" not in said


def test_refused_subscription_is_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A table that cannot hear the hall tries another broker; it does not wait for ever."""
    pytest.importorskip("paho.mqtt", reason="needs paho-mqtt: the extra mqtt")
    with (
        refusing() as port,
        publishing(Settings("127.0.0.1", port, False, TABLE, str(tmp_path))) as (publisher, reports),
    ):
        reports.until(publisher, "broker")
    assert "is away (it refuses a subscription: " in capfd.readouterr().err


def test_hall_that_is_away_is_shown(tmp_path: Path) -> None:
    with (
        mosquitto(tmp_path) as broker,
        hall(broker) as far,
        publishing(broker.settings(tmp_path)) as (publisher, reports),
    ):
        far.receive({})
        reports.until(publisher, "hall")
        far.publish(presence_topic("referee"), b"h1")
        reports.until(publisher, "")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"hall": "h1", "rows": {}, "format": 2}', "a message's format must be 1, got 2"),
        (b"\xff\x00", "a message is no Received"),
        (b'{"hall": 1, "rows": {}, "format": 1}', "a message is no Received"),
        (b"[" * 65536, "a message is no Received"),
        (b" " * (2 << 20), "a message has at most 1048576 bytes, got 2097152"),
    ],
)
def test_message_that_cannot_be_used_is_ignored(
    content: bytes, why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    written(state, played(), wall_s=int(time.time()))
    with connected(tmp_path, state) as (_, far, _, _):
        far.publish(hall_topic("referee", TABLE, "received"), content)
        far.publish("x" * 65_000, b"a long topic")
        far.publish(hall_topic("referee", TABLE, "received"), b'{"hall": "h1", "rows": {}, "format": 1}')
        far.until("result")
    assert f"a message of the hall (received) is ignored: {why}" in capfd.readouterr().err


def test_seating_reaches_the_table(tmp_path: Path) -> None:
    seating = Seating("Friday", 2, (("Anna",), ("Ben", "\u202e", " Lea", "anna")), "nna")
    with connected(tmp_path, tmp_path) as (_, far, _, reports):
        far.publish(hall_topic("referee", TABLE, "seating"), msgspec.json.encode(seating))
        reports.wait(lambda: reports.offered == [("Anna", "Ben", "Lea")])
        rules = GameRules("nna", {"target": 50})
        for sent in (rules, GameRules("snap", {"target": 9})):
            far.publish(hall_topic("referee", TABLE, "rules"), msgspec.json.encode(sent))
        reports.wait(lambda: reports.games == [GameRules("nna", {}), rules, GameRules("nna", {})])
        assert reports.offered == [("Anna", "Ben", "Lea")] * 3
        far.publish(hall_topic("referee", TABLE, "seating"), b"")
        reports.wait(lambda: reports.offered[3:] == [()])


def test_device_without_mqtt_imports_none_of_it() -> None:
    """The device with [mqtt] imports no MQTT library either: only its child does."""
    script = """
import sys
import referee.device.daemon, referee.device.page, referee.config
assert not [name for name in sys.modules if "mqtt" in name], sys.modules
import referee.device.children.mqtt
assert "paho" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(BrokerError, match="paho-mqtt is missing"):
        check(Settings("localhost", 1, tls=False, name="t1", state=""))
