"""Phones by HTTP: writes without a right, pairing, seats, counts, the list of phones, closed tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestClient

from referee.core.clocks.touch import TOUCH_NS
from referee.core.match.viewer import view
from referee.core.model.events import Fact, Joined, Linked, PhoneFact, PhoneSat, Sealed
from referee.core.model.state import State
from referee.core.model.table import Setup
from referee.core.model.view import ReadyScreen, View, VoteScreen
from referee.core.units import MS, S
from referee.core.values import Json
from referee.device.phones.desk import Desk
from referee.device.phones.pairing import CODE_PHONES_EACH, HouseBook, PhoneBook
from referee.language.display import display_text
from referee.language.speech import speech_of
from referee.language.words import speaking
from referee.page import live
from referee.page.app import BODY_BYTES, create_app
from referee.page.connections import CODES, Budgets
from referee.page.feed import Feed
from referee.page.live import BURST, TOO_FAST
from referee.page.phone_button import CALM
from referee.page.site import SITE, WRITES, Site
from referee.protocol.page import Awake, PairedPhone, PhoneAnswer, PhoneButtons, PhoneProof, PhoneTouch, Report
from referee.protocol.snapshot import Snapshot
from referee.web.guard import Hosts
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.page.lines import Client, Recorder, Server, acting, origin, read

PAGE = "http://127.0.0.1:8080/"
SCRIPT = "<script>alert('Anna')</script>"


class Played:
    """A match that receives a phone's facts at once."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.between: Callable[[], object] = lambda: None  # called between a question and its place among the rows

    def now(self) -> State:
        return self.sitting.engine.state

    def feed(self, facts: Iterable[Fact]) -> None:
        self.sitting.engine.intake(list(facts), self.sitting.now_ns)
        self.sitting._collect()

    def ask(self, fact: PhoneFact | Linked, answer: Callable[[State], object]) -> None:
        self.between()
        self.sitting.engine.intake([fact], self.sitting.now_ns)
        self.sitting._collect()
        answer(self.sitting.engine.state)


class Line:
    """The desk without a process between."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    @property
    def phones(self) -> Mapping[str, PairedPhone]:
        return {phone.digest: phone for phone in self.desk.book.phones}

    def say(self, message: Report) -> None:
        assert isinstance(message, Awake | PhoneButtons | PhoneProof | PhoneTouch)
        self.desk.take_report(message)

    async def ask(self, digest: str, what: Mapping[str, Json]) -> PhoneAnswer:
        answers: list[PhoneAnswer] = []
        self.desk.hear(digest, what, lambda status, document: answers.append(PhoneAnswer(0, status, document)))
        (answer,) = answers
        return answer


class Party:
    """A served table at which phones come and go."""

    def __init__(self, client: Client, feed: Feed, desk: Desk, match: Played) -> None:
        self.client, self.feed, self.desk, self.match = client, feed, desk, match
        self.sitting = match.sitting
        self.headers = {"Origin": origin(client)}

    def shown(self) -> View:
        """Return the present display, shown to all viewers."""
        seen = self.desk.dress(view(self.sitting.engine.state, self.sitting.now_ns))
        self.feed.publish(Snapshot(seen, b"\xff" * 1024))
        return seen

    def code(self) -> str:
        """Show the code by the knob and return it."""
        self.sitting.choose("Phones")
        code = self.shown().screen.code  # type: ignore[attr-defined]
        self.sitting.push()
        self.shown()
        return str(code)

    def asleep(self) -> object:
        """Return the seats whose phone has no live connection, as every page receives them."""
        return list(self.feed.latest.asleep) if self.feed.latest is not None else None

    async def post(self, path: str, body: object, cookie: str = "", **headers: str) -> tuple[int, Any]:
        """Send a write; return status and answer."""
        cookies = {"phone": cookie} if cookie else {}
        async with self.client.session.post(
            self.client.make_url(path), json=body, headers=self.headers | headers, cookies=cookies
        ) as answer:
            return answer.status, await answer.json()

    async def get(self, path: str, cookie: str = "") -> tuple[int, Any]:
        """Read; return the status and its JSON or text."""
        cookies = {"phone": cookie} if cookie else {}
        async with self.client.session.get(self.client.make_url(path), cookies=cookies) as answer:
            return answer.status, await (answer.json() if "json" in answer.content_type else answer.text())

    async def phone(self) -> str:
        """Pair another phone; return its cookie."""
        self.client.session.cookie_jar.clear()
        url = self.client.make_url("/api/pair")
        async with self.client.session.post(url, json={"code": self.code()}, headers=self.headers) as answer:
            assert answer.status == 200, await answer.text()
            told = answer.headers["Set-Cookie"]
        self.client.session.cookie_jar.clear()
        assert "HttpOnly" in told
        assert "SameSite=Strict" in told
        return told.partition("phone=")[2].partition(";")[0]

    async def two_sit(self) -> tuple[str, str]:
        """Seat the host's phone at 1 as P1 and another at 2 as P2; return their cookies."""
        host, guest = await self.phone(), await self.phone()
        for seat, phone in ((1, host), (2, guest)):
            assert (await self.post("/api/seat", {"seat": seat, "name": f"P{seat}"}, phone))[0] == 200
        return host, guest


@asynccontextmanager
async def party(folder: Path, **more: Any) -> AsyncIterator[Party]:
    """Serve a table with four buttons and no players."""
    folder.mkdir(exist_ok=True)
    sitting = Sitting(more.pop("setup", Setup(stations=("1", "2", "3", "4"))))
    sitting.engine.intake([Linked(sitting.now_ns, f"page:{PAGE}", True)], sitting.now_ns)
    sitting._collect()
    match = Played(sitting)
    desk = Desk(
        PhoneBook(folder / "phones.json"),
        match,
        lambda address, code: f"{address}j/{code}",
        lambda: sitting.now_ns,
        HouseBook(folder / "houses.json"),
    )
    feed = Feed(
        ("1", "2", "3", "4"),
        act=acting(more.pop("controls", None)),
        clock=lambda: sitting.now_ns,
        on_awake=lambda phones: desk.take_report(Awake(phones)),
    )
    app = create_app(Site(feed, Hosts(more.pop("listen", "127.0.0.1")), desk=Line(desk), **more))
    async with TestClient(Server(app)) as client:
        made = Party(client, feed, desk, match)
        made.shown()
        yield made


BODIES: dict[str, dict[str, Json]] = {
    "/api/pair": {"code": "AAAAAA"},
    "/api/seat": {"seat": 1, "name": "Max"},
    "/api/count": {"seat": 1, "numbers": [0, 12]},
    "/api/code": {},
    "/api/pause": {"pause": True},
    "/api/start": {},
    "/api/worth": {"seat": 1, "numbers": [0, 12]},
    "/api/vote": {"yes": True},
    "/api/team": {"seats": [1, 2], "together": True},
    "/api/correct": {"hand": 1, "seat": 1, "numbers": [0, 12], "reason": "miscount"},
    "/api/give": {"seat": 1, "points": -5, "reason": "penalty"},
    "/api/role": {"phone": "phone-1", "role": "host"},
    "/api/revoke": {"phone": "phone-1"},
    "/api/set": {"setting": "target", "value": 50},
    "/api/house": {"act": "save", "name": "Ours"},
    "/api/import": {"format": "referee-match", "version": 1},
    "/api/update": {},
}


async def test_every_write_of_the_description_needs_a_right(tmp_path: Path) -> None:
    """The writes come from the description itself: 401 without a cookie, 403 with another's right."""

    async with party(tmp_path) as table:
        _, described = await table.get("/api/openapi.json")
        paths = described["paths"]
        writes = [path for path, does in paths.items() if does.keys() - {"get"}]
        assert sorted(writes) == sorted(BODIES)
        routes = {r.resource.canonical for r in table.client.app.router.routes() if r.method not in ("GET", "HEAD")}
        assert routes == {*writes}
        host, guest = await table.phone(), await table.phone()
        before, book = table.sitting.engine.state, table.desk.book.phones
        for path in writes:
            assert (await table.post(path, BODIES[path]))[0] == 401, path
            assert (await table.post(path, BODIES[path], cookie="x" * 32))[0] == 401, path
            foreign = await table.post(path, BODIES[path], cookie=guest, Origin="http://evil.example")
            assert foreign[0] == 403, path
        for path in BODIES.keys() - {"/api/pair", "/api/seat", "/api/code"}:
            assert (await table.post(path, BODIES[path], cookie=guest))[0] == 403, path
        assert (table.sitting.engine.state, table.desk.book.phones) == (before, book)
        assert (await table.post("/api/role", BODIES["/api/role"], cookie=host))[0] == 200


async def test_a_phone_is_paired_named_and_seated_and_counts(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        phone = await table.phone()
        assert (await table.post("/api/seat", {"seat": 2, "name": SCRIPT}, phone))[0] == 200
        assert table.sitting.decisions(Joined)[0].name == SCRIPT
        table.shown()
        for path in ("/", "/join"):
            text = await read(table.client, path)
            assert "&lt;script&gt;alert" in text
            assert "<script>alert" not in text
        table.sitting.counting("1", "1", "2")
        status, told = await table.post("/api/count", {"seat": 2, "numbers": [13, 45]}, phone)
        assert (status, told) == (409, {"error": "You only have 52 cards, not 13 and 45"})
        for numbers, worth in (([4, 28], "20 points"), ([9, 17], "\N{MINUS SIGN}1 point"), ([13, 45], "")):
            entered = {"seat": 2, "numbers": numbers}
            assert await table.post("/api/worth", entered, phone) == (200, {"worth": worth})
        assert not any(table.sitting.engine.state.phase.counts[1].touched)  # type: ignore[attr-defined]
        assert (await table.post("/api/count", {"seat": 2, "numbers": [4, 28]}, phone))[0] == 200
        assert table.sitting.engine.state.phase.counts[1].values == (4, 2, 8)  # type: ignore[attr-defined]


async def test_two_phones_never_fight_for_a_seat_silently(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        one, other = await table.phone(), await table.phone()
        assert (await table.post("/api/seat", {"seat": 2, "name": "Ben"}, one))[0] == 200
        status, told = await table.post("/api/seat", {"seat": 2, "name": "Max"}, other)
        assert (status, told) == (409, {"error": "Seat 2 is taken: Ben already has a phone."})
        table.match.between = lambda: table.sitting.engine.intake(
            [PhoneSat(table.sitting.now_ns, "phone-1", "3", "Ben")], table.sitting.now_ns
        )
        status, told = await table.post("/api/seat", {"seat": 3, "name": "Max"}, other)
        assert (status, told) == (409, {"error": "The table has gone on meanwhile; look again."})


async def test_whoever_keeps_the_score_counts_for_all(tmp_path: Path) -> None:
    """Phones of a team count only for it; the host gives the role."""

    async with party(tmp_path) as table:
        host, guest = await table.phone(), await table.phone()
        assert (await table.post("/api/seat", {"seat": 1, "name": "Anna"}, guest))[0] == 200
        table.sitting.counting("1", "1", "2")
        both = {"seat": 2, "numbers": [4, 28]}
        assert (await table.post("/api/count", both, guest))[0] == 403
        assert (await table.post("/api/count", both, host))[0] == 200
        assert (await table.post("/api/role", {"phone": "phone-2", "role": "keeper"}, host))[0] == 200
        assert (await table.post("/api/count", {"seat": 2, "numbers": [5, 28]}, guest))[0] == 200
        _, book = await table.get("/api/phones", host)
        rows = [(row["phone"], row["role"], row["seat"]) for row in book["phones"]]
        assert rows == [("phone-1", "host", None), ("phone-2", "keeper", "1")]


async def test_a_code_is_the_display_s_and_no_other_page_s(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        table.sitting.choose("Phones")
        code = table.shown().screen.code  # type: ignore[attr-defined]
        pages = [await (await table.client.get(path)).text() for path in ("/", "/join", "/api/view")]
        assert not any(code in text for text in pages)
        async with table.client.ws_connect("/live", headers=table.headers) as line:
            face = (await line.receive_json())["table"]
        assert (code in str(face), set(face["pixels"]) - {"A", "="}) == (False, set())
    async with party(tmp_path, controls=Recorder()) as table:
        table.sitting.choose("Phones")
        code = table.shown().screen.code  # type: ignore[attr-defined]
        async with table.client.ws_connect("/live", headers=table.headers) as line:
            face = (await line.receive_json())["table"]
        assert " ".join(code) in face["words"]
        assert set(face["pixels"]) - {"A", "="}


async def test_paired_phone_shows_the_display_s_code_to_a_latecomer(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.two_sit()
        assert (await table.post("/api/code", {}))[0] == 401
        status, told = await table.post("/api/code", {}, guest)
        assert (status, told["link"], told["seconds"]) == (200, f"{PAGE}j/{told['code']}", 120)
        assert len(told["qr"]) == len(told["qr"][0]) > 20
        assert (await table.post("/api/pair", {"code": told["code"]}))[0] == 200
        table.sitting.choose("Phones")
        assert table.shown().screen.code == told["code"]  # type: ignore[attr-defined]
        table.sitting.push()
        table.shown()
        assert (await table.post("/api/revoke", {"phone": "phone-2"}, host))[0] == 200
        assert (await table.post("/api/code", {}, guest))[0] == 401
        assert (await table.post("/api/pair", {"code": told["code"]}))[0] == 401


async def test_no_phone_shows_a_code_without_an_address(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        guest = await table.phone()
        table.match.feed([Linked(table.sitting.now_ns, f"page:{PAGE}", False)])
        assert (await table.post("/api/code", {}, guest))[0] == 409


async def test_tries_at_the_code_are_limited_by_address(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        code = table.code()
        tries = [(await table.post("/api/pair", {"code": "AAAAAA"}))[0] for _ in range(CODES[1] + 3)]
        assert tries[0] == 401
        assert tries[-1] == 429
        assert (await table.post("/api/pair", {"code": code}))[0] == 429


async def test_a_phone_that_writes_too_often_is_told_to_wait(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        phone = await table.phone()
        told: list[int] = []
        while 429 not in told and len(told) < 20 * WRITES[1]:  # a slow machine refills the budget meanwhile
            told.append((await table.post("/api/seat", {"seat": 1, "name": "A"}, phone))[0])
        assert set(told[: WRITES[1]]) == {200}
        assert told[-1] == 429


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/api/seat", {"seat": 9, "name": "A"}, '"seat" must be a number from 1 to 4.'),
        ("/api/seat", {"seat": True, "name": "A"}, '"seat" must be a whole number from 1 to 99.'),
        ("/api/seat", {"seat": 1, "name": 5}, '"name" must be a text of at most 2048 characters.'),
        (
            "/api/seat",
            {"seat": 1, "name": "\ud800"},
            '"name" has half a character (a lone surrogate); allowed is whole text.',
        ),
        ("/api/count", {"seat": 1, "numbers": []}, '"numbers" must be a list of 1 to 8 whole numbers.'),
        ("/api/count", {"seat": 1, "numbers": [1.5]}, 'Each of "numbers" must be a whole number from -10000 to 10000.'),
        ("/api/role", {"phone": "phone-1", "role": "king"}, '"role" must be one of own, keeper, host.'),
        ("/api/vote", {"yes": 1}, '"yes" must be true or false.'),
        ("/api/team", {"seats": [1], "together": True}, '"seats" must be a list of 2 whole numbers.'),
        ("/api/correct", {"reason": "x"}, '"reason" must be one of miscount, mistyped, found, agreed.'),
        ("/api/revoke", {}, '"phone" must be a text of at most 32 characters.'),
        ("/api/seat", [], "The body must be a JSON object."),
    ],
)
async def test_a_body_that_is_no_request_is_one_sentence(
    path: str, body: object, sentence: str, tmp_path: Path
) -> None:
    async with party(tmp_path) as table:
        phone = await table.phone()
        before = table.sitting.engine.state
        assert await table.post(path, body, phone) == (400, {"error": sentence})
        assert table.sitting.engine.state == before


async def test_only_json_of_a_bearable_length_is_read(tmp_path: Path) -> None:
    """A form of another page is refused; invalid text gives one sentence."""

    async with party(tmp_path) as table:
        phone = await table.phone()
        url, cookies = table.client.make_url("/api/seat"), {"phone": phone}
        for data, kind, status in (
            (b'{"seat": 1, "name": "A"}', "text/plain", 400),
            (b"{", "application/json", 400),
            (b'"' + b"x" * BODY_BYTES + b'"', "application/json", 413),
        ):
            headers = table.headers | {"Content-Type": kind}
            async with table.client.session.post(url, data=data, headers=headers, cookies=cookies) as answer:
                assert answer.status == status, await answer.text()


async def test_a_phone_that_goes_in_the_middle_of_a_request_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with party(tmp_path) as at:
        client = at.client
        head = f"POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nOrigin: {origin(client)}\r\n"
        _, line = await asyncio.open_connection("127.0.0.1", client.port)
        line.write(f'{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{"code":'.encode())
        await line.drain()
        async with client.get("/table") as answer:  # the earlier request has reached its body by now
            assert answer.status == 200
        line.transport.abort()
        async with client.get("/table") as answer:
            assert answer.status == 200
        assert ([record.message for record in caplog.records], at.desk.book.phones) == ([], ())


async def test_body_that_does_not_come_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.page.phone_requests.SLOW_S", 0.01)

    async with party(tmp_path) as at:
        head = f"POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1:{at.client.port}\r\nOrigin: {origin(at.client)}\r\n"
        answer, line = await asyncio.open_connection("127.0.0.1", at.client.port)
        line.write(f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode())
        assert (await answer.readline()).startswith(b"HTTP/1.1 400 ")
        line.close()


async def test_another_connection_that_breaks_meanwhile_is_an_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(line: Line, digest: str, what: Mapping[str, Json]) -> PhoneAnswer:
        raise ConnectionResetError("the desk has gone")

    async with party(tmp_path) as at:
        monkeypatch.setattr(Line, "ask", broken)
        async with at.client.post("/api/pair", json={"code": "AAAA"}, headers=at.headers) as answer:
            assert answer.status == 500
        assert "the desk has gone" in caplog.text


async def test_a_phone_that_is_forgotten_or_revoked_is_a_stranger(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, one, other = [await table.phone() for _ in range(3)]
        assert (await table.post("/api/revoke", {"phone": "phone-2"}, one))[0] == 200
        assert (await table.post("/api/revoke", {"phone": "phone-9"}, host))[0] == 404
        assert (await table.post("/api/seat", {"seat": 1, "name": "A"}, one))[0] == 401
        assert (await table.post("/api/seat", {"seat": 1, "name": "A"}, other))[0] == 200
        assert PhoneBook(tmp_path / "phones.json").phones == table.desk.book.phones
        table.sitting.choose("Device").choose("Forget phones").choose("Forget all")
        table.shown()
        assert [(await table.post("/api/seat", {"seat": 1, "name": "B"}, p))[0] for p in (host, other)] == [401] * 2
        assert PhoneBook(tmp_path / "phones.json").phones == ()


async def test_forgetting_a_phone_frees_its_seat_for_the_next_one(tmp_path: Path) -> None:
    """A guest loses a phone and pairs another; also where the list itself is lost."""

    async with party(tmp_path) as table:
        host, _ = await table.two_sit()
        again = await table.phone()
        asked = {"seat": 2, "name": "P2"}
        assert (await table.post("/api/seat", asked, again))[0] == 409
        assert (await table.post("/api/revoke", {"phone": "phone-2"}, host))[0] == 200
        assert (await table.post("/api/seat", asked, again))[0] == 200
        assert [line.phone for line in table.shown().phones] == ["phone-1", "phone-3"]
        table.desk.book = PhoneBook(tmp_path / "lost.json")
        table.shown()
        assert table.shown().phones == ()
        assert (await table.post("/api/seat", asked, await table.phone()))[0] == 200


async def test_one_address_cannot_drive_out_the_others(tmp_path: Path) -> None:
    """Of 66 pairings of one guest few are accepted, and all earlier phones stay."""

    async with party(tmp_path, is_own=lambda peer, here: False, budgets=Budgets(count(0, S).__next__)) as table:
        await table.two_sit()
        before = table.desk.book.phones
        table.sitting.choose("Phones")
        code = table.shown().screen.code  # type: ignore[attr-defined]
        statuses = []
        for _ in range(66):
            table.client.session.cookie_jar.clear()
            statuses.append((await table.post("/api/pair", {"code": code}))[0])
        assert (statuses.count(200), statuses.count(429)) == (CODE_PHONES_EACH, 66 - CODE_PHONES_EACH)
        assert table.desk.book.phones[: len(before)] == before


async def test_remembered_names_are_told_to_paired_phones_alone(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        phone = await table.phone()
        for seat, name in ((1, "Anna"), (2, "Ben")):
            table.match.ask(PhoneSat(table.sitting.now_ns, f"p{seat}", str(seat), name), lambda then: None)
        table.sitting.seated("3").wait(1 * S).choose("Undo: start").press("1", ns=3 * S)
        assert (await table.get("/api/names"))[0] == 401
        assert await table.get("/api/names", phone) == (200, {"names": ["Anna"]})


async def test_a_closed_table_is_shown_to_paired_phones_alone(tmp_path: Path) -> None:
    async with party(tmp_path, closed=True, is_own=lambda peer, here: False) as table:
        answer = await table.client.get("/", allow_redirects=False)
        assert (answer.status, answer.headers["Location"]) == (303, "/join")
        for path, status in (
            ("/join", 200),
            ("/J/ABC234", 200),
            ("/phone.js", 200),
            ("/line.js", 200),
            ("/api/openapi.json", 200),
            ("/api/view", 401),
            ("/live", 401),
            ("/history/1.json", 401),
            ("/evening/1.html", 401),
            ("/api/history", 401),
        ):
            assert (await table.client.get(path)).status == status, path
        answer = await table.client.get("/history?language=it")
        text = await answer.text()
        assert (answer.status, answer.content_type) == (401, "text/html")
        assert "solo ai telefoni collegati" in text
        assert 'href="/join"' in text
        assert (await table.get("/api/view", await table.phone()))[0] == 200


async def test_a_question_to_all_is_answered_by_the_phones_of_its_voters(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.phone(), await table.phone()
        assert (await table.post("/api/seat", {"seat": 2, "name": "Ben"}, guest))[0] == 200
        table.sitting.counting("1", "1", "2").choose("False call").wait(BREATH_NS)
        async with table.client.ws_connect("/live", headers=table.headers) as line:
            table.shown()
            face: dict[str, Any] = {}
            while not face.get("vote"):
                face |= (await line.receive_json())["table"]
        assert face["vote"]["question"] == "Was the call of Red false?"
        assert [one["yes"] for one in face["vote"]["votes"]] == [None, None]
        assert (await table.post("/api/vote", {"yes": True}, host))[0] == 403
        assert (await table.post("/api/vote", {"yes": True}, guest))[0] == 200
        assert table.sitting.screen(VoteScreen).votes[1][1] is True


async def test_host_s_phone_starts_the_match(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.two_sit()
        assert (await table.post("/api/start", {}, guest))[0] == 403
        assert (await table.post("/api/start", {}, host))[0] == 200
        assert table.sitting.phase == "READY"
        table.shown()
        assert (await table.post("/api/start", {}, host))[0] == 409


async def test_phone_with_a_seat_takes_a_time_out_and_ends_it(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        other = await table.phone()
        table.sitting.playing("1", "2")
        table.shown()
        assert (await table.post("/api/pause", {"pause": True}, other))[0] == 403
        assert (await table.post("/api/pause", {"pause": True}, guest))[0] == 200
        assert (await table.post("/api/pause", {"pause": True}, guest))[0] == 409
        table.sitting.wait(BREATH_NS)
        assert (await table.post("/api/pause", {"pause": False}, guest))[0] == 200
        assert table.sitting.phase == "RESUMING"


async def test_who_keeps_the_score_corrects_a_past_hand_for_a_reason(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.phone(), await table.phone()
        counted(table.sitting.playing("1", "2"), "1", 20, "2")
        table.sitting.wait(BREATH_NS)
        assert (await table.get("/api/hands"))[0] == 401
        assert (await table.get("/api/hands", guest))[0] == 403
        _, told = await table.get("/api/hands", host)
        (hand,) = told["hands"]
        assert [(cell["numbers"], cell["locked"]) for cell in hand["cells"]] == [
            ([0, 20], [True, False]),
            ([0, 10], [False, False]),
        ]
        assert [key for key, _ in told["reasons"]] == ["miscount", "mistyped", "found", "agreed"]
        body = {"hand": 1, "seat": 2, "numbers": [3, 14], "reason": "found"}
        assert (await table.post("/api/correct", body | {"numbers": [3, 99]}, host))[0] == 409
        assert (await table.post("/api/correct", body, host))[0] == 200
        assert table.sitting.engine.state.table.corrections == ((1, "found"),)
        table.shown()
        assert "Counted otherwise: card found" in await read(table.client, "/scores")


async def test_who_keeps_the_score_gives_points_for_a_reason(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest = await table.phone(), await table.phone()
        counted(table.sitting.playing("1", "2"), "1", 20, "2")
        table.sitting.wait(BREATH_NS)
        _, told = await table.get("/api/hands", host)
        assert ([seat for seat, _ in told["teams"]], told["no_points"]) == ([1, 2], None)
        assert [key for key, _ in told["given"]] == ["penalty", "illegal_play", "miscount", "agreed"]
        body = {"seat": 2, "points": -5, "reason": "penalty"}
        assert (await table.post("/api/give", body, guest))[0] == 403
        assert (await table.post("/api/give", body | {"points": 0}, host))[0] == 409
        assert (await table.post("/api/give", body, host))[0] == 200
        (given,) = table.sitting.engine.state.table.adjustments
        assert (given.after, given.team, int(given.points), given.reason) == (1, "2", -5, "penalty")
        table.shown()
        assert "penalty" in await read(table.client, "/scores")


async def test_a_phone_is_told_why_no_points_can_be_given(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, told = await table.get("/api/hands", await table.phone())
        assert (told["teams"], told["no_points"]) == ([], "That is not possible now.")
    async with party(tmp_path / "31", setup=Setup("31", stations=("1", "2", "3", "4"))) as table:
        host = await table.phone()
        table.sitting.seated("1", "2", "3").wait(BREATH_NS)
        _, told = await table.get("/api/hands", host)
        assert (told["teams"], told["no_points"]) == ([], "No points are counted in this game.")
        asked = await table.post("/api/give", {"seat": 2, "points": 5, "reason": "penalty"}, host)
        assert (asked[0], asked[1]["error"]) == (409, told["no_points"])


async def test_the_host_pairs_two_and_so_does_who_sits_there(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        host, guest, other = [await table.phone() for _ in range(3)]
        for seat, phone in ((1, guest), (3, other)):
            assert (await table.post("/api/seat", {"seat": seat, "name": f"P{seat}"}, phone))[0] == 200
        table.sitting.tap("2")
        pair = {"seats": [1, 3], "together": True}
        assert (await table.post("/api/team", {"seats": [1, 2], "together": True}, other))[0] == 403
        assert (await table.post("/api/team", pair, guest))[0] == 200
        assert (await table.post("/api/team", pair, host))[0] == 409
        _, text = await table.get("/setup", host)
        assert 'data-team="1,3"' in text
        assert "with 3" in text
        assert (await table.post("/api/team", pair | {"together": False}, host))[0] == 200


async def test_a_phone_that_sleeps_is_shown_as_such_and_the_count_waits_for_it(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        await table.phone()
        guest = await table.phone()
        assert (await table.post("/api/seat", {"seat": 2, "name": "Ben"}, guest))[0] == 200
        table.shown()
        url = table.client.make_url("/live")
        headers = table.headers | {"Cookie": f"phone={guest}"}
        async with table.client.session.ws_connect(url, headers=headers) as awake:
            await awake.receive_json()
            assert table.asleep() == []
        while not table.asleep():
            await asyncio.sleep(0)
        assert table.asleep() == [2]
        table.sitting.counting("1", "1", "2").count("1", 0, 20, caller=True).wait(30 * S)
        assert table.sitting.phase == "COUNTING"
        assert table.sitting.decisions(Sealed) == []
        table.shown()
        assert "The count waits for Ben: the phone is asleep." in await read(table.client, "/scores")
        assert [cell.asleep for cell in table.shown().screen.cells] == [False, True]  # type: ignore[attr-defined]
        async with table.client.session.ws_connect(url, headers=headers):
            assert [cell.asleep for cell in table.shown().screen.cells] == [False, False]  # type: ignore[attr-defined]


async def test_ready_notes_whose_phone_sleeps_until_they_have_tapped(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        await table.two_sit()
        table.sitting.tap("1", "2", "3").choose("Start").wait(BREATH_NS)

        def noted() -> list[str]:
            screen = table.shown().screen
            assert isinstance(screen, ReadyScreen)
            with speaking("en"):
                return [display_text(note) for note in screen.notes]

        hand = ["different card backs", "1P1 sorts MIDDLE"]
        assert noted() == [*hand, "1P1: phone asleep", "2P2: phone asleep"]
        assert "P2 at 2: the phone is asleep." in speech_of(table.shown())
        table.desk.take_report(Awake(frozenset({"phone-1"})))
        assert noted() == [*hand, "2P2: phone asleep"]
        table.sitting.tap("2")
        assert noted() == hand


async def test_a_question_to_all_shows_whose_phone_sleeps_until_their_team_has_answered(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        table.sitting.counting("1", "1", "2", "3").choose("False call").wait(BREATH_NS)

        def asleep() -> list[int]:
            screen = table.shown().screen
            assert isinstance(screen, VoteScreen)
            return [label.numbers[0] for label in screen.asleep]

        assert asleep() == [1, 2]
        noticed: list[bool] = []
        table.desk.noticed = lambda: noticed.append(True)
        for phones, then in (({"phone-1"}, [2]), ({"phone-1"}, [2]), (set(), [1, 2]), ({"phone-2"}, [1])):
            table.desk.take_report(Awake(frozenset(phones)))
            assert asleep() == then
        assert noticed == [True] * 3  # an unchanged table is not shown again
        table.desk.take_report(Awake(frozenset()))
        assert (await table.post("/api/vote", {"yes": False}, guest))[0] == 200
        assert asleep() == [1]


async def test_a_page_of_a_phone_that_is_no_button_does_not_press(tmp_path: Path) -> None:
    buttons = Recorder()
    async with party(tmp_path, controls=buttons, listen="0.0.0.0") as table:
        _, guest = await table.two_sit()
        there = {"Host": "192.168.1.5:80", "Origin": "http://192.168.1.5:80", "Cookie": f"phone={guest}"}
        async with table.client.session.ws_connect(table.client.make_url("/live"), headers=there) as line:
            face = (await line.receive_json())["table"]
            for press in ({"contact": "2", "closed": True}, {"touch": True, "at": 1}):
                await line.send_json(press)
                assert "refused" in await line.receive_json()
        assert buttons.log == []
        assert face["asks"] == "lobby"


class Screen:
    """A phone whose page shows its button. Its clock runs with the table's, and began at `began_ns`."""

    def __init__(self, table: Party, line: Any) -> None:
        self.table, self.line, self.began_ns = table, line, table.sitting.now_ns - S

    @property
    def at_ms(self) -> float:
        return (self.table.sitting.now_ns - self.began_ns) / MS

    async def answer(self, **more: float) -> int | None:
        """Answer the next question for the clock; return the bound that it shows, in ms."""
        while "clock" not in (asked := await self.line.receive_json()):
            pass
        await self.line.send_json({"clock": asked["clock"], "at": self.at_ms} | more)
        bound: int | None = asked["bound"]
        return bound

    async def answer_late(self, questions: int) -> int | None:
        """Answer the first of so many questions after all have come; return the bound that the next one shows."""
        asked: list[Any] = []
        while len(asked) < questions:
            message = await self.line.receive_json()
            asked += [message] if "clock" in message else []
        await self.line.send_json({"clock": asked[0]["clock"], "at": self.at_ms})
        while (message := await self.line.receive_json()).get("bound") is None:
            pass
        bound: int | None = message["bound"]
        return bound

    async def touch(self, down: bool) -> None:
        """Touch the screen or let go, and say so again 50 ms later."""
        for _ in range(2):
            await self.line.send_json({"touch": down, "at": self.at_ms})
            self.table.sitting.wait(50 * MS)
            await self.answer()  # all that was sent before has been taken


async def test_a_phone_s_screen_is_the_button_of_its_seat(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        sitting, headers = table.sitting, table.headers | {"Cookie": f"phone={guest}"}
        sitting.choose("Start").wait(BREATH_NS)
        async with table.client.session.ws_connect(
            table.client.make_url("/live"), params={"button": ""}, headers=headers
        ) as line:
            phone = Screen(table, line)
            assert await phone.answer() is None
            table.shown()
            assert table.desk._table.now().table.phone_buttons == ("2",)
            wide_ms = await phone.answer() or 0
            assert wide_ms > TOUCH_NS[1] // MS - TOUCH_NS[0] // MS - 10
            table.desk.book.keep_delays("phone-2", (12 * MS, 18 * MS))
            await phone.answer()  # to a question from before
            assert await phone.answer() in range(3, wide_ms - 5)
            await phone.touch(True)
            await phone.touch(False)
            assert sitting.lit.split()[1] in ("wink", "steady")  # ready
            assert sitting.lit.split()[0] == "slow"
            await phone.touch(True)
            await until(lambda: sitting.wait(S).engine.state.away == ("2",), table)  # it does not answer
            await phone.answer()
            await until(lambda: not sitting.engine.state.away, table)
        await until(lambda: sitting.engine.state.away == ("2",), table)  # gone with its button down
        assert not sitting.wait(S).engine.state.contacts[1].closed
        async with table.client.session.ws_connect(table.client.make_url("/live"), headers=headers):
            await until(lambda: not sitting.engine.state.table.phone_buttons, table)  # it shows its forms
        assert sitting.engine.state.away == ()


async def until(done: Callable[[], bool], table: Party) -> None:
    """Show the table until that is so."""
    async with asyncio.timeout(10):
        while not done():
            await asyncio.sleep(0.01)
            table.shown()


async def test_a_phone_s_clock_is_known_over_a_link_that_is_slower_than_the_questions(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        headers = table.headers | {"Cookie": f"phone={guest}"}
        async with (
            table.client.session.ws_connect(
                table.client.make_url("/live"), params={"button": ""}, headers=headers
            ) as line,
            asyncio.timeout(10),
        ):
            assert await Screen(table, line).answer_late(3)


async def test_only_phones_with_a_seat_are_asked_often(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        await table.two_sit()
        site = table.client.app[SITE]
        table.shown()
        assert live._button(cast(Any, None), site, "phone-2")._phase() == "LOBBY"
        assert live._button(cast(Any, None), site, "phone-3")._phase() == ""
        assert "" in CALM


async def test_a_phone_that_floods_is_told_to_wait_and_can_let_go(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        headers = table.headers | {"Cookie": f"phone={guest}"}
        async with table.client.session.ws_connect(
            table.client.make_url("/live"), params={"button": ""}, headers=headers
        ) as line:
            phone = Screen(table, line)
            await phone.answer()
            await phone.answer()
            table.shown()
            for _ in range(3 * BURST):
                await line.send_json({"touch": True, "at": phone.at_ms})
            await line.send_json({"touch": False, "at": phone.at_ms})
            while "refused" not in (heard := await line.receive_json()):
                pass
            assert heard["refused"] == TOO_FAST
            await until(lambda: not table.sitting.wait(S).engine.state.contacts[1].closed, table)
            assert table.sitting.engine.state.rows < 2 * BURST


@pytest.mark.parametrize(
    "said",
    [
        {"at": -1},
        {"at": "x"},
        {"at": 1, "touch": 1},
        {"at": True, "clock": 0},
        {"at": 1e13},
        {"clock": [1]},
        {"clock": 1, "step": 1},
    ],
)
async def test_a_button_that_says_something_else_is_refused(tmp_path: Path, said: dict[str, Json]) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        headers = table.headers | {"Cookie": f"phone={guest}"}
        async with table.client.session.ws_connect(
            table.client.make_url("/live"), params={"button": ""}, headers=headers
        ) as line:
            await line.send_json({"touch": True, "at": 5} | said)
            while "refused" not in (heard := await line.receive_json()):
                pass
            assert heard["refused"]


@pytest.mark.parametrize("step", [-1, "x", True, None, 1001, float("nan")])
async def test_step_of_a_clock_is_a_number_of_ms(tmp_path: Path, step: object) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        headers = table.headers | {"Cookie": f"phone={guest}"}
        async with table.client.session.ws_connect(
            table.client.make_url("/live"), params={"button": ""}, headers=headers
        ) as line:
            await line.send_json({"clock": 1, "at": 5, "step": step})
            while "refused" not in (heard := await line.receive_json()):
                pass
            assert heard["refused"] == '"step" must be the step of the phone\'s clock in milliseconds, from 0 to 1000.'


async def test_phone_with_a_coarse_clock_has_a_wide_bound_that_ready_notes(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        _, guest = await table.two_sit()
        headers = table.headers | {"Cookie": f"phone={guest}"}
        table.sitting.choose("Start").wait(5 * S)
        async with table.client.session.ws_connect(
            table.client.make_url("/live"), params={"button": ""}, headers=headers
        ) as line:
            phone = Screen(table, line)
            await phone.answer(step=0.1)
            assert (await phone.answer() or 0) < 20
            await phone.answer(step=16.7)  # a new fit: the page slept, or another browser has it now
            assert 2 * 16.7 + 10 < (await phone.answer() or 0) < 60
            assert "known to" not in speech_of(table.shown())
            await phone.answer(step=100)
            await until(lambda: "P2 at 2: the phone is known to ± 220 ms" in speech_of(table.shown()), table)
            await phone.answer(step=1)
            await until(lambda: "known to" not in speech_of(table.shown()), table)


async def test_each_reader_has_the_table_and_the_phone_s_page_in_a_language_of_one_s_own(tmp_path: Path) -> None:
    async with party(tmp_path) as table:
        phone = await table.phone()
        for path, words in (("/join", "Dein Handy am Tisch"), ("/table", "Taste 1")):
            text = await read(table.client, path, params={"language": "de"})
            assert (words in text, 'data-line="language=de"' in text, '<html lang="de">' in text) == (True,) * 3
            assert 'data-line="language=de"' in await read(table.client, path)
            table.client.session.cookie_jar.clear()
            text = await read(table.client, path)
            assert ('data-line="browser="' in text, '<html lang="en">' in text) == (True, True)
        async with table.client.ws_connect("/live?language=de", headers=table.headers) as line:
            face = (await line.receive_json())["table"]
        assert (face["language"], face["phase"]) == ("de", "Lobby")
        assert "sich" in face["words"] or "Tipp" in face["words"]
        url, cookies = table.client.make_url("/api/seat"), {"phone": phone, "language": "de"}
        body = {"seat": 1, "name": " "}
        async with table.client.session.post(url, json=body, headers=table.headers, cookies=cookies) as answer:
            error = (await answer.json())["error"]
        assert "letters" not in error
