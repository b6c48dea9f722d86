"""Impossible positions are each refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from referee.core.cards.deal import deal
from referee.core.cards.pack import Pile, card_from_text, card_text, full_pack
from referee.core.cards.position import RESERVE, WASTE, CardCount, Position, available, counts
from referee.core.cards.rules import CardRules
from referee.core.cards.sanity import PositionError, check_position
from referee.core.values import replace
from tests.core.cards.tables import cards, foundation, table, tableau

SMALL = CardRules(highest=2, reserve=1, piles=2)
"""Packs of eight cards: AS 2S AH 2H AC 2C AD 2D."""


def small(rules: CardRules = SMALL, foundations: tuple[Pile, ...] = (), **changed: Any) -> Position:
    """Return one team with the whole pack, apart from the given changes."""
    whole = tableau("AS", "2H / AC", "2C AD 2D", "2S AH")
    return Position(rules, ("Red",), (replace(whole, **changed),), foundations)


def refused(position: Position) -> str:
    """Return the sentence of the refusal."""
    with pytest.raises(PositionError) as caught:
        check_position(position)
    return str(caught.value)


def test_a_whole_pack_in_order_is_taken() -> None:
    check_position(small())
    check_position(small(foundations=(foundation("AS 2S"),), reserve=(), waste=cards("AH")))


def test_cards_too_many_or_missing_are_named() -> None:
    assert refused(small(waste=cards("2S AH 2H"))) == "Red: 2H is there twice, and once in a pack"
    assert refused(small(waste=cards("2S AH 2H 2H"))) == "Red: 2H is there 3 times, and once in a pack"
    assert refused(small(waste=cards("2S AH 2D 2S"))) == "Red: 2S is there twice, and once in a pack"
    assert refused(small(waste=cards("2S"))) == "Red: AH is there not, and once in a pack"
    assert refused(small(waste=cards("2S AH *"))) == "Red: * is there once, and not in a pack"
    assert refused(small(waste=cards("2S AH 3H"))) == "Red: 3H is there once, and not in a pack"
    assert refused(small(foundations=(foundation("AS", "1"),))) == "a card belongs to team 2, the number of teams is 1"


def test_piles_that_no_play_can_lay_are_named() -> None:
    assert "Red: work pile 1: its cards do not go down" in refused(
        small(piles=(cards("2H AD"), cards("AC")), stock=cards("2C 2D"))
    )
    check_position(small(piles=(cards("2H AC"), ())))
    assert "allowed is 2" in refused(small(piles=(cards("2H AC"),)))
    row = replace(SMALL, building=False)
    assert "2 cards face up are given, allowed is one" in refused(small(row, piles=(cards("2H AC"), ())))
    check_position(small(row))
    withheld = replace(SMALL, withholding=True)
    assert "work pile 1: its cards do not go down" in refused(small(withheld, piles=(cards("2H AC"), ())))
    check_position(small(withheld))
    assert "1 counts of cards face down are given, allowed are 0" in refused(small(down=(0,)))
    klondike = replace(SMALL, klondike=True)
    assert "0 counts of cards face down are given, allowed are 2" in refused(small(klondike))
    laid: dict[str, Any] = {"piles": (cards("2H"), cards("AC AD")), "stock": cards("2C 2D")}
    check_position(small(klondike, down=(0, 1), **laid))
    assert "work pile 2: 2 cards face down are given, allowed is less than 2" in refused(
        small(klondike, down=(0, 2), **laid)
    )
    assert "work pile 1: -1 cards face down" in refused(small(klondike, down=(-1, 1), **laid))
    assert "work pile 1: 1 cards face down are given, allowed is less than 1" in refused(
        small(klondike, down=(1, 1), **laid)
    )
    assert "work pile 2: its cards" in refused(small(klondike, down=(0, 0), **laid))
    check_position(small(klondike, down=(0, 0), piles=((), cards("2H AC"))))


def test_foundations_in_another_order_are_named() -> None:
    """If both of two cards stay, one rank may occur twice in a row."""
    assert refused(small(foundations=((),))) == "foundation 1: it does not begin with an ace"
    assert "foundation 1: it does not" in refused(small(foundations=(foundation("2S"),), waste=cards("AH")))
    wrong = small(foundations=(foundation("AH 2S"),), waste=())
    assert refused(wrong) == "foundation 1: 2S may not follow its card below"
    check_position(replace(wrong, rules=replace(SMALL, follow="colour")))
    pair = Position(SMALL, ("Red", "Blue"), (small().tableaux[0],) * 2, (foundation("AS 2S 2S", "001"),))
    first = replace(pair.tableaux[0], reserve=(), waste=cards("AH"))
    second = replace(pair.tableaux[1], waste=cards("AH"))
    pair = replace(pair, tableaux=(first, second))
    assert "foundation 1: 2S may not follow" in refused(pair)
    check_position(replace(pair, rules=replace(SMALL, same_place="both")))
    joker = replace(SMALL, jokers=1)
    check_position(small(joker, foundations=(foundation("AS 2S *=2S"[:5]),), reserve=(), waste=cards("AH *")))
    high = small(joker, foundations=(foundation("AS 2S *=3S"),), reserve=(), waste=cards("AH"))
    assert refused(high) == "foundation 1: *=3S is in no pack"


def test_a_deal_is_laid_out_in_its_order() -> None:
    rules = CardRules(highest=4, reserve=3, piles=2)
    one = deal(rules, ("Red",), [rules.pack]).tableaux[0]
    assert one == tableau("AS 2S 3S", "4S / AH", "2H 3H 4H AC 2C 3C 4C AD 2D 3D 4D")
    river = replace(rules, river_first=True)
    assert deal(river, ("Red",), [rules.pack]).tableaux[0] == tableau(
        "3S 4S AH", "AS / 2S", "2H 3H 4H AC 2C 3C 4C AD 2D 3D 4D"
    )
    klondike = replace(rules, klondike=True, piles=3)
    assert deal(klondike, ("Red",), [rules.pack]).tableaux[0] == tableau(
        "AS 2S 3S", "4S / AH 3H / 2H 4H AC", "2C 3C 4C AD 2D 3D 4D", down=(0, 1, 2)
    )
    two = deal(rules, ("Red", "Blue"), [rules.pack] * 2, (3, 5))
    assert [len(side.reserve) for side in two.tableaux] == [3, 5]


def test_a_pack_that_is_none_is_not_dealt() -> None:
    rules = CardRules(highest=4, reserve=3, piles=2)
    with pytest.raises(PositionError, match=r"^a pack of 4 cards is given, needed are 5 for this layout"):
        deal(rules, ("Red",), [rules.pack[:4]])
    with pytest.raises(PositionError, match=r"Red: AS is there twice, and once in a pack"):
        deal(rules, ("Red",), [(*rules.pack[:-1], rules.pack[0])])


def test_cards_are_read_as_they_are_written() -> None:
    for letters, highest in (("SHCD", 13), ("rybg", 10)):
        pack = full_pack(highest, 2)
        written = [card_text(letters, card) for card in (*pack, *(64 | card for card in pack))]
        assert [card_from_text(letters, text) for text in written] == [*pack, *(64 | card for card in pack)]
        assert len(set(written)) == 8 * highest + 1
    for text in ("", "7", "14H", "1H", "7r", "*=", "*=*", "**", "=5H", "5h"):
        assert card_from_text("SHCD", text) is None, text
    assert card_from_text("rybg", "Ar") is None


def test_available_cards_are_told_in_one_order() -> None:
    """The order decides which of several equal moves a player makes."""
    one = tableau("2S 7S", "9D / / 8C 7H", "3C", "4C 5H")
    found = zip((RESERVE, WASTE, 0, 2), cards("7S 5H 9D 7H"), strict=True)
    assert available(one) == list(found)
    assert available(tableau("", "9D", "3C", "5H")) == [(WASTE, cards("5H")[0]), (0, cards("9D")[0])]


def test_cards_of_each_team_are_counted_and_its_kings() -> None:
    full = "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS".replace("T", "10")
    lake = (
        foundation(full, "0000000001111"),
        foundation(full.replace("S", "H"), "1111111111111"),
        foundation(full.removesuffix(" KS").replace("S", "C"), "010101010101"),
    )
    position = table(CardRules(), tableau("2D 3D"), tableau(), foundations=lake)
    assert counts(position) == (CardCount(15, 2, 0), CardCount(23, 0, 2))
