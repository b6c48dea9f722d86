"""The pairing code of the display, and the list of phones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.device.phones.pairing import CODE_PHONES, CODE_PHONES_EACH, GRACE_S, SIGNS, DoorCode, FullError, PhoneBook
from referee.protocol.page import HOST, KEEPER, MOST_PHONES, OWN, PairedPhone, digest_of


def test_a_code_serves_everybody_while_it_is_shown_and_a_moment_longer() -> None:
    """In capitals or not; then it expires, and the next one differs."""
    now = [0.0]
    door = DoorCode(lambda: now[0])
    assert not door.accepts("")
    code = door.show()
    assert door.show() == code
    assert (len(code), set(code) <= set(SIGNS)) == (6, True)
    now[0] = 1000.0
    assert door.accepts(f" {code.lower()} ")
    door.hidden()
    now[0] += GRACE_S
    assert door.accepts(code)
    door.hidden()
    now[0] += 0.1
    assert not door.accepts(code)
    assert door.show() != code
    assert not door.accepts(code)


def test_code_on_a_phone_is_the_display_s_and_ends_by_itself() -> None:
    now = [0.0]
    door = DoorCode(lambda: now[0])
    code = door.lend(120)
    now[0] = 60.0
    assert door.show() == code == door.lend(120)
    door.hidden()
    now[0] = 180.0 + GRACE_S
    assert door.accepts(code)
    now[0] += 0.1
    assert not door.accepts(code)
    assert door.lend(120) != code


def test_recalled_code_stays_only_on_the_display() -> None:
    door = DoorCode(lambda: 0.0)
    lent = door.lend(120)
    door.recall()
    assert not door.accepts(lent)
    shown = door.show()
    assert shown != lent
    door.recall()
    assert door.accepts(shown)


def test_one_code_pairs_only_so_many_phones_of_an_address_and_together() -> None:
    door = DoorCode(lambda: 0.0)
    door.show()
    for _ in range(CODE_PHONES_EACH):
        assert door.may_pair("a")
        door.note_paired("a")
    assert (door.may_pair("a"), door.may_pair("b")) == (False, True)
    while door.may_pair(""):
        door.note_paired("")
    assert (len(door._paired), door.may_pair("c")) == (CODE_PHONES, False)
    door.hidden()
    door.show()
    assert door.may_pair("a")


@given(st.text())
def test_no_other_text_is_the_code(text: str) -> None:
    door = DoorCode(lambda: 0.0)
    code = door.show()
    assert door.accepts(text) is (text.strip().upper() == code)


def test_the_book_keeps_hashes_and_no_secret(tmp_path: Path) -> None:
    """Readable by its owner alone; the first phone is the host."""
    path = tmp_path / "phones.json"
    book = PhoneBook(path)
    (first, secret), (second, _) = book.pair(), book.pair()
    assert ((first.name, first.role), (second.name, second.role)) == (("phone-1", HOST), ("phone-2", OWN))
    assert (secret in path.read_text(), path.stat().st_mode & 0o077) == (False, 0)
    again = PhoneBook(path)
    assert again.phone_with(digest_of(secret)) == first
    assert again.phone_with(digest_of("another")) is None
    assert again.pair()[0].name == "phone-3"


def test_the_book_keeps_a_touch_delay_until_the_phone_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "phones.json"
    PhoneBook(path).pair()
    old = json.loads(path.read_text())
    del old["phones"][0]["touch_ns"]  # as an older release has written it
    path.write_text(json.dumps(old))
    book = PhoneBook(path)
    assert book.phones[0].touch_ns is None
    book.keep_delays("phone-1", (12, 34))
    assert book.give_role("phone-1", KEEPER)
    assert PhoneBook(path).phones[0].touch_ns == (12, 34)
    book.forget("phone-1")
    assert PhoneBook(path).phones == ()


@pytest.mark.parametrize("touch_ns", [(2, 1), (-1, 1), (0, 10**12)])
def test_a_touch_delay_that_cannot_be_is_refused(touch_ns: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="touch_ns must be two times in order"):
        PairedPhone("phone-1", "0" * 64, touch_ns=touch_ns)


def test_roles_are_given_and_the_host_may_forget(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "phones.json")
    for _ in range(2):
        book.pair()
    assert book.give_role("phone-2", KEEPER)
    assert [phone.for_all for phone in book.phones] == [True, True]
    assert not book.give_role("phone-9", KEEPER)
    assert (book.forget("phone-1"), book.forget("phone-1")) == (True, False)
    assert book.pair()[0].role == HOST


def test_full_book_drops_idle_phones_of_the_same_address_first(tmp_path: Path) -> None:
    """Then other idle ones; never the host, a scorekeeper or a seated phone."""
    book = PhoneBook(tmp_path / "phones.json")
    for number in range(MOST_PHONES):
        book.pair("greedy" if number in (20, 30) else "other")
    book.give_role("phone-2", KEEPER)
    for _ in range(3):
        book.pair("greedy", {"phone-3", "phone-21"})
    names = {phone.name for phone in book.phones}
    assert {f"phone-{n}" for n in range(1, MOST_PHONES + 4)} - names == {"phone-31", "phone-65", "phone-66"}
    book.pair("another", {"phone-3"})
    assert {"phone-4"} == names - {phone.name for phone in book.phones}
    with pytest.raises(FullError):
        book.pair("greedy", {phone.name for phone in book.phones})
    assert len(book.phones) == MOST_PHONES


def test_what_the_table_revokes_is_forgotten_once(tmp_path: Path) -> None:
    """Also after the journal has restarted with other row numbers; a restart does not repeat it."""
    path = tmp_path / "phones.json"
    book = PhoneBook(path)
    book.pair()
    assert (book.revoke(17), book.phones) == (True, ())
    book.pair()
    again = PhoneBook(path)
    assert (again.revoke(17), len(again.phones), again.revoke(5), again.phones) == (False, 1, True, ())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2}', json.dumps({"format": 1, "phones": [{}]}), "\x00"])
def test_a_book_that_cannot_be_read_is_an_empty_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "phones.json"
    path.write_text(text)
    assert PhoneBook(path).phones == ()
    assert PhoneBook(path).pair()[0].name == "phone-1"


def test_a_book_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "nowhere" / "phones.json")
    with pytest.raises(OSError, match="No such file"):
        book.pair()
    assert book.phones == ()
