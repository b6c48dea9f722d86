"""The hall's pages: live tables, rounds, standings, the director's desk, printouts, exports."""

from __future__ import annotations

from referee.hall.web.app import make_app as make_app
