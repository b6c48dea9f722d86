"""Home Assistant's discovery: the entities of a table, as retained configurations.

Format: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery; entities: sensor.mqtt, event.mqtt on that site.
There are no button entities: only the table's own buttons may press.
"""

from __future__ import annotations

from collections.abc import Iterator

from referee import __version__
from referee.core.documents.delivery import topic_of
from referee.core.values import Document
from referee.protocol.mqtt import Settings

SENSORS = {
    "phase": ("Phase", "mdi:cards-playing", "{{ value_json.phase | lower }}"),
    "leader": ("Leader", "mdi:podium-gold", "{{ (value_json.leaders | join(', ') or '-')[:255] }}"),
    "hand": ("Hand", "mdi:counter", "{{ value_json.hand }}"),
    "scores": (
        "Scores",
        "mdi:scoreboard",
        "{% set s = namespace(text=[]) %}{% for t in value_json.teams %}"
        "{% set s.text = s.text + [t.name ~ ' ' ~ (t.text or (t.total | round(1) | string | replace('.0', '')))] %}"
        "{% endfor %}{{ (s.text | join(', ') or '-')[:255] }}",
    ),
}
"""Sensor -> name, icon and template. Home Assistant allows 255 characters for a state."""


def configurations(settings: Settings) -> Iterator[tuple[str, Document]]:
    """Yield the topic and content of each entity's configuration."""
    own = f"{settings.prefix}_{settings.name}"
    view, online = (topic_of(settings.prefix, settings.name, part) for part in ("view", "online"))
    for key, (name, icon, template) in SENSORS.items():
        more = {"name": name, "icon": icon, "state_topic": view, "value_template": template}
        if key == "scores":
            more["json_attributes_topic"] = view
        yield _topic(settings, "sensor", own, key), _entity(settings, own, key, online) | more
    verdict: Document = {
        "name": "Verdict",
        "icon": "mdi:gavel",
        "state_topic": topic_of(settings.prefix, settings.name, "verdict"),
        "event_types": ["clear", "tie"],
    }
    yield _topic(settings, "event", own, "verdict"), _entity(settings, own, "verdict", online) | verdict


def _topic(settings: Settings, kind: str, own: str, key: str) -> str:
    return f"{settings.discovery}/{kind}/{own}/{key}/config"


def _entity(settings: Settings, own: str, key: str, online: str) -> Document:
    return {
        "unique_id": f"{own}_{key}",
        "object_id": f"{own}_{key}",
        "availability_topic": online,
        "device": {
            "identifiers": [own],
            "name": f"Card table {settings.name}",
            "manufacturer": "card-table-referee",
            "model": "Referee",
            "sw_version": __version__,
        },
        "origin": {"name": "card-table-referee", "sw_version": __version__},
    }
