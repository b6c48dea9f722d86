"""The plan of one evening, drawn from its seed and number, and printed on failure."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from referee.core.model.options import RuleError, RuleOption
from referee.core.model.registry import presets
from referee.core.model.table import SEATS
from referee.core.units import MS, US
from referee.core.values import Value
from referee.simulator.table.skill import COMPANIES

USUAL_ERR_NS = 300 * US
ERRS_NS = (USUAL_ERR_NS, USUAL_ERR_NS, USUAL_ERR_NS, 0, 3 * MS, 9 * MS)
WIRED = SEATS[:8]
"""Stations with a wire; the others are on a pod."""
UNPLAYED = ("end", "target", "tie_ms", "limit_s")
"""Options that bots do not handle, or that are drawn differently."""
AWAY_S = {"kill": (1, 8), "power": (5, 900), "night": (4 * 3600, 30 * 3600), "aside": (0, 0)}
"""Ways in which the device dies -> range of seconds that it is away.

"kill": its process; "power": the power; "night": the power until another evening; "aside": the device lives, but its
journal file was damaged and is replaced.
"""


class Cut(Value):
    """A death of the device `after_s` seconds after the last one.

    Its `torn` newest rows are lost. strangers: the people at the bots' seats afterwards have not seen what happened
    before, as after `run --bots`.
    """

    after_s: int
    kind: str
    away_s: int
    torn: int
    strangers: bool


class Plan(Value):
    """One evening.

    pace: percent of a real table's. errs_ns: the stated error of rows, and that of a rare row. seats: stations that
    people play; stations: all stations of the table. remote: those whose rows come over a link. grazes, leans: mean
    seconds between too light touches and between held buttons; 0: never. child: a child plays with the knob. filed: the
    rows go through an evening's file.
    """

    seed: str
    preset: str
    options: tuple[tuple[str, Any], ...]
    seats: tuple[str, ...]
    stations: tuple[str, ...]
    company: str
    pace: int
    hands: int
    err_ns: int
    wide_err_ns: int
    remote: tuple[str, ...]
    grazes_s: int
    leans_s: int
    links_s: int
    child_s: int
    cuts: tuple[Cut, ...]
    filed: bool

    def told(self) -> str:
        """Return the unusual settings in one line."""
        shown = {name: getattr(self, name) for name in self.__struct_fields__}
        return " ".join(f"{name}={value!r}" for name, value in shown.items() if value not in ((), 0, None, False))


def plan_of(seed: str) -> Plan:
    """Return the evening of that seed."""
    rng = Random(seed)
    preset = rng.choice(sorted(presets()))
    company, pace = rng.choice(sorted(COMPANIES)), rng.choice((10, 20, 20, 40))
    seats = _seats(rng, company)
    stations = SEATS if {*seats} - {*WIRED} else WIRED
    alone = rng.randrange(6) != 0  # mostly one trouble at a time; two at once would hide each other's effects
    return Plan(
        seed=seed,
        preset=preset,
        options=_options(rng, preset, len(seats)),
        seats=seats,
        stations=stations,
        company=company,
        pace=pace,
        hands=rng.randint(2, 7),
        err_ns=rng.choice(ERRS_NS),
        wide_err_ns=rng.choice((0, 0, 9 * MS, 30 * MS)),
        remote=_remote(rng, seats, stations),
        grazes_s=rng.choice((0, 7, 60)),
        leans_s=rng.choice((0, 0, 0, 90))
        if len(seats) > 3
        else 0,  # two held together are a pair, and one team is no match
        links_s=rng.choice((0, 0, 60)),
        child_s=rng.choice((0, 0, 0, 0, 0, 25)),
        cuts=() if not alone else tuple(_cuts(rng, pace)),
        filed=rng.randrange(15) == 0,
    )


def _seats(rng: Random, company: str) -> tuple[str, ...]:
    """Choose at least two teams, also where neighbours pair.

    One table in eight has more seats than wires.
    """
    if rng.randrange(8) == 0:
        return tuple(sorted(rng.sample(SEATS, rng.randint(len(WIRED) + 1, len(SEATS))), key=int))
    count = rng.randint(3 if COMPANIES[company].pairs else 2, len(WIRED))
    return WIRED[:count] if rng.randrange(3) else tuple(sorted(rng.sample(WIRED, max(count, 3))))


def _remote(rng: Random, seats: tuple[str, ...], stations: tuple[str, ...]) -> tuple[str, ...]:
    """Sometimes put one or two players on a pod; beyond eight, all of them."""
    chosen = () if rng.randrange(5) else rng.sample(seats, rng.randint(1, 2))
    return tuple(station for station in stations if station in chosen or station not in WIRED)


def _cuts(rng: Random, pace: int) -> Iterator[Cut]:
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        kind = rng.choice(("kill", "kill", "kill", "power", "power", "night", "aside"))
        after_s = rng.randint(1, 12 * pace)
        yield Cut(after_s, kind, rng.randint(*AWAY_S[kind]), rng.choice((0, 0, 1, 2, 4)), rng.randrange(4) == 0)


def _options(rng: Random, preset: str, seats: int) -> tuple[tuple[str, Any], ...]:
    """Choose random options of this preset that it allows together."""
    documents, chosen = presets()[preset], dict[str, Any]()
    options: dict[str, Any] = {option.name: option for option in documents.OPTIONS}
    known = [name for name in options if name not in UNPLAYED]
    if "target" in (option.name for option in documents.OPTIONS) and rng.randrange(3):
        chosen["target"] = rng.choice((20, 40, 60))
    for name in rng.sample(known, min(rng.choice((0, 0, 1, 2, 4)), len(known))):
        more = chosen | {name: _value(rng, options[name])}
        try:
            documents.rules(preset, more)
        except RuleError:
            continue
        chosen = more
    return tuple(chosen.items())


def _value(rng: Random, option: RuleOption) -> Any:
    if option.kind in ("choice", "choice-or-number"):
        return rng.choice(option.choices)
    if option.kind == "switch":
        return rng.random() < 0.5
    if option.kind == "jokers":
        return rng.choice((0, 2))
    if option.kind == "false-call":
        return rng.choice(("play-on", "zero", "points:10"))
    if option.kind == "word":
        return rng.choice(("", "POUNCE", "¡Ya está!"))
    return rng.randint(option.least, min(option.most, option.least + 30))
