"""Read the configuration (TOML). Errors name file, section, option, value and limits.

The options and their limits are declared in the sections below.
"""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from referee.core.model.table import PRESET, SEATS, Setup
from referee.core.names import ALLOWED, LANGUAGES, name_of
from referee.core.presses.signals import KNOB, TURNS, seat_order
from referee.core.reading import list_text, quoted_value
from referee.core.units import US, ns_from_ms
from referee.core.values import Value, field, replace
from referee.drivers.keys.nodes import Keyboard

if TYPE_CHECKING:
    from referee.protocol.mqtt import Settings


class ConfigError(ValueError):
    """A mistake in the configuration, or another reason why the program cannot start with it.

    The message is one sentence.
    """


class Option(Value):
    """An option's meaning, and its limits or allowed values."""

    meaning: str
    least: Any = None
    most: Any = None
    among: tuple[Any, ...] = ()
    hints: tuple[tuple[Any, str], ...] = ()
    """Values often given by mistake, each with an explanation for the error."""
    write: Callable[[Any], str] = quoted_value
    """A function that formats a value for messages."""


def hexadecimal(value: int) -> str:
    """Format a number as data sheets do, such as 0x3C."""
    return f"0x{value:02X}"


I2C_PRINTED = tuple(
    (printed, f" (which modules have in print for {hexadecimal(printed // 2)}: give half of it)")
    for printed in range(0x78, 0x7C)
)
"""Addresses as printed on display modules, which include the bus's read/write bit."""


class TableSection(Value):
    """Section [table]: rules, seats and names."""

    preset: Annotated[str, Option("preset of the rules, see `referee presets`")] = PRESET
    seats: Annotated[int, Option("number of seats; 0: one per button", among=(0, *range(2, len(SEATS) + 1)))] = 0
    hold_ms: Annotated[int, Option("length of a hold, in ms", among=(500, 800, 1200))] = 800
    agreement: Annotated[bool, Option("players agree on the rules before a match, and vote on changes during it")] = (
        True
    )


class ArbiterSection(Value):
    """Section [arbiter], explained in docs/timing.md. The tie window is the rule `tie_ms`."""

    max_err_ms: Annotated[float, Option("the most of its own error that helps a press, in ms", least=0, most=1000)] = (
        10.0
    )
    latency_ms: Annotated[
        float, Option("how late a press on a pod may arrive and still count, in ms", least=1, most=1000)
    ] = 30.0
    lockout_ms: Annotated[float, Option("how long after a call no other can begin, in ms", least=100, most=60000)] = (
        2000.0
    )
    # the result of the skew budget (hardware/skew.md; tests/hardware/test_skew.py compares)
    gpio_err_us: Annotated[int, Option("the largest error of a kernel timestamp, in µs", least=0, most=100000)] = 300


class PinsSection(Value):
    """Section [pins]: the wiring and the GPIO chip."""

    profile: Annotated[str, Option("wiring profile, see `referee pins`; none: all buttons are on pods")] = "full8"
    chip: Annotated[str, Option("label of the GPIO chip; empty: the Pi's")] = ""
    sync_wire: Annotated[bool, Option("pods are connected to the sync wire (pins SYNC_OUT and SYNC_IN)")] = False


class DisplaySection(Value):
    """Section [display]: the shared display."""

    chip: Annotated[
        str,
        Option(
            "controller; empty: that of the profile; ssd1322: the large display of 256 x 64",
            among=("", "ssd1306", "ssd1309", "sh1106", "ssd1322", "none"),
        ),
    ] = ""
    i2c_bus: Annotated[int, Option("I2C bus", least=0, most=99)] = 1
    i2c_address: Annotated[int, Option("I2C address", least=0x03, most=0x77, hints=I2C_PRINTED, write=hexadecimal)] = (
        0x3C
    )
    column: Annotated[
        int,
        Option("first memory column of an sh1106: 0 if the picture is shifted by 2; -1: usual", least=-1, most=4),
    ] = -1
    upside_down: Annotated[bool, Option("turn the picture by 180 degrees")] = False
    brightness: Annotated[int, Option("contrast", least=1, most=255)] = 255
    language: Annotated[str, Option("language: English, German, Italian", among=tuple(LANGUAGES))] = "en"


class SoundSection(Value):
    """Section [sound]: the piezo on the kernel's PWM."""

    quiet: Annotated[bool, Option("no sound, lamps only")] = False
    pwm: Annotated[str, Option("sysfs directory of the PWM chip; empty: the Pi's")] = ""
    voice: Annotated[
        str, Option("what is said aloud, by espeak-ng on a speaker and by open pages", among=("off", "verdicts", "all"))
    ] = "off"
    speaker: Annotated[str, Option("ALSA device of the speaker; empty: the system's default")] = ""


READERS = ("all", "paired")
HOSTS = tuple[str, ...]
MOST_BROKERS = 8
_TOPIC = re.compile("[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+){0,9}")
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)


class WebSection(Value):
    """Section [web]: the page's address, and who may read it."""

    listen: Annotated[str, Option("HOST:PORT of the page; empty: no page")] = ""
    read: Annotated[
        str, Option("who can see the page: everybody on the network, or only paired phones", among=READERS)
    ] = READERS[0]
    names: Annotated[
        HOSTS,
        Option('other names of this machine on the network, such as ["referee.lan", "referee.fritz.box"]'),
    ] = ()


class MqttSection(Value):
    """Section [mqtt]: publishing to brokers (docs/halls.md)."""

    url: Annotated[
        str,
        Option(
            "the broker, such as mqtt://HOST or mqtts://USER:PASSWORD@HOST:PORT, or several; empty: publish nothing"
        ),
    ] = ""
    name: Annotated[str, Option("this table's name: letters, digits, - and _, at most 32")] = "table"
    user: Annotated[str, Option("user name at the broker, if it is not in the URL")] = ""
    password: Annotated[str, Option("password at the broker, if it is not in the URL")] = ""
    tls: Annotated[str, Option("file of the broker's certificate authority for mqtts; empty: the system's")] = ""
    version: Annotated[str, Option("version of MQTT", among=("3.1.1", "5"))] = "3.1.1"
    prefix: Annotated[str, Option("first part of all topics, the same as the hall's")] = "referee"
    discovery: Annotated[str, Option("Home Assistant's discovery prefix; empty: no discovery")] = "homeassistant"


class PodsConfig(Value):
    """Section [pods]: button pods on serial lines. If `contacts` is empty, pods are not used.

    contacts: last digits of a pod's number -> the stations of its contacts, "" for none. lines: serial devices or
    sockets of this host, in addition to the Picos that are found.
    """

    contacts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def stations(self) -> tuple[str, ...]:
        """Return all stations that are on pods."""
        given = {station for _, named in self.contacts for station in named}
        return tuple(sorted(given - {"", *TURNS}, key=seat_order))


class KeysSection(Value):
    """Section [keys]: keyboards, number pads and quiz sets, explained in docs/timing.md."""

    debounce_ms: Annotated[
        float, Option("how long a keyboard may wait for its contacts to be quiet, in ms", least=0, most=200)
    ] = 10.0
    polling_ms: Annotated[
        float, Option("how often a keyboard that does not tell is asked for its keys, in ms", least=0.1, most=200)
    ] = 8.0


class Config(Value):
    """The whole configuration. `where`: path of its file, "" for the defaults.

    names: seat -> remembered name; rules: the preset's options; moved: signal -> pin, where it differs from the wiring.
    """

    table: TableSection = field(default_factory=TableSection)
    arbiter: ArbiterSection = field(default_factory=ArbiterSection)
    pins: PinsSection = field(default_factory=PinsSection)
    display: DisplaySection = field(default_factory=DisplaySection)
    sound: SoundSection = field(default_factory=SoundSection)
    web: WebSection = field(default_factory=WebSection)
    keys: KeysSection = field(default_factory=KeysSection)
    mqtt: MqttSection = field(default_factory=MqttSection)
    names: tuple[tuple[str, str], ...] = ()
    rules: tuple[tuple[str, Any], ...] = ()
    moved: tuple[tuple[str, int], ...] = ()
    pods: PodsConfig = field(default_factory=PodsConfig)
    keyboards: tuple[Keyboard, ...] = ()
    where: str = ""

    @property
    def gpio_err_ns(self) -> int:
        """Return the largest error of a wired button's stamp, in ns."""
        return self.arbiter.gpio_err_us * US

    @property
    def unwired(self) -> tuple[str, ...]:
        """Return all stations whose buttons are on pods or on keys of keyboards."""
        keys = {station for one in self.keyboards for _, station in one.keys if station in (*SEATS, KNOB)}
        return tuple(sorted({*self.pods.stations, *keys}, key=seat_order))

    @property
    def latency_ns(self) -> int:
        """Return how late a press on a pod or a keyboard may arrive and still count, in ns."""
        pods, keys = self.arbiter.latency_ms, self.keys.debounce_ms + self.keys.polling_ms + READ_MS
        return ns_from_ms(max(pods, keys) if self.keyboards else pods)

    def seats_of(self, wired: Iterable[str]) -> tuple[str, ...]:
        """Return the table's seats: as many as configured, else all that have a button."""
        if self.table.seats:
            return SEATS[: self.table.seats]
        return tuple(sorted({*wired, *self.unwired} - {KNOB}, key=seat_order))

    def without_button(self, wired: Iterable[str]) -> tuple[str, ...]:
        """Return the table's seats that have no button: not wired, on no pod, on no keyboard."""
        served = {*wired, *self.unwired}
        return tuple(seat for seat in self.seats_of(wired) if seat not in served)

    def setup(self, wired: tuple[str, ...]) -> Setup:
        """Return the core's setup with these wired stations.

        Seats without a button, which only a simulated table has, count as seats on pods.
        """
        stations = self.seats_of(wired)
        remote = tuple(s for s in self.unwired if s in (*stations, KNOB)) + self.without_button(wired)
        return Setup(
            preset=self.table.preset,
            options=self.rules,
            stations=stations,
            names=tuple((s, n) for s, n in self.names if s in stations),
            hold_ns=ns_from_ms(self.table.hold_ms),
            max_err_ns=ns_from_ms(self.arbiter.max_err_ms),
            lockout_ns=ns_from_ms(self.arbiter.lockout_ms),
            language=self.display.language,
            volume_percent=0 if self.sound.quiet else 100,
            voice=self.sound.voice,
            latency_ns=self.latency_ns if remote else 0,
            remote=remote,
            agreement=self.table.agreement,
        )


READ_MS = 10.0
"""How long the program may take to read a key that the kernel has stamped, in ms. On a busy Pi it is some ms."""
KEY_STATIONS = (*SEATS, KNOB, f"{KNOB}-left", f"{KNOB}-right")
"""Allowed stations for a key; the last two turn the knob by one step."""
KEY_NAME = re.compile("(KEY|BTN)_[A-Z0-9_]+|[0-9]{1,3}")
DEVICE_NAME = re.compile("[0-9a-f]{4}:[0-9a-f]{4}(@.+)?")
CONTACTS = 8
"""Number of button contacts of a pod."""
STATIONS = (*SEATS, KNOB, *TURNS, "")
"""Allowed stations for a pod's contact."""
ADDRESS = "HOST:PORT with a port from 0 to 65535"


def address(text: str) -> tuple[str, int] | None:
    """Split HOST:PORT; None if it is invalid.

    IPv6 addresses need brackets, because their end could be taken for a port. "*" means all addresses and is returned
    as "".

    >>> address("localhost:8080"), address("[::1]:80"), address("8080"), address("::1"), address("*:80")
    (('localhost', 8080), ('::1', 80), None, None, ('', 80))
    """
    host, _, port = text.rpartition(":")
    if (
        not host
        or (":" in host and not host.startswith("["))
        or not (port.isascii() and port.isdigit())
        or len(port) > 5
        or int(port) > 65535
    ):
        return None
    return "" if host == "*" else host.strip("[]"), int(port)


MOST_BYTES = 1 << 20
"""Maximum bytes of a configuration. One with all options and twelve names has about 5,000."""
SECTIONS: dict[str, type] = {
    "table": TableSection,
    "arbiter": ArbiterSection,
    "pins": PinsSection,
    "display": DisplaySection,
    "sound": SoundSection,
    "web": WebSection,
    "keys": KeysSection,
    "mqtt": MqttSection,
}
_FREE = ("names", "rules", "pods")


def load(path: Path | None) -> Config:
    """Read the configuration file; None: the defaults. Raises ConfigError."""
    if path is None:
        return Config()
    try:
        document = tomllib.loads(_text(path))
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror or exc}") from exc
    except UnicodeDecodeError as exc:
        raise ConfigError(f"{path} is not UTF-8 text: byte {exc.start + 1} is {exc.object[exc.start]:#04x}") from exc
    except (ValueError, RecursionError) as exc:
        said = re.sub(r"Cannot declare \('(\w+)',\) twice", r"section [\1] appears twice", str(exc))
        raise ConfigError(f"{path} is not TOML: {said}") from exc
    return replace(parse(document, str(path)), where=str(path))


def _text(path: Path) -> str:
    """Return the file's text. Raises OSError, also for too long a file, and UnicodeDecodeError."""
    with path.open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is longer than {MOST_BYTES >> 10} KiB, which no configuration is")
    return raw.decode("utf-8-sig")


def salvage(path: Path | None) -> Config:
    """Read what is usable of the sections [pins] and [display] of a faulty file.

    Everything else has its default.
    """
    try:
        document = tomllib.loads(_text(path)) if path is not None else {}
    except (OSError, ValueError, RecursionError):
        return Config()
    for sections in (("pins", "display"), ("pins",), ("display",)):
        with suppress(ConfigError):
            return parse({name: document[name] for name in sections if name in document}, str(path))
    return Config()


def parse(document: Mapping[str, Any], where: str = "configuration") -> Config:
    """Convert a parsed document to a Config. Raises ConfigError."""
    values: dict[str, Any] = {}
    for name, content in document.items():
        if name not in (*SECTIONS, *_FREE):
            shown = _shown_key(name)
            given = f"section [{shown}]" if isinstance(content, dict) else f"option '{shown}' above all sections"
            allowed = list_text((*SECTIONS, *_FREE))
            raise ConfigError(f"{where}: unknown {given}{_home_text(name)}; allowed are {allowed}")
        if not isinstance(content, dict):
            raise _wrong(f"{where}: '{name}'", f"a section [{name}]", content)
    pins = dict(document.get("pins", {}))
    values["moved"] = _read_moved_pins(pins.pop("moved", {}), where)
    keys = dict(document.get("keys", {}))
    values["pods"] = _pods(document.get("pods", {}), where)
    values["keyboards"] = _keyboards(keys.pop("buttons", {}), values["pods"].stations, where)
    own = {"pins": pins, "keys": keys}
    for name, kind in SECTIONS.items():
        values[name] = _section(kind, name, own.get(name, document.get(name, {})), where)
    values["names"] = _names(document.get("names", {}), where)
    values["rules"] = tuple(document.get("rules", {}).items())
    listen = values["web"].listen
    if listen and address(listen) is None:
        raise _wrong(f"{where}: option 'listen' in section [web]", ADDRESS, listen)
    _check_mqtt(values["mqtt"], where)
    preset = _preset(values["table"].preset, values["rules"], where)
    values["table"] = replace(values["table"], preset=preset)
    return Config(**values)


def _check_mqtt(section: MqttSection, where: str) -> None:
    if section == MqttSection():
        return
    from referee.core.documents.delivery import TABLE_NAME

    place = "in section [mqtt]"
    if section.url and broker_of(section) is None:
        shown = re.sub("//.*@", "//...@", section.url)  # without the password
        allowed = f"mqtt:// or mqtts://, a host and perhaps a port; up to {MOST_BROKERS} with spaces between"
        raise _wrong(f"{where}: option 'url' {place}", allowed, shown)
    if not TABLE_NAME.fullmatch(section.name):
        raise _wrong(f"{where}: option 'name' {place}", "1 to 32 letters (a-z), digits, - and _", section.name)
    for key in ("prefix", "discovery"):
        if not _TOPIC.fullmatch(given := getattr(section, key)) and (given or key == "prefix"):
            raise _wrong(f"{where}: option '{key}' {place}", "1 to 100 letters (a-z), digits, -, _ and /", given)


def broker_of(section: MqttSection) -> Settings | None:
    """Return the settings of the link to the brokers; None if there is no URL or an invalid one.

    Their state directory is "".

    >>> settings = broker_of(MqttSection("mqtts://anna:x%40y@broker.lan mqtt://spare.lan"))
    >>> settings.host, settings.port, settings.tls, settings.user, settings.password
    ('broker.lan', 8883, True, 'anna', 'x@y')
    >>> [other.host for other in settings.others]
    ['spare.lan']
    """
    brokers = [_broker_at(url, section) for url in section.url.split()]
    valid = [broker for broker in brokers if broker is not None]
    if len(valid) != len(brokers) or not 1 <= len(valid) <= MOST_BROKERS:
        return None
    valid[0].others = tuple(valid[1:])
    return valid[0]


def _broker_at(text: str, section: MqttSection) -> Settings | None:
    from urllib.parse import unquote, urlsplit

    from referee.protocol.mqtt import Settings

    try:
        url = urlsplit(text)
        tls = {"mqtt": False, "mqtts": True}[url.scheme]
        port = url.port or (8883 if tls else 1883)
    except (ValueError, KeyError):
        return None
    if not url.hostname or url.path not in ("", "/") or url.query or url.fragment:
        return None
    user, password = unquote(url.username or section.user), unquote(url.password or "") or section.password
    return Settings(
        url.hostname, port, tls, section.name, "", section.prefix, section.discovery, user, password, section.tls,
        section.version,
    )  # fmt: skip


def _section(kind: type, name: str, content: Mapping[str, Any], where: str) -> Any:
    known = options_of(kind)
    for key, value in content.items():
        if key not in known:
            unknown = f"unknown option '{_shown_key(key)}' in section [{name}]{_home_text(key)}"
            raise ConfigError(f"{where}: {unknown}; allowed are {list_text(known)}")
        _check(f"{where}: option '{key}' in section [{name}]", *known[key], value)
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in content.items()})


def _wrong(what: str, allowed: str, given: object) -> ConfigError:
    return ConfigError(f"{what} must be {allowed}, not {quoted_value(given)}")


def _shown_key(key: str) -> str:
    """Return a key for use in a sentence, quoted if necessary."""
    return key if re.fullmatch(r"[\w.-]{1,60}", key) else quoted_value(key)


def _home_text(key: str) -> str:
    """Return a note on the section in which a misplaced option belongs; "" if it is in none."""
    from referee.core.model.registry import presets

    homes = [name for name, kind in SECTIONS.items() if key in options_of(kind)]
    rules = (game.preset_values(preset) for preset, game in presets().items())
    homes += ["rules"] if any(key in values for values in rules) else []
    return f" (it belongs in [{homes[0]}])" if homes else ""


def options_of(kind: type) -> dict[str, tuple[type, Option]]:
    """Return the options of a section's class by name, each with its type and its `Option`."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def _check(what: str, kind: type, allowed: Option, value: Any) -> None:
    if kind == HOSTS:
        if not isinstance(value, list) or not all(isinstance(one, str) and _HOST.fullmatch(one) for one in value):
            raise _wrong(what, _KINDS[kind], value)
        return
    kinds: tuple[type, ...] = (int, float) if kind is float else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(what, _KINDS[kind], value)
    if allowed.among and value not in allowed.among:
        raise _wrong(what, f"one of {list_text(map(quoted_value, allowed.among))}", value)
    least, most = allowed.least, allowed.most
    if least is not None and not least <= value <= most:
        hint = dict(allowed.hints).get(value, "")
        within = f"between {allowed.write(least)} and {allowed.write(most)}"
        raise ConfigError(f"{what} must lie {within}, not {allowed.write(value)}{hint}")


_KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a text in quotes",
    bool: "true or false",
    HOSTS: 'a list of names such as ["referee.lan"], without http:// and port',
}


def _names(content: Mapping[str, Any], where: str) -> tuple[tuple[str, str], ...]:
    kept: dict[str, str] = {}
    for seat, name in content.items():
        if seat not in SEATS:
            raise ConfigError(f"{where}: section [names] has the seats 1 to {len(SEATS)}, not {quoted_value(seat)}")
        kept_name = name_of(name) if isinstance(name, str) else None
        if kept_name is None:
            raise _wrong(f"{where}: the name of seat {seat}", ALLOWED, name)
        kept[seat] = kept_name
    return tuple((seat, kept[seat]) for seat in SEATS if seat in kept)


def _read_moved_pins(content: Any, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(content, dict):
        raise _wrong(f"{where}: 'moved' in section [pins]", "a section [pins.moved]", content)
    for net, gpio in content.items():
        if not isinstance(gpio, int) or isinstance(gpio, bool):
            raise _wrong(f"{where}: option '{_shown_key(net)}' in section [pins.moved]", "a GPIO number", gpio)
    return tuple(content.items())


def is_local_line(line: str) -> bool:
    """Return whether a line to a pod is a device of this host, or a socket of its own (127.0.0.1 and the like).

    Any other host could say a pod's number.
    """
    return "://" not in line or _LOOPBACK.fullmatch(line) is not None


_LOOPBACK = re.compile(r"socket://(localhost|127(\.[0-9]{1,3}){3}|\[::1\]):[0-9]{1,5}")
LOCAL_LINE = "a serial device or socket://127.0.0.1:PORT"


def _pods(content: Mapping[str, Any], where: str) -> PodsConfig:
    for key in content:
        if key not in ("contacts", "lines"):
            raise ConfigError(
                f"{where}: unknown option '{_shown_key(key)}' in section [pods]; allowed are contacts, lines"
            )
    lines, contacts = content.get("lines", []), content.get("contacts", {})
    if not isinstance(lines, list) or not all(isinstance(line, str) and line for line in lines):
        raise _wrong(f"{where}: option 'lines' in section [pods]", "a list of texts", lines)
    for line in lines:
        if not is_local_line(line):
            raise _wrong(f"{where}: a line in section [pods]", LOCAL_LINE, line)
    if not isinstance(contacts, dict):
        raise _wrong(f"{where}: 'contacts' in section [pods]", "a section [pods.contacts]", contacts)
    given: list[str] = []
    for pod, named in contacts.items():
        _check_pod(pod, named, contacts, given, f"{where}: section [pods.contacts]")
    return PodsConfig(tuple((pod, tuple(named)) for pod, named in contacts.items()), tuple(lines))


def _check_pod(pod: str, named: Any, others: Mapping[str, Any], given: list[str], where: str) -> None:
    if not re.fullmatch("[0-9a-f]{4,16}", pod):
        raise ConfigError(f"{where} names pods by their last 4 to 16 digits (0-9, a-f), not {quoted_value(pod)}")
    twin = next((other for other in others if other != pod and other.endswith(pod)), None)
    if twin is not None:
        raise ConfigError(
            f"{where}: pods {quoted_value(pod)} and {quoted_value(twin)} end alike; give more digits of the first"
        )
    if not isinstance(named, list) or len(named) > CONTACTS or not named:
        raise ConfigError(
            f"{where}: {quoted_value(pod)} must have a list of 1 to {CONTACTS} stations, not {quoted_value(named)}"
        )
    for station in named:
        if station not in STATIONS:
            raise ConfigError(
                f"{where}: {quoted_value(pod)} may have the stations {list_text(map(quoted_value, STATIONS))}, "
                f"not {quoted_value(station)}"
            )
        if station in given:
            raise ConfigError(f"{where} gives station {quoted_value(station)} to two contacts; allowed is one")
        given += [station] if station else []


def _keyboards(content: Any, on_pods: Sequence[str], where: str) -> tuple[Keyboard, ...]:
    if not isinstance(content, dict) or not all(isinstance(keys, dict) for keys in content.values()):
        raise _wrong(f"{where}: 'buttons' in section [keys]", 'sections such as [keys.buttons."046d:c31c"]', content)
    given, found = list(on_pods), list[Keyboard]()
    for device, keys in content.items():
        section = f"section [keys.buttons.{quoted_value(device)}]"
        if not DEVICE_NAME.fullmatch(device):
            raise ConfigError(f"{where}: {section} must be named as in `referee keys list`, such as 046d:c31c")
        grab = keys.get("grab", False)
        if not isinstance(grab, bool):
            raise _wrong(f"{where}: option 'grab' in {section}", _KINDS[bool], grab)
        named = tuple((name, station) for name, station in keys.items() if name != "grab")
        for name, station in named:
            _check_key(name, station, given, f"{where}: {section}")
        found.append(Keyboard(device, named, grab))
    return tuple(found)


def _check_key(name: str, station: Any, given: list[str], where: str) -> None:
    if not KEY_NAME.fullmatch(name):
        raise ConfigError(f"{where} names keys such as KEY_A, BTN_TRIGGER or 30, not {quoted_value(name)}")
    if station not in KEY_STATIONS:
        allowed = list_text(map(quoted_value, KEY_STATIONS))
        raise ConfigError(f"{where}: {name} may have the stations {allowed}, not {quoted_value(station)}")
    if station in given:
        raise ConfigError(f"{where} gives station {quoted_value(station)} a second button; allowed is one")
    given.append(station)


def _preset(text: str, rules: tuple[tuple[str, Any], ...], where: str) -> str:
    """Return the name of the preset that `text` means.

    Raises ConfigError if there is none, or if it does not allow the options `rules`.
    """
    from referee.core.model.options import RuleError
    from referee.core.model.registry import allowed_presets, preset_called, presets

    known = presets()
    preset = preset_called(text)
    if preset is None:
        option = f"{where}: option 'preset' in section [table]"
        raise ConfigError(f"{option}: there is no preset {quoted_value(text)}; {allowed_presets(text, known)}")
    try:
        known[preset].rules(preset, dict(rules))
    except RuleError as exc:
        raise ConfigError(f"{where}: section [rules]: {exc}") from exc
    return preset
