"""What the program round the core says: what is missing, broken or asleep."""

from __future__ import annotations

from referee.language.places import Told

TOLD = (
    Told("toast.not_saved"),
    Told("toast.see_log"),
    Told("toast.last_unreadable"),
    Told("toast.check_table"),
    Told("toast.see_referee"),
    Told("toast.no_buttons"),
    Told("toast.no_lamps"),
    Told("toast.no_sound"),
    Told("toast.no_display"),
    Told("toast.no_pods"),
    Told("toast.no_bots"),
    Told("toast.weak_supply"),
    Told("toast.too_hot"),
    Told("toast.bad_disk"),
    Told("note.phone_asleep", who="8Wi"),
    Told("told.off"),
)
