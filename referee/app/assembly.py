"""The device's parts, put together from the configuration: pin factory, display, lamps, piezo.

Each part becomes an `Output` of the live loop. With `--simulate` the pins are mock pins and the lamps' bus is the
shipped fake; everything above those is the same code. The page stands in `page.py`, bots in `simulated.py`.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiozero import Device
from gpiozero.exc import GPIOZeroError

from referee.app.guard import Clock, Close, Output, OutputPlan
from referee.config import Config, ConfigError
from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.labels import coarse_ns
from referee.core.model.view import ClockLine, Lamp, MenuScreen, View
from referee.core.phases.device import OffScreen
from referee.core.phases.rulebook import OPEN_RULEBOOK
from referee.core.presses.signals import KNOB
from referee.core.units import ns_from_ms
from referee.drivers.lamps import DirectLamps, FakeBus, Lamps, ShiftLamps
from referee.drivers.oled.display import DIM, Display
from referee.drivers.oled.panel import CHIPS, SMALL_PX, OledPanel, i2c_panel, spi_panel
from referee.drivers.pins.pinmap import NO_PINS, PinMapError, Profile, profile
from referee.drivers.pwm.channel import FakePwm, KernelPwm
from referee.drivers.pwm.chip import PwmChannel, find
from referee.drivers.sound.buzzer import Buzzer
from referee.drivers.systemd import leave_tone

if TYPE_CHECKING:
    from PIL.Image import Image

    from referee.drivers.pods.lines import Pods, PodStatus
    from referee.drivers.pods.sync_wire import SyncWire

LOG = logging.getLogger("referee")
SIMULATED_BOARD = "a02082"
"""The revision code of a Pi 3B, which has every pin that the profiles use."""
FACTORY_SETTING = "GPIOZERO_PIN_FACTORY"
"""gpiozero's variable: another library's pins in place of ours."""
DIM_PERCENT = 30
"""How bright lamps are when nothing has happened for a minute."""


def profile_of(config: Config) -> Profile:
    """The wiring that the configuration asks for, not yet looked at for conflicts. Raises ConfigError."""
    try:
        return profile(config.pins.profile, dict(config.moved), sync=config.pins.sync_wire)
    except PinMapError as exc:
        raise ConfigError(in_file(config, str(exc))) from exc


def in_file(config: Config, sentence: str) -> str:
    """The sentence with the file that it is about, where there is one."""
    return f"{config.where}: {sentence}" if config.where else sentence


def pin_factory(simulate: bool, config: Config) -> Any:
    """Mock pins, the factory that gpiozero's own variable names, or ours over libgpiod. Raises ConfigError."""
    if simulate or config.pins.profile == NO_PINS:
        from referee.drivers.gpiod.mock import RefereeMockFactory

        return RefereeMockFactory(revision=SIMULATED_BOARD)
    try:
        return _real_pins(config)
    except (GPIOZeroError, ImportError) as exc:
        raise ConfigError(f"there are no pins here ({exc}); `referee run --simulate` needs none") from exc


def _real_pins(config: Config) -> Any:
    if os.environ.get(FACTORY_SETTING):
        Device.ensure_pin_factory()
        return Device.pin_factory
    from referee.drivers.gpiod.factory import GpiodFactory

    return GpiodFactory(config.pins.chip or None)


def pods(
    config: Config,
    sink: Callable[[Sequence[Any]], object],
    clock: Clock,
    wire: SyncWire | None,
    looked: Callable[[Sequence[PodStatus]], object],
) -> Pods:
    """The button pods that the configuration names, not yet looked for."""
    from referee.drivers.pods.lines import Pods
    from referee.drivers.pods.port import PAUSE_NS

    return Pods(
        dict(config.pods.contacts),
        sink,
        lines=config.pods.lines,
        clock=clock,
        pulses=wire.pulses if wire is not None else tuple,
        looked=looked,
        pause_ns=min(PAUSE_NS, ns_from_ms(config.arbiter.latency_ms) * 2 // 3),  # the line takes some of it, too
    )


def sync_wire(config: Config, wiring: Profile, factory: Any, clock: Clock) -> SyncWire | None:
    """The wire that pods stamp beside their contacts, not yet pulsed; None where the configuration has none."""
    if not config.pins.sync_wire or not config.pods.contacts:
        return None
    from referee.drivers.pods.sync_wire import SyncWire

    out, back = wiring.gpio("SYNC_OUT"), wiring.gpio("SYNC_IN")
    return SyncWire(factory, out, back, err_ns=config.gpio_err_ns, clock=clock)


def read_ahead() -> None:
    """Load what the first answer of the rulebook needs."""
    from referee.core.model.registry import all_documents, topics_of

    for game in all_documents():
        topics_of(game)


def draw(view: View, size: tuple[int, int] = SMALL_PX) -> Image:
    """The picture of a view. The display's own thread loads the screens with its first one; nobody waits for them."""
    from referee.screens import draw as drawn

    return drawn(view, size, view.language)


# -- outputs -------------------------------------------------------------------------------------------------------


OFF_S = 2.0
"""A slow bus gets so long to bring the last picture to the panel."""


class DisplayOutput(Output):
    """The panel: each new picture goes to the display's own thread."""

    def __init__(self, display: Display[View], bright: int = 255) -> None:
        """`bright`: the panel's contrast, 1..255, at a brightness of 100 %."""
        self._display, self._bright = display, bright
        self._percent = 100
        self._off = False

    @property
    def lost(self) -> bool:
        """True while the panel does not answer."""
        return self._display.lost

    def show(self, view: View) -> None:
        """Hand the view to the display's thread; at a new brightness the contrast, too."""
        if view.brightness_percent != self._percent:
            self._percent = view.brightness_percent
            level = max(self._bright * self._percent // 100, 1)
            self._display.set_brightness(level, DIM)
        self._off = isinstance(view.screen, OffScreen)
        self._display.show(view, view.dim)

    def close(self) -> None:
        """The panel goes dark; what it says when the device is switched off stays on it."""
        if self._off:
            self._display.settle(OFF_S)
        self._display.close(blank=not self._off)


class OffOutput(Output):
    """Shows nothing: it learns that the table has switched the device off, once that is durable."""

    def __init__(self, switched_off: Callable[[], object]) -> None:
        self._switched_off = switched_off

    def show(self, view: View) -> None:
        """Call when the view says "off"."""
        if isinstance(view.screen, OffScreen):
            self._switched_off()


class RulebookOutput(Output):
    """Shows nothing: it learns that a list offers the rulebook, which is then read ahead, once, by a thread of its own.

    From there it is a turn and two pushes to an answer, so a dispute does not wait for it; who never opens such a list
    pays nothing for it, least of all a start.
    """

    def __init__(self, load: Callable[[], object] = read_ahead) -> None:
        self._load = load
        self._begun = False

    def show(self, view: View) -> None:
        """Begin at the first list that has the line."""
        if not self._begun and isinstance(view.screen, MenuScreen) and OPEN_RULEBOOK in view.screen.items:
            self._begun = True
            threading.Thread(target=self._load, name="read ahead", daemon=True).start()


class LampOutput(Output):
    """The station lamps, on pins or on the shift register chain."""

    def __init__(self, lamps: Lamps, clock: Clock) -> None:
        self._lamps, self._clock = lamps, clock

    @property
    def next_ns(self) -> int | None:
        """When a chain that failed is worth trying again: with whatever is to be seen then. None while all is well."""
        return self._lamps.next_ns

    @property
    def lost(self) -> bool:
        """True while the lamps do not do what they are told."""
        return self._lamps.next_ns is not None

    def show(self, view: View) -> None:
        """Dim the lamps while the view is dimmed."""
        self._lamps.dim(DIM_PERCENT if view.dim else 100, self._clock())

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Light the stations whose lamp is lit now."""
        self._lamps.show({lamp.station for lamp in lamps if lamp.lit}, self._clock())


class PodOutput(Output):
    """The lamps in the buttons of the pods."""

    def __init__(self, pods: Pods) -> None:
        self._pods = pods

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Light the stations whose lamp is lit now; each pod takes its own."""
        self._pods.light(frozenset(lamp.station for lamp in lamps if lamp.lit))


class PodClocks:
    """How surely the pods' clocks are known, for the view. The pods' watcher refreshes it; who shows it is woken."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._lines: tuple[ClockLine, ...] = ()

    def __call__(self) -> tuple[ClockLine, ...]:
        """As they were found last."""
        return self._lines

    def take(self, statuses: Sequence[PodStatus]) -> None:
        """The pods' states as the watcher has found them; wakes who shows them when what is shown changes."""
        lines = clock_lines(statuses)
        if lines != self._lines:
            self._lines = lines
            self._woken()


def clock_lines(statuses: Sequence[PodStatus]) -> tuple[ClockLine, ...]:
    """The pods' clocks in the steps in which they are shown."""
    lines = []
    for status in statuses:
        bound_ns = None if status.bound_ns is None else coarse_ns(status.bound_ns)
        numbers = tuple(int(station) for station in status.stations if station != KNOB)
        lines.append(ClockLine(f"pod {status.ident[-4:]}", numbers, bound_ns))
    return tuple(lines)


class SoundOutput(Output):
    """The piezo, on its own thread."""

    def __init__(self, buzzer: Buzzer) -> None:
        self._buzzer = buzzer

    @property
    def lost(self) -> bool:
        """True while the piezo does not do what it is told."""
        return self._buzzer.lost

    def show(self, view: View) -> None:
        """How loud it is; in the quiet mode not at all."""
        self._buzzer.set_volume(view.volume_percent)

    def sound(self, cue: Cue) -> None:
        """Queue the cue's motif for its instant."""
        self._buzzer.play(cue.name, cue.at_ns, cancels=cue.cancels)


def outputs(simulate: bool, config: Config, wiring: Profile, factory: Any, clock: Clock) -> list[OutputPlan]:
    """The outputs that the configuration asks for, still to be made. Raises ConfigError for what cannot be."""
    parts = []
    if wiring.lamps() or wiring.shifted_lamps:
        parts.append(
            OutputPlan("lamps", msg("toast.no_lamps"), lambda: _lamp_output(simulate, config, wiring, factory, clock))
        )
    if not simulate and wiring.find("BUZZER"):
        parts.append(OutputPlan("buzzer", msg("toast.no_sound"), lambda: _sound_output(config, wiring, clock)))
    connect = None if simulate else panel(config, wiring, factory)
    if connect is not None:
        parts.append(OutputPlan("display", msg("toast.no_display"), lambda: _display_output(config, connect)))
    return parts


def _lamp_output(simulate: bool, config: Config, wiring: Profile, factory: Any, clock: Clock) -> tuple[Output, Close]:
    """Lamps are dark from here on: a life before may have left them lit."""
    lamps = lamp_driver(simulate, config, wiring, factory)
    lamps.show((), clock())
    return LampOutput(lamps, clock), lamps.close


def _sound_output(config: Config, wiring: Profile, clock: Clock) -> tuple[Output, Close]:
    buzzer = Buzzer(piezo_pwm(config, wiring), volume_percent=0 if config.sound.quiet else 100, clock=clock)
    return SoundOutput(buzzer), buzzer.stop


def _display_output(config: Config, connect: Callable[[], OledPanel]) -> tuple[Output, Close]:
    display = Display(connect, partial(draw, size=glass(config)), LOG, bright=config.display.brightness)
    shown = DisplayOutput(display, config.display.brightness)
    return shown, shown.close


def lamp_driver(simulate: bool, config: Config, wiring: Profile, factory: Any) -> Lamps:
    """What lights the lamps of that wiring; on pins they are claimed, dark. Raises gpiozero's errors."""
    direct = wiring.lamps()
    if direct:
        return DirectLamps(factory, {station: pin.gpio for station, pin in direct.items()})
    if simulate:
        return ShiftLamps(FakeBus, FakePwm())
    # The chain's output enable is pulled to dark until its PWM runs.
    enable = KernelPwm(partial(pwm_place, config, wiring, "LED_ON")) if wiring.find("LED_ON") else None
    return ShiftLamps(_spi_lamps, enable)


def _spi_lamps() -> Any:
    import spidev

    bus = spidev.SpiDev()
    bus.open(0, 1)
    bus.max_speed_hz = 1_000_000
    return bus


def pwm_place(config: Config, wiring: Profile, net: str) -> PwmChannel:
    """Where the PWM channel of a net's pin is now. Raises PwmMissingError in one sentence."""
    return find(wiring.gpio(net), config.sound.pwm)


def piezo_pwm(config: Config, wiring: Profile) -> KernelPwm:
    """The piezo's channel, not yet looked for."""
    return KernelPwm(partial(pwm_place, config, wiring, "BUZZER"), told=_tone)


def _tone(node: Path) -> None:
    """A table that cannot leave word of its channel sounds all the same."""
    try:
        leave_tone(node)
    except OSError as exc:
        LOG.warning("a tone would outlive the daemon: no word could be left of %s (%s)", node, exc)


def glass(config: Config) -> tuple[int, int]:
    """The display's width and height in pixels, by its chip; SMALL_PX where there is no chip of that name."""
    return CHIPS[config.display.chip].size if config.display.chip in CHIPS else SMALL_PX


def panel(config: Config, wiring: Profile, factory: Any) -> Callable[[], OledPanel] | None:
    """What opens the display of this wiring; None where there is none. ConfigError for a chip of another bus."""
    settings = config.display
    if settings.chip == "none" or not wiring.pins:
        return None
    if wiring.find("OLED_DC"):
        dc, reset = wiring.gpio("OLED_DC"), wiring.gpio("OLED_RST")
        chip, turned = settings.chip or "ssd1309", settings.upside_down
        return spi_panel(chip, dc, reset, pins=factory, upside_down=turned, column=_column(config, chip))
    if settings.chip == "ssd1322":
        refusal = (
            f"option 'chip' in section [display] is \"ssd1322\", which needs SPI: the profile {wiring.name} has its "
            "display on I2C; allowed there are ssd1306, ssd1309, sh1106 and none"
        )
        raise ConfigError(in_file(config, refusal))
    chip = settings.chip or "ssd1306"
    column = _column(config, chip)
    return i2c_panel(chip, settings.i2c_bus, settings.i2c_address, settings.upside_down, column)


def _column(config: Config, chip: str) -> int | None:
    """The memory column of the display's first pixel; None: the chip's usual one. ConfigError where it has no other."""
    given = config.display.column
    if given < 0:
        return None
    if chip == "sh1106":
        return given
    refusal = f"option 'column' in section [display] is {given}, allowed with {chip} is -1: only an sh1106 has a choice"
    raise ConfigError(in_file(config, refusal))
