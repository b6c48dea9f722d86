"""`referee doctor` and section [mqtt]."""

from __future__ import annotations

import socket
from pathlib import Path

from referee.commands.doctor_checks import mqtt_findings
from referee.config import Config, parse
from tests.mqtt.broker import mosquitto


def config(port: int, more: str = "") -> Config:
    """Return a configuration with a broker at this port."""
    return parse({"mqtt": {"url": f"mqtt://{more}127.0.0.1:{port}", "name": "den"}})


def test_without_a_broker_nothing_is_checked() -> None:
    assert list(mqtt_findings(Config())) == []


def test_broker_that_accepts_refuses_or_is_away(tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    passwords.touch()
    with mosquitto(tmp_path) as broker:
        (good,) = mqtt_findings(config(broker.port))
        assert (good.ok, good.sentence) == (True, f"The broker 127.0.0.1:{broker.port} accepts this table as 'den'.")
    with mosquitto(tmp_path, f"allow_anonymous false\npassword_file {passwords}") as broker:
        (refused,) = mqtt_findings(config(broker.port, "anna:secret@"))
        assert refused.ok is False
        assert "(it refuses user name or password)" in refused.sentence
        assert "secret" not in refused.sentence
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        away, other = mqtt_findings(parse({"mqtt": {"url": f"mqtt://127.0.0.1:{port} mqtt://localhost:{port}"}}))
        assert away.ok is other.ok is False
        assert f"localhost:{port}" in other.sentence
        assert "Connection refused" in away.sentence
