"""The simulated table's cards on their way to the page."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.values import Json
from referee.language.words import LANGUAGES, label, speaking
from referee.page.pages import static
from referee.page.simulated import Felt, cards_after
from referee.simulator.table.deal import DRAWN, TAKEN_BACK, UNDRAWN
from referee.simulator.table.hand import RESTS
from referee.simulator.table.table import EXCHANGED, WAITS
from tests.core.cards.tables import RULES
from tests.page.lines import Recorder, opened, snapshot, table

SIDE: dict[str, Json] = {"seats": [1], "reserve": [13, "7C"], "piles": [["KD"]], "stock": 3, "waste": []}


def felt(left: int = 13, lake: tuple[str, ...] = ()) -> dict[str, Json]:
    """Return two sides; the first has so many cards left."""
    return {
        "sides": [SIDE | {"reserve": [left, "7C"]}, SIDE | {"seats": [2]}],
        "lake": [[card, [0]] for card in lake],
        "astray": [],
        "lesson": [],
    }


async def test_all_comes_first_and_then_what_has_changed() -> None:
    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot())
        feed.lay(felt())
        async with opened(client) as socket:
            assert "table" in await socket.receive_json()
            assert await socket.receive_json() == {"cards": {"all": felt()}}
            feed.lay(felt(12, ("AH",)))
            news = {"sides": {"0": SIDE | {"reserve": [12, "7C"]}}, "lake": [["AH", [0]]]}
            assert await socket.receive_json() == {"cards": news}
            feed.lay(None)
            assert await socket.receive_json() == {"cards": {"all": {}}}


def turns(**own: list[str]) -> dict[str, Json]:
    """Return the cards of a game of turns."""
    sides: list[Json] = [{"seats": [seat], "hand": ["", "", ""], "worth": ""} for seat in (1, 2)]
    hands: dict[str, Json] = {seat: [*cards] for seat, cards in own.items()}
    return {"sides": sides, "deck": 3, "discards": "9S", "turn": [1], "own": hands, "lesson": []}


async def test_a_hand_of_31_is_told_to_the_page_that_took_it_up_first_alone() -> None:
    """Pages that only look on, or take up that seat later, do not receive its cards."""
    both = turns(**{"1": ["AH", "KH", "4C"], "2": ["2S", "3S", "4S"]})

    async with table(controls=Recorder()) as (client, feed):
        feed.publish(snapshot())
        async with opened(client) as one, opened(client) as two, opened(client) as third:
            for socket, seats in ((one, [1]), (two, [1, 2])):
                for seat in seats:
                    await socket.send_json({"seat": seat, "move": "take"})
                await socket.send_json({"turn": 0})  # this is refused, so everything sent before it has been read
                while "refused" not in await socket.receive_json():
                    pass
            feed.lay(both)
            told = []
            for socket in (one, two, third):
                message: dict[str, Any] = {}
                while "cards" not in message:
                    message = await socket.receive_json()
                told.append(message["cards"]["all"]["own"])
            assert told == [{"1": ["AH", "KH", "4C"]}, {"2": ["2S", "3S", "4S"]}, {}]


def test_another_game_s_cards_are_told_whole() -> None:
    assert cards_after(felt(), turns()) == {"all": turns()}
    assert cards_after(turns(), turns() | {"discards": "2H"}) == {"discards": "2H"}


FELTS: st.SearchStrategy[dict[str, Json]] = st.one_of(
    st.just({}), st.builds(felt, st.integers(0, 13), st.lists(st.sampled_from(["AH", "2H"]), max_size=2).map(tuple))
)


@given(FELTS, FELTS)
def test_a_page_that_takes_the_news_shows_what_lies_there(before: Felt, now: Felt) -> None:
    shown: dict[str, Any] = dict(before)
    news: Any = cards_after(before, now)
    shown = dict(news.pop("all", shown))
    for at, side in news.pop("sides", {}).items():
        shown["sides"] = [*shown["sides"][: int(at)], side, *shown["sides"][int(at) + 1 :]]
    assert shown | news == dict(now)


def test_only_the_simulated_table_has_cards_to_show() -> None:
    async def text(controls: Recorder | None) -> str:
        async with table(controls=controls) as (client, _), client.get("/") as answer:
            return await answer.text()

    assert "cards." not in asyncio.run(text(None))
    assert {"/cards.css", "/cards.js", "/turns.js"} <= set(
        re.findall(r'(?:href|src)="([^"#]+)"', asyncio.run(text(Recorder())))
    )


def test_the_first_page_is_small() -> None:
    """At most 100 kB with everything that it loads."""

    async def size() -> int:
        async with table(controls=Recorder()) as (client, _), client.get("/") as answer:
            text = await answer.text()
            return len(text.encode()) + sum(
                len(static(name).encode()) for name in set(re.findall(r'"/(\w+\.\w+)"', text))
            )

    assert asyncio.run(size()) <= 100_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_by_which_a_move_is_refused_has_its_sentence(language: str) -> None:
    """No two sentences are equal.

    Includes a game of turns and the case that cards cannot move now.
    """
    rules = {*RULES, RESTS, DRAWN, UNDRAWN, TAKEN_BACK, WAITS, EXCHANGED}
    with speaking(language):
        said = {rule: label(f"cards.rule.{rule.replace(' ', '_')}") for rule in rules}
    assert len(set(said.values())) == len(said)
    assert all(text.endswith(".") for text in said.values())
