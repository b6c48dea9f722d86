"""The hall's process: the link to the broker, and the pages."""

from __future__ import annotations

import asyncio
import resource
import signal
import ssl
from collections.abc import Callable, Coroutine

from aiohttp import web

from referee.core.values import Value
from referee.hall.access import Access, new_code
from referee.hall.broker import Address, Broker, end
from referee.hall.intake import Intake
from referee.hall.store import Store
from referee.hall.web.app import make_app
from referee.web.guard import Hosts

DIRECTOR = "director"
FILES = 8192
"""Number of files that the hall may open: each live page takes one, and the usual limit is 1,024."""
"""Name and role of the first person of a new hall."""


class Options(Value):
    """The options of a hall.

    database: URL. prefix: of all topics. listen: host and port of the pages. names: further host names of the pages.
    ca: file of the certificate authority for the broker; "" for the system's. certificate, key: files for pages with
    TLS; no certificate: without TLS; no key: it is in the certificate's file. closed: pages need a login.
    proxies: see `Hall`. shown: hosts in the printed addresses; none: the one of `listen`.
    """

    database: str
    brokers: tuple[Address, ...]
    prefix: str
    listen: tuple[str, int]
    names: tuple[str, ...] = ()
    ca: str = ""
    certificate: str = ""
    key: str = ""
    closed: bool = False
    proxies: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


def renew_code(access: Access, name: str) -> str:
    """Return a new code for a person. An unknown name becomes a director."""
    role = next((person.role for person in access.people() if person.name == name), DIRECTOR)
    code = new_code()
    access.admit(name, role, code)
    return code


async def serve(options: Options, say: Callable[[str], object]) -> None:
    """Run the hall until SIGTERM or SIGINT.

    `say` gets sentences for the operator, such as the first code. Raises DatabaseError, AnotherHallError or OSError if
    the hall cannot start.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if FILES > soft != resource.RLIM_INFINITY:
        wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    store = Store(options.database)
    broker = Broker(options.brokers, options.prefix, store, Intake(store), _broker_tls(options))
    hosts = Hosts(options.listen[0], options.names)
    app = make_app(
        store,
        broker.live,
        hosts,
        closed=options.closed,
        trouble=lambda: broker.trouble,
        proxies=options.proxies,
    )
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
    try:
        await runner.setup()
        tls = _page_tls(options)
        await web.TCPSite(runner, options.listen[0] or None, options.listen[1], ssl_context=tls).start()
        if not store.access.people():
            code = renew_code(store.access, DIRECTOR)
            say(f'Log in as "{DIRECTOR}" with the code {code}. It is shown only once.')
        host, port = runner.addresses[0][:2]
        for one in options.shown or (host,):
            say(f"http{'s' if tls else ''}://{f'[{one}]' if ':' in one else one}:{port}/ shows hall {store.hall}.")
        await _until_signal(broker.run())
    finally:
        await runner.cleanup()
        broker.close()
        store.close()


def _broker_tls(options: Options) -> ssl.SSLContext | None:
    return ssl.create_default_context(cafile=options.ca) if options.ca else None


def _page_tls(options: Options) -> ssl.SSLContext | None:
    if not options.certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(options.certificate, options.key or None)
    return context


async def _until_signal(work: Coroutine[object, object, None]) -> None:
    """Run a coroutine until it ends or a signal comes.

    Raises its exception; of a group, the first one.
    """
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
