"""Tests of the contact and knob budgets: which rows are accepted, dropped or muted, and for how long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.core.model.events import Fact, Linked, Turned
from referee.core.presses.signals import Edge
from referee.core.units import MS, S
from referee.device.floods import BURST, CALM_NS, LONGEST_CALM_NS, POD, RATE_HZ, Floods


class Flooded:
    """A flood filter driven by a simulated clock."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.floods = Floods(lambda: self.now_ns)

    def say(self, station: str, count: int = 1) -> list[Fact]:
        """Feed `count` changes of a contact at one instant; the first one closes it."""
        return self.floods.admit([Edge(station, n % 2 == 0, self.now_ns, 0) for n in range(count)])

    def links(self, taken: list[Fact]) -> list[tuple[bool, tuple[str, ...], tuple[str, ...]]]:
        return [(link.up, link.stations, link.closed) for link in taken if isinstance(link, Linked)]


def test_muted_contact_is_back_when_calm_with_its_level() -> None:
    at = Flooded()
    taken = at.say("1", BURST + 100)
    assert (len(taken), at.links(taken)) == (BURST + 1, [(False, ("1",), ())])
    assert (len(at.say("2")), at.say("1")) == (1, [])
    at.now_ns = at.floods.next_ns or 0
    assert at.now_ns == CALM_NS
    assert at.links(at.floods.back()) == [(True, ("1",), ("1",))]
    assert (at.floods.next_ns, len(at.say("1"))) == (None, 1)


def test_contact_that_floods_on_stays_muted() -> None:
    at = Flooded()
    at.say("1", 2 * BURST)
    for _ in range(20):
        at.now_ns += CALM_NS // 2
        assert (at.say("1", 2 * BURST), at.floods.back()) == ([], [])


def test_contact_that_floods_again_and_again_is_muted_longer_each_time() -> None:
    at, calm = Flooded(), []
    for _ in range(8):
        at.say("1", 2 * BURST)
        calm.append(((at.floods.next_ns or 0) - at.now_ns) // CALM_NS)
        at.now_ns = at.floods.next_ns or 0
        assert at.floods.back()
        at.now_ns += 1 * S
    assert calm == [1, 2, 4, 8, 16, 32, 32, 32]
    at.now_ns += LONGEST_CALM_NS
    at.say("1", 2 * BURST)
    assert at.floods.next_ns == at.now_ns + CALM_NS


def test_a_link_that_comes_or_goes_ends_the_mute() -> None:
    at = Flooded()
    at.say("1", 2 * BURST)
    gone = Linked(at.now_ns, "pod:ab12", False, ("1", "2"))
    assert (at.floods.admit([gone]), at.floods.next_ns) == ([gone], None)


def test_pod_has_one_budget_for_all_its_contacts() -> None:
    at, taken = Flooded(), list[Fact]()
    for n in range(10 * RATE_HZ * POD):
        at.now_ns = n * S // (2 * RATE_HZ * POD)
        taken += at.floods.admit([Edge(str(n % 8 + 1), n % 16 < 8, at.now_ns, 0, clock="ab12:0:1")])
    assert len(taken) <= POD * (BURST + 5 * RATE_HZ) + 8
    assert any(not up for up, _, _ in at.links(taken))
    others = [Edge("9", True, at.now_ns, 0, clock="cd34:0:1"), Edge("10", True, at.now_ns, 0)]
    assert at.floods.admit(others) == others


def test_a_phone_that_floods_takes_nothing_from_other_phones() -> None:
    at = Flooded()
    at.floods.admit([Edge("1", n % 2 == 0, 0, 0, clock="phone:phone-1") for n in range(9 * POD * BURST)])
    other = [Edge("2", True, 0, 0, clock="phone:phone-2")]
    assert at.floods.admit(other) == other


def test_knob_that_turns_by_itself_is_dropped_without_a_link() -> None:
    at = Flooded()
    turns = at.floods.admit([Turned(0, 1)] * (BURST + 10))
    assert turns == [Turned(0, 1)] * BURST
    at.now_ns = CALM_NS
    assert (at.floods.back(), at.floods.admit([Turned(0, 1)])) == ([], [Turned(0, 1)])


@given(st.lists(st.tuples(st.integers(0, 200 * MS), st.integers(1, 300)), max_size=60))
def test_no_contact_ever_has_more_than_its_budget(steps: list[tuple[int, int]]) -> None:
    at, taken = Flooded(), 0
    for wait_ns, count in steps:
        at.now_ns += wait_ns
        taken += len([row for row in at.say("1", count) if isinstance(row, Edge)])
        at.floods.back()
        assert taken <= BURST + at.now_ns * RATE_HZ // S + 1
