"""`--option NAME=VALUE` of every command: values as in documents, and one sentence for invalid ones."""

from __future__ import annotations

import pytest

from referee import cli
from referee.commands.terminal import UsageError, given_options


def test_values_are_read_as_a_match_document_has_them() -> None:
    """Numbers, truth values and words; text that only resembles JSON is a word."""
    texts = ["turn=1", "stacking=true", "stuck=rotate", "call_word=[1]", "false_call=points:5"]
    assert given_options("demo", "nna", texts) == {
        "turn": 1,
        "stacking": True,
        "stuck": "rotate",
        "call_word": "[1]",
        "false_call": "points:5",
    }


WRONG: dict[tuple[str, ...], str] = {
    ("turn",): "--option 'turn' is given, allowed is NAME=VALUE",
    ("=3",): "--option '=3' is given, allowed is NAME=VALUE",
    ("turn=2",): "--option turn: 2 is given, allowed is one of 1, 3",
    ("turn=1.0",): "--option turn: 1.0 is given, allowed is one of 1, 3",
    ("target=1e999",): "--option target: ",
    ("target=-5",): "--option target: -5 is given, allowed is a whole number from ",
    ("sharks=1",): "--option sharks: there is no such option, allowed are target, ",
    ("turn=1", "turn=3"): "--option turn is given twice",
    ("reserve=49",): "--option reserve: 49 is given, allowed is a whole number from 3 to 48",
    ("jokers=2.5",): "--option jokers: 2.5 is given, allowed is ",
}


@pytest.mark.parametrize("texts", WRONG, ids=" ".join)
def test_what_cannot_be_is_one_sentence(texts: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        given_options("demo", "nna", texts)
    assert str(caught.value).startswith(f"referee demo: {WRONG[texts]}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("command", ["demo", "simulate", "rules"])
def test_each_command_refuses_a_wrong_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--option=sharks=1"]) == 2
    assert capsys.readouterr().err.startswith(f"referee {command}: --option sharks: there is no such option")
