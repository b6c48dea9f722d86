"""Run commands that were started with sudo as the owner of the state directory.

Files that they create then belong to the referee's user. Files elsewhere are read and written as the caller.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = 0


@contextmanager
def as_owner(state: Path | None) -> Iterator[None]:
    """Within this context, act as the owner of the state directory, if the program runs as root.

    Raises OSError.
    """
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
    """Within `as_owner`, act as the user who started the program. Elsewhere, change nothing."""
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
    """Act as the state directory's owner (see `as_owner`) until the program ends.

    Raises OSError.
    """
    if owner := _owner(state):
        _take_rights(*owner)
        user, group = owner
        os.seteuid(ROOT)
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)


def _owner(state: Path | None) -> tuple[int, int] | None:
    """Return the user and group that own the state directory.

    Return None if the program does not run as root, if root owns the directory, or if its owner cannot read this
    program.
    """
    if state is None or os.geteuid() != ROOT:
        return None
    with suppress(OSError):
        found = state.stat()
        if found.st_uid != ROOT and _can_read(found.st_uid, found.st_gid):
            return found.st_uid, found.st_gid
    return None


def _can_read(user: int, group: int) -> bool:
    """Return whether a user can read this program and Python's library.

    The user must be able to, because parts of both are loaded later.
    """
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
    except KeyError:  # a user without a name is in no other groups
        groups = [group]
    os.setgroups(groups)
    os.setegid(group)
    os.seteuid(user)
