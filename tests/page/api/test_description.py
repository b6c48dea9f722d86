"""Test the served page against its API description with schemathesis: `make api-check`.

Each call of `/api/openapi.json` is made with allowed and forbidden values, as a stranger, as a guest and as the host.
No answer is a server error, the description names each answer, and no write succeeds without its right.
`API_EXAMPLES=300` makes more calls of each kind.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from referee.core.match.viewer import view
from referee.core.model.events import Linked
from referee.device.phones.desk import Desk
from referee.device.phones.pairing import HouseBook, PhoneBook
from referee.page.api import description
from referee.page.feed import Feed
from referee.page.history_reader import PastFeed
from referee.protocol.snapshot import Snapshot
from tests.commands.house import journaled
from tests.core.sitting import Sitting
from tests.device.test_phones import PAGE, Line, Played
from tests.page.lines import served
from tests.page.test_history import telling

schemathesis = pytest.importorskip("schemathesis", reason="`make api-check` installs it")
schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
EXAMPLES = int(os.environ.get("API_EXAMPLES", "60"))
WHO = ("stranger", "guest", "host")
FREE = "/api/pair"
"""The one write that needs no right: it grants one, and the code is its key."""


class Served:
    """A page with past matches and two paired phones, on its own thread."""

    def __init__(self, address: str, cookies: dict[str, str]) -> None:
        self.address, self.cookies = address, cookies


@contextmanager
def page(folder: Path) -> Iterator[Served]:
    """Serve the page with all its guards during the tests."""
    sitting = Sitting()
    sitting.engine.intake([Linked(sitting.now_ns, f"page:{PAGE}", True)], sitting.now_ns)
    book = PhoneBook(folder / "phones.json")
    houses = HouseBook(folder / "houses.json")
    desk = Desk(book, Played(sitting), lambda address, code: address, lambda: sitting.now_ns, houses)
    cookies = {"host": book.pair()[1], "guest": book.pair()[1]}
    feed = Feed(("1", "2", "3", "4"))
    feed.publish(Snapshot(view(sitting.engine.state, sitting.now_ns), bytes(1024)))
    loop, ready, end, found = asyncio.new_event_loop(), threading.Event(), asyncio.Event(), [""]

    async def serve() -> None:
        async with served(feed, desk=Line(desk), past=PastFeed(telling(journaled(folder)))) as found[0]:
            ready.set()
            await end.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    ready.wait(30)
    try:
        yield Served(found[0].rstrip("/"), cookies)
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(30)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One page for all calls."""
    with page(tmp_path_factory.mktemp("table")) as found:
        yield found


def operations() -> list[Any]:
    """Return every call of the description."""
    found = schemathesis.openapi.from_dict(description()).get_all_operations()
    return [operation.ok() for operation in found]


def checks() -> list[Any]:
    """Return checks against server errors and against a status, type or body that the description does not name."""
    schemathesis.checks.load_all_checks()
    names = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")
    return [schemathesis.checks.CHECKS.get_one(name) for name in names]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.label)
def test_every_call_is_answered_as_described(table: Served, operation: Any, who: str) -> None:
    headers = {"Origin": table.address}
    cookies = {"phone": table.cookies[who]} if who in table.cookies else {}
    wanted = checks()

    def answered(case: Any) -> None:
        answer = case.call(base_url=table.address, headers=headers, cookies=cookies)
        case.validate_response(answer, checks=wanted)
        if case.method.upper() != "GET" and case.path != FREE and who == "stranger":
            assert answer.status_code in (401, 403), answer.text

    limits = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
        try:
            cases: Any = operation.as_strategy(generation_mode=mode)
            given_case: Any = given(cases)
            run: Any = limits(given_case(answered))
            run()
        except Unsatisfiable:
            continue  # without values there are no wrong ones
