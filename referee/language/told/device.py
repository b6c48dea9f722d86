"""The device itself: the lines of its list, its check, switching it off."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("item.device"),
    Told("item.check"),
    Told("item.off"),
    Told("item.switch_off"),
    Told("item.address"),
    Told("item.revoke"),
    Told("item.revoke_all"),
    Told("item.port", port=65535),
    Told("title.switch_off", limit=17),
    Told("title.revoke", limit=17),
    Told("toast.all_work"),
    Told("toast.revoked"),
    Told("phase.check"),
    Told("phase.off"),
)
