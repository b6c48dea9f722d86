"""Network namespaces for tests: needs root on Linux; the rest of the system does not change."""

from __future__ import annotations

import os
import subprocess
from shutil import which


def missing() -> str:
    """Return why such networks cannot be made here, or ""."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "root is needed for network namespaces"
    if which("ip") is None:
        return "the program `ip` is missing"
    name = f"referee-try-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return "this machine allows no network namespaces"
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return ""


def within(network: str, *command: str) -> list[str]:
    """Return the command that runs `command` in that network."""
    return ["ip", "netns", "exec", network, *command]
