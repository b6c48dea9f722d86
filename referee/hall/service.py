"""The hall's process: the link to the broker and the pages, until a signal ends it."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import Callable, Coroutine

from referee.core.values import Value
from referee.hall.access import Access, new_code
from referee.hall.broker import Address, Broker, end
from referee.hall.intake import Intake
from referee.hall.store import Store

DIRECTOR = "director"
"""The name and role of the person who can log in to a new hall."""


class Options(Value):
    """How a hall is started.

    database: URL. prefix: of all topics. ca: file of certificates that the broker's must be signed with; "" for the
    system's.
    """

    database: str
    brokers: tuple[Address, ...]
    prefix: str
    ca: str = ""


def renew_code(access: Access, name: str) -> str:
    """Give a person a new code, or the name a director's access, and return the code."""
    role = next((person.role for person in access.people() if person.name == name), DIRECTOR)
    code = new_code()
    access.admit(name, role, code)
    return code


async def serve(options: Options, say: Callable[[str], object]) -> None:
    """Run the hall until SIGTERM or SIGINT. Raises DatabaseError or AnotherHallError if it cannot begin."""
    store = Store(options.database)
    broker = Broker(options.brokers, options.prefix, store, Intake(store), _context(options.ca))
    try:
        if not store.access.people():
            code = renew_code(store.access, DIRECTOR)
            say(f'Log in as "{DIRECTOR}" with the code {code}. It is shown only once.')
        say(f"Hall {store.hall} begins with the broker {' or '.join(one.shown for one in options.brokers)}.")
        await _until_signal(broker.run())
    finally:
        broker.close()
        store.close()


def _context(ca: str) -> ssl.SSLContext | None:
    return ssl.create_default_context(cafile=ca) if ca else None


async def _until_signal(work: Coroutine[object, object, None]) -> None:
    """Run a coroutine until it ends or a signal comes. Raises what it raises."""
    task, stop = asyncio.create_task(work), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    await end(task)
    error = None if task.cancelled() else task.exception()
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        raise error
