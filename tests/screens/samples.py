"""Sample views, easy and hard, at least one per screen type, for golden pictures, gallery and benchmark."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from referee.core.games.nertz.dialect import DIALECTS
from referee.core.messages import Label, Msg, msg
from referee.core.model import view as v
from referee.core.model.registry import all_documents, all_games, preset_name, topics_of
from referee.core.model.table import PRESET
from referee.core.model.transitions import ClaimGame
from referee.core.phases.agreement import AgreementScreen
from referee.core.phases.device import WIFI_NOTES, CheckScreen, OffScreen
from referee.core.phases.fixing import FixScreen
from referee.core.phases.points import letters_sign, letters_text
from referee.core.phases.seating import signs
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.core.units import MS, S
from referee.core.values import replace

F = Fraction
NAMES = ("Anna", "Ben", "Max", "Lea", "Jonas", "Pia", "Mia", "Tom", "Emma", "Paul", "Nina", "Finn")
LONG = (
    "Annika", "Bennet", "Maxime", "Leonie", "Günter", "Müğnol", "WWWWWW", "Jòggyq", "Ludwig", "Wilhelmina", "Øystein",
    "Ğülşen",
)  # fmt: skip
FAR = ("Christopher", "王小明", "Дмитрий", "Zoë Łukasz", "علی‌رضا", "José", "👍", "Ἀλέξανδρος")
FIELDS = (msg("field.left"), msg("field.lake", unit=10), msg("field.lake", unit=1))
HAND_VALUE = (msg("field.value", unit=10), msg("field.value", unit=1), msg("field.half"))
SEE_LOG = msg("toast.see_log")


_NERTZ = DIALECTS.values()
CALLS = (*dict.fromkeys(words.call for words in _NERTZ), msg("claim.slap"), msg("claim.last"))
PILES, STOCKS = (tuple(dict.fromkeys(getattr(words, name) for words in _NERTZ)) for name in ("pile", "stock"))
KNOCK, DECLARE = msg("seat.knock"), msg("seat.31")
LONG_CALL, LONG_PILE = (max(words, key=lambda word: len(word.key)) for words in (CALLS, PILES))
ANSWERED, LAST = (
    next(game.word for game in all_games() if isinstance(game, ClaimGame) and getattr(game, asks))
    for asks in ("answered", "accuses_first")
)
"""Calls for claims that all answer, and for games where the last press loses."""
_judged = partial(v.VerdictScreen, word=CALLS[0], hint=msg("do.show_pile"))


def label(number: int, names: tuple[str, ...] = NAMES) -> Label:
    return Label((number,), names[number - 1])


def labels(*numbers: int, names: tuple[str, ...] = NAMES) -> tuple[Label, ...]:
    return tuple(label(n, names) for n in numbers)


PAIRING = ("http://referee.local:8080/", "K7Q4XM", "HTTP://192.168.178.100:8080/J/K7Q4XM")
PAIRS = (Label((1, 5), "Anna"), Label((2, 6), "Bennet"), Label((3, 7), "Max"), Label((4, 8), "Leonie"))


def team_lines(
    totals: list[F],
    deltas: list[F] | None = None,
    who: tuple[Label, ...] | None = None,
    names: tuple[str, ...] = NAMES,
) -> tuple[v.TeamLine, ...]:
    """Return lines in seat order with their places."""
    who = who or labels(*range(1, len(totals) + 1), names=names)
    return tuple(
        v.TeamLine(
            who[i],
            total,
            place=1 + sum(t > total for t in totals),
            shared=totals.count(total) > 1,
            delta=deltas[i] if deltas else None,
        )
        for i, total in enumerate(totals)
    )


def lines(*names: str) -> tuple[Msg, ...]:
    """Return lines of the knob's list without values, by the last part of their keys."""
    return tuple(msg(f"item.{name}") for name in names)


USUAL = preset_name(PRESET)
PRESET_NAMES = (
    *("NNA Nertz", "NNA 150", "Nerts", "Nerts +25", "Reeves' Nerts"),
    *("Racing Demon", "Dutch Blitz", "Ligretto", "Solitaire Frenzy"),
)
"""A list of presets by their usual names. Not the table's own, so that a new preset changes no picture."""
RATSCREW = msg("note.game_to", game="Egyptian Ratscrew", target=50)
SNAP = msg("note.game_to", game="Snap", target=20)
COMING = msg("note.next", names=("Anna", "Ben", "Christopher", "Lea"))
LONG_PRESET = max(PRESET_NAMES, key=len)
PAUSE = lines("go_on", "stuck", "void_hand")


LIVES = (msg("told.lives", count=3), msg("told.lives", count=1), msg("told.county"), msg("told.out"))
PLACES = tuple(
    msg(f"told.{place}") for place in ("back", "middle", "front", "steps", "out", "back", "second_step", "middle")
)


def _what(key: str, undo: str) -> Msg:
    return msg(key, what=msg(f"undo.{undo}"))


def _pays(payer: int, payee: int, points: str) -> Msg:
    return msg("note.pays", who=label(payer), to=label(payee), points=points)


def _points_note(number: int, points: str, reason: str) -> Msg:
    return msg("note.points", who=label(number), points=points, reason=msg(f"reason.{reason}"))


def _deals(number: int, count: int) -> Msg:
    return msg("note.deals_count", who=label(number), count=count)


NEXT_HAND = msg("title.next_hand")


def _page(statement: str, pile: Msg) -> v.RuleScreen:
    """Return the second of three pages on a stuck table."""
    return v.RuleScreen(msg("topic.stuck"), msg(f"rule.{statement}", pile=pile), _sources(statement), 2, 3)


def _sources(statement: str) -> tuple[Msg, ...]:
    """Return the statement's sources in the first game that has it."""
    known = (s for game in all_documents() for topic in topics_of(game) for s in topic.statements)
    return tuple(msg(f"source.{name}") for name in next(s for s in known if s.key == statement).sources)


def view(screen: v.Screen, phase: str = "", **more: object) -> v.View:
    return v.View(0, 0, phase, screen, (), **more)  # type: ignore[arg-type]


FOUR = team_lines([F(64), F(51), F(38), F(12)])
HARD4 = team_lines([F(-2469, 2), F(-1234), F(1023), F(1023)], [F(-53, 2), F(0), F(28), F(-104)], names=LONG)
EIGHT = team_lines(
    [F(n) for n in (102, 102, 71, 64, 51, 38, 12, -1234)], [F(n) for n in (28, 14, 9, -6, 0, 3, 31, -26)]
)
HARD8 = team_lines([F(n, 2) for n in (-2469, -2468, 2047, 2047, -1999, 1, -1, 0)], [F(-53, 2)] * 8, names=LONG)


TWELVE = team_lines(
    [F(n) for n in (102, 98, 71, 64, 51, 38, 12, -6, 77, 64, -34, 5)],
    [F(n) for n in (28, 14, 9, -6, 0, 3, 31, -26, 17, 4, -2, 8)],
)
WON12 = team_lines([*(t.total for t in TWELVE[:-1]), F(104)])
HARD12 = team_lines(
    [F(n, 2) for n in (-2469, -2468, 2047, 2047, -1999, 1, -1, 0, 205, -2469, 2047, 88)], [F(-53, 2)] * 12, names=LONG
)


def seats(
    count: int, taken: int, names: tuple[str, ...] = NAMES, pairs: dict[int, int] | None = None
) -> tuple[v.SeatCell, ...]:
    pairs = pairs or {}
    return tuple(v.SeatCell(n, names[n - 1] if n <= taken else None, pairs.get(n)) for n in range(1, count + 1))


def cells(
    entries: list[tuple[str | None, ...]], cursors: list[int | None], names: tuple[str, ...] = NAMES
) -> tuple[v.CountCell, ...]:
    return tuple(
        v.CountCell(label(i + 1, names), fields, cursor, done=cursor is None)
        for i, (fields, cursor) in enumerate(zip(entries, cursors, strict=True))
    )


COUNT4 = cells([("0", "2", "8"), ("4", "2", None), (None, None, None), ("3", "0", "9")], [None, 2, 0, None])
COUNT8 = cells(
    [
        ("0", "2", "8"), ("3", "0", "9"), (None, None, None), ("5", "1", "7"),
        ("4", "1", None), ("13", None, None), ("2", "1", "1"), ("13", "0", None),
    ],
    [None, None, 0, None, 2, 1, None, 2],
)  # fmt: skip


def asleep(cells: tuple[v.CountCell, ...], *numbers: int) -> tuple[v.CountCell, ...]:
    """Return the same cells; those that have not counted are asleep."""
    return tuple(replace(c, asleep=not c.done and c.label.numbers[0] in numbers) for c in cells)


COUNT12 = cells(
    [
        ("0", "2", "8"), ("3", "0", "9"), (None, None, None), ("5", "1", "7"),
        ("4", "1", None), ("13", None, None), ("2", "1", "1"), ("13", "0", None),
        ("0", "0", "4"), ("7", None, None), ("13", "3", None), ("1", "2", "6"),
    ],
    [None, None, 0, None, 2, 1, None, 2, None, 1, 2, None],
)  # fmt: skip
FIXED4 = tuple(v.CountCell(label(n), ("0", "2", str(n)), 2 if n == 3 else None, n == 2) for n in range(1, 5))
VALUES = cells([("2", "7", "-"), ("3", "0", "½"), ("1", None, None), (None, None, None)], [None, None, 1, 0])
REFUSED = v.CountCell(label(2), ("13", "4", "5"), 2, False, msg("refusal.pack", sum=(13, 45), most=52))
PHOTO3 = (
    v.PhotoLine(label(1), 0, MS // 10, ((0, 3 * MS), (5 * MS, 100 * MS)), True),
    v.PhotoLine(label(2), 8 * MS, 2 * MS, ((8 * MS, 60 * MS),), True),
    v.PhotoLine(label(3), 42 * MS, MS // 2, ((42 * MS, 100 * MS),), False, late=True),
)
LAST3 = (
    v.PhotoLine(label(1), -492 * MS, MS // 10, ((0, 100 * MS),), False),
    v.PhotoLine(label(2), 8 * MS, 2 * MS, ((8 * MS, 60 * MS),), True),
    v.PhotoLine(label(3), 20 * MS, MS // 2, ((20 * MS, 100 * MS),), True),
)
PODS4 = (
    v.PhotoLine(label(1), 0, 400, ((0, 70 * MS),), True, common_ns=12 * MS),
    v.PhotoLine(label(2), 4 * MS, 400, ((4 * MS, 80 * MS),), False),
    v.PhotoLine(label(3), 10 * MS, 400, ((10 * MS, 50 * MS),), False, common_ns=5 * MS),
    v.PhotoLine(label(4), 32 * MS, 2 * MS, ((32 * MS, 80 * MS),), False),
)


EARLY = msg("claim.too_early")


def _call_views() -> dict[str, v.View]:
    anna, ben, mia = label(1), label(2), label(7)
    late = ((label(7, LONG), 9_990 * MS),)
    slow = ((PAIRS[3], 1_204 * MS), *((label(n), 1_300 * MS * n) for n in (1, 3, 5, 6)))
    clear = _judged("clear", False, (anna,), ben, 180 * MS, 20 * MS, ((ben, 180 * MS), (label(3), 310 * MS)))
    return {
        "stop": view(v.StopScreen(), invert=True),
        "verdict-vote": view(_judged("clear", False, labels(2), None, None, 20 * MS, by_vote=True)),
        "verdict-refuted": view(replace(clear, refuted=labels(5))),
        "verdict-early": view(replace(clear, word=EARLY, early=True)),
        "verdict-early-tie": view(_judged("tie", False, (anna, ben), None, 0, 20 * MS, word=EARLY, early=True)),
        "verdict-clear": view(clear),
        "verdict-air": view(replace(clear, airborne=msg("do.air_returns"))),
        "verdict-tie-air": view(_judged("tie", False, (anna, ben), None, 0, 20 * MS, airborne=msg("do.air_lands"))),
        "verdict-late": view(replace(clear, late=((mia, -12 * MS),))),
        "verdict-clear-half": view(
            _judged("clear", False, (label(8, LONG),), label(7, LONG), 9_990 * MS, 20 * MS, late, F(7, 16))
        ),
        "verdict-clear-alone": view(_judged("clear", False, (mia,), None, None, 20 * MS, (), F(0))),
        "verdict-clear-pair": view(_judged("clear", False, (PAIRS[1],), PAIRS[3], 1_204 * MS, 20 * MS, slow)),
        "stop-press": view(v.StopScreen((anna, mia, label(3)))),
        "stop-press-one": view(v.StopScreen((label(8, LONG),))),
        "verdict-last": view(v.VerdictScreen("clear", False, (anna,), ben, 180 * MS, 20 * MS, word=LAST, last=True)),
        "verdict-last-absent": view(
            v.VerdictScreen("clear", True, (label(8, LONG),), None, None, 20 * MS, word=LAST, last=True)
        ),
        "verdict-last-tie": view(
            v.VerdictScreen("tie", False, (anna, ben), None, 8 * MS, 20 * MS, word=LAST, last=True)
        ),
        "verdict-asked": view(
            v.VerdictScreen(
                "clear",
                False,
                (anna,),
                ben,
                180 * MS,
                20 * MS,
                ((ben, 180 * MS),),
                word=ANSWERED,
                answers=((anna, None), (ben, True), (mia, False)),
            )
        ),
        "verdict-asked-tie": view(
            v.VerdictScreen(
                "tie",
                True,
                labels(1, 2, names=LONG),
                None,
                8 * MS,
                20 * MS,
                word=ANSWERED,
                answers=tuple((one, None) for one in labels(*range(1, 9), names=LONG)),
            )
        ),
        "verdict-tie": view(_judged("tie", False, (anna, ben), None, 8 * MS, 20 * MS)),
        "verdict-tie-long": view(_judged("tie", False, labels(1, 2, names=LONG), None, 8 * MS, MS // 2)),
        "verdict-tie-three": view(_judged("tie", False, labels(1, 2, 3), None, 12 * MS, 20 * MS)),
        "verdict-tie-eight": view(_judged("tie", False, labels(*range(1, 9)), None, 19 * MS, 20 * MS)),
        "verdict-grey-tie": view(_judged("tie", True, (anna, ben), None, 19 * MS, 20 * MS)),
        "verdict-grey-clear": view(_judged("clear", True, (anna,), ben, 21 * MS, 20 * MS, ((ben, 21 * MS),))),
        "verdict-tie-twelve": view(_judged("tie", False, labels(*range(1, 13)), None, 19 * MS, 20 * MS)),
        "photo": view(v.PhotoScreen(20 * MS, 100 * MS, PHOTO3)),
        "photo-one": view(v.PhotoScreen(20 * MS, 100 * MS, PHOTO3[:1], alone=True)),
        "photo-pods": view(v.PhotoScreen(0, 100 * MS, PODS4)),
        "photo-last": view(v.PhotoScreen(20 * MS, 100 * MS, LAST3, last=True)),
        "photo-six": view(v.PhotoScreen(MS // 2, 50 * MS, (*PHOTO3, *PHOTO3))),
    }


_TO_100 = (msg("about.no_bonus", target=100, bonus=0),)
_HOUSE = (
    msg("item.set_stuck", choice=msg("choice.rotate")),
    msg("item.set_false", choice=-10),
    msg("item.set_tie", choice=msg("choice.ms", ms=20)),
)
_OTHERS = (
    msg("agree.river", choice=5),
    msg("agree.settlement", choice=msg("choice.each_hand")),
    msg("agree.more", n=4),
)
_STACKED = (msg("about.bonus", target=150, bonus=10), msg("agree.no_stacking"))


def _hands() -> dict[str, v.View]:
    return {
        "agreement": view(AgreementScreen(USUAL, _TO_100, 1, 2)),
        "agreement-rules": view(AgreementScreen(LONG_PRESET, _HOUSE, 2, 3, labels(3, 4, names=LONG))),
        "agreement-house": view(AgreementScreen(LONG_PRESET, _OTHERS, 3, 3, labels(*range(1, 9)))),
        "agreement-stacking": view(AgreementScreen(LONG_PRESET, _STACKED, 1, 3, (), refusable=True)),
        "ready": view(v.ReadyScreen(5, 100, labels(3, 6), FOUR[:3])),
        "ready-later": view(
            v.ReadyScreen(5, 100, labels(2, 6), FOUR, notes=(msg("note.head_start", who=label(4), s=10),))
        ),
        "ready-out": view(v.ReadyScreen(5, 100, labels(2, 6), FOUR, notes=(msg("note.sits_out", who=label(3)),))),
        "ready-out-missing": view(
            v.ReadyScreen(5, 100, labels(2), FOUR, True, notes=(msg("note.sit_out", seats=labels(3, 4)),))
        ),
        "ready-four-long": view(v.ReadyScreen(12, 100, labels(1, 2, 3, 4, names=LONG), HARD4)),
        "ready-eight": view(v.ReadyScreen(1, None, labels(*range(1, 9)), EIGHT)),
        "ready-points": view(
            v.ReadyScreen(5, 100, labels(2, 4), FOUR, notes=(_points_note(2, "-5", "penalty"), _deals(2, 14)))
        ),
        "ready-tie-break": view(
            v.ReadyScreen(
                9,
                100,
                labels(1, 2),
                FOUR,
                notes=(msg("note.tie_break", tied=labels(1, 2)), msg("note.rest", seats=labels(3, 4))),
            )
        ),
        "ready-twelve": view(v.ReadyScreen(7, 100, labels(*range(1, 13)), TWELVE)),
        "ready-twelve-eight": view(v.ReadyScreen(7, 100, labels(1, 2, 3, 5, 6, 7, 8, 12), TWELVE)),
        "ready-pairs": view(v.ReadyScreen(3, 100, PAIRS[1:3], team_lines([F(64), F(51), F(38), F(12)], who=PAIRS))),
        "ready-none": view(v.ReadyScreen(5, 100, (), FOUR)),
        "ready-emphasis": view(v.ReadyScreen(5, 100, labels(3), FOUR, emphasis=True)),
        "ready-emphasis-two": view(v.ReadyScreen(5, 100, labels(7, 5, names=LONG), FOUR, emphasis=True)),
        "ready-let-go": view(v.ReadyScreen(5, 100, labels(3), FOUR, let_go=label(3))),
        "countdown-lead": view(v.CountdownScreen(None)),
        "countdown-ready": view(v.CountdownScreen(msg("beat.ready"))),
        "countdown-set": view(v.CountdownScreen(msg("beat.set"))),
        "countdown-go": view(v.CountdownScreen(msg("beat.go")), invert=True),
        "countdown-resume": view(v.CountdownScreen(3, resuming=True)),
        "wait": view(v.WaitScreen(labels(3))),
        "wait-knob": view(v.WaitScreen((), by_knob=True)),
        "wait-let-go": view(v.WaitScreen((), held=labels(3))),
        "wait-many": view(v.WaitScreen(labels(1, 2, 5, names=LONG))),
        "playing": view(v.PlayingScreen(5, 100, 151 * S, FOUR[:2])),
        "playing-four": view(v.PlayingScreen(5, 100, 151 * S, FOUR)),
        "playing-later": view(v.PlayingScreen(5, 100, 3 * S, FOUR, later=labels(1, 2, 3), later_s=7)),
        "playing-own-go": view(v.PlayingScreen(5, 100, 10 * S, FOUR[:2], later=labels(2))),
        "playing-four-hard": view(v.PlayingScreen(123, None, 3_661 * S, HARD4)),
        "playing-eight": view(v.PlayingScreen(5, 100, 754 * S, EIGHT)),
        "playing-eight-hard": view(v.PlayingScreen(5, 100, 754 * S, HARD8), banner=SEE_LOG),
        "playing-twelve": view(v.PlayingScreen(5, 100, 754 * S, TWELVE)),
        "playing-twelve-hard": view(v.PlayingScreen(5, 100, 758 * S, HARD12), banner=SEE_LOG),
        "time-out": view(v.MenuScreen(msg("title.time_out"), (*PAUSE, _what("item.undo", "verdict")), 0, big=True)),
        "time-out-waiting": view(v.MenuScreen(msg("title.time_out"), PAUSE, 2, big=True, waiting=labels(3, 7))),
    }


def _tables() -> dict[str, v.View]:
    winner = team_lines([F(104), F(98), F(71)])
    draw = team_lines([F(104), F(104), F(71), F(12)])
    return {
        "count-two": view(v.CountScreen(5, FIELDS, COUNT4[:2])),
        "count-three": view(v.CountScreen(5, FIELDS, (*COUNT4[:2], COUNT4[2]))),
        "count-four": view(v.CountScreen(5, FIELDS, COUNT4)),
        "count-four-called": view(v.CountScreen(5, FIELDS, COUNT4, called=(FOUR[0].label,))),
        "count-four-legend": view(v.CountScreen(5, FIELDS, COUNT4, legend=True)),
        "count-four-knob": view(v.CountScreen(5, FIELDS, COUNT4, knob=True)),
        "count-four-refused": view(v.CountScreen(5, FIELDS, (COUNT4[0], REFUSED, *COUNT4[2:]))),
        "count-four-long": view(
            v.CountScreen(5, FIELDS, cells([("13", "4", "0")] * 4, [0, 1, 2, None], LONG)), banner=SEE_LOG
        ),
        "count-two-asleep": view(v.CountScreen(5, FIELDS, asleep(COUNT4[:2], 2))),
        "count-four-asleep": view(v.CountScreen(5, FIELDS, asleep(COUNT4, 2, 3))),
        "count-two-called": view(v.CountScreen(5, FIELDS, COUNT4[:2], called=(FOUR[0].label, FOUR[1].label))),
        "count-eight-called": view(v.CountScreen(5, FIELDS, COUNT8, called=(FOUR[3].label,))),
        "count-eight": view(v.CountScreen(5, FIELDS, COUNT8)),
        "count-eight-legend": view(v.CountScreen(5, FIELDS, (*COUNT8[:1], REFUSED, *COUNT8[2:]), legend=True)),
        "count-twelve": view(v.CountScreen(5, FIELDS, COUNT12)),
        "count-twelve-second": view(v.CountScreen(5, FIELDS, COUNT12, knob=True), page=1),
        "fix-four": view(FixScreen(3, FIELDS, tuple(replace(c, done=False, cursor=None) for c in FIXED4))),
        "fix-four-changed": view(FixScreen(12, FIELDS, FIXED4, changed=True)),
        "fix-eight": view(FixScreen(12, FIELDS, (*COUNT8[:1], REFUSED, *COUNT8[2:]), changed=True)),
        "standings-corrected": view(v.StandingsScreen(5, (replace(FOUR[0], corrected=True, delta=F(9)), *FOUR[1:]))),
        "standings-twelve": view(v.StandingsScreen(5, TWELVE)),
        "standings-twelve-hard": view(v.StandingsScreen(5, HARD12), toast=_what("toast.undone", "verdict")),
        "standings-two": view(v.StandingsScreen(5, team_lines([F(64), F(51)], [F(28), F(14)]))),
        "standings-four": view(
            v.StandingsScreen(5, team_lines([F(102), F(98), F(-34), F(64)], [F(28), F(14), F(-6), F(9)]))
        ),
        "standings-four-hard": view(v.StandingsScreen(5, HARD4)),
        "standings-pairs": view(v.StandingsScreen(5, team_lines([F(64), F(51), F(38), F(12)], [F(9)] * 4, PAIRS))),
        "standings-eight": view(v.StandingsScreen(5, EIGHT)),
        "standings-eight-gains": view(v.StandingsScreen(5, EIGHT, gains=True)),
        "standings-twelve-gains": view(v.StandingsScreen(5, TWELVE, gains=True)),
        "standings-eight-hard": view(v.StandingsScreen(5, HARD8)),
        "standings-eight-toast": view(v.StandingsScreen(5, EIGHT), toast=_what("toast.undone", "verdict")),
        "over": view(v.OverScreen(9, (winner[0].label,), winner)),
        "over-pays": view(
            v.OverScreen(9, (winner[0].label,), winner, notes=(_pays(2, 1, "12"), _pays(3, 1, "34")), note=1)
        ),
        "over-coming": view(v.OverScreen(9, (winner[0].label,), winner, notes=(COMING,), note=1)),
        "over-two": view(v.OverScreen(9, (draw[0].label, draw[1].label), draw, waiting=labels(2, 4))),
        "standings-four-far": view(
            v.StandingsScreen(3, team_lines([F(64), F(51), F(38), F(12)], [F(28), F(14), F(9), F(-6)], names=FAR))
        ),
        "over-far": view(v.OverScreen(9, labels(4, names=FAR), FOUR)),
        "over-twelve": view(v.OverScreen(9, labels(12), WON12, waiting=labels(1, 2, 9, 10, 11, 12))),
        "over-eight": view(v.OverScreen(99, labels(8, names=LONG), HARD8)),
    }


def _other() -> dict[str, v.View]:
    contest = lines("false_call", "tie", "another_first", "void_hand")
    items = (*contest, _what("item.undo", "end_of_hand"), _what("item.redo", "count"), msg("item.back"))
    named = tuple(msg("item.named", seat=n, choice=name) for n, name in ((1, "Anna"), (2, "Bennet"), (3, "Max")))
    rules = (
        msg("item.target", choice=100),
        msg("item.set_stuck", choice=msg("choice.burn")),
        msg("item.handicap", choice=msg("choice.distance")),
    )
    return {
        "lobby-empty": view(v.LobbyScreen(USUAL, 100, seats(8, 0), 0)),
        "lobby-starts": view(v.LobbyScreen(USUAL, 100, seats(4, 4), 4, starts=True)),
        "lobby-eight-starts": view(v.LobbyScreen(USUAL, 100, seats(8, 6), 6, starts=True)),
        "lobby-coming": view(v.LobbyScreen(USUAL, 100, seats(4, 1), 1, coming=COMING)),
        "lobby-game": view(
            v.LobbyScreen(USUAL, 100, seats(4, 4), 4, coming=msg("note.next_game", game="Egyptian Ratscrew"))
        ),
        "lobby-rules": view(v.LobbyScreen(USUAL, 100, seats(4, 4), 4, coming=msg("note.next_rules", game=RATSCREW))),
        "lobby-target": view(v.LobbyScreen(USUAL, 100, seats(4, 4), 4, coming=msg("note.next_game", game=SNAP))),
        "lobby-eight": view(v.LobbyScreen(USUAL, 100, seats(8, 6), 6)),
        "lobby-eight-pairs": view(v.LobbyScreen(USUAL, 100, seats(8, 8, LONG, {1: 5, 5: 1, 2: 6, 6: 2}), 6)),
        "lobby-twelve": view(v.LobbyScreen(USUAL, 100, seats(12, 11), 11)),
        "lobby-twelve-second": view(v.LobbyScreen(USUAL, 100, seats(12, 11, pairs={9: 11, 11: 9}), 10), page=1),
        "lobby-four": view(v.LobbyScreen(USUAL, 100, seats(4, 3), 3)),
        "lobby-four-pairs": view(v.LobbyScreen(USUAL, 100, seats(4, 4, LONG, {1: 3, 3: 1}), 3)),
        "lobby-frenzy": view(v.LobbyScreen(LONG_PRESET, 100, seats(4, 4), 4)),
        "lobby-naming": view(v.LobbyScreen(USUAL, 100, seats(8, 6), 6, naming=5)),
        "lobby-new-name": view(v.LobbyScreen(USUAL, 100, seats(8, 6), 6, naming=5, fresh=True)),
        "lobby-long-names": view(v.LobbyScreen(USUAL, 100, seats(4, 4, FAR), 4, naming=1)),
        "phones": view(v.PhonesScreen(*PAIRING)),
        "wifi-wait": view(v.WifiScreen("home")),
        "wifi-own": view(v.WifiScreen("own", name="Table 42", password="k7q4xm2p9r")),
        "wifi-failed": view(v.WifiScreen("own", WIFI_NOTES["not_up"])),
        "card": view(v.CardScreen("http://192.168.178.123:8080/history/last")),
        "phones-address": view(v.PhonesScreen("http://192.168.178.123:8080/")),
        "name-empty": view(v.NameScreen(3, "", signs("en", ""), 0)),
        "name": view(v.NameScreen(3, "Christop", signs("de", "Christop"), 7)),
        "name-long": view(v.NameScreen(12, "Maria Theresia Wa", signs("it", "Maria Theresia Wa"), 31)),
        "name-space": view(v.NameScreen(1, "Jo", signs("en", "Jo"), 36)),
        "name-back": view(v.NameScreen(1, "Jo", signs("en", "Jo"), 39)),
        "check-four": view(CheckScreen(tuple((n, n != 3) for n in range(1, 5)), -3)),
        "check-eight": view(CheckScreen(tuple((n, n % 2 == 0) for n in range(1, 9)))),
        "check-twelve": view(CheckScreen(tuple((n, n % 2 == 0) for n in range(1, 13)))),
        "off": view(OffScreen(15)),
        "offer": view(OfferScreen("0.2.0")),
        "offer-long": view(OfferScreen("10.10.10")),
        "update": view(UpdateScreen("0.2.0")),
        "rule": view(_page("stuck_burn_pile", PILES[0])),
        "rule-short": view(v.RuleScreen(msg("topic.touching"), msg("rule.touching_never"), _sources("touching_never"))),
        "rule-long": view(_page("withholding_aces", LONG_PILE), toast=msg("toast.let_go", seat=3), banner=SEE_LOG),
        "lobby-hint": view(v.LobbyScreen(USUAL, None, seats(8, 3), 1, hint=msg("hint.two_at_a_time")), banner=SEE_LOG),
        "menu": view(v.MenuScreen(NEXT_HAND, (msg("item.start", count=4), msg("item.back")), 0)),
        "menu-middle": view(v.MenuScreen(NEXT_HAND, items, 4)),
        "menu-presets": view(
            v.MenuScreen(NEXT_HAND, PRESET_NAMES, 1, about=msg("about.bonus", target=150, bonus=10)),
        ),
        "menu-value": view(v.MenuScreen(NEXT_HAND, (*named, msg("item.back")), 1, value="WWWWWW")),
        "menu-rules": view(
            v.MenuScreen(
                NEXT_HAND,
                (*rules, msg("item.back")),
                2,
                value=msg("choice.negative_three"),
                about=msg("about.negative_three"),
            )
        ),
        "menu-offered": view(
            v.MenuScreen(
                msg("title.close", who=labels(1, 2)),
                lines("stands", "false_call", "another_first", "divide_bonus", "photo", "void_hand", "back"),
                0,
            )
        ),
        "menu-tidy": view(v.MenuScreen(msg("title.tidy"), lines("go_on", "void_hand", "end_hand"), 0, big=True)),
        "menu-points": view(
            v.MenuScreen(
                msg("item.give_points"),
                tuple(msg("item.points", seat=n, name=NAMES[n - 1], choice=0) for n in (1, 2, 3)),
                1,
                value="-5",
            )
        ),
        "menu-last": view(v.MenuScreen(NEXT_HAND, items, 6, waiting=labels(1, 2))),
        "power-back": view(v.PowerBackScreen(720, 5, 151 * S, "PLAYING", labels(1, 2, 3, 4))),
        "power-back-unknown": view(v.PowerBackScreen(None, 123, None, "COUNTING")),
    }


def _turns() -> dict[str, v.View]:
    four, names = labels(1, 2, 3, 4), ("♥♥♥", "♥", "⌂", "✗")
    lives = tuple(
        replace(t, shown=s, told=told)
        for t, s, told in zip(team_lines([F(3), F(1), F(0), F(0)], who=four), names, LIVES, strict=True)
    )
    bus = ("■□□_", "□■□_", "□□■_", "□□□■", "✗", "■□□_", "□□□■", "□■□_")
    riders = team_lines([F(n) for n in (3, 2, 1, 0, 0, 3, 0, 2)], [F(-n) for n in (0, 1, 2, 1, 1, 0, 1, 0)])
    eight = tuple(replace(t, shown=s, told=told) for t, s, told in zip(riders, bus, PLACES, strict=True))
    points = team_lines([F(4), F(4), F(11)])
    letters = tuple(
        replace(
            line,
            shown=letters_sign("SPOONS", 5 - int(line.total), 5),
            told=letters_text("SPOONS", 5 - int(line.total), 5),
            tells_gain=False,
        )
        for line in team_lines([F(4), F(1), F(5)], [F(0), F(-1), F(0)])
    )
    knock, late = v.SeatQuestion(four[0], KNOCK), v.SeatQuestion(four[2], DECLARE)
    return {
        "turn": view(v.TurnScreen(5, None, four[1], lives)),
        "turn-minimum": view(v.TurnScreen(5, None, label(8, LONG), lives, minimum=21)),
        "turn-points": view(v.TurnScreen(12, 31, four[2], points)),
        "turn-eight": view(v.TurnScreen(1, None, label(7, LONG), eight)),
        "turn-twelve": view(v.TurnScreen(5, 31, label(12), TWELVE)),
        "turn-knocked": view(v.TurnScreen(5, None, four[2], lives, knocker=four[0], left=2)),
        "turn-own-discard": view(v.TurnScreen(9, None, four[1], lives[:2], knocker=four[0], left=1, own_discard=True)),
        "turn-look": view(v.TurnScreen(5, None, four[1], lives, look=label(5, LONG))),
        "turn-knock": view(v.TurnScreen(5, None, four[0], lives, questions=(knock,))),
        "turn-two-ask": view(v.TurnScreen(5, None, four[0], lives, questions=(knock, late))),
        "declared": view(v.DeclaredScreen(four[:1], four[1:], (), 12)),
        "declared-two": view(v.DeclaredScreen(four[:2], four[2:], (late,), 3)),
        "declared-seen": view(
            v.DeclaredScreen(labels(7, names=LONG), (), (), 15), toast=_what("toast.undone", "knock")
        ),
        "standings-lives": view(v.StandingsScreen(4, lives)),
        "playing-rounds": view(v.PlayingScreen(3, 20, 61 * S, FOUR), rounds=True),
        "playing-answered": view(
            v.PlayingScreen(4, 20, 90 * S, FOUR), rounds=True, toast=msg("toast.claim_wrong", who=labels(2), count=1)
        ),
        "standings-letters": view(v.StandingsScreen(4, letters), rounds=True),
        "standings-bus": view(v.StandingsScreen(4, eight)),
        "over-lives": view(v.OverScreen(9, four[:1], lives)),
        "ready-lives": view(v.ReadyScreen(5, None, labels(3), lives, notes=(msg("note.deals", who=label(1)),))),
        "count-values": view(v.CountScreen(5, HAND_VALUE, VALUES, True)),
    }


def votes(*said: bool | None, names: tuple[str, ...] = NAMES) -> tuple[tuple[Label, bool | None], ...]:
    return tuple((label(i + 1, names), one) for i, one in enumerate(said))


def _arguments() -> dict[str, v.View]:
    five, eight = votes(True, True, False, True, None), votes(*(True, False, None) * 2, True, True)
    twelve = votes(*(True, False, None, True) * 3)
    pairs = tuple(zip(PAIRS, (True, None, False, None), strict=True))
    return {
        "vote": view(v.VoteScreen(msg("ask.false_call"), labels(1), five, 12, admits=True)),
        "vote-tie-eight": view(v.VoteScreen(msg("ask.tie"), labels(7, 8, names=LONG), eight, 15)),
        "vote-twelve": view(v.VoteScreen(msg("ask.false_call"), labels(12), twelve, 12, admits=True)),
        "vote-asleep": view(v.VoteScreen(msg("ask.false_call"), labels(1), five, 12, admits=True, asleep=labels(5))),
        "vote-pairs": view(v.VoteScreen(msg("ask.first"), PAIRS[3:], pairs, 3), banner=SEE_LOG),
        "vote-void": view(v.VoteScreen(msg("ask.void_hand"), (), votes(None, None), 15)),
        "call-now": view(v.CallNowScreen(5)),
        "search": view(v.SearchScreen(2, 2, 4, labels(2, 4))),
        "search-once": view(v.SearchScreen(1, 0, 8, labels(*range(1, 9)))),
        "search-twelve": view(v.SearchScreen(2, 0, 12, labels(*range(1, 13)))),
        "burn-three": view(v.BurnScreen(3, "stream", 1)),
        "burn": view(v.BurnScreen(msg("beat.burn"), "stream", 2), invert=True),
        "burn-reserve": view(v.BurnScreen(1, "reserve", 12)),
        "burn-hand": view(v.BurnScreen(1, "hand", 2)),
        "burn-hand-now": view(v.BurnScreen(msg("beat.now"), "hand", 2), invert=True),
        "burn-stock": view(v.BurnScreen(2, "stock", 1)),
    }


def taught(screen: v.Screen, *lines: Msg, line: int = 0, banner: Msg | None = None) -> v.View:
    """Return a view with one of the newcomers' lines."""
    return view(screen, lesson=lines, lesson_line=line, banner=banner)


def _lessons() -> dict[str, v.View]:
    pile, stock = LONG_PILE, STOCKS[0]
    knock = msg("teach.knock_hold")
    row, rest = msg("teach.row", cards=4, row=msg("row.piles")), msg("teach.stock", stock=stock, cards=35)
    press = msg("teach.may_press", pile=pile, call=LONG_CALL)
    left = msg("teach.left", left=msg("field.left"), pile=pile)
    lives = tuple(replace(line, shown="♥♥♥") for line in FOUR)
    return {
        "ready-lesson": taught(v.ReadyScreen(1, 100, labels(2, 3), FOUR), row, rest),
        "ready-lesson-eight": taught(v.ReadyScreen(1, 100, labels(*range(1, 9)), EIGHT), row, rest, line=1),
        "playing-lesson": taught(v.PlayingScreen(1, 100, 31 * S, FOUR), press),
        "turn-lesson": taught(v.TurnScreen(1, None, label(2), lives[:3]), knock),
        "search-lesson": taught(v.SearchScreen(2, 2, 4, labels(2, 4)), msg("teach.then_burn", stock=stock)),
        "count-lesson-three": taught(v.CountScreen(1, FIELDS, COUNT4[:3], legend=True), left),
        "count-lesson-four": taught(v.CountScreen(1, FIELDS, COUNT4, legend=True), left),
        "lesson-banner": taught(v.PlayingScreen(1, 100, 31 * S, FOUR), press, banner=SEE_LOG),
    }


def samples() -> dict[str, v.View]:
    """Return every sample view by its name."""
    return _other() | _hands() | _call_views() | _arguments() | _tables() | _turns() | _lessons()
