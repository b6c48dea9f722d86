"""The line between the device and the page's process: messages to it, lines of JSON from it."""

from __future__ import annotations

import hashlib
import pickle
from typing import Annotated, get_args

import msgspec
from msgspec import Meta

from referee.core.clocks.touch import LONGEST_TOUCH_NS, Delays
from referee.core.messages import Msg
from referee.core.values import Json, Value
from referee.protocol.gestures import CONTACTS, AskError, Gesture, Visitors, read, read_json
from referee.protocol.snapshot import Snapshot

SOUNDS_KEPT = 16
"""Maximum number of sounds queued for a slow subscriber; beyond it the oldest is dropped."""

MOST_PHONES = 64
"""Maximum number of paired phones.

The oldest without a seat is dropped first; keepers and the host never are.
"""
OWN, KEEPER, HOST = ROLES = ("own", "keeper", "host")
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Name = Annotated[str, Meta(pattern=r"\Aphone-[0-9]{1,15}\Z")]
Role = Annotated[str, Meta(pattern=r"\A(own|keeper|host)\Z")]

SPOKEN = "voice"
"""The `name` of a `Sound` that is speech."""
Note = tuple[int, int]
"""(frequency in Hz, duration in ms); a frequency of 0 is a rest."""

HEAD_BYTES = 4


class Sound(Value):
    """A sound to play at `at_ns` of the feed's clock. cancels: drop all sounds that wait.

    A sound replaces a running one of the same or lower priority, and waits for one of higher priority. `words` are
    spoken in `language` when no other sound plays: after earlier words if it `follows` them, else instead of them.
    """

    name: str
    notes: tuple[Note, ...]
    at_ns: int
    priority: int = 2
    cancels: bool = False
    words: str = ""
    language: str = "en"
    follows: bool = False


class PairedPhone(Value):
    """A paired phone. name: its id, "phone-2"; digest: hash of its secret; role: see ROLES.

    touch_ns: its measured range of touch delays, None if it was not measured. Raises ValueError for a wrong range.
    """

    name: Name
    digest: Digest
    role: Role = OWN
    touch_ns: Delays | None = None

    def __post_init__(self) -> None:
        if self.touch_ns is not None and not 0 <= self.touch_ns[0] <= self.touch_ns[1] <= 2 * LONGEST_TOUCH_NS:
            raise ValueError(f"touch_ns must be two times in order, from 0 to {2 * LONGEST_TOUCH_NS}: {self.touch_ns}")

    @property
    def for_all(self) -> bool:
        """Return whether the phone may enter counts for every team."""
        return self.role in (KEEPER, HOST)


def digest_of(secret: str) -> str:
    """Return the hash of a secret. Hashing once is enough, as the secret is long and random."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Served(Value):
    """The settings that the page's process gets when it starts.

    playable: whether there are simulated contacts to press. closed: whether only paired phones and this machine may
    read the pages. past: the program that answers queries about past matches and imports them. update: the update
    program and its folder.
    """

    stations: tuple[str, ...]
    playable: bool
    host: str
    names: tuple[str, ...] = ()
    closed: bool = False
    past: tuple[str, ...] = ()
    update: tuple[str, ...] = ()


class BotSeats(Value):
    """The stations at which bots play."""

    stations: frozenset[str]


class LyingCards(Value):
    """The cards of the simulated table; None if there are none.

    lesson: explanations that are shown during a newcomer's first hand.
    """

    felt: dict[str, Json] | None
    lesson: tuple[Msg, ...] = ()


class Ping(Value):
    """Asks the page's process whether it still runs. It answers with that number (`children.beat`)."""

    number: int


class Known(Value):
    """The list of all paired phones, from the device."""

    phones: tuple[PairedPhone, ...]


class Prove(Value):
    """A request to all phones to prove that their touches up to `until_ns` have arrived."""

    until_ns: int


class PhoneAnswer(Value):
    """The device's answer to the request `number` of a phone: HTTP status and JSON document."""

    number: int
    status: int
    document: dict[str, Json]


PageMessage = Served | BotSeats | LyingCards | Snapshot | Sound | Ping | Known | PhoneAnswer | Prove


def pack(message: PageMessage) -> bytes:
    """Encode a message to the page's process: the length of its pickle, then the pickle.

    Pickle is safe here, because the device's own process is the only sender.
    """
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(HEAD_BYTES, "big") + body


# -- from the page -----------------------------------------------------------------------------------------------------


class PhoneAsks(Value):
    """A phone's request: its number, the hash of the phone's secret, its content.

    The hash is "" for a phone without a secret.
    """

    number: int
    digest: str
    what: dict[str, Json]


class Watched(Value):
    """Whether any page is open, be it only the scoreboard."""

    watched: bool


class Awake(Value):
    """The names of all phones that have a page open."""

    awake: frozenset[str]


class PhoneTouch(Value):
    """A phone's button is touched or let go, at t_ns ± err_ns of the host's clock.

    late: an earlier page of the phone has kept this touch; it is late for every call.
    """

    phone: str
    touch: bool
    t_ns: int
    err_ns: int
    late: bool = False


class PhoneProof(Value):
    """The phone has reported all its touches that may have begun before `until_ns`."""

    phone: str
    until_ns: int


class PhoneButtons(Value):
    """The names of all phones that show their seat's button.

    `silent`: phones that no longer answer when the page asks for their clock's time. `wide`: phones with a wide error
    bound, and this bound in ms.
    """

    buttons: frozenset[str]
    silent: frozenset[str] = frozenset()
    wide: tuple[tuple[str, int], ...] = ()


Report = Visitors | Watched | Awake | PhoneAsks | PhoneTouch | PhoneProof | PhoneButtons
_REPORTS = {frozenset(kind.__struct_fields__): kind for kind in get_args(Report)}


def read_any(line: bytes) -> Gesture | Report:
    """Parse a line from the page's process (`page/child.py` writes it).

    Raises AskError with one sentence.

    >>> read_any(b'{"visitors": 2}'), read_any(b'{"turn": -1}')
    (Visitors(visitors=2), TurnKnob(turn=-1))
    """
    asked = read_json(line)
    kind = _REPORTS.get(frozenset(asked)) if isinstance(asked, dict) else None
    if kind is None:
        return read(line, CONTACTS)
    try:
        report: Report = msgspec.convert(asked, kind)
    except msgspec.ValidationError as error:
        raise AskError(f"{error}.") from None
    return report
