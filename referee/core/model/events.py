"""Every event and cue, on one page.

*Facts* come from outside: edge rows, the knob, the passing of a deadline, a link lost or back, a new boot. *Decisions*
are what `advance` concluded from them; the Engine appends each as the next event, a table that comes back applies them
as they stand, and replay derives them again and compares. `undo` is what the knob's list calls a decision that can be
stepped over. `at_ns` is the host's CLOCK_MONOTONIC in ns at which the core
took the event; it never falls, except at `Resumed`, where a new boot starts it again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from referee.core.presses.arbiter import Verdict
from referee.core.presses.signals import Edge
from referee.core.values import Value

# -- what is kept of names -----------------------------------------------------------------------------------------


class KnownName(Value, tag="known_name"):
    """A name that was used on this device, and at which station last."""

    station: str
    name: str


# -- facts -------------------------------------------------------------------------------------------------------


class Happened(Value):
    """A fact or a decision, taken at `at_ns`."""

    at_ns: int


class Opened(Happened, tag="opened"):
    """A journal begins: this boot, the table's settings (`state.Setup.document()`), the contacts that are down.

    state: the table as it is (`stored.py`), when an evening begins with one. known: names used on this device,
    the last one first.
    release: which program is running from here on, "" where nobody has said.
    """

    boot: str
    setup: dict[str, object]
    closed: tuple[str, ...] = ()
    state: dict[str, object] | None = None
    known: tuple[KnownName, ...] = ()
    release: str = ""


class Turned(Happened, tag="turned"):
    """The knob was turned: steps > 0 clockwise."""

    steps: int


class Tick(Happened, tag="tick"):
    """A deadline of the core fell due and every live source had been drained by a read begun after it."""


class Linked(Happened, tag="linked"):
    """A station's or an output's link came or went, e.g. link "pod:ab12", "page:" and its address.

    "phone:phone-2" goes when the device has forgotten that phone.

    stations: those that hang on it; closed: which of them are down, as a level is found and not as a press.
    """

    link: str
    up: bool
    stations: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


class Resumed(Happened, tag="resumed"):
    """The device started again: new boot id, the clock may be lower, these contacts are down.

    away_s: seconds without power, None when the wall clock cannot be trusted. asks: others may be at the table than
    before; whoever is there is asked whether the last match goes on. release: as in `Opened`.
    """

    boot: str
    away_s: int | None
    closed: tuple[str, ...] = ()
    asks: bool = False
    release: str = ""


class FromPhone(Happened):
    """What a paired phone asks for. phone: its name in the book of phones, e.g. "phone-2"; no name of a person."""

    phone: str


class PhoneSat(FromPhone, tag="phone_sat"):
    """A paired phone takes a seat under a name, or calls the player at its seat otherwise."""

    station: str
    name: str


class PhoneCounted(FromPhone, tag="phone_counted"):
    """A paired phone enters a team's count: whole numbers, e.g. 4 left and 28 in the Lake."""

    team: str
    numbers: tuple[int, ...]


class PhoneSet(FromPhone, tag="phone_set"):
    """The host's phone gives settings other values, one after the other: a preset brings its own and stands first."""

    settings: tuple[tuple[str, bool | int | str], ...]


class PhoneVoted(FromPhone, tag="phone_voted"):
    """A phone that speaks for a seat answers the question to all, for its team."""

    team: str
    yes: bool


class PhonePaired(FromPhone, tag="phone_paired"):
    """A phone says that two seats are one team from now on, or (together False) no longer."""

    stations: tuple[str, str]
    together: bool


class PhoneCorrected(FromPhone, tag="phone_corrected"):
    """Whoever keeps the score counts a team's past hand (1, 2, ...) otherwise: whole numbers, and why.

    reason: one of `fixing.CORRECTIONS`.
    """

    hand: int
    team: str
    numbers: tuple[int, ...]
    reason: str


class PhoneGave(FromPhone, tag="phone_gave"):
    """Whoever keeps the score gives a team points after the last hand, or takes them (below zero), and says why.

    reason: one of `adjusting.REASONS`.
    """

    team: str
    points: int
    reason: str


PhoneFact = PhoneSat | PhoneCounted | PhoneSet | PhoneVoted | PhonePaired | PhoneCorrected | PhoneGave
"""Whatever a phone may ask of the table."""


# -- decisions ---------------------------------------------------------------------------------------------------


class Decided(Happened):
    """A decision. `undo`: the key of what the knob's list calls it; none where it cannot be taken back."""

    undo: ClassVar[str]


class Joined(Decided, tag="joined"):
    """A seat sits down under a name."""

    undo: ClassVar[str] = "join"
    station: str
    name: str


class Left(Decided, tag="left"):
    """A seat gets up in the lobby."""

    undo: ClassVar[str] = "leave"
    station: str


class Paired(Decided, tag="paired"):
    """Two seats are one team from now on, or (together False) no longer."""

    undo: ClassVar[str] = "pair"
    stations: tuple[str, str]
    together: bool


class Named(Decided, tag="named"):
    """A seat's player has another name."""

    undo: ClassVar[str] = "name"
    station: str
    name: str


class Began(Decided, tag="began"):
    """The match begins with the seats as they are.

    rules: every option of its game with its value, so that this match is counted by them also where another release
    has other defaults.
    """

    undo: ClassVar[str] = "start"
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


class SatOut(Decided, tag="sat_out"):
    """These seats sit out until they tap at a READY; their teams keep their scores."""

    undo: ClassVar[str] = "sits_out"
    stations: tuple[str, ...]


class CameBack(Decided, tag="came_back"):
    """A seat that sat out plays again."""

    undo: ClassVar[str] = "is_back"
    station: str


class JoinedLate(Decided, tag="joined_late"):
    """A newcomer sits down between two hands and starts with the lowest total."""

    undo: ClassVar[str] = "newcomer"
    station: str
    name: str


class Moved(Decided, tag="moved"):
    """A player goes on with another button."""

    undo: ClassVar[str] = "button"
    station: str
    to: str


class Muted(Decided, tag="muted"):
    """A button calls, answers and blocks nothing from now on, or (muted False) is heard again."""

    undo: ClassVar[str] = "mute"
    station: str
    muted: bool


class Ruled(Decided, tag="ruled"):
    """The arbiter's verdict on a call."""

    undo: ClassVar[str] = "verdict"
    verdict: Verdict


class Overruled(Decided, tag="overruled"):
    """The table has ruled otherwise than the device measured.

    ruling: "tie" or "first" (`teams` are the callers from now on), or "false_call" (their call did not stand).
    admitted: the caller has said so; otherwise nobody knows what pressed that button.
    """

    undo: ClassVar[str] = "overrule"
    ruling: str
    teams: tuple[str, ...]
    admitted: bool = False


class Divided(Decided, tag="divided"):
    """The table divides the callers' bonus so: (team, points) each."""

    undo: ClassVar[str] = "division"
    shares: tuple[tuple[str, Fraction], ...]


class Voided(Decided, tag="voided"):
    """The hand does not count and is dealt again."""

    undo: ClassVar[str] = "void"


class Ended(Decided, tag="ended"):
    """The table ends the hand: "stuck" (counted), "abandoned" (no score), or "call" by those whose button is muted."""

    undo: ClassVar[str] = "end_of_hand"
    end: str
    callers: tuple[str, ...] = ()


class Played(Decided, tag="played"):
    """A move of the game that is played, by the game's own name for it ("knock"), and the teams that it is of."""

    undo: ClassVar[str] = "move"
    move: str
    teams: tuple[str, ...]


class Sealed(Decided, tag="sealed"):
    """A hand is counted: team -> values of the game's fields, as (team, values) in seat order."""

    undo: ClassVar[str] = "count"
    counts: tuple[tuple[str, tuple[int, ...]], ...]


class Corrected(Decided, tag="corrected"):
    """A past hand was counted otherwise: hand 1, 2, ..., and every team's values as they are from now on.

    reason: why, where it was said (one of `fixing.CORRECTIONS`).
    """

    undo: ClassVar[str] = "correction"
    hand: int
    counts: tuple[tuple[str, tuple[int, ...]], ...]
    reason: str = ""


class TimeOutNoted(Decided, tag="time_out_noted"):
    """The table says whose the time out is, and why (`phases/timeouts.py`); team "": nobody's, they tidy.

    number: which one on record it is, from 1: the next one, or the last once more, whose place it takes.
    """

    undo: ClassVar[str] = "time_out"
    hand: int
    team: str
    why: str
    number: int


class PointsGiven(Decided, tag="points_given"):
    """The table gives a team points, or takes them: after so many hands, and why (a key of `adjusting.REASONS`)."""

    undo: ClassVar[str] = "points"
    after: int
    team: str
    points: Fraction
    reason: str


class Adjusted(Decided, tag="adjusted"):
    """A setting has another value: "preset", a house rule's option name, or a field of the device's settings.

    agreed: every team has said yes to it.
    """

    undo: ClassVar[str] = "setting"
    setting: str
    value: bool | int | str
    agreed: bool = False


class Agreed(Decided, tag="agreed"):
    """All who are there have agreed to play by these rules: the preset, and every option of its game with its value."""

    undo: ClassVar[str] = "agreement"
    rules: tuple[tuple[str, int | float | str | bool], ...]
    stations: tuple[str, ...]


class Taught(Decided, tag="taught"):
    """The table wants its first hand explained line by line, or no longer."""

    undo: ClassVar[str] = "teaching"
    on: bool


class ReserveTaken(Decided, tag="reserve_taken"):
    """That partner of a pair holds the team's reserve from now on."""

    undo: ClassVar[str] = "reserve"
    team: str
    station: str


class SeatsMoved(Decided, tag="seats_moved"):
    """Every player takes the next button at which somebody sits, with name, team and score."""

    undo: ClassVar[str] = "seats"


class Closed(Decided, tag="closed"):
    """The table ends the match after this many hands; later ones are dropped."""

    undo: ClassVar[str] = "match_end"
    hands: int


class Undone(Decided, tag="undone"):
    """The decision with this sequence number, and what followed from it, is skipped."""

    seq: int


class Redone(Decided, tag="redone"):
    """The decision of that number, which was undone last, holds again."""

    seq: int


class Rematched(Decided, tag="rematched"):
    """Another match begins: at the same table, or from the lobby with the seats as they are. rules: as in `Began`."""

    undo: ClassVar[str] = "rematch"
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


class Continued(Decided, tag="continued"):
    """The match of another evening goes on, with the seats as they were."""

    undo: ClassVar[str] = "resume"


class Cleared(Decided, tag="cleared"):
    """Everybody gets up: the lobby of another table."""

    undo: ClassVar[str] = "new_table"


Fact = Opened | Edge | Turned | Tick | Linked | Resumed | PhoneFact
Decision = (
    SatOut
    | CameBack
    | JoinedLate
    | Moved
    | Muted
    | Joined
    | Left
    | Paired
    | Named
    | Began
    | Ruled
    | Overruled
    | Divided
    | Voided
    | Ended
    | Played
    | Sealed
    | Corrected
    | PointsGiven
    | TimeOutNoted
    | Adjusted
    | Taught
    | Agreed
    | ReserveTaken
    | SeatsMoved
    | Closed
    | Undone
    | Redone
    | Rematched
    | Continued
    | Cleared
)
Event = Fact | Decision


# -- cues --------------------------------------------------------------------------------------------------------


class Cue(Value):
    """A sound to make at `at_ns`, now or in the future; `cancels` drops whatever is still pending before it.

    Names: call, verdict_clear, verdict_tie, verdict_grey, verdict_last, claim_right, claim_wrong, false_start, beat,
    go, stop_start, refused, time_out, burn, all_counted, asked, winner, power_back, fault; "hush" makes no sound.
    `urgent` cues do not wait for the journal.
    """

    name: str
    at_ns: int
    urgent: bool = False
    cancels: bool = False
