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
from referee.core.values import Value, stored

# -- what is kept of names -----------------------------------------------------------------------------------------


@stored("known_name")
class KnownName(Value):
    """A name that was used on this device, and at which station last."""

    station: str
    name: str


# -- facts -------------------------------------------------------------------------------------------------------


@stored("opened")
class Opened(Value):
    """A journal begins: this boot, the table's settings (`state.Setup.document()`), the contacts that are down.

    state: the table as it stands (`state_document.py`), when a journal goes on that is elsewhere or has grown long;
    underway: with a match whose beginning is not in this one. known: names used on this device, the last one first.
    release: which program is running from here on, "" where nobody has said.
    """

    at_ns: int
    boot: str
    setup: dict[str, object]
    closed: tuple[str, ...] = ()
    state: dict[str, object] | None = None
    underway: bool = False
    known: tuple[KnownName, ...] = ()
    release: str = ""


@stored("turned")
class Turned(Value):
    """The knob was turned: steps > 0 clockwise."""

    at_ns: int
    steps: int


@stored("tick")
class Tick(Value):
    """A deadline of the core fell due and every live source had been drained by a read begun after it."""

    at_ns: int


@stored("linked")
class Linked(Value):
    """A station's or an output's link came or went, e.g. link "pod:ab12", "page:" and its address.

    "phone:phone-2" goes when the device has forgotten that phone.

    stations: those that hang on it; closed: which of them are down, as a level is found and not as a press.
    """

    at_ns: int
    link: str
    up: bool
    stations: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


@stored("resumed")
class Resumed(Value):
    """The device started again: new boot id, the clock may be lower, these contacts are down.

    away_s: seconds without power, None when the wall clock cannot be trusted. asks: others may be at the table than
    before; whoever is there is asked whether the last match goes on. release: as in `Opened`.
    """

    at_ns: int
    boot: str
    away_s: int | None
    closed: tuple[str, ...] = ()
    asks: bool = False
    release: str = ""


@stored("phone_sat")
class PhoneSat(Value):
    """A paired phone takes a seat under a name, or calls the player at its seat otherwise.

    phone: its name in the device's book of phones, e.g. "phone-2"; names of people never stand there.
    """

    at_ns: int
    phone: str
    station: str
    name: str


@stored("phone_counted")
class PhoneCounted(Value):
    """A paired phone enters a team's count: whole numbers, e.g. 4 left and 28 in the Lake."""

    at_ns: int
    phone: str
    team: str
    numbers: tuple[int, ...]


@stored("phone_set")
class PhoneSet(Value):
    """The host's phone gives settings other values, one after the other: a preset brings its own and stands first."""

    at_ns: int
    phone: str
    settings: tuple[tuple[str, bool | int | str], ...]


@stored("phone_voted")
class PhoneVoted(Value):
    """A phone that speaks for a seat answers the question to all, for its team."""

    at_ns: int
    phone: str
    team: str
    yes: bool


@stored("phone_paired")
class PhonePaired(Value):
    """A phone says that two seats are one team from now on, or (together False) no longer."""

    at_ns: int
    phone: str
    stations: tuple[str, str]
    together: bool


@stored("phone_corrected")
class PhoneCorrected(Value):
    """Whoever keeps the score counts a team's past hand (1, 2, ...) otherwise: whole numbers, and why.

    reason: one of `fixing.CORRECTIONS`.
    """

    at_ns: int
    phone: str
    hand: int
    team: str
    numbers: tuple[int, ...]
    reason: str


@stored("phone_gave")
class PhoneGave(Value):
    """Whoever keeps the score gives a team points after the last hand, or takes them (below zero), and says why.

    reason: one of `adjusting.REASONS`.
    """

    at_ns: int
    phone: str
    team: str
    points: int
    reason: str


PhoneFact = PhoneSat | PhoneCounted | PhoneSet | PhoneVoted | PhonePaired | PhoneCorrected | PhoneGave
"""Whatever a phone may ask of the table."""


# -- decisions ---------------------------------------------------------------------------------------------------


class Decided(Value):
    """A decision. `undo`: the key of what the knob's list calls it; none where it cannot be taken back."""

    undo: ClassVar[str]

    @property
    def seated(self) -> tuple[str, ...]:
        """The stations of which it says that somebody sits there: behind lost rows nothing else may say so."""
        return ()


@stored("joined")
class Joined(Decided):
    """A seat sits down under a name."""

    undo: ClassVar[str] = "join"
    at_ns: int
    station: str
    name: str


@stored("left")
class Left(Decided):
    """A seat gets up in the lobby."""

    undo: ClassVar[str] = "leave"
    at_ns: int
    station: str


@stored("paired")
class Paired(Decided):
    """Two seats are one team from now on, or (together False) no longer."""

    undo: ClassVar[str] = "pair"
    at_ns: int
    stations: tuple[str, str]
    together: bool

    @property
    def seated(self) -> tuple[str, ...]:
        return self.stations


@stored("named")
class Named(Decided):
    """A seat's player has another name."""

    undo: ClassVar[str] = "name"
    at_ns: int
    station: str
    name: str


@stored("began")
class Began(Decided):
    """The match begins with the seats as they are.

    rules: every option of its game with its value, so that this match is counted by them also where another release
    has other defaults; older journals have none.
    """

    undo: ClassVar[str] = "start"
    at_ns: int
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


@stored("sat_out")
class SatOut(Decided):
    """These seats sit out until they tap at a READY; their teams keep their scores."""

    undo: ClassVar[str] = "sits_out"
    at_ns: int
    stations: tuple[str, ...]


@stored("came_back")
class CameBack(Decided):
    """A seat that sat out plays again."""

    undo: ClassVar[str] = "is_back"
    at_ns: int
    station: str


@stored("joined_late")
class JoinedLate(Decided):
    """A newcomer sits down between two hands and starts with the lowest total."""

    undo: ClassVar[str] = "newcomer"
    at_ns: int
    station: str
    name: str


@stored("moved")
class Moved(Decided):
    """A player goes on with another button."""

    undo: ClassVar[str] = "button"
    at_ns: int
    station: str
    to: str


@stored("muted")
class Muted(Decided):
    """A button calls, answers and blocks nothing from now on, or (muted False) is heard again."""

    undo: ClassVar[str] = "mute"
    at_ns: int
    station: str
    muted: bool


@stored("ruled")
class Ruled(Decided):
    """The arbiter's verdict on a call."""

    undo: ClassVar[str] = "verdict"
    at_ns: int
    verdict: Verdict


@stored("overruled")
class Overruled(Decided):
    """The table has ruled otherwise than the device measured.

    ruling: "tie" or "first" (`teams` are the callers from now on), or "false_call" (their call did not stand).
    admitted: the caller has said so; otherwise nobody knows what pressed that button.
    """

    undo: ClassVar[str] = "overrule"
    at_ns: int
    ruling: str
    teams: tuple[str, ...]
    admitted: bool = False


@stored("divided")
class Divided(Decided):
    """The table divides the callers' bonus so: (team, points) each."""

    undo: ClassVar[str] = "division"
    at_ns: int
    shares: tuple[tuple[str, Fraction], ...]


@stored("voided")
class Voided(Decided):
    """The hand does not count and is dealt again."""

    undo: ClassVar[str] = "void"
    at_ns: int


@stored("ended")
class Ended(Decided):
    """The table ends the hand: "stuck" (counted), "abandoned" (no score), or "call" by those whose button is muted."""

    undo: ClassVar[str] = "end_of_hand"
    at_ns: int
    end: str
    callers: tuple[str, ...] = ()


@stored("played")
class Played(Decided):
    """A move of the game that is played, by the game's own name for it ("knock"), and the teams that it is of."""

    undo: ClassVar[str] = "move"
    at_ns: int
    move: str
    teams: tuple[str, ...]


@stored("sealed")
class Sealed(Decided):
    """A hand is counted: team -> values of the game's fields, as (team, values) in seat order."""

    undo: ClassVar[str] = "count"
    at_ns: int
    counts: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def seated(self) -> tuple[str, ...]:
        return tuple(team for team, _ in self.counts)


@stored("corrected")
class Corrected(Decided):
    """A past hand was counted otherwise: hand 1, 2, ..., and every team's values as they are from now on.

    reason: why, where it was said (one of `fixing.CORRECTIONS`).
    """

    undo: ClassVar[str] = "correction"
    at_ns: int
    hand: int
    counts: tuple[tuple[str, tuple[int, ...]], ...]
    reason: str = ""

    @property
    def seated(self) -> tuple[str, ...]:
        return tuple(team for team, _ in self.counts)


@stored("time_out_noted")
class TimeOutNoted(Decided):
    """The table says whose the time out is, and why (`phases/timeouts.py`); team "": nobody's, they tidy.

    number: which one on record it is, from 1: the next one, or the last once more, whose place it takes. 0: not said,
    as in journals of before; then it is the last one's where the same pause has one.
    """

    undo: ClassVar[str] = "time_out"
    at_ns: int
    hand: int
    team: str
    why: str
    number: int = 0


@stored("points_given")
class PointsGiven(Decided):
    """The table gives a team points, or takes them: after so many hands, and why (a key of `adjusting.REASONS`)."""

    undo: ClassVar[str] = "points"
    at_ns: int
    after: int
    team: str
    points: Fraction
    reason: str


@stored("adjusted")
class Adjusted(Decided):
    """A setting has another value: "preset", a house rule's option name, or a field of the device's settings.

    agreed: every team has said yes to it.
    """

    undo: ClassVar[str] = "setting"
    at_ns: int
    setting: str
    value: bool | int | str
    agreed: bool = False


@stored("agreed")
class Agreed(Decided):
    """All who are there have agreed to play by these rules: the preset, and every option of its game with its value."""

    undo: ClassVar[str] = "agreement"
    at_ns: int
    rules: tuple[tuple[str, int | float | str | bool], ...]
    stations: tuple[str, ...]

    @property
    def seated(self) -> tuple[str, ...]:
        return self.stations


@stored("taught")
class Taught(Decided):
    """The table wants its first hand explained line by line, or no longer."""

    undo: ClassVar[str] = "teaching"
    at_ns: int
    on: bool


@stored("reserve_taken")
class ReserveTaken(Decided):
    """That partner of a pair holds the team's reserve from now on."""

    undo: ClassVar[str] = "reserve"
    at_ns: int
    team: str
    station: str


@stored("seats_moved")
class SeatsMoved(Decided):
    """Every player takes the next button at which somebody sits, with name, team and score."""

    undo: ClassVar[str] = "seats"
    at_ns: int


@stored("closed")
class Closed(Decided):
    """The table ends the match after this many hands; later ones are dropped."""

    undo: ClassVar[str] = "match_end"
    at_ns: int
    hands: int


@stored("undone")
class Undone(Decided):
    """The decision with this sequence number, and what followed from it, is skipped."""

    at_ns: int
    seq: int


@stored("redone")
class Redone(Decided):
    """The decision of that number, which was undone last, holds again."""

    at_ns: int
    seq: int


@stored("rematched")
class Rematched(Decided):
    """Another match begins: at the same table, or from the lobby with the seats as they are. rules: as in `Began`."""

    undo: ClassVar[str] = "rematch"
    at_ns: int
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


@stored("continued")
class Continued(Decided):
    """The match of another evening goes on, with the seats as they were."""

    undo: ClassVar[str] = "resume"
    at_ns: int


@stored("cleared")
class Cleared(Decided):
    """Everybody gets up: the lobby of another table."""

    undo: ClassVar[str] = "new_table"
    at_ns: int


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
