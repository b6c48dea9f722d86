"""Slap: what is said in it alone."""

from __future__ import annotations

from referee.language.places import LIMITS, Told

TOLD = (
    Told("agree.gift", limit=LIMITS["item"], choice="5"),
    Told("teach.turn_cards"),
    Told("teach.slap_alike"),
    Told("teach.slap_jack"),
    Told("teach.slap_fruit"),
    Told("teach.slap_sandwich"),
    Told("teach.slap_button"),
    Told("teach.slap_wrong", points=20),
    Told("teach.slap_gift", points=5),
    Told("teach.device_counts"),
    Told("teach.first_to", target=999),
)
