"""The configuration file that the package installs: every option of `referee.config` with its meaning and default, as
a comment; and the page, which an appliance shows to its network."""

from __future__ import annotations

from collections.abc import Iterator

from referee.config import SECTIONS, Option, options_of
from referee.core.names import MOST_LETTERS

LISTEN = "0.0.0.0:8080"
"""Where the page is after installation; systemd/referee.avahi tells the network of the same port."""
HEAD = """\
# Settings of the card table's referee: `man referee`. A mistake here is one sentence on the display and in
# `journalctl -u referee`. After a change: `sudo systemctl restart referee`; a match that is under way goes on.
# What begins with # is a comment; the values in comments are the defaults.
"""
FREE = f"""
# What the seats were called last time: names of 1 to {MOST_LETTERS} letters.
[names]
#1 = "Anna"
#2 = "Ben"

# House rules: options of the preset, see `referee presets nna`.
[rules]
#target = 150
#bonus = 10

# Single pins elsewhere than in the profile: net = GPIO number, see `referee pins`.
[pins.moved]
#BUZZER = 12

# Button pods besides those that are found by themselves: devices or URLs.
[pods]
#lines = ["/dev/ttyACM0"]

# Button pods: the number of each (`referee pod list`), and the station of each of its contacts.
[pods.contacts]
#e66141040b2c3f2a = ["1", "2", "3", "4", "5", "knob", "knob-a", "knob-b"]
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
