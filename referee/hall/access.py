"""Access to a hall: people with a role and a password, and their sessions.

Passwords are stored as salted scrypt hashes, session tokens as SHA-256. Login attempts are counted in the database, so
several hall processes share the limits.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from sqlalchemy import case, delete, select

from referee.core.reading import quoted_value
from referee.core.values import Value
from referee.hall.model import EventError
from referee.hall.schema import PEOPLE, SESSIONS, TRIES, Database

ROLES = ("audience", "helper", "director")
"""From the least to the most rights. A role includes the roles before it."""
SHORTEST = 8
"""Minimum characters of a password."""
LONGEST, LONGEST_NAME = 200, 64
MOST_PEOPLE = 100
SESSION_S = 16 * 3600
TRY_S, MOST_WRONG, MOST_WRONG_OF_ALL = 60, 5, 60
"""Limits of login attempts within TRY_S seconds: for an address, and for all together.

A right password clears the address's attempts, but not those of all together.
"""
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_ALL = "*"


class AccessError(EventError):
    """An invalid role, name or password, or too many attempts. text: one sentence."""


class Person(Value):
    """A person who may log in. role: one of `ROLES`."""

    name: str
    role: str

    def may(self, role: str) -> bool:
        """Return whether the person's role includes this role."""
        return ROLES.index(role) <= ROLES.index(self.role)


def new_code() -> str:
    """Return a random code of 50 bits, such as "K7QM4-XWT2P"."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(10))
    return f"{letters[:5]}-{letters[5:]}"


class Access:
    """The people of a hall and their sessions. now: returns Unix seconds."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def people(self) -> list[Person]:
        """Return all people who may log in, by name."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(PEOPLE.c.name, PEOPLE.c.role).order_by(PEOPLE.c.name))
            return [Person(name, role) for name, role in rows]

    def admit(self, name: str, role: str, password: str) -> None:
        """Let a person log in with this role and password, or change them. Raises AccessError.

        This ends the person's sessions.
        """
        if role not in ROLES:
            raise AccessError("role", given=quoted_value(role))
        if not SHORTEST <= len(password) <= LONGEST:
            raise AccessError("password", least=SHORTEST, most=LONGEST, given=len(password))
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise AccessError("login_name", most=LONGEST_NAME, given=quoted_value(name))
        if name not in (people := [person.name for person in self.people()]) and len(people) >= MOST_PEOPLE:
            raise AccessError("many_people", most=MOST_PEOPLE)
        salt = secrets.token_bytes(16)
        values = {"role": role, "salt": salt, "secret": _hash(password, salt)}
        with self._database.transaction() as connection:
            row = self._database.insert(PEOPLE).values(name=name, **values)
            connection.execute(row.on_conflict_do_update(index_elements=["name"], set_=values))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.name == name))

    def dismiss(self, name: str) -> None:
        """End a person's access and sessions."""
        with self._database.transaction() as connection:
            for table in (PEOPLE, SESSIONS):
                connection.execute(delete(table).where(table.c.name == name))

    def login(self, name: str, password: str, address: str) -> str | None:
        """Return a new session's token; None if the name or password is wrong.

        Takes a tenth of a second of CPU time. address: the client's, for its limit of attempts. Raises AccessError
        beyond a limit.
        """
        self._count(address[:64], MOST_WRONG)
        self._count(_ALL, MOST_WRONG_OF_ALL)
        with self._database.transaction() as connection:
            found = connection.execute(select(PEOPLE.c.salt, PEOPLE.c.secret).where(PEOPLE.c.name == name)).first()
        salt, secret = found or (bytes(16), b"")
        if not hmac.compare_digest(_hash(password[:LONGEST], salt), secret):
            return None
        token, now_s = secrets.token_urlsafe(32), int(self._now())
        with self._database.transaction() as connection:
            connection.execute(delete(TRIES).where(TRIES.c.address == address[:64]))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.until_s <= now_s))
            row = self._database.insert(SESSIONS).values(token=_digest(token), name=name, until_s=now_s + SESSION_S)
            connection.execute(row)
        return token

    def person(self, token: str) -> Person | None:
        """Return the person of a session; None if the token is unknown or has expired."""
        known = (SESSIONS.c.token == _digest(token)) & (SESSIONS.c.until_s > int(self._now()))
        query = select(PEOPLE.c.name, PEOPLE.c.role).join(SESSIONS, SESSIONS.c.name == PEOPLE.c.name).where(known)
        with self._database.transaction() as connection:
            found = connection.execute(query).first()
        return None if found is None else Person(found.name, found.role)

    def logout(self, token: str) -> None:
        """End a session."""
        with self._database.transaction() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.token == _digest(token)))

    def _count(self, address: str, most: int) -> None:
        """Count an attempt before the password is checked, so that simultaneous attempts count too."""
        now_s = int(self._now())
        is_old = TRIES.c.until_s <= now_s
        row = self._database.insert(TRIES).values(address=address, wrong=1, until_s=now_s + TRY_S)
        counted = row.on_conflict_do_update(
            index_elements=["address"],
            set_={
                "wrong": case((is_old, 1), else_=TRIES.c.wrong + 1),
                "until_s": case((is_old, now_s + TRY_S), else_=TRIES.c.until_s),
            },
        ).returning(TRIES.c.wrong)
        with self._database.transaction() as connection:
            connection.execute(delete(TRIES).where(TRIES.c.until_s <= now_s - TRY_S))
            wrong = connection.execute(counted).scalar_one()
        if wrong > most:
            raise AccessError("many_tries", seconds=TRY_S)


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, n=2**14, r=8, p=1)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
