"""The events that change a match, and the sounds (cues) that the core asks for.

*Facts* come from outside: edge rows (changes of a button's contact), the knob, a deadline that has passed, a link lost
or back, a restart of the device. *Decisions* are what the core concludes from facts. The Engine (match/engine.py)
appends each decision as the next event. A table that resumes after a restart applies the recorded decisions unchanged;
replay derives them again and compares.

`undo` is the text key that names a decision in the menu line "Undo ...". `at_ns` is the host's CLOCK_MONOTONIC in ns
at which the core took the event. It never decreases, except at `Resumed`, where a restart begins the clock again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from referee.core.presses.arbiter import Verdict
from referee.core.presses.signals import Edge
from referee.core.values import Value

# -- known names ---------------------------------------------------------------------------------------------------


class KnownName(Value, tag="known_name"):
    """A player's name used on this device, with its last station and its head start."""

    station: str
    name: str
    head_start_s: int = 0


# -- facts -------------------------------------------------------------------------------------------------------


class Happened(Value):
    """A fact or a decision. `at_ns`: when the core processed it."""

    at_ns: int


class Opened(Happened, tag="opened"):
    """The first event of a journal (the file with all events of an evening).

    boot: the boot id. setup: the table's settings (`table.Setup.document()`). closed: stations whose button is down.
    state: the initial state (`stored.py`), if the evening begins with one. known: names used on this device, the most
    recent first. release: the version of the running program, "" if unknown.
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
    """A deadline of the core has passed, and all edges stamped up to it have been read.

    After the deadline, the program reads each connected source until it is empty, then sends this event.
    """


class Linked(Happened, tag="linked"):
    """A connection (link) to buttons, to a phone or to the web page came up or went down.

    link: "pod:ab12": that pod. "page:" and an address: the web page. "phone:phone-2" down: the device has forgotten
    that phone. "seat:phone-2" up: that phone's page shows its seat's button. "phone-button:phone-2" down: the
    device no longer receives that button's presses. "clock:" and a number: the wall clock can be trusted; the number
    is its local time in s at the instant 0 of the host's clock. "wifi:": the device has Wi-Fi that it can switch.
    "update:" and a version: this version can be installed; "update:" alone: none can, or the installation failed.
    stations: the stations whose buttons use the link. closed: those of these stations whose button is down now; this
    does not count as a press.
    """

    link: str
    up: bool
    stations: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


class Offered(Happened, tag="offered"):
    """A hall names the next players at this table, or none. Their station is "". game, options: what they play."""

    people: tuple[KnownName, ...]
    game: str = ""
    options: tuple[tuple[str, bool | int | str], ...] = ()


class RowsKnown(Happened, tag="rows_known"):
    """A phone has shown that all touches of its button from before `until_ns` have arrived."""

    station: str
    until_ns: int


class Resumed(Happened, tag="resumed"):
    """The device restarted. The boot id is new, and the host's clock may show a lower value.

    away_s: seconds without power, None if the wall clock cannot be trusted. closed: stations whose button is down.
    asks: whether the device opens the menu to ask if the same people play on, because others may be at the table now.
    release: as in `Opened`.
    """

    boot: str
    away_s: int | None
    closed: tuple[str, ...] = ()
    asks: bool = False
    release: str = ""


class PhoneFact(Happened):
    """A request from a paired phone.

    phone: the id that the device gave it ("phone-2"), not a person's name.
    """

    phone: str


class PhoneSat(PhoneFact, tag="phone_sat"):
    """A paired phone takes a seat under a name, or renames the player at its seat."""

    station: str
    name: str


class PhoneCounted(PhoneFact, tag="phone_counted"):
    """A paired phone enters a team's count as whole numbers.

    For example 4 cards left and 28 on the foundations.
    """

    team: str
    numbers: tuple[int, ...]


class PhoneSet(PhoneFact, tag="phone_set"):
    """A phone with the role "host" changes settings, in the given order.

    A preset must be the first setting, because choosing a preset resets all options.
    """

    settings: tuple[tuple[str, bool | int | str], ...]


class PhoneVoted(PhoneFact, tag="phone_voted"):
    """A paired phone answers a vote for the team of its seat."""

    team: str
    yes: bool


class PhonePaused(PhoneFact, tag="phone_paused"):
    """A seated player's phone asks for a time out or (`pause` False) ends it."""

    pause: bool


class PhoneStarted(PhoneFact, tag="phone_started"):
    """A host's phone begins the match in the lobby."""


class PhonePaired(PhoneFact, tag="phone_paired"):
    """A phone makes two seats one team, or (`together` False) separates them."""

    stations: tuple[str, str]
    together: bool


class PhoneCorrected(PhoneFact, tag="phone_corrected"):
    """A scorekeeper's phone corrects a team's count of a past hand (1, 2, ...).

    numbers: the new count, as in `PhoneCounted`. reason: one of `fixing.CORRECTIONS`.
    """

    hand: int
    team: str
    numbers: tuple[int, ...]
    reason: str


class PhoneGave(PhoneFact, tag="phone_gave"):
    """A scorekeeper's phone gives a team points after the last hand; a negative number deducts.

    reason: one of `adjusting.REASONS`.
    """

    team: str
    points: int
    reason: str


# -- decisions ---------------------------------------------------------------------------------------------------


class Decision(Happened):
    """A conclusion of the core from facts; it changes the match.

    `undo`: the key of the decision's name in the menu line "Undo ...". Only `Undone` and `Redone` have none.
    """

    undo: ClassVar[str]


class Joined(Decision, tag="joined"):
    """A player joins at a seat under a name."""

    undo: ClassVar[str] = "join"
    station: str
    name: str


class Left(Decision, tag="left"):
    """A player leaves a seat in the lobby."""

    undo: ClassVar[str] = "leave"
    station: str


class Paired(Decision, tag="paired"):
    """Two seats become one team, or (`together` False) separate."""

    undo: ClassVar[str] = "pair"
    stations: tuple[str, str]
    together: bool


class Named(Decision, tag="named"):
    """A player's name changes."""

    undo: ClassVar[str] = "name"
    station: str
    name: str


class HeadStartSet(Decision, tag="head_start_set"):
    """The player at this station starts later from the next hand on, by this many seconds."""

    undo: ClassVar[str] = "head_start"
    station: str
    seconds: int


class HomeBySet(Decision, tag="home_by_set"):
    """The players set the time of day at which they want to be home.

    by_s: this time, in s of the local wall clock; 0: no time.
    """

    undo: ClassVar[str] = "home_by"
    by_s: int


class Began(Decision, tag="began"):
    """The match begins with the current seats.

    rules: every option of the game with its value. So a later release with other defaults gives this match the same
    scores.
    """

    undo: ClassVar[str] = "start"
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


class SatOut(Decision, tag="sat_out"):
    """These seats sit out until they tap in the phase READY; their teams keep their scores."""

    undo: ClassVar[str] = "sits_out"
    stations: tuple[str, ...]


class CameBack(Decision, tag="came_back"):
    """A seat that sat out plays again."""

    undo: ClassVar[str] = "is_back"
    station: str


class JoinedLate(Decision, tag="joined_late"):
    """A new player joins between two hands and starts with the lowest total."""

    undo: ClassVar[str] = "newcomer"
    station: str
    name: str


class Moved(Decision, tag="moved"):
    """A player changes to another button."""

    undo: ClassVar[str] = "button"
    station: str
    to: str


class Muted(Decision, tag="muted"):
    """Mute or unmute a button.

    Presses of a muted button are ignored, and no question waits for its answer.
    """

    undo: ClassVar[str] = "mute"
    station: str
    muted: bool


class Ruled(Decision, tag="ruled"):
    """The arbiter's verdict on a call."""

    undo: ClassVar[str] = "verdict"
    verdict: Verdict


class Overruled(Decision, tag="overruled"):
    """The players replace the arbiter's verdict, after a vote.

    ruling: "tie" or "first" (`teams` are the new callers), or "false_call" (the call of `teams` is invalid).
    admitted: the caller has admitted the false call; otherwise it is not known what caused the press.
    """

    undo: ClassVar[str] = "overrule"
    ruling: str
    teams: tuple[str, ...]
    admitted: bool = False


class Divided(Decision, tag="divided"):
    """The players divide the bonus between tied callers: (team, points) for each."""

    undo: ClassVar[str] = "division"
    shares: tuple[tuple[str, Fraction], ...]


class Voided(Decision, tag="voided"):
    """The hand does not count and is dealt again."""

    undo: ClassVar[str] = "void"


class Ended(Decision, tag="ended"):
    """The players end the hand without a press that counts as a call.

    end: "stuck" (no player can play; the hand is counted), "abandoned" (the hand has no score) or "call" (`callers`
    called aloud, because their button is muted).
    """

    undo: ClassVar[str] = "end_of_hand"
    end: str
    callers: tuple[str, ...] = ()


class Played(Decision, tag="played"):
    """A game's own move, such as "knock" in 31: its name, and the teams that made it."""

    undo: ClassVar[str] = "move"
    move: str
    teams: tuple[str, ...]


class Sealed(Decision, tag="sealed"):
    """The final count of a hand: (team, values of the game's fields), in seat order."""

    undo: ClassVar[str] = "count"
    counts: tuple[tuple[str, tuple[int, ...]], ...]


class Corrected(Decision, tag="corrected"):
    """A correction to a past hand (1, 2, ...): the new values of every team.

    reason: one of `fixing.CORRECTIONS`, or "" if none was given.
    """

    undo: ClassVar[str] = "correction"
    hand: int
    counts: tuple[tuple[str, tuple[int, ...]], ...]
    reason: str = ""


class TimeOutNoted(Decision, tag="time_out_noted"):
    """The players say which team took the timeout, and why (`phases/timeouts.py`).

    team: "" if no team took it (a break to tidy up). number: the timeout's number in the match, from 1. If the last
    recorded timeout has this number, the event replaces that record.
    """

    undo: ClassVar[str] = "time_out"
    hand: int
    team: str
    why: str
    number: int


class PointsGiven(Decision, tag="points_given"):
    """The players give points to a team or deduct them.

    after: the points count after this number of hands. reason: one of `adjusting.REASONS`.
    """

    undo: ClassVar[str] = "points"
    after: int
    team: str
    points: Fraction
    reason: str


class Adjusted(Decision, tag="adjusted"):
    """A setting changes: "preset", an option of the rules, or a field of the device's settings.

    agreed: every team has agreed to it.
    """

    undo: ClassVar[str] = "setting"
    setting: str
    value: bool | int | str
    agreed: bool = False


class Agreed(Decision, tag="agreed"):
    """The players present have agreed on the rules.

    rules: the preset, and every option of its game with its value.
    """

    undo: ClassVar[str] = "agreement"
    rules: tuple[tuple[str, int | float | str | bool], ...]
    stations: tuple[str, ...]


class Taught(Decision, tag="taught"):
    """Turn the explanations for newcomers on (until the next hand is recorded) or off."""

    undo: ClassVar[str] = "teaching"
    on: bool


class ReserveTaken(Decision, tag="reserve_taken"):
    """In a team of two, this partner takes the team's reserve (the pile to get rid of)."""

    undo: ClassVar[str] = "reserve"
    team: str
    station: str


class SeatsMoved(Decision, tag="seats_moved"):
    """Every player moves to the next occupied button, with name, team and score."""

    undo: ClassVar[str] = "seats"


class Closed(Decision, tag="closed"):
    """The players end the match after this number of hands; later hands are dropped."""

    undo: ClassVar[str] = "match_end"
    hands: int


class Undone(Decision, tag="undone"):
    """Undo the decision with this sequence number and everything that followed from it.

    recounts: the station whose button was held, if this opens the final count of the station's team again. The counts
    of the other teams stay done. None if the undo has another cause.
    """

    seq: int
    recounts: str | None = None


class Redone(Decision, tag="redone"):
    """Restore the decision with this sequence number: the one that was undone last."""

    seq: int


class Rematched(Decision, tag="rematched"):
    """Another match begins: with the same teams at the end of a match, or from the lobby.

    rules: as in `Began`.
    """

    undo: ClassVar[str] = "rematch"
    rules: tuple[tuple[str, int | float | str | bool], ...] = ()


class Continued(Decision, tag="continued"):
    """The match of an earlier evening continues with the same seats."""

    undo: ClassVar[str] = "resume"


class Cleared(Decision, tag="cleared"):
    """All players leave; the lobby of a new table opens."""

    undo: ClassVar[str] = "new_table"


Fact = Opened | Edge | Turned | Tick | Linked | Offered | RowsKnown | Resumed | PhoneFact
Event = Fact | Decision
PHONE_FACTS, DECISIONS = tuple(PhoneFact.__subclasses__()), tuple(Decision.__subclasses__())
"""All kinds of requests from phones, and all kinds of decisions."""


# -- cues --------------------------------------------------------------------------------------------------------


class Cue(Value):
    """A sound to play at `at_ns`, now or in the future.

    name: call, verdict_clear, verdict_tie, verdict_grey, verdict_last, claim_right, claim_wrong, false_start, beat, go,
    own_go, stop_start, refused, time_out, burn, all_counted, asked, winner, power_back, fault; "hush" is silent and
    serves only to cancel earlier cues. `cancels`: drop all earlier cues that are still pending. `urgent`: play the
    sound before the journal is saved.
    """

    name: str
    at_ns: int
    urgent: bool = False
    cancels: bool = False
