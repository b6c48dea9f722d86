"""What stood in journals before stored names were given out: where a class was then, and the name that it has now.

Events of format 1 were called by their class alone ("Tick"), the values of a state by module and class. Nothing here is
looked up in the program, so it stays as it is for ever; a kind that is new has no line.
"""

from __future__ import annotations

from collections.abc import Mapping

STATES: Mapping[str, str] = {
    "events.Opened": "opened",
    "events.Turned": "turned",
    "events.Tick": "tick",
    "events.Linked": "linked",
    "events.Resumed": "resumed",
    "events.Joined": "joined",
    "events.Left": "left",
    "events.Paired": "paired",
    "events.Named": "named",
    "events.Began": "began",
    "events.SatOut": "sat_out",
    "events.CameBack": "came_back",
    "events.JoinedLate": "joined_late",
    "events.Moved": "moved",
    "events.Muted": "muted",
    "events.Ruled": "ruled",
    "events.Overruled": "overruled",
    "events.Divided": "divided",
    "events.Voided": "voided",
    "events.Ended": "ended",
    "events.Played": "played",
    "events.Sealed": "sealed",
    "events.Corrected": "corrected",
    "events.Adjusted": "adjusted",
    "events.Closed": "closed",
    "events.Undone": "undone",
    "events.Redone": "redone",
    "events.Rematched": "rematched",
    "events.Continued": "continued",
    "events.Cleared": "cleared",
    "signals.Edge": "edge",
    "signals.Press": "press",
    "signals.Contact": "contact",
    "signals.Mode": "mode",
    "arbiter.Called": "called_press",
    "arbiter.Court": "court",
    "arbiter.Law": "law",
    "arbiter.Verdict": "verdict",
    "state.Setup": "setup",
    "state.Seat": "seat",
    "state.Team": "team",
    "state.Table": "table",
    "state.Lobby": "lobby",
    "state.Ready": "ready",
    "state.Starting": "starting",
    "state.Resuming": "resuming",
    "state.Stopped": "stopped",
    "state.TimeOut": "time_out",
    "state.Count": "count",
    "state.Counting": "counting",
    "state.Vote": "vote",
    "state.Fixing": "fixing",
    "state.Checking": "device_check",
    "state.Off": "off",
    "state.Over": "over",
    "state.PowerBack": "power_back",
    "state.Hold": "hold",
    "state.Wink": "wink",
    "state.State": "state",
    "games.nertz.phases.Playing": "nertz_playing",
    "games.nertz.phases.Called": "nertz_called",
    "games.nertz.phases.Judged": "nertz_verdict",
    "games.nertz.phases.CallNow": "nertz_call_now",
    "games.nertz.phases.Searching": "nertz_search",
    "games.nertz.phases.Burning": "nertz_burning",
    "games.nertz.scoring.Count": "nertz_count",
    "games.nertz.scoring.HandResult": "nertz_hand",
    "games.thirtyone.phases.Asking": "thirtyone_asking",
    "games.thirtyone.phases.Turn": "thirtyone_turn",
    "games.thirtyone.phases.Declared": "thirtyone_declared",
    "games.thirtyone.scoring.HandResult": "thirtyone_hand",
}
RENAMED: Mapping[str, str] = {
    "nertz_called": "called",
    "nertz_verdict": "judged",
}
"""Stored names that another one has followed: call and verdict belonged to one game."""
MOVED: Mapping[str, Mapping[str, str]] = {"table": {"dealt": "own"}}
"""Stored name -> a field that was one game's alone -> the field in which each game keeps its own now."""
EVENTS: Mapping[str, str] = {
    place.rpartition(".")[2]: name for place, name in STATES.items() if place.startswith(("events.", "signals.Edge"))
}
TEXTS: Mapping[str, str] = {
    "TWO AT A TIME": "hint.two_at_a_time",
    "ALREADY A PAIR": "hint.already_pair",
    "END MATCH?": "ask.end_match",
    "FALSE CALL?": "ask.false_call",
    "TIE?": "ask.tie",
    "FIRST?": "ask.first",
    "VOID HAND?": "ask.void_hand",
    "END HAND?": "ask.end_hand",
    "NERTZ?": "ask.call",
    "BONUS?": "ask.bonus",
    "NOT A 31?": "ask.not_a_31",
    "31?": "ask.31",
    "RIDE ON?": "ask.ride_on",
}
"""What a vote asked and a lobby hinted in English, and the key that it has now; "BONUS 9:8:8?" is "BONUS?", too."""
TEXT_FIELDS = ("question", "hint")
ASKED: Mapping[str, str] = {"KNOCK?": "knock", "31?": "31"}
"""The questions that a seat asked itself, as `asks` of a game's phase held them."""


def key_of(text: str) -> str:
    """The key of what an older release has written there in English; a key stays what it is."""
    return TEXTS.get("BONUS?" if text.startswith("BONUS ") else text, text)
