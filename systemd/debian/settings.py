"""The configuration file of the package.

It has every option of `referee.config` with its meaning and default, as a comment; and the page, which an appliance
shows to its network.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee.config import SECTIONS, Option, options_of
from referee.core.names import MOST_LETTERS

LISTEN = "0.0.0.0:8080"
"""The page's address after installation; systemd/referee.avahi announces the same port."""
HEAD = """\
# Settings of the card table referee, see `man referee`. Lines that begin with # are comments and show the defaults.
# After a change run `sudo systemctl restart referee`; a match in progress goes on. A mistake is reported on the
# display and in `journalctl -u referee`.
"""
FREE = f"""
# Names of the seats, 1 to {MOST_LETTERS} letters.
[names]
#1 = "Anna"
#2 = "Ben"

# House rules: options of the preset, see `referee presets nna`.
[rules]
#target = 150
#bonus = 10

# Pins that differ from the profile: net = GPIO number, see `referee pins`.
[pins.moved]
#BUZZER = 12

# Pods that are not found by themselves: devices or URLs.
[pods]
#lines = ["/dev/ttyACM0"]

# Pods by number (`referee pod list`), with the station of each contact.
[pods.contacts]
#e66141040b2c3f2a = ["1", "2", "3", "4", "5", "knob", "knob-a", "knob-b"]

# Keys of a keyboard as buttons; `sudo referee keys learn` asks for them and prints such a section.
#[keys.buttons."046d:c31c"]
#grab = true
#KEY_KP1 = "9"
#KEY_KP2 = "10"
"""


def text() -> str:
    """The whole file."""
    return HEAD + "".join(line for name in SECTIONS for line in _section(name)) + FREE


def _section(name: str) -> Iterator[str]:
    yield f"\n[{name}]\n"
    defaults = SECTIONS[name]()
    for option, (_, known) in options_of(SECTIONS[name]).items():
        yield f"# {known.meaning}{_allowed_text(known)}\n"
        yield f"#{option} = {known.write(getattr(defaults, option))}\n"
        if (name, option) == ("web", "listen"):
            yield f'{option} = "{LISTEN}"\n'


def _allowed_text(known: Option) -> str:
    if known.among:
        return f" ({', '.join(map(known.write, known.among))})"
    return f" ({known.write(known.least)} to {known.write(known.most)})" if known.least is not None else ""
