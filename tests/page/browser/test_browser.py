"""The page in a real browser: `make browser`. Skipped without a Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from referee.core.messages import msg
from referee.protocol.page import SPOKEN
from tests.page.browser.axe import LOOKS, SIZES, judged, needs_axe
from tests.page.browser.chromium import Tab, chromium
from tests.page.lines import served, sound
from tests.page.preview import Show


@asynccontextmanager
async def scripted(
    *, seats: int = 8, watch: bool = False, bots: Sequence[str] | None = None
) -> AsyncIterator[tuple[Tab, Show]]:
    """Open the scripted table in a fresh browser; fail if the browser complains."""
    show = Show(seats, watch=watch, bots=bots)
    async with served(show.feed) as address, chromium() as tab:
        await tab.size(1280, 800)
        await tab.open(f"{address}table" if watch else address)
        yield tab, show
        assert tab.troubles() == []


async def true(held: Callable[[], bool]) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(20):
        while not held():
            await asyncio.sleep(0.01)


async def until(show: Show, *wanted: tuple[str, bool] | int) -> None:
    """Wait until the table has received exactly this."""
    await true(lambda: show.log == list(wanted))


async def test_keys_hold_as_long_as_they_are_down_and_several_at_once() -> None:
    async with scripted() as (tab, show):
        await tab.key("keyDown", "3", "Digit3")
        await tab.key("keyDown", "3", "Digit3", repeat=True)
        await tab.key("keyDown", "8", "Numpad8")
        await tab.key("keyUp", "3", "Digit3")
        await tab.key("keyDown", "9", "Digit9")
        await tab.key("keyUp", "8", "Numpad8")
        await until(show, ("3", True), ("8", True), ("3", False), ("8", False))


async def test_the_knob_by_keys_wheel_and_buttons() -> None:
    async with scripted() as (tab, show):
        await tab.key("keyDown", "ArrowRight", "ArrowRight")
        await tab.key("keyUp", "ArrowRight", "ArrowRight")
        await tab.key("keyDown", "ArrowUp", "ArrowUp")
        x, y = await tab.middle("#glass")
        await tab.mouse("mouseWheel", x, y, deltaX=0, deltaY=120)
        await until(show, 1, -1, 1)
        for selector in ("#turn-left", "#turn-right"):
            x, y = await tab.middle(selector)
            await tab.mouse("mousePressed", x, y, button="left", clickCount=1)
            await tab.mouse("mouseReleased", x, y, button="left", clickCount=1)
        await until(show, 1, -1, 1, -1, 1)
        assert await tab.run("document.getElementById('dial').style.rotate") == "18deg"
        show.log.clear()
        await tab.run("document.activeElement.blur()")
        await tab.key("keyDown", "Enter", "Enter")
        await tab.key("keyUp", "Enter", "Enter")
        await until(show, ("knob", True), 1, ("knob", False))


async def test_enter_and_space_press_the_button_that_has_the_focus() -> None:
    async with scripted() as (tab, show):
        await tab.run("document.querySelector('[data-contact=\"5\"]').focus()")
        await tab.key("keyDown", " ", "Space")
        await tab.run("document.activeElement.blur()")
        await tab.key("keyUp", " ", "Space")
        await until(show, ("5", True), ("5", False))
        await tab.run("document.getElementById('sound').focus()")
        await tab.key("keyDown", "Enter", "Enter")
        await tab.key("keyUp", "Enter", "Enter")
        await until(show, ("5", True), ("5", False))


async def test_the_mouse_presses_even_when_it_leaves_the_button_and_takes_no_focus() -> None:
    async with scripted() as (tab, show):
        x, y = await tab.middle("[data-contact='2']")
        await tab.mouse("mousePressed", x, y, button="left", clickCount=1)
        await until(show, ("2", True))
        await tab.mouse("mouseMoved", x + 200, y, button="left", buttons=1)
        await tab.mouse("mouseReleased", x + 200, y, button="left", clickCount=1)
        await until(show, ("2", True), ("2", False))
        await tab.mouse("mousePressed", x, y, button="right", clickCount=1)
        await tab.mouse("mouseReleased", x, y, button="right", clickCount=1)
        assert await tab.run("document.activeElement === document.body")
        await tab.key("keyDown", "1", "Digit1")
        await until(show, ("2", True), ("2", False), ("1", True))


async def test_fingers_press_several_buttons_at_once_on_a_phone() -> None:
    async with scripted() as (tab, show):
        await tab.size(390, 844, ratio=3, phone=True)
        await tab.ask("Page.reload")
        await tab.until("document.body?.classList.contains('live') && document.readyState === 'complete'")
        one, two = await tab.middle("[data-contact='1']"), await tab.middle("[data-contact='4']")
        await tab.touch("touchStart", one)
        await tab.touch("touchStart", one, two)
        await until(show, ("1", True), ("4", True))
        await tab.touch("touchEnd")
        await true(lambda: not show.down)


async def test_a_window_that_loses_the_focus_lets_go_of_everything() -> None:
    async with scripted() as (tab, show):
        await tab.key("keyDown", "1", "Digit1")
        await tab.key("keyDown", "2", "Digit2")
        await until(show, ("1", True), ("2", True))
        await tab.run("window.dispatchEvent(new Event('blur'))")
        await tab.key("keyUp", "1", "Digit1")
        await until(show, ("1", True), ("2", True), ("1", False), ("2", False))


async def test_a_tab_that_is_gone_lets_go_and_comes_back_by_itself() -> None:
    async with scripted() as (tab, show):
        await tab.key("keyDown", "6", "Digit6")
        await until(show, ("6", True))
        await tab.run("dispatchEvent(new Event('offline'))")
        await until(show, ("6", True), ("6", False))
        await tab.until("document.getElementById('link').textContent.includes('does not answer')")
        await tab.run("dispatchEvent(new Event('online'))")
        await tab.until("document.body.classList.contains('live')")
        await tab.key("keyDown", "7", "Digit7")
        await until(show, ("6", True), ("6", False), ("7", True))


async def test_a_screen_readers_click_is_a_tap() -> None:
    async with scripted() as (tab, show):
        await tab.run("document.querySelector('[data-contact=\"4\"]').click()")
        await until(show, ("4", True), ("4", False))


async def test_the_picture_is_the_displays_pixel_for_pixel() -> None:
    async with scripted(seats=4) as (tab, show):
        latest = show.feed.latest
        assert latest is not None
        lit = await tab.run(
            "(() => { const c = document.getElementById('display'), s = c.width / 128, h = Math.floor(s / 2);"
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let bits = '';"
            "for (let y = 0; y < 64; y++) for (let x = 0; x < 128; x++)"
            "bits += d[((y * s + h) * c.width + x * s + h) * 4 + 3] ? 1 : 0; return bits; })()"
        )
        assert lit == "".join(f"{byte:08b}" for byte in latest.pixels)
        assert await tab.run("document.getElementById('display').width") == 512


async def test_words_lamps_and_plates_follow_the_table() -> None:
    async with scripted() as (tab, show):
        show.turn(5)
        await tab.until("document.getElementById('words').textContent.startsWith('Nertz! Anna at 1 was first.')")
        names = await tab.run("[...document.querySelectorAll('.cap')].map(cap => cap.getAttribute('aria-label'))")
        assert names[0] == "Button 1, Anna, lamp lit"
        assert names[4] == "Button 5, Jonas, a bot, lamp dark"
        assert await tab.run("document.querySelectorAll('.cap.lit').length") == 1


async def test_words_are_told_although_others_keep_tapping() -> None:
    async with scripted() as (tab, _):
        await tab.run("setInterval(() => { table.words = `count ${performance.now()}`; say(false); }, 100)")
        async with asyncio.timeout(20):
            await tab.until("document.getElementById('words').textContent.startsWith('count ')")


async def test_sounds_wait_for_the_first_touch_and_are_hinted_at_always() -> None:
    async with scripted() as (tab, show):
        show.feed.play(sound("call", [(800, 80), (1200, 80)], priority=5))
        await tab.until("document.getElementById('heard').textContent === '♪ call'")
        assert await tab.run("audio === null")
        await tab.key("keyDown", "1", "Digit1")
        await tab.until("audio && audio.state === 'running'")
        show.feed.play(sound("call", [(800, 480)], priority=5))
        show.feed.play(sound("verdict_clear", [(800, 120)], priority=3))
        await tab.until("playing.length === 2")
        order = await tab.run("playing.map(motif => motif.wave.type + (motif.start >= playing[0].end - 1e-6))")
        assert order == ["squarefalse", "squaretrue"]
        await tab.run("document.getElementById('sound').click()")
        assert await tab.run("localStorage.getItem('sound')") == "off"


async def test_who_wants_less_motion_sees_no_blinking() -> None:
    async with scripted() as (tab, show):
        await tab.prefer(prefers_reduced_motion="reduce")
        show.turn(1)
        await tab.until("document.querySelectorAll('.cap.asks').length === 2")
        for _ in range(3):
            assert await tab.run("document.querySelectorAll('.cap.asks.lit').length") == 0
            show.beat()


SPEECH = """
    window.said = [];
    speechSynthesis.speak = one => said.push([one.lang, one.text]);
    speechSynthesis.cancel = () => said.push("hush");
    speechSynthesis.getVoices = () => [{}];
"""
"""Record what the browser is asked to say: headless it has no voices."""


async def test_words_wait_for_the_trill_and_replace_what_is_said() -> None:
    async with scripted() as (tab, show):
        await tab.run(SPEECH)
        await tab.until("voice !== null")
        await tab.key("keyDown", "1", "Digit1")
        await tab.until("audio && audio.state === 'running'")
        show.feed.play(sound("call", [(800, 480)], priority=5))
        show.feed.play(sound("verdict_clear", [(800, 120)], priority=3))
        await tab.until("playing.length === 2")
        for words, follows in (("Nertz! Anna.", False), ("Ben 0.18 seconds later.", True)):
            show.feed.play(sound(SPOKEN, (), words=words, follows=follows))
        await tab.until("said.length === 3")
        assert await tab.run("said") == ["hush", ["en", "Nertz! Anna."], ["en", "Ben 0.18 seconds later."]]
        assert await tab.run("playing.filter(motif => motif.end > audio.currentTime).length") == 0
        show.feed.play(sound(SPOKEN, ()))
        await tab.until("said.length === 4")


BUTTONS = """[...document.querySelectorAll('.cap, .knob, .turn, .sound')].map(button => {
  const { left, top, right, bottom } = button.getBoundingClientRect();
  const there = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const free = button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  return [left, top, right, bottom, there && free];
})"""
"""Return where each button is, and whether it is fully visible with nothing in front of it."""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 640), (844, 390), (820, 1180), (1280, 720)])
@pytest.mark.parametrize("seats", [4, 12])
async def test_every_button_is_on_the_screen_and_stays_in_its_place(width: int, height: int, seats: int) -> None:
    """From READY by SET, GO, play and verdict to the count and the next hand.

    With a note and without a connection.
    """

    async with scripted(seats=seats, bots=("2", "3")) as (tab, show):
        await tab.size(width, height, phone=width < 1000)
        await tab.open(await tab.run("location.href"))
        first = await tab.run(BUTTONS)
        assert len(first) == seats + 4
        assert [button for button in first if not button[4]] == []
        for at in range(9):
            show.at = at
            show.show()
            if at in (2, 6):
                show.deal([msg("teach.at_once")] if at == 2 else ())
            elif at == 7:
                show.feed.lay(None)
            await tab.until(f"table.asks === '{show.view().phase}' && cards.sides.length === {3 * (2 <= at < 7)}")
            assert await tab.run(BUTTONS) == first, show.view().phase
        await tab.run("show({ banner: 'Nothing is saved' }), lost()")
        assert await tab.run(BUTTONS) == first


async def test_the_device_itself_has_nothing_to_press() -> None:
    async with scripted(watch=True) as (tab, show):
        await tab.key("keyDown", "1", "Digit1")
        assert await tab.run("getComputedStyle(document.getElementById('knobs')).display") == "none"
        assert await tab.run("[...document.querySelectorAll('.cap')].every(cap => cap.disabled)")
        assert show.log == []


async def dealt(tab: Tab, show: Show) -> None:
    """Deal cards; the first team's belong to this page."""
    show.deal()
    await tab.until("document.body.classList.contains('dealt')")
    await tab.run("document.querySelector('.choice:not(#lesson-skip)').click()")
    await moved(show, (1, "take"))


async def test_a_pack_has_the_colour_that_its_seat_is_called_by() -> None:
    """The player at button 4 is "Gold" by default and has golden backs, even as the third team."""

    async with scripted(seats=12) as (tab, show):
        show.deal(seats=(2, 4, 12))
        await tab.until("document.querySelectorAll('#boards .side').length === 3")
        sides = await tab.run("[...document.querySelectorAll('#boards .side')].map(side => side.classList[1])")
        assert sides == ["s1", "s3", "s11"]
        owners = await tab.run(
            "[...document.querySelectorAll('.foundation .backs i')].slice(0, 3).map(i => i.className)"
        )
        assert owners == ["s1", "s3", "s11"]


async def test_each_sides_heading_says_its_count_while_counting() -> None:
    """The cards stay the same, only the phase changes.

    In the middle each owner has a number too.
    """

    async with scripted() as (tab, show):
        show.turn(3)
        show.deal()
        await tab.until("document.querySelectorAll('#boards .side').length === 3")
        headings = "[...document.querySelectorAll('.whose')].map(head => head.textContent)"
        assert await tab.run(headings) == ["1 Anna", "2 Ben", "3 Max"]
        piles = await tab.run("[...document.querySelectorAll('.backs')].map(pile => pile.textContent)")
        assert piles == ["112231", "31", "132231", "112131"]  # button 1's one card, button 2's two, and so on
        show.turn(3)
        await tab.until(f"{headings}[0] !== '1 Anna'")
        assert await tab.run(headings) == [
            "1 Anna · 9 left, 5 in the middle",
            "2 Ben · 4 left, 5 in the middle",
            "3 Max · 12 left, 4 in the middle",
        ]


async def test_a_claim_s_cards_lie_there_and_the_page_says_whether_they_are_a_reason() -> None:
    async with scripted() as (tab, show):
        for cards, reason, right, said in (
            (("7H", "4C"), "alike", False, "The two cards are not alike: a slap is wrong."),
            (("4C", "4S"), "alike", True, "The two cards are alike: a slap is right."),
            (("2r", "3r"), "fruit", True, "Five of one colour lie there: a slap is right."),
            (("", "", "", ""), "four", False, "Cards are passed on, and nobody shows four of a kind: a press is"),
            (("JD",), "rank", True, "Said: jack. The card is that one: all press."),
        ):
            show.turn_cards(*cards, reason=reason, right=right)
            await tab.until(f"find('lake-none').textContent.startsWith({said!r})")
            assert await tab.run("document.querySelectorAll('#lake .pc').length") == len(cards)
            assert not await tab.run("find('lake-none').hidden")
        show.deal()
        await tab.until("document.querySelectorAll('#boards .side').length === 3 && find('lake-none').hidden")
        show.feed.lay(None)
        await tab.until("find('lake-none').textContent === 'There is no card yet.'")


@needs_axe
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", LOOKS)
async def test_nothing_keeps_anybody_out_of_the_simulated_table(size: str, look: str) -> None:
    """axe-core finds no problem in cards, counts, turns and own cards, in this size and colour scheme."""

    async with scripted() as (tab, show):
        width, height, phone = SIZES[size]
        await tab.size(width, height, phone=phone)
        await tab.prefer(prefers_color_scheme=look)
        wrong: dict[str, list[str]] = {"lobby": await judged(tab)}
        symbols = "label-content-name-mismatch"  # a card's drawn rank and suit are symbols; its label has the words
        await dealt(tab, show)
        for at in (3, 6):
            show.turn(at - show.at)
            await tab.until(f"table.asks === '{show.view().phase}'")
            wrong[show.view().phase] = await judged(tab)
        show.deal_three(1)
        await tab.until("document.querySelectorAll('.mine [data-turn]').length === 3")
        wrong["turns"] = await judged(tab)
        show.turn_cards("2r", "3g", "4y", "1b", reason="fruit", right=False)
        await tab.until("document.querySelectorAll('#lake .pc').length === 4")
        wrong["claims"] = await judged(tab)
        assert [(name, one) for name, found in wrong.items() for one in found if not one.startswith(symbols)] == []


async def moved(show: Show, *wanted: tuple[int, str]) -> None:
    """Wait until exactly these card moves were made."""
    await true(lambda: show.moves == list(wanted))
    show.moves.clear()


async def test_cards_are_dragged_tapped_and_moved_by_keys() -> None:
    async with scripted() as (tab, show):
        await dealt(tab, show)
        x, y = await tab.middle(".mine [data-place='waste'] .pc:last-child")
        to_x, to_y = await tab.middle("#lake .foundation .pc")
        await tab.mouse("mousePressed", x, y, button="left", clickCount=1)
        await tab.mouse("mouseMoved", x + 20, y + 20, button="left", buttons=1)
        await tab.mouse("mouseMoved", to_x, to_y, button="left", buttons=1)
        await tab.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        await moved(show, (1, "waste > middle 1"))
        await tab.run("document.querySelector('.mine [data-place=\"pile 1\"] .pc:nth-child(2)').click()")
        await tab.run("document.querySelector('.mine [data-place=\"pile 3\"]').click()")
        await moved(show, (1, "pile 1 any > pile 3"))
        await tab.run("document.querySelector('.mine [data-place=stock]').click()")
        await moved(show, (1, "turn"))
        for key, code in (("q", "KeyQ"), ("s", "KeyS"), ("w", "KeyW"), ("r", "KeyR"), ("e", "KeyE")):
            await tab.key("keyDown", key, code)
            await tab.key("keyUp", key, code)
        await moved(show, (1, "reserve > pile 2"), (1, "waste > middle"), (1, "turn"))
        assert show.log == []
        assert await tab.run("document.querySelector('.mine [data-place=reserve]').getAttribute('aria-label')") == (
            "Reserve: 9 left, 7 of clubs"
        )


async def test_the_cards_of_31_are_drawn_and_thrown_by_taps_drags_and_keys() -> None:
    """Backs are shown until this page takes the hand up; then its three cards can be discarded.

    Stock and discard pile each give a card. No action reaches a button.
    """

    async with scripted() as (tab, show):
        show.deal_three()
        await tab.until("document.body.classList.contains('dealt')")
        assert await tab.run("document.querySelectorAll('#boards .pc.back').length") == 9
        assert await tab.run("document.querySelectorAll('#lake button').length") == 0
        await tab.run("document.querySelector('.choice:not(#lesson-skip)').click()")
        await moved(show, (1, "take"))
        show.deal_three(1)
        await tab.until("document.querySelectorAll('.mine [data-turn]').length === 3")
        assert await tab.run("document.querySelectorAll('#boards .pc.back').length") == 6
        await tab.run("document.querySelector('#lake [data-turn=discards]').click()")
        await moved(show, (1, "discards"))
        x, y = await tab.middle("#lake [data-turn=stock] .pc")
        to_x, to_y = await tab.middle(".mine [data-turn='card 2']")
        for kind, at in (("mousePressed", (x, y)), ("mouseMoved", (x, y + 20)), ("mouseMoved", (to_x, to_y))):
            await tab.mouse(kind, *at, button="left", buttons=1, clickCount=1)
        await tab.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        await moved(show, (1, "stock"))
        for kind, at in (("mousePressed", (to_x, to_y)), ("mouseMoved", (to_x, to_y - 20)), ("mouseMoved", (x, y))):
            await tab.mouse(kind, *at, button="left", buttons=1, clickCount=1)
        x, y = await tab.middle("#lake [data-turn=discards] .pc")
        await tab.mouse("mouseMoved", x, y, button="left", buttons=1)
        await tab.mouse("mouseReleased", x, y, button="left", clickCount=1)
        await moved(show, (1, "discard 2"))
        for key, code in (("e", "KeyE"), ("w", "KeyW"), ("a", "KeyA"), ("d", "KeyD")):
            await tab.key("keyDown", key, code)
            await tab.key("keyUp", key, code)
        await moved(show, (1, "stock"), (1, "discards"), (1, "discard 1"), (1, "discard 3"))
        assert show.log == []
        said = "document.querySelector('{}').getAttribute('aria-label')"
        assert await tab.run(said.format(".mine [data-turn=\\'card 3\\']")) == "Throw away: 10 of clubs"
        assert await tab.run(said.format("[data-turn=discards]")) == "Discard pile: 9 of spades"
        await tab.run("document.querySelector('[data-turn=stock]').focus()")
        show.deal_three(1, discards="2H", turn=2)
        await tab.until("document.querySelector('[data-turn=discards]').textContent.startsWith('2')")
        assert await tab.run("document.activeElement.dataset.turn") == "stock"
        show.deal()
        await tab.until("document.querySelectorAll('[data-place=reserve]').length === 3")


async def test_the_speed_is_chosen_and_a_first_hand_explains_itself_until_it_is_skipped() -> None:
    async with scripted() as (tab, show):
        show.deal([msg("teach.at_once"), msg("teach.hands_off")])
        await tab.until("document.body.classList.contains('dealt')")
        assert (await tab.run("find('lesson-line').textContent")).endswith("(1/2)")
        await tab.run("find('lesson-skip').click()")
        assert await tab.run("find('lesson').hidden")
        await tab.run("document.querySelector('[data-speed=\"4\"]').click()")
        await moved(show, (4, "speed"))
