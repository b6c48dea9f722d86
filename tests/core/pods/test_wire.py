"""A pod's wire on the host's side: frames, messages, and no false message from noise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from referee.core.pods import wire as podwire
from referee.core.pods.wire import Decoder, make_frame, read_message, split_frame
from referee.core.values import Value

VECTORS = json.loads((Path(__file__).parent.parent.parent / "vectors" / "frames.json").read_text())
FRAMES = VECTORS["frames"]
STREAMS = VECTORS["streams"]

payloads = st.binary(max_size=60)
kinds = st.integers(0, 255)
messages = st.tuples(kinds, payloads)
garbage = st.binary(max_size=300)


@pytest.mark.parametrize("vector", FRAMES, ids=lambda v: v["name"])
def test_each_shared_vector_is_made_and_found(vector: dict[str, Any]) -> None:
    """tests/firmware checks the pod's side against the same file."""
    kind, payload, frame = vector["kind"], bytes.fromhex(vector["payload"]), bytes.fromhex(vector["frame"])
    assert make_frame(kind, payload) == frame
    assert split_frame(frame[1:-1]) == (kind, payload)
    assert b"\x7e" not in frame[1:-1]
    assert b"\x03" not in frame


@pytest.mark.parametrize("vector", FRAMES, ids=lambda v: v["name"])
def test_each_shared_vector_means_what_it_says(vector: dict[str, Any]) -> None:
    message = read_message(vector["kind"], bytes.fromhex(vector["payload"]))
    means = vector["means"]
    if means is None:
        assert message is None
        return
    assert type(message).__name__ == means.pop("type")
    values = asdict(cast(Value, message))
    if "items" in values:
        values["items"] = [asdict(item) for item in values["items"]]
    assert json.loads(json.dumps(values)) == means


@pytest.mark.parametrize("vector", STREAMS, ids=lambda v: v["name"])
def test_each_shared_stream_holds_these_frames(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["bytes"])
    wanted = [(kind, bytes.fromhex(payload)) for kind, payload in vector["frames"]]
    assert Decoder().feed(data) == wanted
    slow = Decoder()
    assert [frame for byte in data for frame in slow.feed(bytes((byte,)))] == wanted


@given(st.lists(messages, max_size=6), st.lists(st.integers(1, 50), max_size=40))
def test_frames_come_out_as_they_went_in(sent: list[tuple[int, bytes]], cuts: list[int]) -> None:
    data = b"".join(make_frame(*message) for message in sent)
    decoder, found, at = Decoder(), [], 0
    for size in [*cuts, len(data)]:
        found += decoder.feed(data[at : at + size])
        at += size
    assert found == sent


@given(garbage, messages)
def test_after_any_garbage_the_next_good_frame_is_found(noise: bytes, message: tuple[int, bytes]) -> None:
    assert Decoder().feed(noise + make_frame(*message)) == [message]


@given(messages, st.data())
def test_a_changed_bit_makes_no_frame(message: tuple[int, bytes], data: st.DataObject) -> None:
    """A changed flag may split a frame in two, and neither part is a frame."""
    frame = bytearray(make_frame(*message))
    bit = data.draw(st.integers(8, 8 * (len(frame) - 1) - 1))
    frame[bit // 8] ^= 1 << bit % 8
    assert Decoder().feed(bytes(frame)) in ([], [message])  # an escape's own bit may leave the meaning unchanged


@given(messages, st.integers(1, 100))
def test_a_frame_cut_short_is_none(message: tuple[int, bytes], left: int) -> None:
    """Half an escape at the end may still be read as the byte that it stands for."""
    frame = make_frame(*message)
    cut = frame[: min(left, len(frame) - 2)]
    whole = [message] * (1 + cut.endswith(b"\x7d"))
    assert Decoder().feed(cut + make_frame(*message)) in ([message], whole)


def test_what_is_longer_than_any_frame_is_dropped_on_the_way() -> None:
    decoder = Decoder()
    for _ in range(1_000):
        assert decoder.feed(b"x" * 1_000) == []
    assert len(decoder._kept) <= podwire.LONGEST + 1
    assert split_frame(b"x" * 500) is None


@given(kinds, st.binary(max_size=80))
def test_any_payload_is_a_message_or_none(kind: int, payload: bytes) -> None:
    message = read_message(kind, payload)
    assert message is None or isinstance(message, podwire.PodMessage)


def test_what_the_host_says_is_framed_as_agreed() -> None:
    known = {vector["name"]: bytes.fromhex(vector["frame"]) for vector in FRAMES}
    assert podwire.ask() == known["ask"]
    assert podwire.ack(0xCAFE0042, 9, 12) == known["acknowledge"]
    assert podwire.sync(0x7E7D0303) == known["sync"]
    assert podwire.lamps(0x7E) == known["lamps"]
    assert podwire.identify(5) == known["identify"]
    assert podwire.selftest() == known["self-test"]
    assert podwire.prompt() == known["prompt"]
