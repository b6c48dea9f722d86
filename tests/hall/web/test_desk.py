"""The director's desk: who may do what, each form, wrong input, two directors at once."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from pathlib import Path

import pytest

from referee.core.documents.delivery import encode
from referee.core.values import replace
from referee.hall import decide
from referee.hall.decide import undone
from referee.hall.intake import Intake
from referee.hall.model import Decision, Entered, Event, EventError, Finished, Format, Game, Outcome, Text
from tests.hall.made import record, result
from tests.hall.web.house import drawn, finished, house, opened, words

ACTS = ("enter", "leave", "return", "correct", "seed", "draw", "move", "void", "allow", "undo", "close")
CHOSEN = '<option value="([^"]*)" selected'
HELPERS = ("enter", "leave", "return", "correct")


async def test_roles_decide_who_may_send_what(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        before = hall.store.event(hall.event)
        for act in ACTS:
            _, page = await hall.decide(act)
            assert "Log in" in words(page)
        await hall.log_in("audience")
        for act in ACTS:
            assert (await hall.decide(act))[0] == 403
        await hall.log_in("helper")
        assert {act for act in ACTS if (await hall.decide(act))[0] == 403} == set(ACTS) - set(HELPERS)
        assert (await hall.post("/desk/open", name="Mine", kind="swiss", size="4", advance="2", preset="nna"))[0] == 403
        assert hall.store.event(hall.event) == before


async def test_a_wrong_password_says_so_and_many_must_wait(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        tries = [await hall.post("/login", name="director", password="wrong") for _ in range(6)]
        assert [status for status, _ in tries] == [403] * 5 + [429]
        assert "Name or password is wrong." in tries[0][1]
        assert "Too many tries." in tries[-1][1]


async def test_the_session_ends_with_logging_out(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        cookie = next(iter(hall.client.session.cookie_jar))
        assert cookie["httponly"]
        assert cookie["samesite"] == "Strict"
        assert "Open an event" in await hall.text("/desk")
        await hall.post("/logout")
        hall.client.session.cookie_jar.update_cookies({"hall": cookie.value})
        assert "Password" in await hall.text("/desk")


async def test_forms_of_other_sites_and_other_names_are_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        assert (await hall.post(f"/desk/{hall.event}/close", origin="http://evil.example", number="9"))[0] == 403
        async with hall.client.post(f"/desk/{hall.event}/close", data={"number": "9"}) as answer:
            assert answer.status == 403
        async with hall.client.get("/", headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
        assert not hall.store.event(hall.event).closed


async def test_a_closed_hall_shows_nothing_before_the_login(tmp_path: Path) -> None:
    async with house(tmp_path, closed=True) as hall:
        for path in ("/", "/pairings", f"/events/{hall.event}/results.csv", "/changes?show=live/", "/wall"):
            assert "Anna" not in (page := await hall.text(path))
            assert "Password" in page
        await hall.log_in("audience")
        assert "Anna" in await hall.text("/standings")


async def test_an_event_is_opened_with_rules_of_its_own(tmp_path: Path) -> None:
    form = {"name": "Friday", "kind": "swiss", "size": "4", "advance": "2", "preset": "pagat", "target": ""}
    async with house(tmp_path, names=()) as hall:
        await hall.log_in("director")
        assert "option-bonus" not in await hall.text("/desk")
        _, page = await hall.post("/desk/open", **form | {"rules": "1"})
        names = set(re.findall('name="(option-[a-z_]+)"', page))
        assert "option-bonus" in names
        assert not names & {"option-target", "option-start_words"}
        usual = dict(
            zip(re.findall('name="(option-[a-z_]+)"', page), re.findall(CHOSEN, page)[-len(names) :], strict=True)
        )
        own = form | usual | {"rules_of": "pagat", "option-bonus": "10", "option-turn": "1"}
        _, page = await hall.post("/desk/open", **own | {"preset": "snap"})
        assert "option-bonus" not in page
        _, page = await hall.post("/desk/open", **own | {"size": "1"})
        assert 'value="10" selected' in page
        for wrong in ("11", "<b>"):
            status, page = await hall.post("/desk/open", **own | {"option-bonus": wrong})
            assert (status, "o table can play" in page) == (400, True)
        assert hall.store.events() == {}
        _, page = await hall.post("/desk/open", **own)
        assert "bonus: 10" in words(page).lower()
        assert [event.game for event in hall.store.events().values()] == [Game("pagat", {"bonus": 10, "turn": 1})]
        page = await hall.text("/desk/1?language=de")
        for text in ("Karten drehen: 1", "Angemeldet als Turnierleitung", '<span class="note">Turnierleitung'):
            assert text in page


async def test_an_evening_at_the_desk(tmp_path: Path) -> None:
    """Open, paste names, draw, correct, void, move, drop out and return, undo, close."""
    async with house(tmp_path, names=()) as hall:
        await hall.log_in("director")
        form = {"name": "Friday", "kind": "elimination", "size": "4", "advance": "2", "preset": "nna", "target": "100"}
        status, page = await hall.post("/desk/open", **form | {"kind": "ladder"})
        assert (status, hall.store.events()) == (400, {})
        assert "A format must be" in page
        status, page = await hall.post("/desk/open", **form)
        assert (status, "Friday" in page) == (200, True)
        (hall.event,) = hall.store.events()
        await hall.decide("enter", names="Anna\r\n Ben \r\n\r\nMax & Lea\r\nJo\r\nPia\r\nTom\r\n")
        event = hall.store.event(hall.event)
        assert [entry.name for entry in event.entries] == ["Anna", "Ben", "Max & Lea", "Jo", "Pia", "Tom"]
        await hall.decide("draw", tables="table-1\r\ntable-2\r\n")
        drawn_seats = hall.store.event(hall.event).rounds[0]
        assert [seats.table for seats in drawn_seats] == ["table-1", "table-2"]
        assert [len(seats.entries) for seats in drawn_seats] == [3, 3]
        one, other = drawn_seats
        await hall.decide("move", entry=str(one.entries[0]), to=f"={other.entries[0]}", reason="brothers")
        assert hall.store.event(hall.event).rounds[0][1].entries[0] == one.entries[0]
        seats = hall.store.event(hall.event).rounds[0][0]
        points = {f"points-{number}": given for number, given in zip(seats.entries, ("100", "-2½", "7,5"), strict=True)}
        await hall.decide("correct", round="1", table="table-1", reason="score sheet", **points)
        outcome = hall.store.event(hall.event).outcome(1, "table-1")
        assert outcome is not None
        assert list(outcome.places.values()) == [1, 3, 2]
        await hall.decide("void", round="1", table="table-1", reason="wrong table")
        assert hall.store.event(hall.event).outcome(1, "table-1") is None
        await hall.decide("undo", undo=str(len(hall.store.event(hall.event).decisions)))
        assert hall.store.event(hall.event).outcome(1, "table-1") == outcome
        await hall.decide("leave", entry="1", reason="last train")
        assert 1 not in [entry.number for entry in hall.store.event(hall.event).active]
        await hall.decide("return", entry="1")
        assert 1 in [entry.number for entry in hall.store.event(hall.event).active]
        status, page = await hall.decide("close", unfinished="1")
        assert hall.store.event(hall.event).closed
        for text in ("brothers", "score sheet", "last train", "Undone: table-1", "Event closed"):
            assert text in page, text


WRONG = [
    ("enter", {"names": ""}, "A list must have 1 to 1000 lines"),
    ("enter", {"names": "Zoe\nAnna"}, "Anna is already entered"),
    ("enter", {"names": "x" * 65}, "A line must have a name"),
    ("enter", {"names": "Zoe\n\nEva & zoe"}, "oe is in this list twice, in lines 1 and 3"),
    ("seed", {"favourites": "Anna\nBen\nAnna"}, "Anna is in this list twice, in lines 1 and 3"),
    ("leave", {"entry": "99"}, "Entry 99 does not exist"),
    ("leave", {"entry": "x"}, "Entry: a whole number"),
    ("leave", {"entry": "1", "reason": "x" * 201}, "At most 200 characters"),
    ("draw", {"tables": "\n".join(map(str, range(301)))}, "at most 300 names, got 301"),
    ("draw", {"tables": "table-1\ntable #2"}, "letters, digits, - and _; got &#34;table #2"),
    ("draw", {"tables": "only-one"}, "2 tables are needed"),
    ("move", {"entry": "1", "to": "nowhere"}, "No round is drawn yet"),
    ("correct", {"round": "1", "table": "table-1", "reason": "x"}, "Table table-1 is not drawn"),
    ("void", {"round": "1", "table": "table-1"}, "has no result"),
    ("undo", {"undo": "1"}, "Decision: a whole number from 2"),
    ("close", {"number": "x"}, "Number of decisions: a whole number"),
]


@pytest.mark.parametrize(("act", "fields", "sentence"), WRONG)
async def test_wrong_input_gets_a_sentence_and_changes_nothing(
    act: str, fields: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        before = hall.store.event(hall.event)
        status, page = await hall.decide(act, **fields)
        assert status == 400
        assert sentence in words(page)
        assert hall.store.event(hall.event) == before


async def test_errors_and_troubles_are_in_the_readers_language(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        hall.store.note("table-1", "m1", "unused", Text("without", {"error": Text("no_round")}))
        hall.store.note("table-1", "m2", "unreadable", '{"keys": "of a table"')
        hall.store.invite("table-2")
        Intake(hall.store).result("table-2", b"{")
        for language, error, trouble, unread, role in (
            ("de", "Meldung 99 gibt es nicht", "ohne das gilt: noch keine Runde ist ausgelost", "Nachricht", "Rolle"),
            ("it", "L'iscrizione 99 non esiste", "nessun turno", "un messaggio non", "Un ruolo"),
            ("en", "Entry 99 does not exist", "no round is drawn yet", "a message cannot", "A role"),
        ):
            await hall.text(f"/?language={language}")
            _, page = await hall.decide("leave", entry="99")
            for text in (error, trouble, unread, '{"keys": "of a table"'):
                assert text in html.unescape(words(page))
            assert role in words((await hall.post("/desk/people", name="Zoe", role="king"))[1])


async def test_favourites_are_set_in_their_order_and_undone(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        names = [entry.name for entry in hall.store.event(hall.event).entries]
        for favourites in (names[2::-1], names[1:3], []):
            await hall.decide("seed", favourites="\n".join(favourites).upper())
            seeds = {entry.name: entry.seed for entry in hall.store.event(hall.event).entries if entry.seed}
            assert seeds == {name: rank for rank, name in enumerate(favourites, 1)}
        await hall.decide("undo", undo=str(len(hall.store.event(hall.event).decisions)))
        before = hall.store.event(hall.event)
        assert [entry.name for entry in before.entries if entry.seed] == names[1:3]
        drawn(hall.store, hall.event)
        for wrong in (f"{names[0]}\nNobody", f"{names[0]}\n{names[0]}"):
            assert (await hall.decide("seed", favourites=wrong))[0] == 400
        finished(hall.store, hall.event, "table-1")
        assert (await hall.decide("seed", favourites=names[0]))[0] == 400
        assert [entry.seed for entry in hall.store.event(hall.event).entries] == [one.seed for one in before.entries]


async def test_list_of_names_is_entered_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another director enters somebody between the check and the last name."""
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        before, usual = hall.store.event(hall.event), decide.after
        seen: list[str] = []

        def after(event: Event, made: Decision) -> Event:
            if isinstance(made, Entered) and made.by:
                seen.append(made.names[0])
                if made.names[0] == "Zoe":
                    raise EventError("meanwhile")
            return usual(event, made)

        monkeypatch.setattr(decide, "after", after)
        status, _ = await hall.decide("enter", names="Xaver\nYara\nZoe")
        assert (status, seen[:3]) == (400, ["Xaver", "Yara", "Zoe"])
        assert hall.store.event(hall.event) == before
        monkeypatch.undo()
        await hall.decide("enter", names="Xaver\nYara\nZoe")
        assert len(hall.store.event(hall.event).entries) == len(before.entries) + 3


async def test_current_round_comes_first_and_a_draw_without_results_needs_a_tick(tmp_path: Path) -> None:
    async with house(tmp_path, names=()) as hall:
        people = ["Anna", "Ben", "Max", "Lea", "Jo", "Pia", "Tom", "Eva"]
        hall.event = opened(hall.store, people, Format("swiss", rounds=2))
        await hall.log_in("director")
        tables = {"tables": "table-1\ntable-2"}
        _, page = await hall.decide("draw", **tables)
        assert page.index("<h2>Round 1") < page.index("table-2") < page.index("Draw round 2")
        assert 'class="main">Draw' not in page
        assert page.index("Draw although 2 results are missing") < page.index(">Draw round 2</button>")
        await hall.decide("draw", **tables, again="1")
        finished(hall.store, hall.event, "table-1")
        status, page = await hall.decide("draw", **tables)
        assert (status, hall.store.event(hall.event).round) == (400, 1)
        assert page.index("table-2</b>") < page.index("Draw round 2") < page.index("table-1</b>")
        _, page = await hall.decide("draw", **tables, unfinished="1")
        assert hall.store.event(hall.event).round == 2
        assert "Draw round 3" not in page
        finished(hall.store, hall.event, "table-1")
        finished(hall.store, hall.event, "table-2")
        for act in ("draw", "close"):  # a result of round 1 is missing
            assert (await hall.decide(act, **tables))[0] == 400
        assert not hall.store.event(hall.event).closed
        await hall.decide("close", unfinished="1")
        assert hall.store.event(hall.event).closed


async def test_elimination_closes_without_a_tick_only_after_its_final(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        assert "Draw round 1" in await hall.text(f"/desk/{hall.event}")
        assert (await hall.decide("close"))[0] == 400
        _, page = await hall.decide("draw", tables="table-1\ntable-2")
        assert "Draw round 2" not in page
        _, page = await hall.decide("draw", tables="table-1\ntable-2", unfinished="1")
        assert "Round 1 has no result yet" in words(page)
        finished(hall.store, hall.event, "table-1")
        finished(hall.store, hall.event, "table-2")
        assert (await hall.decide("close"))[0] == 400
        assert 'class="main">Draw round 2' in await hall.text(f"/desk/{hall.event}")
        await hall.decide("draw", tables="table-1\ntable-2")
        assert (await hall.decide("close"))[0] == 400
        finished(hall.store, hall.event, "table-1")
        page = await hall.text(f"/desk/{hall.event}")
        assert "Draw round 3" not in page
        assert 'name="unfinished"' not in page
        await hall.decide("close")
        assert hall.store.event(hall.event).closed


async def test_desk_without_entries_asks_for_people_first(tmp_path: Path) -> None:
    async with house(tmp_path, names=()) as hall:
        hall.event = opened(hall.store, ())
        await hall.log_in("director")
        assert "Draw round 1" not in await hall.text(f"/desk/{hall.event}")
        _, page = await hall.decide("enter", names="Anna\nBen")
        assert page.index('action="/desk/1/enter"') < page.index('action="/desk/1/draw"')


async def test_refused_result_stays_in_its_form(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        drawn(hall.store, hall.event)
        seats = hall.store.event(hall.event).rounds[0][0]
        points = {f"points-{number}": f"{number}1" for number in seats.entries[:-1]} | {"reason": "sheet"}
        status, page = await hall.decide("correct", round="1", table=seats.table, **points)
        form = page.partition("<details open>")[2].partition("</form>")[0]
        assert (status, "sheet" in form) == (400, True)
        assert all(f'value="{number}1"' in form for number in seats.entries[:-1])


@pytest.mark.parametrize(("counts", "said"), [("1", "counts"), ("", "does not count")])
async def test_match_by_other_rules_is_judged_in_one_press(counts: str, said: str, tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        drawn(hall.store, hall.event)
        store, seats = hall.store, hall.store.event(hall.event).rounds[0][0]
        names = [entry.name for number in seats.entries if (entry := store.event(hall.event).entry(number))]
        hands = [dict.fromkeys(names, (1, 0)) | {names[0]: (40, 0)}] * 3
        other = record("m1", hands)
        other = replace(other, match={**other.match, "options": {"penalty": 1}})
        store.invite(seats.table)
        intake = Intake(store)
        intake.result(seats.table, encode(result("m1", (1, 1), (0, 0), other)))
        for path in ("/desk", f"/desk/{hall.event}"):
            await hall.log_in("helper")
            assert f"/desk/{hall.event}/allow" not in await hall.text(path)
            await hall.log_in("director")
            page = await hall.text(path)
            assert "penalty 1 (2)" in words(page)
            assert page.count(f"/desk/{hall.event}/allow") == 2
            assert page.index('id="troubles"') < page.index('<section class="panel">')
        await hall.decide("allow", match="m1", table=seats.table, counts=counts)
        assert bool(store.event(hall.event).outcome(1, seats.table)) is bool(counts)
        page = await hall.text(f"/desk/{hall.event}")
        assert f"the match by other rules {said}" in page
        assert f"/desk/{hall.event}/allow" not in page


async def test_points_that_are_no_points_are_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        drawn(hall.store, hall.event)
        seats = hall.store.event(hall.event).rounds[0][0]
        for given in ("1e5", "12.3", "9999999", "100000.5", "", "½½"):
            points = {f"points-{number}": "1" for number in seats.entries} | {f"points-{seats.entries[0]}": given}
            status, page = await hall.decide("correct", round="1", table=seats.table, reason="sheet", **points)
            assert (status, not given or "from -100000 to 100000, got" in page) == (400, True), given
        assert hall.store.event(hall.event).outcomes == ()


async def test_a_body_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        assert (await hall.decide("enter", names="x" * 300_000))[0] == 413


async def test_the_second_director_sees_what_has_changed_meanwhile(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        seen = str(len(hall.store.event(hall.event).decisions))
        await hall.decide("leave", entry="2", reason="ill")
        before = hall.store.event(hall.event)
        status, page = await hall.post(f"/desk/{hall.event}/draw", number=seen, tables="table-1\ntable-2")
        assert status == 409
        assert "Changed meanwhile" in page
        assert "Ben dropped out (ill)" in words(page).partition("Look at it again:")[2]
        assert hall.store.event(hall.event) == before
        number = re.search(r'name="number" value="(\d+)"', page)
        assert number is not None
        status, _ = await hall.post(f"/desk/{hall.event}/draw", number=number[1], tables="table-1\ntable-2")
        assert (status, hall.store.event(hall.event).round) == (200, 1)


async def test_a_result_that_arrives_meanwhile_blocks_only_its_own_table(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        drawn(hall.store, hall.event)
        seen = str(len(hall.store.event(hall.event).decisions))
        one, other = hall.store.event(hall.event).rounds[0]
        places = {number: at for at, number in enumerate(one.entries, 1)}
        points = {number: Fraction(100 - 10 * at) for number, at in places.items()}
        event = hall.store.event(hall.event)
        outcome = Outcome(1, one.table, "match-1", points, places)
        hall.store.append(hall.event, Finished(outcome), len(event.decisions))

        def result(entries: tuple[int, ...]) -> dict[str, str]:
            return {f"points-{number}": "5" for number in entries} | {"round": "1", "reason": "sheet", "number": seen}

        path = f"/desk/{hall.event}/correct"
        assert (await hall.post(path, table=other.table, **result(other.entries)))[0] == 200
        status, page = await hall.post(path, table=one.table, **result(one.entries))
        assert status == 409
        assert f"{one.table}, round 1:" in words(page)


async def test_a_round_before_the_last_one_can_be_corrected(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        drawn(hall.store, hall.event)
        for seats in hall.store.event(hall.event).rounds[0]:
            finished(hall.store, hall.event, seats.table)
        drawn(hall.store, hall.event)
        page = await hall.text(f"/desk/{hall.event}?round=1")
        assert '<input type="hidden" name="round" value="1">' in page


async def test_tables_are_invited_and_their_results_shown(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("helper")
        hall.store.see("table-3")
        assert "Invite: table-3" in await hall.text("/desk")
        await hall.post("/desk/tables", table="table-3", invited="1")
        assert [one.invited for one in hall.store.tables()] == [True]
        await hall.post("/desk/tables", table="table-3")
        assert [one.invited for one in hall.store.tables()] == [False]
        status, page = await hall.post("/desk/tables", table="no table!", invited="1")
        assert (status, "letters, digits" in page) == (400, True)
        hall.store.note("table-3", "match-1", "refused", "a record that cannot be read")
        assert "a record that cannot be read" in await hall.text(f"/desk/{hall.event}".replace("desk", "desk"))
        await hall.post("/desk/troubles", table="table-3", match="match-1", kind="refused")
        assert hall.store.troubles() == []


async def test_a_director_gives_and_ends_access(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("helper")
        assert (await hall.post("/desk/people", name="Zoe", role="director"))[0] == 403
        await hall.log_in("director")
        _, page = await hall.post("/desk/people", name="Zoe", role="helper")
        code = re.search("[A-Z2-9]{5}-[A-Z2-9]{5}", page)
        assert code is not None
        assert code[0] not in await hall.text("/desk")
        token = hall.store.access.login("Zoe", code[0], "here")
        assert token is not None
        assert (await hall.post("/desk/people", name="Zoe", role="king"))[0] == 400
        await hall.post("/desk/people", name="Zoe", dismiss="1")
        assert hall.store.access.person(token) is None


async def test_an_undone_decision_can_be_done_again(tmp_path: Path) -> None:
    async with house(tmp_path) as hall:
        await hall.log_in("director")
        await hall.decide("leave", entry="1")
        last = len(hall.store.event(hall.event).decisions)
        await hall.decide("undo", undo=str(last))
        assert undone(hall.store.event(hall.event).decisions) == {last}
        await hall.decide("undo", undo=str(last + 1))
        assert hall.store.event(hall.event).entries[0].until is not None
