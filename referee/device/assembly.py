"""Build the device's parts from the configuration: pins, display, lamps, piezo, pods and keys.

Each part that shows or plays something becomes an `Output` of the live loop. With `--simulate`, mock pins replace the
hardware; all other code is the same. The page is built in `page.py`, the bots in `simulated.py`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiozero import DigitalOutputDevice
from gpiozero.exc import GPIOZeroError

from referee.config import Config, ConfigError
from referee.core.messages import msg
from referee.core.model.events import Cue
from referee.core.model.labels import coarse_ns
from referee.core.model.view import ClockLine, Lamp, MenuScreen, View, WifiScreen
from referee.core.phases.device import WIFI_NOTES, OffScreen
from referee.core.phases.rulebook import OPEN_RULEBOOK
from referee.core.presses.signals import KNOB
from referee.core.units import MS, ns_from_ms
from referee.core.values import replace
from referee.device.guard import Clock, Close, Output, OutputPlan
from referee.drivers.lamps import DirectLamps, Lamps, ShiftLamps
from referee.drivers.network import Wifi
from referee.drivers.oled.display import DIM, Display
from referee.drivers.oled.panel import CHIPS, SMALL_PX, OledPanel, i2c_panel, spi_panel
from referee.drivers.pins.pinmap import NO_PINS, PinMapError, Profile, profile
from referee.drivers.pwm import KernelPwm, PwmChannel, find
from referee.drivers.sound.buzzer import Buzzer
from referee.drivers.sound.motifs import BEFORE_WORDS, MOTIFS, SPOKEN_MOTIFS
from referee.drivers.sound.speaker import PLAY, Speaker, can_speak
from referee.drivers.systemd import leave_tone

if TYPE_CHECKING:
    from PIL.Image import Image

    from referee.drivers.keys.keys import Keys
    from referee.drivers.pods.lines import Pods, PodStatus
    from referee.drivers.pods.sync_wire import SyncWire

LOG = logging.getLogger("referee")
SIMULATED_BOARD = "a02082"
"""Revision code of a Pi 3B, which has all pins that the profiles use."""
NO_EVDEV = "needs the Python package evdev: `make keys`, on Debian `sudo apt install python3-evdev`"
DIM_PERCENT = 30
"""Lamp brightness after one minute without input."""


def profile_of(config: Config) -> Profile:
    """Return the configured wiring, not yet checked for conflicts. Raises ConfigError."""
    try:
        return profile(config.pins.profile, dict(config.moved), sync=config.pins.sync_wire)
    except PinMapError as exc:
        raise ConfigError(in_file(config, str(exc))) from exc


def in_file(config: Config, sentence: str) -> str:
    """Return the sentence with the configuration file's path before it, if there is a file."""
    return f"{config.where}: {sentence}" if config.where else sentence


def pin_factory(simulate: bool, config: Config) -> Any:
    """Return gpiozero's factory of real pins, or one of mock pins.

    Mock pins are for `simulate` and for the profile NO_PINS. Raises ConfigError if there are no usable real pins.
    """
    if simulate or config.pins.profile == NO_PINS:
        from gpiozero_gpiod.mock import GpiodMockFactory

        return GpiodMockFactory(revision=SIMULATED_BOARD)
    try:
        from gpiozero_gpiod.factory import GpiodFactory

        return GpiodFactory(config.pins.chip or None)
    except (GPIOZeroError, ImportError) as exc:
        raise ConfigError(f"there are no pins here ({exc}); `referee run --simulate` needs none") from exc


def pods(
    config: Config,
    sink: Callable[[Sequence[Any]], object],
    clock: Clock,
    wire: SyncWire | None,
    looked: Callable[[Sequence[PodStatus]], object],
) -> Pods:
    """Return the configured button pods, without opening them yet.

    sink: called with the rows of their contacts. looked: called with the states of all pods.
    """
    from referee.drivers.pods.lines import Pods
    from referee.drivers.pods.port import PAUSE_NS

    return Pods(
        dict(config.pods.contacts),
        sink,
        lines=config.pods.lines,
        clock=clock,
        pulses=wire.pulses if wire is not None else tuple,
        looked=looked,
        pause_ns=min(PAUSE_NS, ns_from_ms(config.arbiter.latency_ms) * 2 // 3),  # the serial line adds a delay, too
    )


def keys(config: Config, sink: Callable[[Sequence[Any]], object], clock: Clock) -> list[OutputPlan]:
    """Return plans for opening the configured keyboards later.

    Raises ConfigError for an unknown key, and if evdev is not installed.
    """
    if not config.keyboards:
        return []
    from referee.drivers.keys.keys import Keys

    try:
        for one in config.keyboards:
            one.stations()
    except ImportError:
        raise ConfigError(in_file(config, f"section [keys.buttons] {NO_EVDEV}")) from None
    except ValueError as exc:
        raise ConfigError(in_file(config, str(exc))) from exc
    debounce_ns, polling_ns = ns_from_ms(config.keys.debounce_ms), ns_from_ms(config.keys.polling_ms)

    def make() -> tuple[Output, Close]:
        keys = Keys(config.keyboards, sink, debounce_ns=debounce_ns, polling_ns=polling_ns, clock=clock)
        keys.start()
        return ButtonLamps(keys), keys.close

    return [OutputPlan("keys", msg("toast.no_keys"), make)]


def sync_wire(config: Config, wiring: Profile, factory: Any, clock: Clock) -> SyncWire | None:
    """Return the wire whose pulses help to compare pods' clocks with the host's clock.

    The wire does not pulse yet. None if the wire or the pods are not configured.
    """
    if not config.pins.sync_wire or not config.pods.contacts:
        return None
    from referee.drivers.pods.sync_wire import SyncWire

    out, back = wiring.gpio("SYNC_OUT"), wiring.gpio("SYNC_IN")
    return SyncWire(factory, out, back, err_ns=config.gpio_err_ns, clock=clock)


def read_ahead() -> None:
    """Load the rulebook topics of all games, so that the first answer does not wait for them."""
    from referee.core.model.registry import all_documents, topics_of

    for game in all_documents():
        topics_of(game)


def draw(view: View, size: tuple[int, int] = SMALL_PX) -> Image:
    """Draw a view. Import the drawing code only now, so that the program starts faster."""
    from referee.screens import draw as drawn

    return drawn(view, size, view.language)


# -- outputs -------------------------------------------------------------------------------------------------------


OFF_S = 2.0
"""Maximum wait in s for a slow bus to show the last picture."""


class DisplayOutput(Output):
    """Shows views on the display, whose own thread draws each new picture."""

    def __init__(self, display: Display[View], bright: int = 255) -> None:
        """`bright`: the panel's contrast (1..255) at 100 % brightness."""
        self._display, self._bright = display, bright
        self._percent = 100
        self._off = False

    @property
    def lost(self) -> bool:
        """Return whether the display does not work at present."""
        return self._display.lost

    def show(self, view: View) -> None:
        """Pass the view to the display's thread, and set the contrast if the brightness has changed."""
        if view.brightness_percent != self._percent:
            self._percent = view.brightness_percent
            level = max(self._bright * self._percent // 100, 1)
            self._display.set_brightness(level, DIM)
        self._off = isinstance(view.screen, OffScreen)
        self._display.show(view, view.dim)

    def close(self) -> None:
        """Blank the panel, unless it shows that the device is switched off."""
        if self._off:
            self._display.settle(OFF_S)
        self._display.close(blank=not self._off)


class OffOutput(Output):
    """Calls `switched_off` after players have switched the table off and this is saved.

    It shows nothing.
    """

    def __init__(self, switched_off: Callable[[], object]) -> None:
        self._switched_off = switched_off

    def show(self, view: View) -> None:
        if isinstance(view.screen, OffScreen):
            self._switched_off()


class WifiOutput(Output):
    """Requests the Wi-Fi network that players have chosen, and adds the result to the view."""

    def __init__(self, wifi: Wifi) -> None:
        self._wifi = wifi
        self._chosen = ""

    @property
    def there(self) -> bool:
        """Return whether this device has Wi-Fi that it can switch."""
        return self._wifi.there

    def show(self, view: View) -> None:
        """Request the network when its screen appears."""
        chosen = view.screen.choice if isinstance(view.screen, WifiScreen) else ""
        if chosen and chosen != self._chosen:
            self._wifi.choose(chosen)
        self._chosen = chosen

    def dress(self, view: View) -> View:
        """Add the result to a `WifiScreen`: the own network's name and password, or a note."""
        screen, answer = view.screen, self._wifi.answer
        if not isinstance(screen, WifiScreen) or screen.choice != self._chosen or answer is None:
            return view
        note = WIFI_NOTES.get(answer.result, screen.note)
        return replace(view, screen=replace(screen, note=note, name=answer.name, password=answer.password))


class RulebookOutput(Output):
    """Loads the rulebook once, on its own thread, when a menu first has the entry "rulebook".

    It shows nothing. When that menu appears, a player needs one more turn and two pushes of the knob to open the
    rulebook, so loading it then is early enough. Some tables never need it, so it is not loaded at the start.
    """

    def __init__(self, load: Callable[[], object] = read_ahead) -> None:
        self._load = load
        self._begun = False

    def show(self, view: View) -> None:
        if not self._begun and isinstance(view.screen, MenuScreen) and OPEN_RULEBOOK in view.screen.items:
            self._begun = True
            threading.Thread(target=self._load, name="read ahead", daemon=True).start()


class LampOutput(Output):
    """The station lamps, on pins or on the shift register chain."""

    def __init__(self, lamps: Lamps, clock: Clock) -> None:
        self._lamps, self._clock = lamps, clock

    @property
    def next_ns(self) -> int | None:
        """Return when to try again to set the lamps, in ns; None while they work."""
        return self._lamps.next_ns

    @property
    def lost(self) -> bool:
        """Return whether the lamps cannot be set at present."""
        return self._lamps.next_ns is not None

    def show(self, view: View) -> None:
        """Dim the lamps if the view is dimmed, else light them fully."""
        self._lamps.dim(DIM_PERCENT if view.dim else 100, self._clock())

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Light the lamps that are lit in the view."""
        self._lamps.show({lamp.station for lamp in lamps if lamp.lit}, self._clock())


class ButtonLamps(Output):
    """The lamps in the buttons of pods or quiz sets."""

    def __init__(self, buttons: Pods | Keys) -> None:
        self._buttons = buttons

    def lamps(self, lamps: Sequence[Lamp]) -> None:
        """Light the lamps that are lit in the view, each in its own button."""
        self._buttons.light(frozenset(lamp.station for lamp in lamps if lamp.lit))


class PodClocks:
    """How accurate each pod's clock is, as lines of the view. The pods' thread updates them."""

    def __init__(self, woken: Callable[[], object]) -> None:
        self._woken = woken
        self._lines: tuple[ClockLine, ...] = ()

    def __call__(self) -> tuple[ClockLine, ...]:
        """Return a line for each pod's clock, as last reported."""
        return self._lines

    def take(self, statuses: Sequence[PodStatus]) -> None:
        """Store the lines for the pods' new states.

        If the lines have changed, call the function `woken` that the constructor was given.
        """
        lines = clock_lines(statuses)
        if lines != self._lines:
            self._lines = lines
            self._woken()


def clock_lines(statuses: Sequence[PodStatus]) -> tuple[ClockLine, ...]:
    """Return a line for each pod's clock, rounded as the display shows it."""
    lines = []
    for status in statuses:
        bound_ns = None if status.bound_ns is None else coarse_ns(status.bound_ns)
        numbers = tuple(int(station) for station in status.stations if station != KNOB)
        lines.append(ClockLine(f"pod {status.ident[-4:]}", numbers, bound_ns))
    return tuple(lines)


class SoundOutput(Output):
    """Plays sounds on the piezo, which has its own thread."""

    def __init__(self, buzzer: Buzzer, *, speaks: Callable[[], bool] = bool) -> None:
        """`speaks`: returns whether a speaker works. If so, it can say a verdict instead of a sound."""
        self._buzzer, self._speaks = buzzer, speaks
        self._spoken = False

    @property
    def lost(self) -> bool:
        """Return whether the piezo cannot be used at present."""
        return self._buzzer.lost

    def show(self, view: View) -> None:
        """Set the volume; it is 0 in quiet mode."""
        self._buzzer.set_volume(view.volume_percent)
        self._spoken = view.speaks

    def sound(self, cue: Cue) -> None:
        """Play the sound at its time, unless the speaker says words instead."""
        speaks = self._spoken and self._speaks()
        if not (speaks and cue.name in SPOKEN_MOTIFS):
            name = BEFORE_WORDS.get(cue.name, cue.name) if speaks else cue.name
            self._buzzer.play(name, cue.at_ns, cancels=cue.cancels)


class VoiceOutput(Output):
    """Speaks the news of each view. The speaker has its own thread."""

    def __init__(self, speaker: Speaker, clock: Clock) -> None:
        from referee.language.voice import Voice

        self._speaker, self._clock, self._voice = speaker, clock, Voice()

    @property
    def lost(self) -> bool:
        """Return whether the speaker does not work at present."""
        return self._speaker.lost

    def show(self, view: View) -> None:
        """Say what is new in the view, if the table has speech switched on."""
        if view.speaks and (said := self._voice.hear(view)):
            self._speaker.say(said.words, said.language, follows=said.follows)

    def sound(self, cue: Cue) -> None:
        """Make the next words wait for the end of this sound."""
        if (motif := MOTIFS.get(BEFORE_WORDS.get(cue.name, cue.name))) and cue.name not in SPOKEN_MOTIFS:
            at_ns = self._clock() if cue.at_ns is None else cue.at_ns
            self._speaker.wait_until(at_ns + motif.duration_ms * MS)


def outputs(simulate: bool, config: Config, wiring: Profile, factory: Any, clock: Clock) -> list[OutputPlan]:
    """Return plans for opening the configured outputs later.

    Raises ConfigError for a display that does not fit the wiring.
    """
    parts, speakers = list[OutputPlan](), list[Speaker]()
    if wiring.lamps() or (wiring.shifted_lamps and not simulate):
        parts.append(OutputPlan("lamps", msg("toast.no_lamps"), lambda: _lamp_output(config, wiring, factory, clock)))
    if not simulate and wiring.find("BUZZER"):
        parts.append(
            OutputPlan("buzzer", msg("toast.no_sound"), lambda: _sound_output(config, wiring, clock, speakers))
        )
    connect = None if simulate else panel(config, wiring, factory)
    if connect is not None:
        parts.append(OutputPlan("display", msg("toast.no_display"), lambda: _display_output(config, connect)))
    if not simulate and can_speak():  # last, because the picture comes first
        parts.append(OutputPlan("voice", None, lambda: _voice_output(config, wiring, factory, clock, speakers)))
    return parts


def _lamp_output(config: Config, wiring: Profile, factory: Any, clock: Clock) -> tuple[Output, Close]:
    """Create the lamps and switch all off, because an earlier process may have left some on."""
    lamps = lamp_driver(config, wiring, factory)
    lamps.show((), clock())
    return LampOutput(lamps, clock), lamps.close


def _sound_output(config: Config, wiring: Profile, clock: Clock, speakers: list[Speaker]) -> tuple[Output, Close]:
    buzzer = Buzzer(piezo_pwm(config, wiring), volume_percent=0 if config.sound.quiet else 100, clock=clock)
    return SoundOutput(buzzer, speaks=lambda: any(not speaker.lost for speaker in speakers)), buzzer.stop


def _voice_output(
    config: Config, wiring: Profile, factory: Any, clock: Clock, speakers: list[Speaker]
) -> tuple[Output, Close]:
    device = ("-D", config.sound.speaker) if config.sound.speaker else ()
    switch = wiring.find("AMP_ON")
    amplifier = DigitalOutputDevice(switch.gpio, pin_factory=factory) if switch else None
    speaker = Speaker((*PLAY, *device), clock=clock, amplifier=amplifier)
    speakers[:] = [speaker]
    return VoiceOutput(speaker, clock), speaker.stop


def _display_output(config: Config, connect: Callable[[], OledPanel]) -> tuple[Output, Close]:
    display = Display(connect, partial(draw, size=glass(config)), LOG, bright=config.display.brightness)
    shown = DisplayOutput(display, config.display.brightness)
    return shown, shown.close


def lamp_driver(config: Config, wiring: Profile, factory: Any) -> Lamps:
    """Return the lamp driver of the wiring. Raises gpiozero's errors.

    Lamps on pins are claimed and switched off at once.
    """
    direct = wiring.lamps()
    if direct:
        return DirectLamps(factory, {station: pin.gpio for station, pin in direct.items()})
    # a pull resistor keeps the chain's outputs off until this PWM runs
    enable = KernelPwm(partial(pwm_place, config, wiring, "LED_ON")) if wiring.find("LED_ON") else None
    return ShiftLamps(_spi_lamps, enable)


def _spi_lamps() -> Any:
    import spidev

    bus = spidev.SpiDev()
    bus.open(0, 1)
    bus.max_speed_hz = 1_000_000
    return bus


def pwm_place(config: Config, wiring: Profile, net: str) -> PwmChannel:
    """Find the PWM channel of a net's (signal's) pin. Raises PwmMissingError."""
    return find(wiring.gpio(net), config.sound.pwm)


def piezo_pwm(config: Config, wiring: Profile) -> KernelPwm:
    """Return the PWM of the piezo. It looks for its channel when it is first used."""
    return KernelPwm(partial(pwm_place, config, wiring, "BUZZER"), told=_tone)


def _tone(node: Path) -> None:
    """Record the piezo's PWM channel for systemd, which silences it after a crash.

    A failure is logged; the piezo works anyway.
    """
    try:
        leave_tone(node)
    except OSError as exc:
        LOG.warning("after a crash the piezo may sound on: %s could not be noted (%s)", node, exc)


def glass(config: Config) -> tuple[int, int]:
    """Return the display's size in pixels, SMALL_PX if the chip is unknown."""
    return CHIPS[config.display.chip].size if config.display.chip in CHIPS else SMALL_PX


def panel(config: Config, wiring: Profile, factory: Any) -> Callable[[], OledPanel] | None:
    """Return a function that opens the display, or None without a display.

    Raises ConfigError if the chip does not fit the wiring's bus.
    """
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
    """Return the memory column of the first pixel; None means the chip's default.

    Raises ConfigError if a column is configured for a chip other than the sh1106.
    """
    given = config.display.column
    if given < 0:
        return None
    if chip == "sh1106":
        return given
    refusal = f"option 'column' in section [display] is {given}, allowed with {chip} is -1: only an sh1106 has a choice"
    raise ConfigError(in_file(config, refusal))
