"""Messages between tables and a hall."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents.delivery import (
    MOST_BYTES,
    DeliveryError,
    Forgotten,
    Message,
    Received,
    Result,
    Seating,
    decode,
    encode,
    hall_topic,
    presence_topic,
    topic_of,
)

ROWS = st.tuples(st.integers(0, 1 << 40), st.integers(0, 1 << 40))
CHAINS = st.lists(ROWS, min_size=2, max_size=4, unique=True).map(sorted)
RESULTS = st.builds(
    lambda match, rows, record: Result(match, rows[-1], rows[0], record, tuple(rows[1:-1])),
    st.text(min_size=1, max_size=100),
    CHAINS,
    st.none() | st.just({"hands": [1, {"a": "b"}]}),
)
MESSAGES = st.one_of(
    RESULTS,
    st.builds(Forgotten, st.integers(1, 99), st.text(), st.integers(0, 98)),
    st.builds(Received, st.text(), st.dictionaries(st.text(), ROWS), st.integers(0, 99)),
    st.builds(Seating, st.text(), st.integers(1, 9), st.just((("Anna", "Max"), ("Ben",))), st.just("nna")),
)


@given(MESSAGES)
def test_a_message_is_read_as_it_was_written(message: Message) -> None:
    assert decode(type(message), encode(message)) == message  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[", "no Result"),
        (b"\xff", "no Result"),
        (b'{"match":"m","row":[1,1],"after":[0,0],"record":null}', "format"),
        (b'{"match":"m","row":[1,1],"after":[0,0],"record":null,"format":2}', "format must be 1, got 2"),
        (b'{"match":"m","row":[1,1],"after":[1,1],"record":null,"format":1}', "rows must increase"),
        (b'{"match":"","row":[1,1],"after":[0,0],"record":null,"format":1}', "rows must increase"),
        (b'{"match":"m","row":[1,1],"after":[0,0],"record":null,"format":1,"more":1}', "more"),
        (b"[" * 100_000, "no Result"),
        (b'{"match":"' + b"m" * MOST_BYTES, "at most"),
    ],
)
def test_a_bad_message_is_refused_in_one_sentence(content: bytes, why: str) -> None:
    with pytest.raises(DeliveryError, match=why):
        decode(Result, content)


def test_topics_of_table_and_hall_are_apart() -> None:
    topics = {topic_of("p", "t", "result"), hall_topic("p", "t", "received"), presence_topic("p")}
    assert len(topics) == 3
    assert json.loads(encode(Forgotten(1, "Anna"))) == {"number": 1, "name": "Anna", "after": 0, "format": 1}
