"""The fixture's pure half: lines become words, and refusals move nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.firmware.pretended import played, volley

REFUSED = {
    "play": "error 0 moves; a volley has 1 to 400",
    "play 0:9+": "error '0:9+' is no move such as 120:5+",
    "play 1.5:3+": "error '1.5:3+' is no move such as 120:5+",
    "play 5:3+ 4:3-": "error a move at 4 us after one at 5 us; they stand in order",
    "play 5:3+ 6:3+": "error contact 3 is closed already at 6 us",
    "play 5:3-": "error contact 3 is open already at 5 us",
    "play 5:3+": "error contact 3 is left closed",
    "play 3000001:3+": "error 3000001 us is too late; a volley lasts 3000000 us at most",
    "play " + "1:3+ 1:3- " * 201: "error 402 moves; a volley has 1 to 400",
    "press 3": "error 'press' is no command; there are hello and play",
}


def never(words: Sequence[int], length_us: int) -> None:
    raise AssertionError("a refused line moved contacts")


def test_it_says_who_it_is() -> None:
    """`hello` is answered with the protocol's number and the abilities.

    An empty line gets no answer.
    """
    assert volley.answer("hello\n", never) == "fixture 1 contacts 8 step_ns 200"
    assert volley.answer(" \r\n", never) is None


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_cannot_be_played_is_refused_whole(line: str) -> None:
    assert volley.answer(line, never) == REFUSED[line]


@st.composite
def volleys(draw: st.DrawFn) -> list[tuple[int, int, bool]]:
    """Draw moves in order, each contact alternating and open at the end."""
    moves = []
    for contact in draw(st.sets(st.integers(0, 7), min_size=1)):
        times = sorted(draw(st.lists(st.integers(0, volley.LONGEST_US), min_size=2, max_size=12)))
        times = times[: len(times) // 2 * 2]
        moves += [(t, contact, n % 2 == 0) for n, t in enumerate(times)]
    return sorted(moves, key=lambda move: move[0])


@given(volleys())
def test_the_words_play_what_was_written(moves: list[tuple[int, int, bool]]) -> None:
    line = "play " + " ".join(f"{t}:{contact + 1}{'+' if closed else '-'}" for t, contact, closed in moves)
    kept: list[int] = []
    assert volley.answer(line, lambda words, length_us: kept.extend(words)) == f"played {len(moves)}"
    levels: dict[int, int] = {}
    for t_us, contact, closed in moves:
        levels[t_us] = levels.get(t_us, next(reversed(levels.values()), 0)) & ~(1 << contact) | closed << contact
    steps = dict(played(kept))
    assert {step // volley.STEPS_A_US: mask for step, mask in steps.items() if step or 0 in levels} == levels
    assert all(step % volley.STEPS_A_US == 0 for step in steps)
    assert kept[-1] & 0xFF == 0
    assert all(later > earlier for earlier, later in pairwise(steps))
