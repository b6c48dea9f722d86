"""Phones and house presets: pairing, the list of paired phones, and rules that a household has named.

Theory of operation. A person who sees the display's code is at the table. Each time the display shows a code, it is a
new one; it pairs any phone until a moment after it has gone. A paired phone can show the code to a latecomer, too. A
phone that sends it receives a secret (a cookie that no script reads). The book, a file in the state directory, keeps
only the secret's hash, so a copy of the book gives no access. A role limits what a phone may write: "own" for its
seat's team, "keeper" and "host" for all teams. The first phone of a book is the host, who gives roles and removes
phones. "Revoke" at the knob empties the book.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Container
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from referee.core.clocks.touch import Delays
from referee.core.names import fold
from referee.core.values import Value, replace
from referee.protocol.page import HOST, MOST_PHONES, OWN, PairedPhone, digest_of
from referee.storage.files import read_small, write_small

SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Characters of a code: those that QR codes store shortest, without those that look alike."""
CODE_SIGNS = 6
"""Length of a code. At one try per second, guessing one of 10⁹ codes takes years."""
CODE_PHONES, CODE_PHONES_EACH = 24, 4
"""Maximum number of phones paired by one code: in all, and from one network address."""
GRACE_S = 30.0
"""Time in s for which a code stays valid after it has gone from the display.

A person may still be typing it.
"""
SECRET_BYTES = 24
Count = Annotated[int, Meta(ge=0, lt=10**15)]


class FullError(Exception):
    """The list of paired phones is full, and no phone on it can be dropped."""


class _StoredPhones(Value):
    """The content of a `PhoneBook`'s file.

    next: the number of the next phone. revoked: the number that `PhoneBook.revoke` was called with last.
    """

    format: Literal[1] = 1
    next: Count = 1
    revoked: Count = 0
    phones: Annotated[tuple[PairedPhone, ...], Meta(max_length=MOST_PHONES)] = ()


class DoorCode:
    """The pairing code, which the display and paired phones can show.

    It stays valid for `GRACE_S` after all of them have hidden it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: returns seconds."""
        self._clock = clock
        self._paired: list[str] = []  # the address of each phone paired by this code
        self._code = ""
        self._gone_s: float | None = 0.0
        self._lent_until_s = 0.0

    def show(self) -> str:
        """Return the code to display. It is new unless the display or a phone shows one already."""
        if self._gone_s is not None and self._clock() >= self._gone_s:
            self._code = "".join(secrets.choice(SIGNS) for _ in range(CODE_SIGNS))
            self._paired = []
        self._gone_s = None
        return self._code

    def lend(self, seconds: float) -> str:
        """Return the code for a phone, which shows it for that many seconds."""
        displayed = self._gone_s is None
        code = self.show()
        self._lent_until_s = self._clock() + seconds
        if not displayed:
            self.hidden()
        return code

    def recall(self) -> None:
        """Make the code invalid unless the display shows it.

        Call this when a phone that may show the code is no longer paired.
        """
        self._lent_until_s = 0.0
        if self._gone_s is not None:
            self._code, self._gone_s = "", 0.0

    def hidden(self) -> None:
        """Record that the display no longer shows the code."""
        if self._gone_s is None:
            self._gone_s = max(self._clock(), self._lent_until_s)

    def accepts(self, code: str) -> bool:
        """Return whether `code` is the valid code, ignoring upper and lower case."""
        late = self._gone_s is not None and self._clock() - self._gone_s > GRACE_S
        alike = hmac.compare_digest(code.strip().upper().encode(), self._code.encode())
        return bool(self._code) and not late and alike

    def may_pair(self, address: str) -> bool:
        """Return whether this code may pair one more phone from that address.

        The number of phones per address is limited, but not for the device itself (address "").
        """
        room = len(self._paired) < CODE_PHONES
        return room and (not address or self._paired.count(address) < CODE_PHONES_EACH)

    def note_paired(self, address: str) -> None:
        """Count a phone that this code has paired."""
        self._paired.append(address)


class PhoneBook:
    """The list of paired phones, kept in a file. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """Read the list from that file; empty if it is missing or unreadable."""
        self._path = path
        self._stored = read_small(path, _StoredPhones())
        self._addresses: dict[str, str] = {}  # of phones paired since the program started; not stored

    @property
    def phones(self) -> tuple[PairedPhone, ...]:
        """Return every paired phone, in the order of pairing."""
        return self._stored.phones

    def pair(self, address: str = "", seated: Container[str] = ()) -> tuple[PairedPhone, str]:
        """Add a phone; return the phone and its secret. The book stores only the secret's hash.

        `address`: where the phone's request came from. `seated`: names of phones that act for a seat. If the list is
        full, a phone with the role OWN and without a seat is dropped. Raises FullError if there is no such phone, and
        OSError if the list cannot be written.
        """
        secret = secrets.token_urlsafe(SECRET_BYTES)
        role = OWN if any(phone.role == HOST for phone in self.phones) else HOST
        phone = PairedPhone(f"phone-{self._stored.next}", digest_of(secret), role)
        kept = self.phones if len(self.phones) < MOST_PHONES else self._without_one(address, seated)
        self._write(phones=(*kept, phone), next=self._stored.next + 1)
        self._addresses = {one.name: self._addresses.get(one.name, "") for one in kept} | {phone.name: address}
        return phone, secret

    def phone_with(self, digest: str) -> PairedPhone | None:
        """Return the phone whose secret has that hash; None if there is none."""
        return next((phone for phone in self.phones if hmac.compare_digest(phone.digest, digest)), None)

    def give_role(self, name: str, role: str) -> bool:
        """Give the phone that role; return whether it exists."""
        phones = tuple(replace(phone, role=role) if phone.name == name else phone for phone in self.phones)
        self._write(phones=phones)
        return any(phone.name == name for phone in phones)

    def keep_delays(self, name: str, touch_ns: Delays) -> None:
        """Store the measured range of a phone's touch delay. Raises OSError if the list cannot be written."""
        phones = tuple(replace(phone, touch_ns=touch_ns) if phone.name == name else phone for phone in self.phones)
        self._write(phones=phones)

    def forget(self, name: str) -> bool:
        """Remove a phone; return whether it existed."""
        phones = tuple(phone for phone in self.phones if phone.name != name)
        found = len(phones) < len(self.phones)
        self._write(phones=phones)
        return found

    def revoke(self, number: int) -> bool:
        """Remove all phones; return False if that was done before for the same `number`.

        number: that of the event at which the table revoked all phones.
        """
        if number == self._stored.revoked:
            return False
        self._write(phones=(), revoked=number)
        return True

    def _without_one(self, address: str, seated: Container[str]) -> tuple[PairedPhone, ...]:
        """Return the list without one phone that has the role OWN and no seat.

        It is the oldest that was paired from `address`, else the oldest of all. Raises FullError if there is none.
        """
        idle = [phone for phone in self.phones if phone.role == OWN and phone.name not in seated]
        if not idle:
            raise FullError
        dropped = min(idle, key=lambda phone: self._addresses.get(phone.name) != address)  # the first of equal ones
        return tuple(phone for phone in self.phones if phone is not dropped)

    def _write(self, **changes: Any) -> None:
        """Write the file atomically: a power cut leaves the old list."""
        stored = replace(self._stored, **changes)
        write_small(self._path, stored)
        self._stored = stored


MOST_HOUSES = 32
_Text = Annotated[str, Meta(max_length=2048)]
_Options = Annotated[dict[_Text, bool | int | _Text], Meta(max_length=256)]


class HousePreset(Value):
    """Rules that a household has named: a preset with changed options."""

    name: _Text
    preset: _Text
    options: _Options


class _StoredHouses(Value):
    """The content of a `HouseBook`'s file."""

    format: Literal[1] = 1
    presets: Annotated[tuple[HousePreset, ...], Meta(max_length=MOST_HOUSES)] = ()


class HouseBook:
    """The house presets, kept in a file. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """Read the presets from that file; none if it is missing or unreadable."""
        self._path = path
        self.presets = read_small(path, _StoredHouses()).presets

    def preset_named(self, name: str) -> HousePreset | None:
        """Return the house preset of that name, ignoring case and outer spaces, or None."""
        return next((one for one in self.presets if fold(one.name) == fold(name)), None)

    def save(self, one: HousePreset) -> bool:
        """Save a house preset; it replaces one of the same name. Return False if the book is full.

        Raises OSError.
        """
        others = tuple(other for other in self.presets if fold(other.name) != fold(one.name))
        if len(others) >= MOST_HOUSES:
            return False
        self._write((*others, one))
        return True

    def forget(self, name: str) -> bool:
        """Delete the house preset of that name; return whether it existed."""
        others = tuple(other for other in self.presets if fold(other.name) != fold(name))
        found = len(others) < len(self.presets)
        if found:
            self._write(others)
        return found

    def _write(self, presets: tuple[HousePreset, ...]) -> None:
        """Write the file atomically: a power cut leaves the old one."""
        write_small(self._path, _StoredHouses(presets=presets))
        self.presets = presets
