"""A view as speech: what has happened, what is asked, and of whom.

Full sentences for people who do not see the display: names with the numbers of their buttons, no abbreviations, and
no text that changes every second. Calls and counts have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.core.messages import Label, Msg, with_values
from referee.core.model.view import (
    BurnScreen,
    CallNowScreen,
    CardScreen,
    CountdownScreen,
    DeclaredScreen,
    LobbyScreen,
    MenuScreen,
    NameScreen,
    OverScreen,
    PhonesScreen,
    PhotoLine,
    PhotoScreen,
    PlayingScreen,
    PowerBackScreen,
    ReadyScreen,
    RuleScreen,
    SearchScreen,
    SeatQuestion,
    StandingsScreen,
    TurnScreen,
    View,
    VoteScreen,
    WaitScreen,
    WifiScreen,
)
from referee.core.phases.agreement import AgreementScreen
from referee.core.phases.device import CheckScreen, OffScreen
from referee.core.phases.update import OfferScreen, UpdateScreen
from referee.core.units import S
from referee.language import called, counting, say
from referee.language.numbers import less_than
from referee.language.words import sentence, speaking


def _agreement(screen: AgreementScreen) -> Iterator[str]:
    yield sentence("agreement.we_play", preset=screen.preset)
    yield from map(say.own_sentence, screen.lines)
    if screen.pages > 1:
        yield sentence("agreement.page", page=screen.page, pages=screen.pages)
    yield sentence("agreement.wait" if screen.waiting else "agreement.tap", who=say.names_of(screen.waiting))
    if screen.refusable:
        yield sentence("agreement.hold")


def _check(screen: CheckScreen) -> Iterator[str]:
    missing = [str(number) for number, pressed in screen.seats if not pressed]
    yield sentence("check")
    yield sentence("check.missing" if missing else "check.all", numbers=say.list_speech(missing))
    if screen.turned:
        yield sentence("check.right" if screen.turned > 0 else "check.left", count=abs(screen.turned))
    yield sentence("check.done")


def _off(screen: OffScreen) -> Iterator[str]:
    yield sentence("off", s=say.span_text(screen.unplug_s))


def _lobby(screen: LobbyScreen) -> Iterator[str]:
    key = "lobby.game" if screen.target is None else "lobby.game_to"
    yield sentence(key, preset=screen.preset, target=screen.target)
    yield from _seats(screen)
    for cell in screen.seats:
        if cell.name and cell.number == screen.naming:
            who = say.name_of(Label((cell.number,), cell.name))
            yield sentence("lobby.new_name" if screen.fresh else "lobby.naming", number=cell.number, who=who)
    yield say.message_speech(screen.hint) or sentence("lobby.join")
    yield say.message_speech(screen.coming)
    if screen.teams > 1:
        yield sentence("lobby.start")


def _seats(screen: LobbyScreen) -> Iterator[str]:
    who = {cell.number: say.name_of(Label((cell.number,), cell.name)) for cell in screen.seats if cell.name}
    if not who:
        yield sentence("lobby.nobody")
        return
    teams = []
    for cell in screen.seats:
        if cell.number in who and cell.pair not in who:
            teams.append(who[cell.number])
        elif cell.number in who and cell.pair in who and cell.number < cell.pair:
            teams.append(sentence("lobby.pair", one=who[cell.number], other=who[cell.pair]))
    yield sentence("lobby.in", who=say.list_speech(teams))
    yield sentence("lobby.teams", count=screen.teams)


def _menu(screen: MenuScreen) -> Iterator[str]:
    yield say.own_sentence(screen.title)
    if screen.cursor < len(screen.items):
        yield from _line(screen)
    else:
        yield sentence("menu.empty")
    if screen.waiting:
        yield sentence("waiting", who=say.names_of(screen.waiting))


def _line(screen: MenuScreen) -> Iterator[str]:
    """Yield the chosen line of the menu, its explanation, and what the knob does on this line."""
    line = screen.items[screen.cursor]
    if screen.value is not None and isinstance(line, Msg):
        line = with_values(line, choice=screen.value)
    yield sentence("menu.line", line=say.own_sentence(line), at=screen.cursor + 1, all=len(screen.items))
    yield say.own_sentence(screen.about)
    yield sentence("menu.choose" if screen.value is None else "menu.value")


def _power_back(screen: PowerBackScreen) -> Iterator[str]:
    if screen.away_s is None:
        yield sentence("power_back.unknown")
    else:
        number, size_s = less_than(screen.away_s)
        yield sentence("power_back", away=say.span_text(number * size_s))
    played_s = (screen.played_ns or 0) // S
    clock = say.span_text(played_s)
    key = "power_back.played" if played_s else "power_back.hand"
    yield sentence(key, hand=screen.hand, phase=say.phase_name(screen.phase), clock=clock)
    yield sentence("power_back.tap_who" if screen.waiting else "power_back.tap", who=say.names_of(screen.waiting))


def _phones(screen: PhonesScreen) -> Iterator[str]:
    """Yield the web page's address, and the pairing code spelled out.

    If the screen has no code, the second sentence says that the code is on the display.
    """
    yield sentence("phones", address=say.list_speech(screen.address.split()))
    yield sentence("phones.code" if screen.code else "phones.elsewhere", code=" ".join(screen.code))


def _wifi(screen: WifiScreen) -> Iterator[str]:
    """Yield the own network's name and spelled password, or the note."""
    if screen.password:
        yield sentence("wifi.own", name=screen.name, password=" ".join(screen.password))
        yield sentence("wifi.push")
    else:
        yield say.own_sentence(screen.note)


def _card(screen: CardScreen) -> Iterator[str]:
    """Yield the web address of the match card (a picture of the last match)."""
    yield sentence("card", address=screen.link)


def _photo(screen: PhotoScreen) -> Iterator[str]:
    yield sentence("photo.of_last" if screen.last else "photo", ms=say.in_ms(screen.tie_window_ns))
    end_ns = max(line.press_ns for line in screen.lines) if screen.last else None
    for one in screen.lines:
        text = _press(one, end_ns)
        yield sentence("photo.late", line=text) if one.late else text
    if screen.alone:
        yield sentence("verdict.alone")
    if shared_ns := max((line.common_ns for line in screen.lines), default=0):
        yield sentence("photo.common", ms=say.error_text(shared_ns))


def _press(one: PhotoLine, end_ns: int | None) -> str:
    """Return who pressed, and how long after the first press.

    end_ns: the time of the last press if the last press loses, else None. If given, return how long before the last
    press the player pressed.
    """
    who, err = say.name_of(one.label), say.error_text(one.err_ns)
    if end_ns is None:
        key = "photo.caller" if one.caller else "photo.line"
        return sentence(key, who=who, ms=say.in_ms(one.press_ns), err=err)
    key = "photo.last" if one.press_ns == end_ns else "photo.before"
    return sentence(key, who=who, ms=say.gap_text(end_ns - one.press_ns), err=err)


def _playing(screen: PlayingScreen) -> Iterator[str]:
    key = "playing.hand" if screen.target is None else "playing.hand_to"
    yield sentence(key, hand=screen.hand, target=screen.target)
    if screen.later:
        who = say.names_of(screen.later)
        yield sentence("playing.later" if screen.later_s else "playing.own_go", who=who)  # no countdown
    yield say.scores_text(screen.lines)


def _ready(screen: ReadyScreen) -> Iterator[str]:
    if screen.let_go:
        yield sentence("ready.let_go", who=say.name_of(screen.let_go))
        return
    yield sentence("ready.hand" if screen.target is None else "ready.hand_to", hand=screen.hand, target=screen.target)
    yield from map(say.own_sentence, screen.notes)
    yield sentence("ready.tap" if screen.waiting else "ready.all", who=say.names_of(screen.waiting))
    yield say.scores_text(screen.lines)


def _rule(screen: RuleScreen) -> Iterator[str]:
    yield say.own_sentence(screen.title)
    yield say.message_speech(screen.text)
    yield sentence("rule.source", who=say.list_speech([say.message_speech(source) for source in screen.sources]))
    yield sentence("rule.page" if screen.pages > 1 else "rule.alone", at=screen.page, all=screen.pages)


def _name(screen: NameScreen) -> Iterator[str]:
    sign = screen.signs[screen.at]
    yield sentence("name" if screen.text else "name.new", number=screen.number, name=screen.text)
    yield sentence({" ": "name.space", "◄": "name.back"}.get(sign, "name.letter"), letter=sign)
    yield sentence("name.ends")


def _standings(screen: StandingsScreen) -> Iterator[str]:
    yield sentence("standings", count=screen.hands, scores=say.LINES.join(map(say.score_text, screen.lines)))
    yield from map(say.message_speech, screen.notes)


def _over(screen: OverScreen) -> Iterator[str]:
    winners = say.names_of(screen.winners)
    yield sentence("over", count=screen.hands)
    yield sentence("over.won" if winners else "over.nobody", who=winners, count=len(screen.winners))
    yield say.scores_text(screen.lines)
    yield from map(say.message_speech, screen.notes)
    yield sentence("over.rematch_who" if screen.waiting else "over.rematch", who=say.names_of(screen.waiting))


def _countdown(screen: CountdownScreen) -> Iterator[str]:
    if screen.word is not None:
        text = say.message_speech(screen.word)
        yield f"{text}!" if text.isdigit() else say.as_sentence(text)  # in German, "3." is "third"
    else:
        yield sentence("countdown.resume" if screen.resuming else "countdown.start")


def _wait(screen: WaitScreen) -> Iterator[str]:
    who = say.names_of(screen.labels)
    if screen.by_knob:
        yield sentence("wait.knob")
    elif who:
        yield sentence("wait", who=who, count=len(screen.labels))
        yield sentence("wait.tap", who=who)
    elif screen.held:
        yield sentence("wait.let_go", who=say.names_of(screen.held))


def _call_now(screen: CallNowScreen) -> Iterator[str]:
    yield sentence("call_now")


def _search(screen: SearchScreen) -> Iterator[str]:
    yield sentence("search.twice" if screen.times == 2 else "search.once")
    yield sentence("search.answered", count=screen.answered, all=screen.teams)
    if screen.waiting:
        yield sentence("search.missing", who=say.names_of(screen.waiting))


def _burn(screen: BurnScreen) -> Iterator[str]:
    yield sentence("burn", word=say.as_sentence(say.message_speech(screen.word)), count=screen.burns)
    if screen.burns > 1:
        yield sentence("burn.again")
    if screen.pile:
        yield sentence(f"burn.{screen.pile}")


def _turn(screen: TurnScreen) -> Iterator[str]:
    who, knocker = say.name_of(screen.turn), screen.knocker
    key = "turn.hand" if screen.target is None else "turn.hand_to"
    yield sentence(key, hand=screen.hand, who=who, target=screen.target)
    if knocker:
        yield sentence("turn.knocked", who=say.name_of(knocker), count=screen.left)
    if screen.own_discard:
        yield sentence("turn.own_discard")
    yield from _questions(screen.questions)
    if not screen.questions:
        yield sentence("turn.tap_last" if knocker else "turn.tap", who=who)
        if screen.minimum and not knocker:
            yield sentence("turn.minimum", count=screen.minimum)
    if screen.look:
        yield sentence("turn.look", who=say.name_of(screen.look))
    yield say.scores_text(screen.lines)


def _questions(questions: Iterable[SeatQuestion]) -> Iterator[str]:
    for asked in questions:
        yield say.message_speech(asked.question, who=say.name_of(asked.label))


def _declared(screen: DeclaredScreen) -> Iterator[str]:
    yield sentence("declared", who=say.names_of(screen.declared), count=len(screen.declared))
    yield from _questions(screen.questions)
    if screen.waiting:
        yield sentence("declared.tap", who=say.names_of(screen.waiting))
    yield from say.last_seconds(screen.left_s)


def _offer(screen: OfferScreen) -> Iterator[str]:
    yield sentence("update.offer", version=screen.version)


def _update(screen: UpdateScreen) -> Iterator[str]:
    yield sentence("update.going_on", version=screen.version)


def _vote(screen: VoteScreen) -> Iterator[str]:
    subject = say.names_of(screen.subject)
    waiting = [label for label, vote in screen.votes if vote is None]
    yield say.message_speech(screen.question, who=subject)
    if screen.admits:
        yield sentence("vote.admit", who=subject)
    yield from say.answer_sentences(screen.votes)
    yield sentence("vote.ask" if waiting else "vote.again", who=say.names_of(waiting))
    yield from say.sleepers(screen.asleep)
    yield from say.last_seconds(screen.left_s)


SPEECH: say.Speech = {
    AgreementScreen: _agreement,
    CheckScreen: _check,
    OffScreen: _off,
    LobbyScreen: _lobby,
    MenuScreen: _menu,
    PowerBackScreen: _power_back,
    PhonesScreen: _phones,
    WifiScreen: _wifi,
    CardScreen: _card,
    PhotoScreen: _photo,
    PlayingScreen: _playing,
    ReadyScreen: _ready,
    RuleScreen: _rule,
    NameScreen: _name,
    StandingsScreen: _standings,
    OverScreen: _over,
    CountdownScreen: _countdown,
    WaitScreen: _wait,
    CallNowScreen: _call_now,
    SearchScreen: _search,
    BurnScreen: _burn,
    TurnScreen: _turn,
    DeclaredScreen: _declared,
    OfferScreen: _offer,
    UpdateScreen: _update,
    VoteScreen: _vote,
    **called.SPEECH,
    **counting.SPEECH,
}
"""Screen class -> a function that yields its sentences."""


def speech_of(view: View) -> str:
    """Return all that a view shows as sentences.

    They are from its screen, its lines for newcomers, its short message and its banner.
    """
    with speaking(view.language, rounds=view.rounds):
        speak = SPEECH.get(type(view.screen))
        noted = view.screen.notes if isinstance(view.screen, ReadyScreen) else ()
        taught = (say.message_speech(line) for line in view.lesson if line not in noted)
        parts = [
            *(speak(view.screen) if speak else ()),
            *taught,
            say.own_sentence(view.toast),
            say.own_sentence(view.banner),
        ]
        return " ".join(part for part in parts if part)
