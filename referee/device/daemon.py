"""Build the device (pins, journal, engine, outputs, page) and run it until it is stopped."""

from __future__ import annotations

import asyncio
import inspect
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from gpiozero.exc import GPIOZeroError

from referee.config import Config, ConfigError, broker_of
from referee.core.documents.chronicle import Matches, record_of
from referee.core.match.engine import Engine
from referee.core.match.past import in_hand
from referee.core.messages import Msg, msg
from referee.core.model.events import KnownName, Linked, Offered, Opened, Resumed
from referee.core.model.registry import winners_at
from referee.core.model.state import State
from referee.core.model.table import Setup, Table
from referee.core.names import MOST_LETTERS
from referee.core.phases.device import Off
from referee.core.phases.lobby import Lobby
from referee.core.phases.over import Over
from referee.core.phases.seating import kept_names
from referee.core.reading import list_text
from referee.core.units import S
from referee.core.values import Value, replace
from referee.device import assembly
from referee.device.children.supervisor import KeptChild
from referee.device.guard import Close, GuardedOutput, Guards, Output, OutputPlan, Outputs
from referee.device.live import CHECK_TABLE, SEE_LOG, SEE_REFEREE, Live
from referee.device.updates import UpdateOutput, Updates
from referee.drivers.buttons import Buttons
from referee.drivers.network import Wifi
from referee.drivers.pi import vitals
from referee.drivers.pins.lint import lint
from referee.drivers.pins.pinmap import NO_PINS, Profile
from referee.drivers.systemd import (
    OFF_NOTE,
    UPDATE_NOTE,
    Notifier,
    ask_systemd,
    boot_id,
    goes_down,
    release,
    runtime_directory,
)
from referee.protocol.processes import run_once
from referee.storage.evenings.folder import evenings_in, has_old
from referee.storage.evenings.rows import Tape
from referee.storage.evenings.writer import Journal, JournalBusy
from referee.storage.records.keeper import Keeper
from referee.storage.records.store import Records
from referee.storage.wallclock import SET_S, Away, local_s, wall_s

if TYPE_CHECKING:
    from referee.core.documents.delivery import GameRules
    from referee.device.children.mqtt import Publisher

LOG = logging.getLogger("referee")
LAST_LOOK_S = 0.3
"""Time in s that pages get to show the "off" screen before their server ends."""
COMPRESS_S = 1800.0
"""Time in s after which the child that compresses old evenings is killed.

It runs at the lowest priority. On a PC an evening of the largest size, 64 MB, takes 4 s.
"""
LAST_SOUND_S = 1.8
"""Duration in s of the sound at shutdown: two slow low notes."""
AS_IT_BEGAN = (
    "the settings have changed: they hold when the match that is under way is over and the device starts again"
)
ALARMS = {
    "supply": msg("toast.weak_supply"),
    "heat": msg("toast.too_hot"),
    "disk": msg("toast.bad_disk"),
}
"""Alarm of the machine (`vitals.ALARMS`) -> the display's message."""
LOOK_S = 5.0
"""Seconds between checks of the wall clock, the machine and the child processes, without a watchdog."""


class Options(Value):
    """The options of `referee run`."""

    config: Config
    state: Path
    simulate: bool = False
    bots: int = 0
    listen: str = ""
    say: Callable[[str], object] = LOG.info


def serve(options: Options) -> int:
    """Run the device and return the exit status. Raises ConfigError if it cannot start."""
    try:
        return asyncio.run(_Device(options).run())
    except (GPIOZeroError, JournalBusy) as exc:
        raise ConfigError(str(exc)) from exc


class _Device:
    """A running device. Its methods are in the order in which they are called."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._config = options.config
        self._clock: Callable[[], int] = time.monotonic_ns
        self._stopping = asyncio.Event()
        self._closers: list[Close] = []
        self._outputs = Outputs()
        self._guards = Guards(LOG, self._clock)
        self._page_guard = self._guards.guard("web")
        self._look_guard = self._guards.guard("the look at child processes")
        self._children: list[KeptChild] = []
        self._addresses: Callable[[], str] = str
        self._shown_at = ""
        self._wire_guard = self._guards.guard("the sync wire")
        self._wall_guard = self._guards.guard("the wall clock")
        self._machine_guard = self._guards.guard("the look at the machine")
        self._network_guard = self._guards.guard("the look at the network")
        self._wifi = assembly.WifiOutput(Wifi(None if options.simulate else runtime_directory(), self._call_poke))
        self._update_guard = self._guards.guard("the look at an update")
        self._updates = Updates(options.state, boot_id())
        self._alarm: str | None = None  # one of vitals.ALARMS, while it lasts
        self._wall_s = 0.0
        self._broken: set[str] = set()  # names of threads that ended because of a bug
        self._durable: Callable[[int], None] = lambda seq: None
        self._poke: Callable[[], None] = lambda: None
        self._tell: Callable[[Msg], None] = lambda note: None
        self._remark: Callable[[], str] = lambda: ""  # returns the journal's last note
        self._remarked = ""
        self._early: list[Any] = []  # rows received while the match was being loaded
        self._feed: Callable[[Sequence[Any]], None] = self._early.extend
        self._drain: Callable[[], object] = lambda: None
        self._back: tuple[Away, Resumed] | None = None
        self._publisher: Publisher | None = None
        self._booked: Table | None = None  # the table of which the last record was made
        self._off = False

    async def run(self) -> int:
        """Open all parts, run until the device must stop, and close the parts in reverse order."""
        loop = asyncio.get_running_loop()
        for number in _endings():
            loop.add_signal_handler(number, self._stopping.set)
        loop.set_exception_handler(self._log_mistake)
        threading.excepthook, hook = self._thread_ended, threading.excepthook
        notifier = Notifier()
        try:
            self._live = live = self._compose()
            live.start(loop)
            self._add_publisher(live)
            notifier.ready("the table is open")
            await self._open_page(live)
            if has_old(evenings_in(self._options.state)):
                compressing = asyncio.create_task(self._compress())
                self._closers.append(partial(_cancel, compressing))
            await self._watch(live, notifier)
            live.stop()
            if down := not self._off and goes_down():
                live.farewell()
            await asyncio.sleep(LAST_LOOK_S if self._off else LAST_SOUND_S if down else 0)
        finally:
            notifier.stopping()
            for close in reversed(self._closers):
                await _close_part(close)
            threading.excepthook = hook
        if self._off:
            self._power_off()
        return 0

    def _power_off(self) -> None:
        """Ask systemd to switch the machine off if we run as its service, else let the program end."""
        try:
            machine = not self._options.simulate and ask_systemd(OFF_NOTE)
        except OSError as exc:
            LOG.error("the machine cannot be switched off: %s", exc)
            machine = False
        rest = "" if machine else "; the machine itself stays on, the same command opens the table again"
        self._options.say(f"Switched off at the knob{rest}.")

    def _switched_off(self) -> None:
        if not self._stopping.is_set():  # otherwise the machine is already shutting down, and the display shows it
            self._off = True
            self._stopping.set()

    def _log_mistake(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log an unexpected exception in a callback of the event loop. The match goes on."""
        loop.default_exception_handler(context)

    def _thread_ended(self, args: threading.ExceptHookArgs) -> None:
        """Log a thread that ended because of a bug, and show a message.

        Only a restart of the program can start the thread again. If the buttons or the journal need the thread, the
        watchdog restarts the program (`_makes_progress`).
        """
        name = args.thread.name if args.thread is not None else "?"
        told = (args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)
        LOG.error("the thread %r has ended", name, exc_info=told)
        self._broken.add(name)
        self._poke()

    # -- building --------------------------------------------------------------------------------------------------

    def _compose(self) -> Live:
        simulate, config = self._options.simulate, self._config
        chosen = assembly.profile_of(config)
        self._factory = assembly.pin_factory(simulate, config)
        self._closers.append(self._factory.close)
        self._wiring = _sound(chosen, self._factory, config)
        if (lacking := config.without_button(self._wiring.stations())) and not simulate:
            raise ConfigError(assembly.in_file(config, _no_button(config, lacking)))
        # Before the journal, which may take long to read: switch off lamps that an earlier run left on.
        for part in assembly.outputs(simulate, config, self._wiring, self._factory, self._clock):
            self._add(part)
        self._guards.hear(lambda: SEE_REFEREE if self._broken else None)
        self._guards.hear(lambda: ALARMS[self._alarm] if self._alarm else None)
        self._journal = self._open_journal()
        self._records = Records(self._options.state)
        self._keeper = Keeper(self._records, lambda sentence: LOG.warning("%s", sentence), self._announce_records)
        self._closers.append(self._keeper.close)
        self._remark, self._remarked = lambda: self._journal.note, self._journal.note
        seats = self._setup().stations
        unused = [station for station in self._wiring.stations() if station not in seats]
        wired = self._wiring.without([*config.unwired, *unused])
        buttons = Buttons(self._factory, wired, self._call_feed, err_ns=config.gpio_err_ns)
        closed = buttons.start()
        self._closers.append(buttons.close)
        self._drain = buttons.drain
        self._outputs.parts += [
            assembly.OffOutput(self._switched_off),
            UpdateOutput(lambda: ask_systemd(UPDATE_NOTE)),
            assembly.RulebookOutput(),
            self._wifi,
        ]
        clocks = self._add_pods()
        for part in assembly.keys(config, self._call_feed, self._clock):
            self._add(part)
        engine, note = self._engine(closed)
        live = Live(
            engine,
            self._journal,
            self._outputs,
            clock=self._clock,
            drain=self._call_drain,
            slack_ns=config.gpio_err_ns,
            clocks=clocks,
            guards=self._guards,
            kept=self._keep_record,
        )
        live.dress(self._wifi.dress)
        live.tell(note)
        self._feed, self._durable, self._poke, self._tell = live.feed, live.durable, live.poke, live.tell
        live.feed(self._early)
        return live

    def _add(self, part: OutputPlan) -> GuardedOutput:
        """Open an output and add it to the others. If it cannot be opened, it is tried again later."""
        output = GuardedOutput(part, self._guards, asyncio.get_running_loop(), self._clock)
        self._outputs.parts.append(output)
        self._closers.append(output.close)
        return output

    def _add_pods(self) -> assembly.PodClocks:
        """Add the configured pods. Return the object that knows how accurate their clocks are."""
        clocks = assembly.PodClocks(self._call_poke)
        if self._config.pods.contacts:
            self._add(OutputPlan("pods", msg("toast.no_pods"), lambda: self._pods(clocks)))
        return clocks

    def _add_publisher(self, live: Live) -> None:
        """Publish by MQTT if the configuration names a broker."""
        settings = broker_of(self._config.mqtt)
        if settings is None:
            return
        from referee.device.children.mqtt import TROUBLES, Publisher

        settings = msgspec.structs.replace(settings, state=str(self._options.state.absolute()))
        self._publisher = publisher = Publisher(settings, live.poke, partial(self._offer, live))
        self._outputs.parts.append(publisher)
        self._children.append(publisher)
        self._closers.append(partial(asyncio.to_thread, publisher.stop))
        self._guards.hear(lambda: TROUBLES.get(publisher.trouble))
        live.show_again()

    def _offer(self, live: Live, names: tuple[str, ...], rules: GameRules) -> None:
        """Pass the hall's next players to the table. Runs on a thread of the publisher."""
        people = tuple(KnownName("", name) for name in names)
        state, game, options = live.engine.state, rules.game[:MOST_LETTERS], tuple(rules.options.items())
        if (state.offered, state.offered_game, state.offered_options) != (people, game, options):
            live.feed([Offered(self._clock(), people, game, options)])

    def _pods(self, clocks: assembly.PodClocks) -> tuple[Output, Close]:
        wire = self._wire_guard(
            lambda: assembly.sync_wire(self._config, self._wiring, self._factory, self._clock), None
        )
        pods = assembly.pods(self._config, self._call_feed, self._clock, wire, clocks.take)
        pods.start()
        if wire is not None:
            wire.start()
        return assembly.ButtonLamps(pods), _both(pods.close, wire.close if wire is not None else lambda: None)

    def _open_journal(self) -> Journal:
        journal = Journal(self._options.state, boot=boot_id(), report=self._note_saved, wall=self._wall)
        self._closers.append(journal.close)
        return journal

    def _keep_record(self, state: State) -> None:
        """Update the match's record if the table has changed."""
        if state.table is not self._booked:
            self._booked = state.table
            self._keeper.take(state, self._journal.walls, (self._journal.name, self._journal.id))

    def _announce_records(self) -> None:
        """Publish the results of records that have been written. Runs on the keeper's thread."""
        if self._publisher is not None:
            self._publisher.note_saved()

    def _wall(self) -> float:
        """Return the wall clock in Unix seconds, or its last known value."""
        self._wall_s = self._wall_guard(wall_s, self._wall_s)
        return self._wall_s

    def _engine(self, closed: tuple[str, ...]) -> tuple[Engine, Msg | None]:
        """Restore the match from the journal, or open a new one."""
        setup = self._setup()
        recovered = self._journal.take_recovered()
        mine = release()
        opened = Opened(self._clock(), boot_id(), setup.document(), closed, release=mine)
        note = SEE_LOG if self._journal.note else None
        if not recovered.rows:
            return Engine(opened), note
        now = self._clock()
        try:
            matches, evening = Matches(), (self._journal.name, self._journal.id)
            engine = Engine.restored(recovered.rows, recovered.aside, release=mine, watch=matches.note)
            self._keeper.reconcile(matches.states.values(), recovered.walls, evening, damaged=bool(recovered.damaged))
            if engine.sentence:
                LOG.warning("coming back: %s", engine.sentence)
                note = CHECK_TABLE
            if _setup_when_opened(recovered) != setup.document():
                if not _is_unfinished(engine.state):
                    return Engine(replace(opened, known=kept_names(engine.state.known))), note
                LOG.warning(AS_IT_BEGAN)
            away = Away(recovered, boot_id(), wall=self._wall)
            asks = self._options.bots > 0 and not in_hand(engine.state.phase)
            back = Resumed(now, boot_id(), away.seconds, closed, asks=asks, release=mine)
            engine.intake([back], now)
            engine.view(now)  # a match that cannot be shown cannot be played
            if recovered.damaged:
                engine.reopen(renamed=self._record_differs(engine.state))
        except Exception as exc:  # after any error, such as a file of another release, open a new table
            LOG.error("the last match cannot be resumed: %s", str(exc) or type(exc).__name__)
            return Engine(opened), msg("toast.last_unreadable")
        self._back = away, back
        return engine, note

    def _record_differs(self, state: State) -> bool:
        """Return whether the match in `state`, read from a damaged evening, differs from its record.

        Also True if the record cannot be read.
        """
        kept = state.phase.kept if isinstance(state.phase, Lobby) else None
        state = replace(state, table=kept or state.table)
        try:
            number = self._records.find(state.table.match)
            before = self._records.read(number) if number else None
        except (OSError, ValueError):  # if the record is damaged, keep it too
            return True
        now = record_of(state, {})
        return before is not None and (now is None or now.match != before.match)

    def _setup(self) -> Setup:
        return self._config.setup(tuple(self._wiring.stations()))

    # Threads call these functions from the start. What they do is set later.

    def _call_feed(self, rows: Sequence[Any]) -> None:
        self._feed(rows)

    def _call_poke(self) -> None:
        self._poke()

    def _note_saved(self, seq: int) -> None:
        """Pass on the journal's report: rows up to `seq` are saved, or saving fails or works again.

        If the journal has a new message, show a hint to read the log. Runs on the journal's thread.
        """
        if self._remark() != self._remarked:
            self._remarked = self._remark()
            self._tell(SEE_LOG)
        self._durable(seq)

    def _call_drain(self) -> None:
        self._drain()

    async def _compress(self) -> None:
        """Compress old evenings in a child process. If that fails, the next start tries it again."""
        command = (sys.executable, "-m", "referee.storage.evenings.folder", str(evenings_in(self._options.state)))
        try:  # its own process group: Ctrl-C must not end it
            status, _, errors = await run_once(command, COMPRESS_S, process_group=0)
            if status:
                raise OSError(errors.decode(errors="replace").strip().rpartition("\n")[2] or f"status {status}")
        except OSError as exc:
            LOG.warning("the old evenings are not compressed (%s); the table goes on", exc)

    # -- running ---------------------------------------------------------------------------------------------------

    async def _open_page(self, live: Live) -> None:
        """Open the page. It comes after all other parts, so that they need not wait for it."""

        options = self._options
        if not (options.simulate or options.listen or self._wiring.name == NO_PINS):
            return
        try:
            await self._serve_page(live)
        except Exception as exc:
            if options.simulate:  # in a simulation, the page is the table
                raise
            self._page_guard.note_failure(exc)
        else:
            self._page_guard.note_success()

    async def _serve_page(self, live: Live) -> None:
        from referee.device import page, simulated  # imported here to keep the start short

        options = self._options
        hands = None
        if options.simulate:
            lacking = self._config.without_button(self._wiring.stations())
            loose = simulated.loose_buttons(lacking, live.feed, self._clock) if lacking else None
            hands = simulated.Fingers(simulated.MockPins(self._factory, self._wiring, loose), self._clock)
        phones = options.state / "phones.json", live
        served, output, self._addresses, close, desk = await page.page(
            options.listen, self._wiring, hands, self._clock, self._config, phones, options.state
        )
        live.dress(lambda view: desk.dress(self._wifi.dress(view)), desk.note_call)
        desk.noticed = live.poke
        self._add(OutputPlan("the page", None, lambda: (output, close)))
        self._children.append(served)
        if hands is not None and options.bots:
            asks = [live.engine.state.menu is not None]  # only once: bots made again later need not wait for the answer
            make = lambda: self._bots(hands, live, served, asked=bool(asks and asks.pop()))  # noqa: E731
            bots = self._add(OutputPlan("bots", msg("toast.no_bots"), make, remakes=True))
            self._drain = _both(lambda: bots.ask(simulated.BotOutput.deliver), self._drain)
        live.show_again()
        self._look_at_addresses(live)
        where = self._shown_at.replace(" ", " or ")
        options.say(f"The table is open: {where}")
        await asyncio.to_thread(self._journal.note_address, where)

    def _bots(self, hands: Any, live: Live, served: Any, *, asked: bool) -> tuple[Output, Close]:
        from referee.device import simulated

        act, loop = _both(self._call_drain, live.step), asyncio.get_running_loop()
        table = lambda: live.engine.state.table  # noqa: E731
        told = served.seat_bots, served.lay
        bots = simulated.BotOutput(self._options.bots, hands, act, loop, self._clock, table, *told, asked=asked)
        return bots, bots.close

    async def _watch(self, live: Live, notifier: Notifier) -> None:
        """Notify systemd's watchdog while all works; check clock, machine and network regularly."""
        interval = notifier.watchdog_ns
        self._machine_guard(lambda: self._look_at_machine(live), None)
        self._network_guard(lambda: self._look_at_wifi(live), None)
        while not self._stopping.is_set():
            try:
                await asyncio.wait_for(self._stopping.wait(), LOOK_S if interval is None else interval / 2 / S)
            except TimeoutError:
                self._wall_guard(lambda: self._ask_again(live), None)
                self._wall_guard(lambda: self._look_at_clock(live), None)
                self._machine_guard(lambda: self._look_at_machine(live), None)
                self._network_guard(lambda: self._look_at_addresses(live), None)
                self._network_guard(lambda: self._look_at_wifi(live), None)
                self._update_guard(lambda: self._updates.look(live, self._clock()), None)
                live.step()
                for child in self._children:
                    self._look_guard(child.look, None)
                if self._page_guard.lost and self._page_guard.due:
                    await self._open_page(live)
                if interval is not None and self._makes_progress(interval):
                    notifier.watchdog()

    def _makes_progress(self, within_ns: int) -> bool:
        """Return whether the journal, the core and the thread that reads the buttons still work."""
        return (
            self._journal.progressing(within_ns)
            and not self._live.stuck(within_ns)
            and "gpiod-edges" not in self._broken
        )

    def _look_at_addresses(self, live: Live) -> None:
        """Report the page's address to the table if it has changed, for example in a hotspot."""
        found = self._addresses()
        if found != self._shown_at:
            self._shown_at = found
            live.feed([Linked(self._clock(), f"page:{found}", True)])

    def _look_at_wifi(self, live: Live) -> None:
        """Tell the table whether the device has Wi-Fi that it can switch, if this has changed."""
        if (there := self._wifi.there) != live.engine.state.wifi:
            live.feed([Linked(self._clock(), "wifi:", there)])

    def _look_at_clock(self, live: Live) -> None:
        """Report the local time to the table once it can be trusted, and again if it is set."""
        at_ns, now_s = self._clock(), local_s(trusted=self._options.simulate)
        clock_s, known_s = None if now_s is None else now_s - at_ns // S, live.engine.state.clock_s
        if clock_s is not None and (known_s is None or abs(clock_s - known_s) >= SET_S):
            live.feed([Linked(at_ns, f"clock:{clock_s}", True)])

    def _look_at_machine(self, live: Live) -> None:
        """Log and show an alarm of the machine (weak supply, heat, failing disk) while it lasts."""
        found = vitals.alarm(self._options.state.absolute())
        if found == self._alarm:
            return
        self._alarm = found
        if found:
            LOG.warning("the machine is in trouble (%s): `referee doctor` says what to do", found)
        else:
            LOG.warning("the machine is well again")
        live.step()

    def _ask_again(self, live: Live) -> None:
        """Ask again whether to continue the match, if the wall clock has been set since the start.

        The clock tells how long the power was off. Do not ask if there was any input since the start.
        """
        if self._back is None:
            return
        (away, back), state = self._back, live.engine.state
        if state.touched_at_ns != back.at_ns:
            self._back = None
        elif away.is_other() and state.phase.name in ("READY", "OVER", "POWER_BACK"):
            back = replace(back, at_ns=self._clock(), away_s=away.seconds)
            self._back = away, back
            live.feed([back])


def _no_button(config: Config, lacking: Sequence[str]) -> str:
    seats = f"option 'seats' in section [table] is {config.table.seats}"
    places = "no pin of [pins], no pod of [pods.contacts] and no key of [keys.buttons]"
    return f"{seats}, but {places} has the button {list_text(lacking)}"


def _sound(wiring: Profile, factory: Any, config: Config) -> Profile:
    """Return the wiring. Raises ConfigError if it has a conflict on this board."""
    faults = lint(wiring, getattr(factory, "board_info", None))
    if faults:
        more = f" (1 of {len(faults)} conflicts)" if len(faults) > 1 else ""
        raise ConfigError(assembly.in_file(config, faults[0] + more))
    return wiring


def _is_unfinished(state: State) -> bool:
    """Return whether a match is running, or waits in the lobby to be continued."""
    phase = state.phase.inner if isinstance(state.phase, Off) else state.phase
    if isinstance(phase, Lobby):
        return phase.kept is not None and not winners_at(phase.kept)
    return not isinstance(phase, Over)


def _setup_when_opened(recovered: Tape) -> object:
    """Return the setup with which the evening began, before any changes at the knob."""
    opened = recovered.rows[0][1]
    return opened.setup if isinstance(opened, Opened) else None


def _endings() -> tuple[signal.Signals, ...]:
    """Return the signals that end the program.

    These are SIGTERM, SIGINT, and SIGHUP unless `nohup` ignores it.
    """
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGTERM, signal.SIGINT, *(() if nohup else (signal.SIGHUP,)))


async def _cancel(task: asyncio.Task[None]) -> None:
    """Cancel a task, and wait for its end."""
    task.cancel()
    await asyncio.wait([task])


async def _close_part(close: Close) -> None:
    """Close a part. Log any error, so that the other parts are closed, too."""
    try:
        result = close()
        if inspect.isawaitable(result):
            await result
    except Exception:
        LOG.exception("something could not be closed")


def _both(first: Callable[[], object], then: Callable[[], object]) -> Callable[[], object]:
    def call() -> None:
        first()
        then()

    return call
