"""A fake of a libgpiod chip: real descriptors (pipes), events in the kernel's layout, levels in a dictionary.

It replaces the kernel in the unit tests; tests/rig checks a real kernel.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import gpiod
from gpiod.line import Bias, Direction, Value

EVENT = struct.Struct("=QIIII24x")


@dataclass
class FakeRequest:
    """A request for one line. `put` simulates events in its buffer, `lose` dropped events."""

    chip: FakeChip
    gpio: int
    settings: gpiod.LineSettings
    fd: int = -1
    sequence: int = 0
    _write_fd: int = -1

    def __post_init__(self) -> None:
        self.fd, self._write_fd = os.pipe()
        self.reconfigure_lines({self.gpio: self.settings})

    def reconfigure_lines(self, config: dict[int, gpiod.LineSettings]) -> None:
        """Apply settings. A pull sets the level of an input; an output gets the configured value."""
        self.settings = config[self.gpio]
        self.chip.history.append((self.gpio, self.settings))
        if self.settings.direction is Direction.OUTPUT:
            self.chip.levels[self.gpio] = int(self.settings.output_value is Value.ACTIVE)
        elif self.settings.bias is Bias.PULL_UP:
            self.chip.levels[self.gpio] = 1
        elif self.settings.bias is Bias.PULL_DOWN:
            self.chip.levels[self.gpio] = 0

    def put(self, *events: tuple[int, int]) -> None:
        """Store events (stamp, level) with consecutive numbers, beginning after the last event's."""
        data = b""
        for t_ns, level in events:
            self.sequence = (self.sequence + 1) % (1 << 32)
            data += EVENT.pack(t_ns, 1 if level else 2, self.gpio, self.sequence, self.sequence)
            self.chip.levels[self.gpio] = level
        os.write(self._write_fd, data)

    def lose(self, count: int) -> None:
        """Skip `count` event numbers, as if the kernel had dropped these events."""
        self.sequence = (self.sequence + count) % (1 << 32)

    def get_value(self, line: int) -> Value:
        """Return the line's level."""
        return Value.ACTIVE if self.chip.levels.get(line) else Value.INACTIVE

    def set_value(self, line: int, value: Value) -> None:
        """Drive an output."""
        self.chip.levels[line] = int(value is Value.ACTIVE)

    def release(self) -> None:
        """Release the line."""
        os.close(self.fd)
        os.close(self._write_fd)
        del self.chip.requests[self.gpio]


@dataclass
class FakeChip:
    """A chip of 54 lines.

    requests: line -> its request. levels: line -> its level. history: every configuration so far, with its line.
    """

    label: str = "pinctrl-bcm2835"
    name: str = "gpiochip0"
    requests: dict[int, FakeRequest] = field(default_factory=dict)
    levels: dict[int, int] = field(default_factory=dict)
    history: list[tuple[int, gpiod.LineSettings]] = field(default_factory=list)
    taken: dict[int, str] = field(default_factory=dict)
    closed: bool = False
    on_request: Callable[[FakeRequest], None] = lambda request: None

    def get_info(self) -> Any:
        """Return name and label."""
        return SimpleNamespace(name=self.name, label=self.label, num_lines=54)

    def get_line_info(self, line: int | str) -> Any:
        """Return a line's consumer and direction."""
        return SimpleNamespace(consumer=self.taken.get(int(line), ""), direction=Direction.INPUT)

    def request_lines(self, config: Any, consumer: str | None = None, event_buffer_size: int | None = None) -> Any:
        """Claim one line, as the factory always does."""
        [(gpio, settings)] = config.items()
        if gpio in self.taken or gpio in self.requests:
            raise OSError(errno.EBUSY, "Device or resource busy")
        assert event_buffer_size == 1024
        self.requests[gpio] = FakeRequest(self, gpio, settings)
        self.on_request(self.requests[gpio])
        return self.requests[gpio]

    def close(self) -> None:
        """Record the call."""
        self.closed = True
