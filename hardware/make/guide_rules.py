"""Whether the guide uses what the lists buy: each step says in a remark what goes into it, and the sums are the lists'.

A remark is an HTML comment, `<!-- uses: screw_m3 2, clamp_bolt 1; each: insert 4 -->`: catalogue keys with pieces,
once and for each player. Beside the remark the step's own words are read: a screw, a sheet or a bar that they name must
be in the remark of that step or of one before it, a number of screws must be the remark's, and every thing that they
name is an entry of the build's lists.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from hardware.make.catalogue import Build, Catalogue
from hardware.make.netlist import Netlist
from hardware.make.skew import ohms

CHAPTERS = {
    "The memory card": ("direct4", "full8"),
    "Breadboard": ("direct4",),
    "Heirloom": ("full8",),
    "A station": ("full8",),
}
"""The chapters that build something, in the guide's order, and what they build."""
NOUNS = (
    (r"M3×8\b", "screw_m3"),
    (r"M3×10\b", "screw_m3_flat"),
    (r"M2\.5×12\b", "screw_m25_long"),
    (r"M2\.5×6\b", "screw_m25"),
    (r"\bbolt M6\b", "clamp_bolt"),
    (r"\binserts?\b", "insert"),
    (r"\b[Rr]ubber feet\b", "foot"),
    (r"\b[Pp]ane\b", "pane"),
    (r"\b[Ss]ilicone\b", "silicone"),
    (r"\bhot glue\b", "glue"),
    (r"\bdouble-sided tape\b", "tape"),
    (r"\bstrips? of rubber\b", "rubber"),
    (r"\b[Ss]teel bar\b|\bthe bar's\b", "bar"),
    (r"\bspacers of 11 mm\b", "spacer"),
    (r"\bXH lead\b", "xh4_lead"),
    (r"\bPH lead\b", "ph_lead"),
    (r"\bpatch lead\b", "patch"),
    (r"\bquick connectors\b", "quick_connect"),
    (r"\bheat-shrink\b", "heat_shrink"),
)
"""What a step's words name, and the entry of the catalogue that it is."""
THINGS = (
    (r"memory card|written memory card|[Tt]he card\b|the card out|a card$|on a card", "sdcard"),
    (
        r"card.reader|card box|Raspberry Pi (?:Imager|OS)|second Pico board|[Ii]n a terminal on|"
        r"a small card of the players|ends with a sheet",
        "",
    ),
    (r"\bPi\b", "pi"),
    (r"[Bb]readboard", "breadboard jumpers pi"),
    (r"guard ring|[Rr]ing and button|(?:in|The) (?:its |the |other )*ring\b|through ring", "petg"),
    (r"[Pp]ower button|[Uu]nscrew the button|[Bb]utton[s']?", "button power_button"),
    (r"[Jj]umper wires", "jumpers pi_wires"),
    (r"red wire|3\.3 V wire", "jumpers"),
    (r"[Ww]ires? \d(?:, \d)*|pair of wires|two wires|its wires", "patch quick_connect speaker piezo keystone"),
    (r"[Ll]amps?\b", "lamp"),
    (r"the button and the screws|same four screws", "screw_m3 screw_m25_long"),
    (r"to screw \d|its screws reached|[Ss]crew(?: a| it| the)", "terminal4 spacer"),
    (r"screws M[\d.]+×\d+|between the screws", "screw_m3 screw_m3_flat screw_m25 screw_m25_long"),
    (r"[Ll]eads?\b", "patch xh4_lead xh_leads ph_lead"),
    (r"[Cc]ables\b", "patch"),
    (r"[Dd]isplay", "display display_i2c"),
    (r"[Kk]nob", "knob"),
    (r"[Ee]ncoder|washer and nut|under the washer", "encoder"),
    (r"its nut in the arm", "clamp_bolt"),
    (r"nut on from inside|button's nut", "button"),
    (r"[Ss]pacers\b", "spacer"),
    (r"[Jj]acks?\b|[Tt]he sockets?\b", "keystone header"),
    (r"supply rails|lamps' supply|in its supply", "supply"),
    (r"[Ff]use\b", "polyfuse t_polyfuse"),
    (r"solder bridge|Solder the carrier|bridge of solder", "solder carrier display_i2c"),
    (r"with flux", "solder"),
    (r"[Dd]isc\b", "piezo"),
    (r"[Aa]mplifier", "amp"),
    (r"[Ss]peaker", "speaker"),
    (r"[Rr]esistor", "r1k t_r1k r120_lamp"),
    (r"[Cc]apacitors", "c10n_c0g"),
    (r"the chip\b", "hct595"),
    (r"[Tt]he plug is|angled plug|No plug fits|[Pp]lug (?:it )?in\b|plugs onto", ""),
    (r"PETG|PLA\b", "petg"),
    (r"[Tt]he bar\b", "bar"),
    (r"rubber ring", "o_ring"),
)
"""Other words for things: entries of the catalogue of which the build must have one, drawn, bought or as an option;
none for a tool, or what is part of another thing."""
VOCABULARY = re.compile(
    r"\b(?:screws?|bolts?|nuts?|washers?|inserts?|spacers?|stand-?offs?|leads?|wires?|cables?|tape|glue|silicone|pane|"
    r"foil|film|sheet|rubber|rings?|feet|springs?|magnets?|sleeves?|grommets?|ties|hinges?|clips?|brackets?|labels?|"
    r"stickers?|heat-shrink|solder|flux|connectors?|terminals?|plugs?|jacks?|sockets?|discs?|speaker|amplifier|display|"
    r"encoder|knob|buttons?|lamps?|bar|fuse|resistors?|capacitors?|diodes?|chips?|transistors?|breadboards?|supply|"
    r"battery|cards?|pi|pico|paper|cardboard|varnish|paint|petg|pla)\b",
    re.IGNORECASE,
)
"""What words of a step are things that somebody must have bought."""
_NO_PROSE = re.compile(r"```.*?```|!\[.*?\]\(.*?\)|^\|.*?$|\]\(.*?\)|`[^`]*`", re.DOTALL | re.MULTILINE)
NO_STEP = {"postage"}
"""What is paid for and goes into no step."""
_WORDS = {"two": 2, "three": 3, "four": 4, "six": 6, "eight": 8}
_SCREWS = re.compile(r"\b(\d|[Tt]wo|[Tt]hree|[Ff]our|[Ss]ix|[Ee]ight)\s+(?:countersunk\s+)?screws\s+(M[\d.]+×\d+)")
_REMARK = re.compile(r"<!-- (.*?) -->", re.DOTALL)
_USED = re.compile(r"(\w+) (\d+)")


@dataclass(frozen=True)
class Step:
    """A step's title, its words without the remark, and what the remark says: once, and for each player."""

    title: str
    words: str
    once: Counter[str]
    each: Counter[str]


def steps(guide: str) -> dict[str, list[Step]]:
    """Chapter to its steps, of the chapters that build something."""
    chapters = re.split(r"^## (.*)$", guide, flags=re.MULTILINE)
    bodies = dict(zip(chapters[1::2], chapters[2::2], strict=True))
    return {
        name: [_step(part) for part in re.split(r"^### ", bodies.get(name, ""), flags=re.MULTILINE)[1:]]
        for name in CHAPTERS
    }


def _step(text: str) -> Step:
    once: Counter[str] = Counter()
    each: Counter[str] = Counter()
    for remark in _REMARK.findall(text):
        for part in remark.split(";"):
            kind, _, used = part.strip().partition(": ")
            for key, count in _USED.findall(used):
                {"uses": once, "each": each}[kind][key] += int(count)
    return Step(text.partition("\n")[0], _REMARK.sub("", text), once, each)


def complaints(guide: str, parts: Catalogue, drawn: Mapping[str, Collection[str]]) -> Iterator[str]:
    """What the steps take and no list has, what a list has and no step takes, and words without a part.

    drawn: the keys of the parts in each build's schematics.
    """
    found = steps(guide)
    for build in dict.fromkeys(build for builds in CHAPTERS.values() for build in builds):
        chapters = [name for name, builds in CHAPTERS.items() if build in builds]
        taken = [step for name in chapters for step in found[name]]
        yield from _sums(build, parts.builds[build], taken)
        known: set[str] = set()
        has = {*parts.builds[build].once, *parts.builds[build].player, *parts.builds[build].option, *drawn[build]}
        for step in taken:
            yield from _things(build, step, has)
            known |= {*step.once, *step.each}
            yield from _check_nouns(build, step, known, parts)


def _sums(build: str, bought: Build, taken: list[Step]) -> Iterator[str]:
    for what, counts, kind in (("once", bought.once, "once"), ("for each player", bought.player, "each")):
        used: Counter[str] = Counter()
        for step in taken:
            used += getattr(step, kind)
        for key in sorted({*counts, *used} - NO_STEP):
            if counts.get(key, 0) != used[key]:
                listed = counts.get(key, 0)
                yield f"{build}: the guide's steps use {used[key]} of '{key}' {what}, and the list buys {listed}."


def _things(build: str, step: Step, has: Collection[str]) -> Iterator[str]:
    """Every thing that the step's words name is an entry of the build's lists."""
    words = " ".join(_NO_PROSE.sub("", step.words).split())
    covered = [(match.span(), {key}) for pattern, key in NOUNS for match in re.finditer(pattern, words)]
    covered += [(match.span(), set(keys.split())) for pattern, keys in THINGS for match in re.finditer(pattern, words)]
    for found in VOCABULARY.finditer(words):
        keys = [keys for (start, end), keys in covered if start <= found.start() and found.end() <= end]
        if not any(not one or one & set(has) for one in keys):
            around = words[max(0, found.start() - 20) : found.end() + 12]
            yield f"{build}, '{step.title}': '{found[0]}' in '{around}' is no row of the list."


def _check_nouns(build: str, step: Step, known: set[str], parts: Catalogue) -> Iterator[str]:
    for words, key in NOUNS:
        if re.search(words, step.words) and key not in known:
            yield f"{build}, '{step.title}': the text names '{key}', which neither this step nor one before it uses."
    for number, size in _SCREWS.findall(step.words):
        key = next((key for words, key in NOUNS if re.fullmatch(words, size)), "")
        told, remarked = _WORDS.get(number.lower()) or int(number), step.once[key] + step.each[key]
        if told != remarked:
            yield f"{build}, '{step.title}': the text takes {told} screws {size}, its remark {remarked}."
    for key in sorted({*step.once, *step.each} - parts.items.keys()):
        yield f"{build}, '{step.title}': '{key}' is no part of the catalogue."


_MEASURED = re.compile(
    r"^\| (?P<one>[^|]+?) and (?P<other>[^|,]+?)(?:, [^|]*)? \| (?P<part>[RF]\d+) \| (?P<read>[^|]+) \|", re.M
)
_CONTACT = re.compile(r"^\| (?P<one>J\d+)\.\d and (?P<other>J\d+)\.\d, button ", re.M)
_LEVELS = re.compile(r"^\| (?P<one>J\d+\.\d) and GND, at rest \|.*\n\| (?P<other>J\d+\.\d) and GND, pressed \|", re.M)
_PLACE = re.compile(r"(?:(?:Pi )?pin (?P<pin>\d+)|(?P<ref>[A-Z]+\d+)(?:\.(?P<number>\d+))?)(?: \(.*\))?$")
_READ = re.compile(r"(?P<n>[\d.]+) (?P<kilo>k?)Ω ± ")


RAILS = {"3.3 V rail": "+3V3", "5 V rail": "+5V", "lamp rail": "+5V_LAMP", "GND rail": "GND"}
"""The breadboard's, and their nets."""


def measurements(guide: str, console: Netlist, breadboard: Netlist) -> Iterator[str]:
    """What is measured before the first plug is what the schematic has there: that part, between those two places.

    A row that names a rail is of the breadboard, the others of the console.
    """
    for row in _MEASURED.finditer(guide):
        nets = breadboard if "rail" in row[0] else console
        ref, ends = row["part"], [_net_at(row[side], nets) for side in ("one", "other")]
        has = [nets.net(ref, pin) for pin in "12"]
        if sorted(ends) != sorted(has) or "" in ends:
            one, other = (name.lstrip("~") for name in has)
            yield f"between {row['one']} and {row['other']} {ref} is measured, which joins {one} and {other}."
            continue
        read = _READ.match(row["read"])
        if read and not math.isclose(
            float(read["n"]) * (1000 if read["kilo"] else 1), ohms(nets.components[ref].value)
        ):
            yield f"{ref} must read {read['n']} {read['kilo']}Ω, and is {nets.components[ref].value}."
    for row in _CONTACT.finditer(guide):
        if row["one"] != row["other"]:
            yield f"a button is measured between {row['one']} and {row['other']}; its two wires are on one plug."
    levels = list(_LEVELS.finditer(guide))
    if not levels:
        yield "no button is measured with the power on, at rest and pressed."
    for row in levels:
        if row["one"] != row["other"]:
            yield f"a button is measured at rest at {row['one']} and pressed at {row['other']}; it is one button."


def _net_at(place: str, nets: Netlist) -> str:
    """The net of "pin 11" of the header, of "J1.1", of a test point, of a rail."""
    found = _PLACE.match(place)
    if found is None:
        return RAILS.get(place, "")
    return nets.net("J10", found["pin"]) if found["pin"] else nets.net(found["ref"], found["number"] or "1")
