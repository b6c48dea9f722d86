"""Limits on requests and connections of each peer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.page.connections import (
    CONNECTIONS_KEPT,
    CONNECTIONS_MOST,
    GUEST,
    OWN,
    PAGES_KEPT,
    PAGES_MOST,
    PEERS_KEPT,
    Bucket,
    Budgets,
)


@given(st.integers(1, 1000), st.integers(1, 200), st.lists(st.integers(0, 2_000_000_000), max_size=300))
def test_a_bucket_lets_through_the_burst_and_then_the_rate(rate_hz: int, burst: int, waits_ns: list[int]) -> None:
    now = [0]
    bucket = Bucket(rate_hz, burst, lambda: now[0])
    passed = 0
    for wait_ns in waits_ns:
        now[0] += wait_ns
        passed += bucket.take()
        assert passed <= burst + now[0] // (1_000_000_000 // rate_hz)


def test_a_bucket_that_rested_is_full_again() -> None:
    now = [0]
    bucket = Bucket(10, 3, lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] += 100_000_000
    assert [bucket.take() for _ in range(2)] == [True, False]
    now[0] += 10_000_000_000
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


@given(st.integers(1, 1000), st.integers(1, 200), st.lists(st.integers(0, 2_000_000_000), max_size=300))
def test_whoever_reserves_waits_for_a_turn_of_one_s_own(rate_hz: int, burst: int, waits_ns: list[int]) -> None:
    """In order, and at any instant no more than burst and rate allow."""
    now = [0]
    bucket = Bucket(rate_hz, burst, lambda: now[0])
    turns = []
    for wait_ns in waits_ns:
        now[0] += wait_ns
        turns.append(now[0] + bucket.reserve())
    assert turns == sorted(turns)
    step_ns = 1_000_000_000 // rate_hz
    assert all(count <= burst + turn // step_ns for count, turn in enumerate(turns, 1))


@given(st.lists(st.tuples(st.sampled_from("abcdefghijk"), st.booleans(), st.booleans()), max_size=400))
def test_places_are_counted_and_the_own_ones_are_kept(steps: list[tuple[str, bool, bool]]) -> None:
    """No peer has more than its allowance, and guests leave the reserved places free."""
    budgets = Budgets(lambda: 0)
    held: dict[tuple[str, bool], int] = {}
    for name, page, comes in steps:
        peer, key = budgets.peer(name, name == "a"), (name, page)
        if comes:
            held[key] = held.get(key, 0) + (budgets.open(peer) if page else budgets.connect(peer))
        elif held.get(key):
            held[key] -= 1
            (budgets.close if page else budgets.disconnect)(peer)
    for page, kept, most in ((True, PAGES_KEPT, PAGES_MOST), (False, CONNECTIONS_KEPT, CONNECTIONS_MOST)):
        guests = sum(count for (name, of_page), count in held.items() if of_page is page and name != "a")
        assert guests <= most - kept
        assert (budgets.pages if page else budgets.connections) == guests + held.get(("a", page), 0)
        allowed = (OWN.pages, GUEST.pages) if page else (OWN.connections, GUEST.connections)
        assert all(n <= allowed[name != "a"] for (name, of_page), n in held.items() if of_page is page)


def test_peers_without_a_connection_are_forgotten() -> None:
    """New addresses do not use more memory; connected peers keep their budget."""
    budgets = Budgets(lambda: 0)
    stays = budgets.peer("stays", False)
    assert budgets.connect(stays)
    for n in range(3 * PEERS_KEPT):
        budgets.peer(str(n), False)
    assert len(budgets._peers) <= PEERS_KEPT
    assert budgets.peer("stays", False) is stays
