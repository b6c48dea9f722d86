"""What the update program says reaches the table: an offer in the lobby, and a note when the update is over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import count
from pathlib import Path

import pytest

from referee.core.messages import Msg
from referee.core.model.events import Fact
from referee.core.model.state import State
from referee.core.phases.update import KINDS
from referee.core.units import S
from referee.device.updates import FOLDER, UpdateOutput, Updates
from referee.language.display import display_text
from referee.language.say import message_speech
from referee.language.words import LANGUAGES, speaking
from systemd.debian.contents import HERE
from tests.core.sitting import Sitting

AT = count()


class Table:
    """A table whose display notes are kept."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting, self.notes = sitting, list[str]()

    def now(self) -> State:
        return self.sitting.engine.state

    def feed(self, facts: Iterable[Fact]) -> None:
        self.sitting.engine.intake(list(facts), self.sitting.now_ns)
        self.sitting._collect()

    def tell(self, note: Msg | None) -> None:
        self.notes.append(display_text(note) if note else "")


class House:
    """A table with a folder in which the program says something."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / FOLDER).mkdir()
        self.table = Table(Sitting().tap("1", "2").wait(6 * S))
        self.start()

    def start(self) -> None:
        self.updates = Updates(self.folder, "boot-1")

    def say(self, kind: str, boot: str = "boot-1") -> str:
        """Let the program say it, and the device look; return the table's phase."""
        told = {"kind": kind, "version": "0.2.0", "boot": boot, "at": next(AT)}
        (self.folder / FOLDER / "says.json").write_text(json.dumps(told))
        return self.look()

    def look(self) -> str:
        self.updates.look(self.table, self.table.sitting.now_ns)
        return self.table.sitting.phase


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_a_version_is_offered_once_and_again_after_a_start(house: House) -> None:
    assert house.look() == "LOBBY"
    assert house.say("offer") == "OFFER"
    house.table.sitting.turn(1)
    assert house.look() == "LOBBY"
    house.start()
    assert house.look() == "OFFER"
    assert house.table.notes == []


def test_a_match_is_not_interrupted(house: House) -> None:
    house.table.sitting.choose("Start")
    assert house.say("offer") == "READY"
    assert house.say("unsigned") == "READY"
    assert house.table.notes == []


def test_it_is_offered_again_after_a_match(house: House) -> None:
    house.say("offer")
    sitting = house.table.sitting.turn(1).choose("Start").wait(6 * S)
    assert house.look() == "READY"
    sitting.choose("Undo").wait(6 * S)
    assert house.look() == "OFFER"


def test_the_lobby_hears_what_was_wrong_once(house: House) -> None:
    house.say("unsigned")
    house.look()
    house.say("cut", boot="an earlier one")
    house.say("installing")
    assert house.table.notes == ["UPDATE: NOT SIGNED"]


def test_a_refused_installation_returns_to_the_lobby(house: House) -> None:
    house.say("offer")
    house.table.sitting.press("knob", ns=1 * S)
    assert house.look() == "UPDATE"
    assert house.say("installing") == "UPDATE"
    assert house.say("space") == "LOBBY"
    assert house.table.notes == ["UPDATE: NO SPACE"]


def test_the_note_is_left_once_when_the_knob_was_held(house: House) -> None:
    asked: list[int] = []
    output = UpdateOutput(lambda: asked.append(1))
    house.say("offer")
    output.show(house.table.sitting.view)
    house.table.sitting.press("knob", ns=1 * S)
    output.show(house.table.sitting.view)
    output.show(house.table.sitting.view)
    assert asked == [1]


def test_every_kind_that_the_program_says_has_texts() -> None:
    program = (HERE / "update").read_text()
    said = set(re.findall(r'(?:Fault|say)\("(\w+)"', program)) | set(re.findall(r'"(\w+)" (?:if|else)', program))
    assert said - {"offer", "installing"} <= set(KINDS) | {"all"}
    for language in LANGUAGES:
        with speaking(language):
            for kind in KINDS:
                note = Msg(f"toast.update_{kind}", (("version", "0.2.0"),))
                assert len(display_text(note)) <= 21
                assert message_speech(note).endswith(".")
