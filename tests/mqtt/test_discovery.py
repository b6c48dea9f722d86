"""Home Assistant's documented discovery: keys of an MQTT sensor and event, and what the templates make of a view."""

from __future__ import annotations

import re

import msgspec
from jinja2 import Environment

from referee.core.documents.delivery import Shown, ShownTeam, encode
from referee.core.values import Document
from referee.device.children.mqtt import shown_of
from referee.mqtt.discovery import SENSORS, configurations
from referee.protocol.mqtt import Settings
from tests.mqtt.test_publisher import a_verdict

SETTINGS = Settings("broker", 1883, False, "t1", "")
ALL = {"name", "icon", "state_topic", "unique_id", "object_id", "availability_topic", "device", "origin"}
"""Keys that both kinds of entity may have, of those in their documentation."""
MORE = {"sensor": {"value_template", "json_attributes_topic"}, "event": {"event_types"}}
DEVICE = {"identifiers", "name", "manufacturer", "model", "sw_version"}


def test_configurations_have_documented_topics_and_keys() -> None:
    found: dict[str, Document] = dict(configurations(SETTINGS))
    assert len(found) == len(SENSORS) + 1
    for topic, entity in found.items():
        prefix, kind, node, key, end = topic.split("/")
        assert (prefix, node, end) == ("homeassistant", "referee_t1", "config")
        assert re.fullmatch("[a-zA-Z0-9_-]+", key)
        assert entity.keys() <= ALL | MORE[kind]
        assert entity["device"].keys() == DEVICE
        assert entity["availability_topic"] == "referee/table/t1/online"
        assert entity["unique_id"] == entity["object_id"] == f"referee_t1_{key}"
    assert len({entity["unique_id"] for entity in found.values()}) == len(found)
    event = found["homeassistant/event/referee_t1/verdict/config"]
    assert event["event_types"] == ["clear", "tie"]
    assert event["state_topic"] == "referee/table/t1/verdict"


def states(shown: Shown) -> dict[str, str]:
    """Return what the sensors show for a view."""
    document = msgspec.json.decode(encode(shown))
    return {
        key: Environment().from_string(template).render(value_json=document)
        for key, (_, _, template) in SENSORS.items()
    }


def test_sensors_show_phase_leader_hand_and_scores() -> None:
    assert states(shown_of(a_verdict()))["phase"] == "verdict"
    teams = (
        ShownTeam("Anna", (1,), 12.5, 1),
        ShownTeam("Ben", (2,), -3.0, 2),
        ShownTeam("Lea", (3,), 2.0, 3, None, "♥♥"),
    )
    shown = Shown("READY", "en", "nna", 100, 3, teams, ("Anna",))
    assert states(shown) == {"phase": "ready", "leader": "Anna", "hand": "3", "scores": "Anna 12.5, Ben -3, Lea ♥♥"}
    assert states(Shown("LOBBY", "en")) == {"phase": "lobby", "leader": "-", "hand": "0", "scores": "-"}


def test_state_is_never_longer_than_home_assistant_allows() -> None:
    teams = tuple(ShownTeam("W" * 64, (seat,), 1.0, 1) for seat in range(1, 13))
    shown = Shown("OVER", "en", "nna", 100, 3, teams, tuple(team.name for team in teams))
    assert max(map(len, states(shown).values())) == 255
