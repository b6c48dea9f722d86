"""`referee doctor`: checks of section [mqtt]."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from referee.commands.findings import Finding, fault, fine
from referee.config import Config, broker_of


def findings(config: Config) -> Iterator[Finding]:
    """Yield whether the broker accepts a connection; nothing if none is configured."""
    settings = broker_of(config.mqtt)
    if settings is None:
        return
    where = f"{settings.host}:{settings.port}"
    if find_spec("paho") is None:
        yield fault("mqtt", "The package paho-mqtt is missing: install it (python3-paho-mqtt on Debian).")
        return
    from referee.drivers.mqtt.broker import BrokerError, check

    try:
        check(settings)
    except (BrokerError, OSError) as error:
        yield fault("mqtt", f"The broker {where} cannot be used ({error}): check section [mqtt] and the network.")
    else:
        yield fine("mqtt", f"The broker {where} accepts this table as {settings.name!r}.")
