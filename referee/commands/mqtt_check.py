"""`referee doctor`: checks of the MQTT brokers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from referee.bench.findings import Finding, fault, fine
from referee.config import Config, broker_of

if TYPE_CHECKING:
    from referee.protocol.mqtt import Settings


def findings(config: Config) -> Iterator[Finding]:
    """Yield a finding for each configured broker: whether it accepts a connection."""
    settings = broker_of(config.mqtt)
    if settings is None:
        return
    if find_spec("paho") is None:
        yield fault("mqtt", "The package paho-mqtt is missing: install it (python3-paho-mqtt on Debian).")
        return
    yield from map(_finding, (settings, *settings.others))


def _finding(settings: Settings) -> Finding:
    from referee.mqtt.broker import BrokerError, check

    where = f"{settings.host}:{settings.port}"
    try:
        check(settings)
    except (BrokerError, OSError) as error:
        return fault("mqtt", f"The broker {where} cannot be used ({error}): check section [mqtt] and the network.")
    return fine("mqtt", f"The broker {where} accepts this table as {settings.name!r}.")
