"""The device's side of phones' requests: who asks, what they may do, and the answer.

Theory of operation. The page's process could be attacked from the network, so the device's process decides here what
a phone may do, by the hash of the phone's secret. A permitted request goes to the core as a fact; the core's rules
decide (`core/phases/phones.py`), and a refusal is answered in the reader's language. No code here waits for the table:
an answer is sent once its effect is shown on all outputs.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

from referee.core.messages import Msg, msg
from referee.core.model.events import (
    Fact,
    Linked,
    PhoneCorrected,
    PhoneCounted,
    PhoneFact,
    PhoneGave,
    PhonePaired,
    PhonePaused,
    PhoneSat,
    PhoneSet,
    PhoneStarted,
    PhoneVoted,
    RowsKnown,
)
from referee.core.model.labels import label_of
from referee.core.model.options import RuleError
from referee.core.model.registry import fields_of, game_of, rules_in_force
from referee.core.model.state import State
from referee.core.model.table import Team
from referee.core.model.transitions import Past
from referee.core.model.view import PhonesScreen, View
from referee.core.names import MOST_LETTERS, fold, is_back, name_of
from referee.core.phases.adjusting import REASONS
from referee.core.phases.call import Called, call_proof_ns, proof_wanted_ns
from referee.core.phases.device import Checking
from referee.core.phases.fixing import CORRECTIONS
from referee.core.phases.lobby import Lobby
from referee.core.phases.phones import PHONES_NS, numbers_of, phone_lines, points_barred, refusal, seat_of, worth_of
from referee.core.phases.ready import Ready
from referee.core.phases.settings import Settings, in_order
from referee.core.phases.update import behind_offer
from referee.core.phases.verdict import Judged, judged_in
from referee.core.phases.vote import Vote
from referee.core.presses.signals import PRESS_NS, Edge
from referee.core.units import S
from referee.core.values import Json, replace
from referee.device.phones.buttons import Fists, with_notes, with_sleepers, with_wide_bounds
from referee.device.phones.pairing import DoorCode, FullError, HouseBook, HousePreset, PhoneBook
from referee.language.numbers import points_text
from referee.language.say import message_speech
from referee.language.words import LANGUAGES, current_language, label, reader_name, speaking
from referee.protocol.page import HOST, KEEPER, ROLES, Awake, PairedPhone, PhoneButtons, PhoneProof, PhoneTouch

LOG = logging.getLogger("referee")
Reply = Callable[[int, dict[str, Json]], None]
"""A function that sends an HTTP status and a document as the answer."""
SHOWN_S = PHONES_NS // S
"""Time in s for which a phone shows the pairing code, as long as the display."""
PHONE_NAMES = 24
"""Number of remembered names that are offered to a phone."""


_REASONS = {"reasons": CORRECTIONS, "given": REASONS}
"""Reasons for a correction and for points given, by the document's keys for them."""


class LiveTable(Protocol):
    """The running match, as a `Desk` uses it: to read the match's state and to apply facts."""

    def now(self) -> State:
        """Return the state after the last event."""
        ...

    def feed(self, facts: Iterable[Fact]) -> None:
        """Apply facts to the match. The caller gets no answer."""
        ...

    def ask(self, fact: PhoneFact | Linked, answer: Callable[[State], object]) -> None:
        """Apply a fact; call `answer` with the state after it."""
        ...


class RefusedError(Exception):
    """A refused request: an HTTP status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Desk:
    """Handles phones' requests, one at a time, on any thread."""

    def __init__(
        self,
        book: PhoneBook,
        table: LiveTable,
        link: Callable[[str, str], str],
        clock: Callable[[], int] = time.monotonic_ns,
        houses: HouseBook | None = None,
    ) -> None:
        """`link(page's address, pairing code)`: returns the address for the QR code.

        `clock`: the match's clock in ns. `houses`: the store of house presets; None: they are not stored.
        """
        self.book, self._table, self._link, self._clock = book, table, link, clock
        self.code = DoorCode()
        self._houses = houses
        self.changed: Callable[[], object] = lambda: None
        self.noticed: Callable[[], object] = lambda: None
        """Called when `dress` would change the view."""
        self.prove: Callable[[int], object] = lambda until_ns: None
        """Function that asks all phones to prove their touches up to an instant."""
        self._awake: frozenset[str] = frozenset()
        self._buttons: frozenset[str] = frozenset()  # phones that show their seat's button
        self._silent: frozenset[str] = frozenset()  # those of them that do not answer
        self._wide: dict[str, int] = {}  # those of them with a wide error bound, in ms
        self._proved: dict[str, int] = {}  # phone -> its newest proof
        self._fists = Fists()
        self._linking: set[str] = set()  # stations whose link the table is asked to change
        self._freeing: set[str] = set()  # phones that the table has been asked to forget
        self._lock = threading.RLock()
        keepers, host = (KEEPER, HOST), (HOST,)
        self._does: Mapping[str, tuple[Sequence[str], Callable[[PairedPhone, Mapping[str, Json], Reply], None]]] = {
            "seat": (ROLES, self._seat),
            "code": (ROLES, self._lend_code),
            "count": (ROLES, self._count),
            "worth": (ROLES, self._worth),
            "names": (ROLES, self._names),
            "pause": (ROLES, self._pause),
            "vote": (ROLES, self._vote),
            "team": (ROLES, self._team),
            "revoke": (ROLES, self._revoke),
            "hands": (keepers, self._hands),
            "correct": (keepers, self._correct),
            "give": (keepers, self._give),
            "phones": (host, self._phones),
            "role": (host, self._role),
            "set": (host, self._set),
            "start": (host, self._start),
            "house": (host, self._house),
            "import": (host, self._allow),
            "update": (host, self._allow),
        }
        """Kind of request -> the roles that may send it, and its handler."""

    def dress(self, view: View) -> View:
        """Add the pairing code to a `PhonesScreen`; add notes on phones to any other view.

        The notes: which phones are asleep, which have wide error bounds, how many hits have measured a touch delay.
        Also forget phones that the table has revoked, and free the seats of phones that are no longer paired.
        """
        with self._lock:
            self._revoke_phone(view.revoked)
            known = {phone.name for phone in self.book.phones}
            for name in {phone for _, phone in self._table.now().phones} - known:
                self._free_seat(name)
            self._link_buttons(self._table.now())
            if not isinstance(view.screen, PhonesScreen):
                self.code.hidden()
                if view.phase != Checking.name:
                    self._fists = Fists()
                view = with_notes(view, self._fists.notes)
                return with_wide_bounds(with_sleepers(view, self._awake), self._wide)
            code = self.code.show()
        link = self._link(view.screen.address, code)
        return replace(view, screen=replace(view.screen, code=code, link=link))

    def note_call(self, state: State) -> None:
        """Ask the phones for the proofs that an early verdict on the open call needs."""
        until_ns = call_proof_ns(state)
        if until_ns:
            self.prove(until_ns)

    def take_report(self, report: Awake | PhoneTouch | PhoneProof | PhoneButtons) -> None:
        """Handle a report from the page's process.

        Store which phones have a page open or show their button. Pass a touch or a proof on to the table.
        """
        with self._lock:
            before = self._awake, self._buttons, self._silent, self._wide, dict(self._fists.notes)
            if isinstance(report, PhoneTouch | PhoneProof):
                self._pass_on(report)
                if isinstance(report, PhoneTouch) and not report.late:
                    self._measure(report)
            elif isinstance(report, Awake):
                self._awake = report.awake
            else:
                self._buttons, self._silent, self._wide = report.buttons, report.silent, dict(report.wide)
            changed = before != (self._awake, self._buttons, self._silent, self._wide, self._fists.notes)
        if changed:
            self.noticed()

    def _pass_on(self, report: PhoneTouch | PhoneProof) -> None:
        """Pass a touch to the table as a row of the seat's button, or a proof if the table needs it now."""
        state, now_ns = self._table.now(), self._clock()
        for station, phone in state.phones:
            if phone != report.phone or phone not in self._buttons:
                continue
            proved_ns = self._proved.get(phone, 0)
            if isinstance(report, PhoneProof):
                self._proved[phone] = max(min(report.until_ns, now_ns), proved_ns)
                wanted_ns = proof_wanted_ns(state, station)
                if wanted_ns is not None and wanted_ns <= self._proved[phone]:
                    self._table.feed([RowsKnown(now_ns, station, self._proved[phone])])
            elif report.t_ns <= now_ns and report.err_ns >= 0:
                t_ns, err_ns, clock = report.t_ns, report.err_ns, f"phone:{phone}"
                if report.late:
                    if not _may_be_evidence(state, t_ns):
                        continue
                    proved_ns = self._proved[phone] = max(min(t_ns + err_ns + 1, now_ns), proved_ns)
                if t_ns - err_ns < proved_ns:
                    self._table.feed([RowsKnown(now_ns, station, proved_ns)])
                self._table.feed([Edge(station, report.touch, t_ns, err_ns, now_ns, clock, err_ns)])
                if report.late:  # its end is unknown
                    self._table.feed([Edge(station, False, t_ns + PRESS_NS, err_ns, now_ns, clock, err_ns)])

    def _measure(self, touch: PhoneTouch) -> None:
        """While buttons are tested, measure a phone's touch delay (buttons.py) with this touch.

        After the last of several touches, store the measured range of delays in the book of phones.
        """
        state = self._table.now()
        phone = next((one for one in self.book.phones if one.name == touch.phone), None)
        if not isinstance(state.phase, Checking) or phone is None:
            return
        found = self._fists.take(touch, phone.touch_ns, state.trail)
        if found is None:
            return
        try:
            self.book.keep_delays(phone.name, found)
            self.changed()
        except OSError as error:
            LOG.error("the book of phones cannot be written: %s", error)
            self._fists.notes[phone.name] = msg("own.fist.not_kept")

    def _link_buttons(self, state: State) -> None:
        """Report to the table each seat whose phone has become its button, or has lost its link."""
        phones = dict(state.phones)
        for station in {*phones, *state.table.phone_buttons} - self._linking:
            phone, kept = phones.get(station, ""), station in state.table.phone_buttons
            there = phone in self._buttons and phone not in self._silent
            lost = bool(phone) and kept and not there and (phone in self._buttons or phone not in self._awake)
            link = Linked(self._clock(), f"{'phone-button' if lost else 'seat'}:{phone}", there, (station,))
            if (there, lost) != (kept and station not in state.away, kept and station in state.away):
                self._linking.add(station)
                self._table.ask(link, partial(self._note_link, station))

    def _note_link(self, station: str, then: State) -> None:
        self._linking.discard(station)

    def _revoke_phone(self, number: int) -> None:
        try:
            if number and self.book.revoke(number):
                self.code.recall()
                self.changed()
        except OSError as error:
            LOG.error("the book of phones cannot be written: %s", error)

    def _free_seat(self, name: str, freed: Callable[[], object] = bool) -> None:
        """Make the table forget a phone that is no longer paired; then call `freed`."""
        if name in self._freeing:
            freed()
            return
        self._freeing.add(name)

        def after(then: State) -> None:
            self._freeing.discard(name)
            freed()

        self._table.ask(Linked(self._clock(), f"phone:{name}", False), after)

    def hear(self, digest: str, what: Mapping[str, Json], reply: Reply) -> None:
        """Handle a phone's request: {"do": ...} and its values.

        `reply` is called once, perhaps on another thread.
        """
        try:
            with self._lock, speaking(self._language(what)):
                self._hear(digest, what, reply)
        except RefusedError as why:
            reply(why.status, {"error": str(why)})
        except (KeyError, TypeError, ValueError):
            reply(400, {"error": "There is no such request."})
        except OSError as error:
            LOG.error("the book of phones cannot be written: %s", error)
            reply(503, {"error": "The table cannot write this down now."})

    def _language(self, what: Mapping[str, Json]) -> str:
        """Return the language of the request, else the table's."""
        asked = what.get("language")
        return str(asked) if asked in LANGUAGES else self._table.now().table.setup.language

    def _hear(self, digest: str, what: Mapping[str, Json], reply: Reply) -> None:
        if what.get("do") == "pair":
            return self._pair(digest, what, reply)
        if what.get("do") == "setup":  # the only request that needs no paired phone
            return reply(200, self._setup())
        phone = self.book.phone_with(digest)
        if phone is None:
            raise RefusedError(401, label("not_paired"))
        roles, does = self._does.get(str(what.get("do")), ((), None))
        if does is None:
            raise RefusedError(404, "There is no such request.")
        if phone.role not in roles:
            raise RefusedError(403, label("only_keeper" if KEEPER in roles else "only_host"))
        return does(phone, what, reply)

    def _pair(self, digest: str, what: Mapping[str, Json], reply: Reply) -> None:
        if not self.code.accepts(str(what.get("code", ""))):
            raise RefusedError(401, label("wrong_code"))
        known = self.book.phone_with(digest)
        if known is not None:  # the phone has scanned the code again: it keeps its identity
            return reply(200, {"phone": known.name, "role": known.role})
        address = str(what.get("address", ""))
        if not self.code.may_pair(address):
            raise RefusedError(429, label("code_used_up"))
        try:
            phone, secret = self.book.pair(address, {line.phone for line in phone_lines(self._table.now())})
        except FullError:
            raise RefusedError(409, label("too_many_phones")) from None
        self.code.note_paired(address)
        self.changed()
        return reply(200, {"phone": phone.name, "role": phone.role, "secret": secret})

    def _lend_code(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Answer with the pairing code, for a latecomer who scans it from this phone."""
        address = self._table.now().address
        if not address:
            raise RefusedError(409, message_speech(msg("refusal.not_now")))
        code = self.code.lend(SHOWN_S)
        reply(200, {"code": code, "link": self._link(address, code), "seconds": SHOWN_S})

    # -- the table -------------------------------------------------------------------------------------------------

    def _put(
        self,
        fact: PhoneFact,
        reply: Reply,
        document: dict[str, Json],
        taken: Callable[[State], bool] = lambda then: True,
    ) -> None:
        """Pass a fact to the table, and answer the phone's request when the table has applied it.

        The answer is `document` if `taken(state after the fact)` is true, else a refusal.
        """
        _refuse_if(refusal(self._table.now(), fact))
        language = current_language()

        def after(then: State) -> None:
            if taken(then):
                reply(200, document)
                return
            with speaking(language):
                reply(409, {"error": label("overtaken")})

        self._table.ask(fact, after)

    def _seat(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        station = self._station(what["seat"])
        fact = PhoneSat(self._clock(), phone.name, station, str(what["name"]))
        self._put(fact, reply, {"seat": what["seat"]}, lambda then: (station, phone.name) in then.phones)

    def _count(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        fact = self._counted(phone, what)

        def taken(then: State) -> bool:
            counts = getattr(then.phase, "counts", ())  # only some phases have counts
            return any(count.team == fact.team and count.pen == phone.name for count in counts)

        self._put(fact, reply, {"seat": what["seat"]}, taken)

    def _counted(self, phone: PairedPhone, what: Mapping[str, Json]) -> PhoneCounted:
        """Return the count that the phone sends.

        Raises RefusedError if the phone may not enter counts for the count's team.
        """
        team = self._team_at(what["seat"])
        own = {s for s, name in self._table.now().phones if name == phone.name}
        if not phone.for_all and (team is None or not own & {*team.stations}):
            raise RefusedError(403, label("not_your_team"))
        return PhoneCounted(self._clock(), phone.name, team.id if team else "", tuple(what["numbers"]))

    def _worth(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Answer with the points that a count would give, as text; "" if it is not possible."""
        points = worth_of(self._table.now(), self._counted(phone, what))
        reply(200, {"worth": "" if points is None else points_text(points)})

    def _vote(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Enter the answer of the phone's team in a vote."""
        state = self._table.now()
        station = seat_of(state, phone.name)
        team = state.table.team_of(station) if station is not None else None
        if team is None:
            raise RefusedError(403, label("no_seat"))
        self._put(PhoneVoted(self._clock(), phone.name, team.id, bool(what["yes"])), reply, {"yes": what["yes"]})

    def _pause(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Pause the race or end the pause, for a phone that has a seat."""
        if seat_of(self._table.now(), phone.name) is None:
            raise RefusedError(403, label("no_seat"))
        self._put(PhonePaused(self._clock(), phone.name, bool(what["pause"])), reply, {"pause": what["pause"]})

    def _start(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Begin the match."""
        self._put(PhoneStarted(self._clock(), phone.name), reply, {})

    def _team(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Pair or separate two seats; only for the host, or for a phone at one of them."""
        one, other = map(self._station, what["seats"])
        together = bool(what["together"])
        if phone.role != HOST and seat_of(self._table.now(), phone.name) not in (one, other):
            raise RefusedError(403, label("only_host"))

        def taken(then: State) -> bool:
            seat = then.table.seat(one)
            return seat is not None and (seat.partner == other) is together

        fact = PhonePaired(self._clock(), phone.name, (one, other), together)
        self._put(fact, reply, {"seats": what["seats"], "together": together}, taken)

    # -- past hands ------------------------------------------------------------------------------------------------

    def _hands(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Answer with every counted hand and all reasons for a correction.

        Also with the teams that can be given points, or why none can get any now ("no_points").
        """
        state = self._table.now()
        table, game = state.table, game_of(state.table)
        hands = [(number, game.past(table, number - 1)) for number in range(1, len(table.hands) + 1)]
        rows = [_hand(number, past) for number, past in hands if past is not None]
        reasons = {
            name: [[key, message_speech(msg(f"reason.{key}"))] for key in keys] for name, keys in _REASONS.items()
        }
        barred = points_barred(state)
        labels_ = (label_of(table, team.id) for team in table.teams if barred is None)
        teams: list[Json] = [[label.numbers[0], reader_name(label.name)] for label in labels_]
        why = None if barred is None else message_speech(barred)
        reply(200, {"hands": rows, "teams": teams, "no_points": why, **reasons})

    def _give(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Give a team points after the last hand, with a reason."""
        team = self._team_at(what["seat"])
        points, reason = int(what["points"]), str(what["reason"])
        fact = PhoneGave(self._clock(), phone.name, team.id if team else "", points, reason)
        self._put(fact, reply, {"points": points})

    def _correct(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Correct a team's count of a past hand, with a reason."""
        team, hand = self._team_at(what["seat"]), int(what["hand"])
        numbers, reason = tuple(what["numbers"]), str(what["reason"])
        fact = PhoneCorrected(self._clock(), phone.name, hand, team.id if team else "", numbers, reason)
        self._put(fact, reply, {"hand": hand})

    def _names(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        state = self._table.now()
        sit = {fold(seat.name) for seat in state.table.seats if seat.name}
        known = (one.name for one in (*state.offered, *state.known) if not is_back(one.name))
        names = {fold(name): name for name in known if fold(name) not in sit}
        reply(200, {"names": list(names.values())[:PHONE_NAMES]})

    # -- setup -----------------------------------------------------------------------------------------------------

    def _setup(self) -> dict[str, Json]:
        """Return the preset, all options with their values, the device's settings, house presets."""
        state = self._table.now()
        setup = state.table.setup
        known = self._houses.presets if self._houses else ()
        houses = [{"name": one.name, "preset": one.preset, "options": one.options} for one in known]
        return {
            "preset": setup.preset,
            "options": dict(rules_in_force(setup)),
            "own": dict(setup.options),
            "device": {name: getattr(setup, name) for name in setup.device},
            "lobby": isinstance(behind_offer(state).phase, Lobby),
            "houses": houses,
            "seats": [_seat(state, station) for station in setup.stations],
            "agreed": [seat.name for seat in state.table.seats if seat.name and seat.station in state.table.agreed_by],
            "roles": _roles(state),
        }

    def _set(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        self._settle(phone, ((str(what["setting"]), what["value"]),), reply)

    def _settle(self, phone: PairedPhone, settings: Settings, reply: Reply) -> None:
        """Change the settings. If the rules forbid one, refuse all with a sentence that says why."""
        fact = PhoneSet(self._clock(), phone.name, settings)
        try:
            _refuse_if(refusal(self._table.now(), fact))
        except RuleError as error:
            raise RefusedError(409, str(error)) from None

        def after(then: State) -> None:
            setup, asked = then.table.setup, isinstance(then.phase, Vote)
            reply(200, {"preset": setup.preset, "options": dict(rules_in_force(setup)), "asked": asked})

        self._table.ask(fact, after)

    def _house(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Save the table's rules as a house preset, or load or delete the house preset of that name."""
        act, name = str(what["act"]), name_of(str(what["name"]))
        if name is None or self._houses is None:
            raise RefusedError(409, message_speech(msg("refusal.name", most=MOST_LETTERS)))
        if act == "save":
            setup = self._table.now().table.setup
            options = {key: value for key, value in setup.options if isinstance(value, bool | int | str)}
            if not self._houses.save(HousePreset(name, setup.preset, options)):
                raise RefusedError(409, label("too_many_houses"))
            return reply(200, {"name": name})
        one = self._houses.preset_named(name)
        if one is None:
            raise RefusedError(404, label("no_such_house"))
        if act == "forget":
            self._houses.forget(name)
            return reply(200, {"name": name})
        try:
            settings = in_order(self._table.now().table.setup, one.preset, one.options.items())
        except RuleError as error:
            raise RefusedError(409, str(error)) from None
        return self._settle(phone, settings, reply)

    def _allow(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        """Answer that this phone may send a match or an update.

        The page's process receives the file.
        """
        reply(200, {})

    def _station(self, number: int) -> str:
        stations = self._table.now().table.setup.stations
        if not 1 <= number <= len(stations):
            raise RefusedError(400, f'"seat" must be a number from 1 to {len(stations)}.')
        return str(stations[number - 1])

    def _team_at(self, number: int) -> Team | None:
        """Return the team of the seat with that number; None if there are no teams yet."""
        station = self._station(number)
        return next((team for team in self._table.now().table.teams if station in team.stations), None)

    # -- the list of paired phones ---------------------------------------------------------------------------------

    def _phones(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        seats = {name: station for station, name in self._table.now().phones}
        rows = [{"phone": p.name, "role": p.role, "seat": seats.get(p.name)} for p in self.book.phones]
        reply(200, {"phones": rows})

    def _role(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        if not self.book.give_role(str(what["phone"]), str(what["role"])):
            raise RefusedError(404, label("no_such_phone"))
        self.changed()
        reply(200, {"phone": what["phone"], "role": what["role"]})

    def _revoke(self, phone: PairedPhone, what: Mapping[str, Json], reply: Reply) -> None:
        if phone.role != HOST and what["phone"] != phone.name:
            raise RefusedError(403, label("only_host"))
        name = str(what["phone"])
        if not self.book.forget(name):
            raise RefusedError(404, label("no_such_phone"))
        self.code.recall()
        self.changed()
        if any(phone_name == name for _, phone_name in self._table.now().phones):
            self._free_seat(name, lambda: reply(200, {"phone": name}))
        else:
            reply(200, {"phone": name})


def _roles(state: State) -> list[str]:
    """Return the notes on roles in the coming hand, as READY shows them."""
    if not isinstance(state.phase, Ready):
        return []
    return [message_speech(note) for note in game_of(state.table).notes(state.table, state.phase.playing)]


def _seat(state: State, station: str) -> dict[str, Json]:
    """Return a seat's number, name and partner, for the setup's list of teams."""
    seat = state.table.seat(station)
    stations = state.table.setup.stations
    partner = stations.index(seat.partner) + 1 if seat is not None and seat.partner else None
    return {"seat": stations.index(station) + 1, "name": seat.name if seat is not None else None, "partner": partner}


def _hand(number: int, past: Past) -> dict[str, Json]:
    """Return a past hand for a phone, with each team's count as whole numbers."""
    table = past.table
    cells: list[dict[str, Json]] = []
    names: list[str] = []
    for team, values in past.counts:
        specs = fields_of(table, team, past.callers)
        groups = tuple(numbers_of(specs))
        names = [message_speech(group[-1].name) for group in groups]
        label, at, numbers = label_of(table, team), 0, []
        name = reader_name(label.name)
        for group in groups:
            numbers.append(int("".join(map(str, values[at : at + len(group)]))))
            at += len(group)
        locked = [group[-1].locked for group in groups]
        cells.append({"seats": list(label.numbers), "name": name, "numbers": numbers, "locked": locked})
    return {"hand": number, "fields": names, "cells": cells}


def _may_be_evidence(state: State, t_ns: int) -> bool:
    """Return whether a touch that comes too late was in time for the call that is open or judged."""
    phase = judged_in(state.phase) or state.phase
    if not isinstance(phase, Called | Judged):
        return False
    until_ns = phase.ruling.deadline_ns if isinstance(phase, Judged) else state.now_ns
    return phase.play.armed_at_ns < t_ns <= until_ns


def _refuse_if(why: Msg | None) -> None:
    if why is not None:
        raise RefusedError(409, message_speech(why))
