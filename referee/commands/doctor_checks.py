"""`referee doctor`: checks of MQTT brokers and of button pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from referee.bench.findings import Finding, fault, fine, open_
from referee.commands.pod import faults, stations_of
from referee.config import Config, broker_of
from referee.core.model.labels import LOOSE_NS
from referee.core.units import ms_text

if TYPE_CHECKING:
    from referee.drivers.pods.visit import Met
    from referee.protocol.mqtt import Settings


def mqtt_findings(config: Config) -> Iterator[Finding]:
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


def pod_findings(config: Config) -> Iterator[Finding]:
    """Yield findings on each pod that is plugged in, and on configured pods that are not."""
    from referee.drivers.pods.lines import found_lines
    from referee.drivers.pods.visit import self_test

    where = tuple(dict.fromkeys((*found_lines(), *config.pods.lines)))
    if not where and not config.pods.contacts:
        return
    met = [self_test(line) for line in where]
    for one in met:
        yield from _one(one, config)
    for number, named in config.pods.contacts:
        if not any(one.hello and one.hello.ident.endswith(number) for one in met):
            away = f"The pod {number} (stations {_stations_text(named)}) is not plugged in"
            yield fault("pods", f"{away}: plug it in, and look at its cable.")


def _one(met: Met, config: Config) -> Iterator[Finding]:

    hello = met.hello
    if hello is None:
        asked_for = met.line in config.pods.lines or "protocol" in met.reason  # this may be on purpose
        yield Finding("pods", False if asked_for else None, f"{met.line} {met.reason}.")
        return
    name, named = f"Pod {hello.ident[-4:]}", stations_of(config, hello.ident)
    if not named:
        told = f'{name} is no station\'s: [pods.contacts] takes a line such as {hello.ident} = ["1", "2"].'
        yield open_("pods", told)
    for sentence in faults(met.tested or 0):
        yield fault("pods", f"{name}: {sentence}.")
    if met.tested is None:
        told = f"{name} has not answered its self-test: plug it in again; if that does not help, `referee pod install`."
        yield fault("pods", told)
    yield _clock(name, met, named)


def _clock(name: str, met: Met, named: Sequence[str]) -> Finding:
    bound_ns = met.quality.bound_ns if met.quality else None
    if bound_ns is None:
        return fault("pods", f"{name} on {met.line} does not tell its clock: plug it in again.")
    where = f"on {met.line}, stations {_stations_text(named)}" if named else f"on {met.line}"
    told = f"{name} {where}: its clock is known to ±{ms_text(bound_ns, 2)} ms"
    if bound_ns > LOOSE_NS:
        fix = "plug it in without a hub, or quieten the machine"
        return fault("pods", f"{told}, allowed is {ms_text(LOOSE_NS)}: {fix}.")
    return fine("pods", f"{told}.")


def _stations_text(named: Sequence[str]) -> str:
    return ", ".join(station for station in named if station)
