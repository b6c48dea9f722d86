"""The person at the knob: starts and pauses the match, and chooses lines of the menu.

Theory of operation. A look gives a *wish*: the beginning of the text key of a menu line ("item.start"), or one of the
gestures TIME_OUT, PHOTO, BACK. When the wish changes, the person plans an action. At the planned instant the next step
follows from what the screen shows then: a push opens the menu, a turn goes to the line, a push chooses it. A wish
that the menu does not have is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from referee.core.cards.idle import STOCK_BURNS
from referee.core.messages import Msg, Part
from referee.core.model.view import (
    LobbyScreen,
    MenuScreen,
    PhotoScreen,
    PlayingScreen,
    VerdictScreen,
    View,
)
from referee.core.units import MS, S
from referee.simulator.table.contacts import Action, KnobTurn
from referee.simulator.table.contacts import press as pressed
from referee.simulator.table.hand import PlayedHand
from referee.simulator.table.skill import TALK_NS, UNHEARD_NS, Human
from referee.simulator.table.table import Company

KNOB = "knob"
READ_NS = (3 * S, 6 * S)
"""Range of times for which a table looks at a photo finish."""
PUSH_NS = (380 * MS, 700 * MS)
"""Range of lengths of a push that asks for a timeout."""
TIME_OUT, PHOTO, BACK = "time out", "photo", "back"
STANDS, FIRST, TIE, FALSE = "item.stands", "item.another_first", "item.tie", "item.false_"
"""Menu lines of a contest. The last is a false call or, if all must press, a false start."""
WHOSE = "title.whose_false"
"""The title of the list that asks which of several callers made a false call."""
OFFERS = ("title.close", "title.late")
"""Titles of the lists that the device opens by itself."""
START = "item.start"
MORE, END_MATCH = "item.more", "item.end_match"
GO_ON, VOID = "item.go_on", "item.void_hand"
STUCK, AFTER_PLAY, BURN_RESERVE = "item.stuck", "item.stuck_after_play", "item.burn_reserve"


class KnobHand:
    """A simulated person who uses the knob.

    `quiet_ns`: how long the lobby must be quiet before this person starts the match.
    """

    def __init__(self, human: Human, company: Company, settled: Callable[[], bool], quiet_ns: int) -> None:
        """`settled`: a function that returns whether every bot is seated and waits for no partner."""
        self.plan_ns: int | None = None
        self._human = human
        self._company = company
        self._settled = settled
        self._quiet_ns = quiet_ns
        self._view: View | None = None
        self._phase = ""
        self.opened = self._listed = False
        """Whether this person has pushed to open the menu, and has seen it since."""
        self._done: set[str] = set()
        """The wishes that this person has already acted on in this phase."""
        self._key: Hashable = None
        self._wish: str | None = None
        self._accused: set[int] = set()
        self._stuck = False
        self._paused = False
        """Whether this person asked for the timeout. Visitors must end their own."""
        self._pushing_ns = 0
        """The instant until which the push may still become a timeout, even after a change of phase."""

    def rest(self) -> None:
        """Discard the planned action. The next call of `look` plans a new one."""
        self._key, self.plan_ns, self.opened = None, None, False

    def look(self, view: View, now_ns: int) -> None:
        """Look at the screen, and plan what to do with the knob and when."""
        if view.phase != self._phase:
            self._phase, self.opened, self._listed = view.phase, False, False
            self._paused = self._paused and (view.phase not in ("PLAYING", "READY") or now_ns < self._pushing_ns)
            if view.phase != "VOTE":
                self._done = self._done if view.phase == "VERDICT" and "argued" in self._done else set()
        shown = isinstance(view.screen, MenuScreen)
        self.opened = self.opened and (shown or not self._listed)
        self._listed = self.opened and shown
        self._view = view
        self._wish = self._next_wish(view, now_ns)
        key = self._wish and (self._wish, view.phase, type(view.screen), self._seats(view))
        if key != self._key:
            self._key = key
            self.plan_ns = None if self._wish is None else self._due_ns(self._wish, view, now_ns)

    def act(self) -> list[Action]:
        """Take the next step towards this person's wish, according to the screen as last seen."""
        at_ns, self.plan_ns = self.plan_ns, None
        if at_ns is None or self._view is None or self._wish is None:
            return []
        if self._wish in (PHOTO, BACK):
            self._done.add(self._wish)
            return [KnobTurn(at_ns, 1 if self._wish == PHOTO else -1)]
        if self._wish == TIME_OUT:
            return self._time_out(at_ns)
        if isinstance(self._view.screen, MenuScreen):
            return self._choose(at_ns, self._view.screen, self._wish)
        self.opened = True
        self.plan_ns = at_ns + self._human.take_ns(UNHEARD_NS)
        return [*self._human.tap(KNOB, at_ns)]

    # -- wishes ------------------------------------------------------------------------------------------------------

    def _next_wish(self, view: View, now_ns: int) -> str | None:
        if isinstance(view.screen, MenuScreen) and view.phase == "VERDICT":
            if _key(view.screen.title).startswith(OFFERS):
                return self._contest_answer()
            if _key(view.screen.title) == WHOSE and self.opened:
                return WHOSE
            if _key(view.screen.title) == FIRST and FIRST in self._done:
                return _key(view.screen.items[0])
        if isinstance(view.screen, MenuScreen) and view.phase != "TIMEOUT" and not self.opened:
            return None  # a visitor is using the knob
        if view.phase == "LOBBY":
            return self._start(view)
        if view.phase == "TIMEOUT":
            return self._after_a_pause(view) if self._paused else None
        if view.phase == "READY":
            return self._weary(view) if self._company.patience.asks else None
        if view.phase == "PLAYING":
            pauses = self._company.patience.asks or self._pauses_ns(now_ns) is not None
            return TIME_OUT if isinstance(view.screen, PlayingScreen) and pauses else None
        return self._contest_wish(view) if view.phase == "VERDICT" else None

    def _weary(self, view: View) -> str | None:
        """Return the menu line to choose in order to end an endless match; None if none is left.

        It is the line that ends the match or, in a list without this line, "More". A line that this person has
        chosen before is left out.
        """
        if isinstance(view.screen, MenuScreen):
            listed = [_key(line) for line in view.screen.items]
            return next((wish for wish in (END_MATCH, MORE) if wish in listed and wish not in self._done), None)
        return END_MATCH if END_MATCH not in self._done else None

    def _after_a_pause(self, view: View) -> str:
        """Return the menu line to choose in a timeout: to go on, or to report a stuck hand.

        What this person reports depends on the burns since the last play. After too many, this person voids the hand;
        in too long a match, this person asks to end it.
        """
        hand = self._company.hand
        if self._company.patience.asks:
            return self._weary(view) or GO_ON
        if not self._stuck or not isinstance(hand, PlayedHand):
            return GO_ON
        listed = [_key(line) for line in view.screen.items] if isinstance(view.screen, MenuScreen) else []
        if self._company.tired:
            return VOID if VOID in listed else MORE
        lull = hand.cards.lull
        wishes = [BURN_RESERVE] if lull.stock_burns >= STOCK_BURNS else [] if lull.burns else [AFTER_PLAY]
        return next((wish for wish in wishes if wish in listed), STUCK)

    def _start(self, view: View) -> str | None:
        """Return the menu line that begins a match; None if this person still waits.

        This person waits until two teams sit and all bots have found their seats.
        """
        teams = view.screen.teams if isinstance(view.screen, LobbyScreen) else 2
        return START if teams > 1 and self._settled() else None

    def _contest_wish(self, view: View) -> str | None:
        """Return what this person wants at a verdict: first the photo of a tie, then a contest.

        None: this person wants nothing.
        """
        screen = view.screen
        if isinstance(screen, PhotoScreen):
            return BACK if PHOTO in self._done and BACK not in self._done else None
        if isinstance(screen, VerdictScreen):
            if screen.kind == "tie" and not screen.grey and PHOTO not in self._done and not self._company.false_callers:
                return PHOTO
            self._accuses(screen)
            self._objects(screen)
        return next((wish for wish in self._objections if wish not in self._done), None)

    def _contest_answer(self) -> str:
        """Return the line to choose in a list that offers to contest the verdict."""
        return next((wish for wish in self._objections if wish not in self._done), STANDS)

    @property
    def _objections(self) -> tuple[str, ...]:
        false = (FALSE,) if self._accused and not self._company.answers else ()
        return (*false, *(wish for wish in (TIE, FIRST) if f"wants {wish}" in self._done))

    def _accuses(self, screen: VerdictScreen) -> None:
        """Record which teams made a false call that no vote has confirmed yet."""
        refuted = {label.numbers[0] for label in screen.refuted}
        accused = self._company.false_callers - refuted
        if accused and refuted and accused != self._accused:
            self._done -= {FALSE, WHOSE}
        self._accused = accused

    def _objects(self, screen: VerdictScreen) -> None:
        """Decide at random, once, whether to contest the verdict.

        After a clear verdict, a close second claims a tie. After a grey verdict, a caller claims to have been first.
        """
        if "argued" in self._done:
            return
        self._done.add("argued")
        close = screen.kind == "clear" and screen.gap_ns is not None and screen.gap_ns < S
        manners = self._company.manners
        if manners.argue and self._human.percent(manners.argue) and not self._company.false_callers:
            if close:
                self._done.add(f"wants {TIE}")
            elif screen.grey:
                self._done.add(f"wants {FIRST}")

    def _pauses_ns(self, now_ns: int) -> int | None:
        """Return when a person asks for a timeout in this hand; None: not at all."""
        hand = self._company.hand
        if hand is None or not hand.running:
            return None
        planned = [t for t in (hand.pause_ns, hand.stuck_ns) if t is not None]
        return max(hand.at_ns(min(planned)), now_ns) if planned else None

    # -- actions -----------------------------------------------------------------------------------------------------

    def _due_ns(self, wish: str, view: View, now_ns: int) -> int:
        if wish == TIME_OUT and not self._company.patience.asks:
            return self._pauses_ns(now_ns) or now_ns
        if isinstance(view.screen, LobbyScreen):
            return now_ns + self._quiet_ns
        if wish == BACK:
            return now_ns + self._human.take_ns(READ_NS)
        if view.phase == "TIMEOUT":
            return now_ns + self._human.take_ns(TALK_NS)
        return now_ns + self._human.reaction_ns() + S // 2

    def _time_out(self, at_ns: int) -> list[Action]:
        """Ask for a timeout by a long push. Record whether any team can still play."""
        hand, self._paused = self._company.hand, True
        if hand is None:
            return []
        self._stuck = hand.stuck_ns is not None and hand.stuck_ns <= hand.played_ns(at_ns)
        if not self._stuck:
            hand.pause_ns = None
        made = pressed(self._human.rng, KNOB, at_ns, self._human.rng.randint(*PUSH_NS))
        self._pushing_ns = made[-1].t_ns + S
        self.plan_ns = self._pushing_ns + self._human.take_ns(UNHEARD_NS)
        return [*made]

    def _choose(self, at_ns: int, menu: MenuScreen, wish: str) -> list[Action]:
        """Turn to the wished line of the menu and push; if it is missing, push the last line."""
        self.opened = wish == MORE
        self._done.add(wish)
        if wish == END_MATCH:
            self._company.patience.has_asked()
        self._stuck = self._stuck and self._phase != "TIMEOUT"
        index = next((n for n, line in enumerate(menu.items) if self._is_wished(line, wish)), len(menu.items) - 1)
        turned: list[Action] = [KnobTurn(at_ns, index - menu.cursor)] if index != menu.cursor else []
        return [*turned, *self._human.tap(KNOB, at_ns + self._human.reaction_ns())]

    def _is_wished(self, line: Part, wish: str) -> bool:
        """Return whether this menu line is the wished one.

        In a list of callers, the wished line is a caller whose call was false.
        """
        if wish == WHOSE and isinstance(line, Msg):
            return dict(line.values).get("seat") in self._accused
        return _key(line).startswith(wish)

    def _seats(self, view: View) -> Hashable:
        return view.screen.seats if isinstance(view.screen, LobbyScreen) else None


def _key(line: Part) -> str:
    """Return the text key of a menu line or title; "" for plain text."""
    return line.key if isinstance(line, Msg) else ""
