"""Network namespaces for tests: needs root on Linux; nothing outside them changes."""

from __future__ import annotations

import os
import subprocess
from shutil import which


def missing() -> str:
    """Why there cannot be such networks here; "" where there can."""
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
    """The command that runs `command` in that network."""
    return ["ip", "netns", "exec", network, *command]
