"""Commands given with sudo act as the state directory's owner, so that the referee can change what they leave there.

What only the caller may do, reading and writing files elsewhere, is done in between with the caller's rights.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = 0


@contextmanager
def as_owner(state: Path | None) -> Iterator[None]:
    """Act as the owner of that directory, where root has started us and it has another owner. OSError."""
    owner = _owner(state)
    if owner is None:
        yield
        return
    groups = os.getgroups()
    try:
        _take_rights(*owner)
        yield
    finally:
        os.seteuid(ROOT)
        os.setegid(os.getgid())
        os.setgroups(groups)


@contextmanager
def as_caller() -> Iterator[None]:
    """Act as the user who has started us, within `as_owner`; elsewhere this changes nothing."""
    user, group = os.geteuid(), os.getegid()
    if user == os.getuid():
        yield
        return
    os.seteuid(os.getuid())
    os.setegid(os.getgid())
    try:
        yield
    finally:
        os.setegid(group)
        os.seteuid(user)


def become_owner(state: Path) -> None:
    """The same for good, for a program that serves others. OSError."""
    if owner := _owner(state):
        _take_rights(*owner)
        user, group = owner
        os.seteuid(ROOT)
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)


def _owner(state: Path | None) -> tuple[int, int] | None:
    """Whose rights are to be taken; None where that is not needed, or the owner could not read this program."""
    if state is None or os.geteuid() != ROOT:
        return None
    with suppress(OSError):
        found = state.stat()
        if found.st_uid != ROOT and _can_read(found.st_uid, found.st_gid):
            return found.st_uid, found.st_gid
    return None


def _can_read(user: int, group: int) -> bool:
    """Whether a user can read this program and Python's library: parts of both are only imported when needed."""
    groups = os.getgroups()
    try:
        _take_rights(user, group)
        return all(os.access(module, os.R_OK, effective_ids=True) for module in (__file__, os.__file__))
    finally:
        os.seteuid(ROOT)
        os.setegid(os.getgid())
        os.setgroups(groups)


def _take_rights(user: int, group: int) -> None:
    import pwd

    try:
        groups = os.getgrouplist(pwd.getpwuid(user).pw_name, group)
    except KeyError:  # a user without a name is in no further groups
        groups = [group]
    os.setgroups(groups)
    os.setegid(group)
    os.seteuid(user)
