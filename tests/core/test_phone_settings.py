"""Settings by phone: what a host may set in the lobby and in a match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.messages import msg
from referee.core.model.events import Adjusted, PhoneSet
from referee.core.model.options import RuleError
from referee.core.model.registry import presets
from referee.core.model.table import Setup
from referee.core.model.view import VoteScreen
from referee.core.phases.phones import refusal
from referee.core.phases.settings import apply_settings, in_order
from referee.core.reading import list_text
from tests.core.evenings import counted
from tests.core.sitting import BREATH_NS, Sitting
from tests.english import en

HOST = "phone-1"


def sets(match: Sitting, *settings: tuple[str, bool | int | str]) -> Sitting:
    match.engine.intake([PhoneSet(match.now_ns, HOST, settings)], match.now_ns)
    match._collect()
    return match


def test_in_the_lobby_a_host_sets_everything_at_once() -> None:
    match = sets(Sitting(), ("preset", "pagat"), ("target", 250), ("bonus", 0), ("volume_percent", 25))
    setup = match.engine.state.table.setup
    assert (setup.preset, dict(setup.options), setup.volume_percent) == ("pagat", {"target": 250, "bonus": 0}, 25)
    assert [one.setting for one in match.decisions(Adjusted)] == ["preset", "target", "bonus", "volume_percent"]
    before = len(match.rows)
    sets(match, ("target", 250))
    assert len(match.decisions(Adjusted)) == 4
    assert len(match.rows) == before + 1


ONE_OF = "is given, allowed is one of"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("preset", "poker", f'"poker" {ONE_OF} {list_text(presets())}'),
        ("preset", 3, f"3 {ONE_OF} {list_text(presets())}"),
        ("target", -1, "-1 is given, allowed is a whole number from 0 to 10000"),
        ("nonsense", 1, "there is no such option, allowed are target, "),
        ("language", "fr", f'"fr" {ONE_OF} en, de, it'),
        ("volume_percent", True, f"true {ONE_OF} 0, "),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(name: str, value: bool | int | str, why: str) -> None:
    match = Sitting()
    before = match.engine.state.table
    with pytest.raises(RuleError) as refused:
        refusal(match.engine.state, PhoneSet(0, HOST, ((name, value),)))
    assert why in str(refused.value)
    assert sets(match, (name, value)).engine.state.table == before
    assert sets(match).engine.state.table == before


def test_in_a_match_a_change_is_a_question_to_all() -> None:
    match = Sitting().tap("1", "2").choose("Start").wait(BREATH_NS)
    state = match.engine.state
    for settings in ((("target", 50), ("volume_percent", 25)), (("preset", "pagat"),)):
        assert refusal(state, PhoneSet(0, HOST, settings)) == msg("refusal.next_match")
        assert sets(match, *settings).engine.state.table == state.table
    assert sets(match, ("volume_percent", 25)).engine.state.table.setup.volume_percent == 25
    assert sets(match, ("target", 50)).engine.state.phase.name == "VOTE"
    assert dict(match.engine.state.table.setup.options) == {}
    match.wait(BREATH_NS).tap("1", "2")
    assert dict(match.engine.state.table.setup.options) == {"target": 50}
    assert en(sets(match, ("withholding", False)).screen(VoteScreen).question) == "must play: no?"
    match.wait(BREATH_NS).hold("1", "2")
    match.wait(BREATH_NS).playing("1", "2")
    assert "not_in_play" in str(refusal(match.engine.state, PhoneSet(0, HOST, (("target", 75),))))
    assert dict(sets(match, ("target", 75)).engine.state.table.setup.options) == {"target": 50}


def test_what_has_counted_a_hand_is_for_the_next_match() -> None:
    match = counted(Sitting().playing("1", "2"), "1", 5, "2")
    assert "next_match" in str(refusal(match.engine.state, PhoneSet(0, HOST, (("bonus", 5),))))
    assert sets(match, ("bonus", 5)).engine.state.table.setup.options == ()
    assert sets(match, ("stuck", "rotate")).phase == "VOTE"


def test_a_table_that_is_agreeing_is_asked_by_the_agreement_itself() -> None:
    match = Sitting(Setup(options=(("target", 150),), agreement=True)).tap("1", "2").choose("Start").wait(BREATH_NS)
    assert match.engine.state.phase.name == "AGREEMENT"
    assert sets(match, ("bonus", 5)).engine.state.phase.name == "AGREEMENT"
    assert dict(match.engine.state.table.setup.options) == {"target": 150, "bonus": 5}


@given(st.sampled_from(sorted(presets())), st.data())
def test_options_of_a_preset_find_an_order_in_which_they_can_be_set(preset: str, data: st.DataObject) -> None:
    game = presets()[preset]
    others = [name for name, other in presets().items() if other.NAME == game.NAME]
    values = game.preset_values(data.draw(st.sampled_from(others)))
    options = data.draw(st.permutations([(name, value) for name, (value, _) in values.items()]))
    try:
        game.rules(preset, dict(options))
    except RuleError:
        return
    try:
        settings = in_order(Setup(), preset, options)
    except RuleError:
        return
    assert settings[0] == ("preset", preset)
    assert sorted(settings[1:]) == sorted(options)
    assert dict(apply_settings(Setup(), settings).options) == dict(options)


def test_an_option_that_no_order_allows_is_refused() -> None:
    for options in ([("bonus", 5), ("target", -1)], [("target", -1), ("bonus", 5)]):
        with pytest.raises(RuleError, match="target"):
            in_order(Setup(), "nna", options)
