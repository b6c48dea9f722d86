"""`referee presets`: every rule set with its options, values and sources."""

from __future__ import annotations

import json

import pytest

from referee.commands import presets
from referee.core.documents.match import score_document
from referee.core.games.nertz.options import OPTIONS
from referee.core.games.nertz.rules import PRESETS, with_options
from referee.core.model import registry
from tests.commands.house import parsed


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Return a function that gives the command's output."""
    assert presets.run(parsed(presets, "presets", *argv)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_list_shows_every_preset_and_what_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys)
    for name in registry.presets():
        assert f"\n{name} " in f"\n{out}"
    assert "target 75, reserve 10, river 3" in out
    assert "penalty 1" in out
    assert max(map(len, out.splitlines())) <= 110


@pytest.mark.parametrize("name", registry.presets())
def test_a_preset_s_sheet_shows_every_option_with_its_source(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, name)
    joined = " ".join(out.split())
    assert out.startswith(f"{name}: {registry.presets()[name].TITLES[name]}\n")
    game = registry.presets()[name]
    for option in game.OPTIONS:
        assert f"({game.preset_values(name)[option.name][1]})" in joined
        assert f" {option.name} = " in f" {joined}"
        assert f"{option.meaning} allowed: {option.allowed} sources: {option.sources}" in joined


def test_json_lists_all_presets_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(printed(capsys, "--json"))
    assert list(document["presets"]) == list(registry.presets())
    for name, preset in document["presets"].items():
        game = registry.presets()[name]
        assert set(preset["options"]) == set(preset["sources"]) == {option.name for option in game.OPTIONS}
        game.rules(name, preset["options"])
        if game.NAME != "nertz":
            continue
        same = with_options(PRESETS[name], preset["options"])
        assert same.target == PRESETS[name].target
        match = {"preset": name, "options": preset["options"], "teams": ["A", "B"], "hands": []}
        assert score_document(match)["over"] is False
    described = document["games"]["nertz"]
    assert [option["name"] for option in described] == list(OPTIONS)
    assert set(described[0]) == {"name", "kind", "allowed", "meaning", "sources"}
