"""The play phases of the Nertz family: cards move, somebody calls, the verdict stands."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from referee.core.arbiter import Court, Verdict, verdict_due_ns
from referee.core.signals import Contact, Edge
from referee.core.state import Phase
from referee.core.units import S
from referee.core.values import stored

VERDICT_NS = 4 * S
"""Cards in the air land, the pile is shown; then counting opens by itself."""
NOTED_NS = 10 * S
"""A hand in which nobody touches anything is noted so often: a power cut takes no more than this off its clock."""
OFFERED_NS = 15 * S
"""So long at most counting waits for a contest that the device offers: after a grey verdict, after late evidence."""


@stored("nertz_playing")
class Playing(Phase):
    """Cards move and a button means only the call. `played_ns`: play time before this stretch, timeouts left out.

    burns: burnt together since the last play; stream_burns: of them since the reserve was burnt last. false_calls: the
    teams whose call in this hand did not stand. resumed: this stretch began with a resume, not with the hand.
    """

    name: ClassVar[str] = "PLAYING"
    races: ClassVar[bool] = True
    playing: tuple[str, ...] = ()
    go_at_ns: int = 0
    armed_at_ns: int = 0
    played_ns: int = 0
    court: Court | None = None
    burns: int = 0
    stream_burns: int = 0
    false_calls: tuple[str, ...] = ()
    resumed: bool = False
    burnt: str = ""  # the pile whose burning began this stretch
    noted_at_ns: int = 0  # when the journal was last told that play goes on

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return max(self.noted_at_ns, self.armed_at_ns) + NOTED_NS

    def clock_ns(self, now_ns: int) -> int:
        """The hand's clock at `now_ns`."""
        return self.played_ns + max(now_ns - self.go_at_ns, 0)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.go_at_ns, self.go_at_ns + S // 2


@stored("nertz_called")
class Called(Phase):
    """Everything has stopped; the verdict falls when nothing can change it any more. `asked_at_ns`: the stop."""

    name: ClassVar[str] = "CALLED"
    play: Playing = Playing(0)
    court: Court | None = None

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        assert self.court is not None
        return verdict_due_ns(self.court, contacts)

    def inverted_at_ns(self) -> tuple[int, int]:
        return self.asked_at_ns, self.asked_at_ns + 3_600 * S


@stored("nertz_verdict")
class Judged(Phase):
    """The verdict on the screen, or the photo finish while somebody looks at it; counting opens at `until_at_ns`.

    boot: whose clock the call's presses were stamped by; a later boot's presses cannot be compared with them.
    locked_until_at_ns: the end of the call's lockout. shares: the bonus as the table has divided it.
    anyway_until_at_ns: until when it would stand if nobody had turned to the photo.
    to_offer: a grey verdict's contest, offered at `until_at_ns` before counting opens.
    """

    name: ClassVar[str] = "VERDICT"
    waits: ClassVar[bool] = True
    play: Playing = Playing(0)
    court: Court | None = None
    verdict: Verdict | None = None
    evidence: tuple[Edge, ...] = ()
    until_at_ns: int = 0
    photo: bool = False
    anyway_until_at_ns: int = 0
    boot: str = ""
    locked_until_at_ns: int = 0
    shares: tuple[tuple[str, Fraction], ...] = ()
    asked_to_divide: bool = False
    to_offer: bool = False

    def locked_until_ns(self) -> int:
        return self.locked_until_at_ns

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns


@stored("nertz_call_now")
class CallNow(Phase):
    """Stuck: whoever has an empty reserve must call now. A press is still a call."""

    name: ClassVar[str] = "STUCK"
    races: ClassVar[bool] = True
    play: Playing = Playing(0)
    until_at_ns: int = 0
    times: int = 2
    pile: str = "stream"

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.until_at_ns


@stored("nertz_search")
class Searching(Phase):
    """Everybody goes through the stock once more: `nothing` holds the teams that have found nothing."""

    name: ClassVar[str] = "SEARCH"
    races: ClassVar[bool] = True
    guarded: ClassVar[bool] = True
    play: Playing = Playing(0)
    times: int = 2
    pile: str = "stream"
    nothing: tuple[str, ...] = ()


@stored("nertz_burning")
class Burning(Phase):
    """The beats to burning a card together; calls are armed at BURN."""

    name: ClassVar[str] = "BURNING"
    races: ClassVar[bool] = True
    play: Playing = Playing(0)
    pile: str = "stream"
    beats_at_ns: tuple[int, ...] = ()
    burn_at_ns: int = 0

    def due_ns(self, contacts: tuple[Contact, ...]) -> int | None:
        return self.burn_at_ns
