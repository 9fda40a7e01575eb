"""A match as a page for the browser, to be watched while it goes on and played through afterwards.

The page itself is one file, with the state of the match when it was written. Beside it lies a folder: `live.json`, the
present state, which the page asks for every second, and a file for every game that it lists. Nothing of that has to
outlive a power failure: the games are in the match's PGN file.
"""

import hashlib
import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tbgen._version import __version__
from tbgen.drawing import SHEET
from tbgen.errors import BadInput
from tbgen.referee.match import announce, live
from tbgen.referee.match.events import Finished, Unplayed
from tbgen.referee.match.live import Live
from tbgen.referee.match.standings import Standings
from tbgen.rules.pgn.tags import TagSection
from tbgen.system import output_files
from tbgen.system.text import from_json, to_json
from tbgen.web.pages.modules import STATIC

_LIVE: Final = Path(__file__).parent / "live"
_GENERATOR: Final = f"tbgen match {__version__}"
_MARK: Final = b'"tbgen match '
"""By this a page is known, and its live state, as what may be replaced."""
_HEAD: Final = 1024
"""Bytes in which the mark stands."""
_PAUSE: Final = 1.0
"""Seconds between two writings of the state, for a match of many short games."""
_PAGE_PAUSE: Final = 5.0
"""The same of the page, which browsers load again only where it lies on their own disk."""
_LEFT: Final = 10.0
"""Seconds for which the file of a game stays that is shown no more."""
_LISTED: Final = 60
"""The last games that the page lists."""
_DIGITS: Final = 16
"""Of a game's name, by what is known of it."""
_IMPORTS: Final = re.compile(r"^import .*\n|^export ", re.MULTILINE)


class Page:
    """A page that goes along with a match."""

    def __init__(self, path: Path, title: str) -> None:
        self.path = path
        self._folder = path.with_name(f"{path.stem}.games")
        self._title = title
        self._games: deque[dict[str, Any]] = deque(maxlen=_LISTED)
        self._running: dict[str, Live] = {}
        self._new: dict[str, Callable[[], Mapping[str, Any]]] = {}
        """What is to be written, by the names of files."""
        self._tables: list[dict[str, Any]] = []
        self._counted = 0
        """The games that are in the tables."""
        self._over: deque[tuple[float, str]] = deque()
        """Files of games that are shown no more, and since when: somebody may be about to ask for one."""
        self._written = self._page_written = 0.0
        for there in (path, self._folder / "live.json"):
            if there.exists() and (not there.is_file() or not _is_ours(there)):
                raise BadInput(f"{there} is not a page of a match: name another file, or remove it")
        self._folder.mkdir(exist_ok=True)

    def add(self, pgn: bytes, story: Mapping[str, Any] | None = None) -> None:
        """A finished game. Its story is made of the PGN if nobody has it."""
        section = TagSection(pgn)
        headers = section.headers
        names = ("Round", "White", "Black", "RMobilityResult", "Points", "TerminationDetails")
        row = {name: headers[tag] for name, tag in zip(_ROW, names, strict=True)}
        row["file"] = _name(pgn.strip())
        if len(self._games) == _LISTED:
            self._forget(self._games.pop()["file"])
        self._games.appendleft(row)
        self._new[row["file"]] = lambda: live.of_pgn(section) if story is None else story

    def follow(self, event: Live | Finished | Unplayed) -> None:
        """Something has happened in a game."""
        if isinstance(event, Live):
            self._running[event.round] = event
            self._new[_name(event.round.encode())] = lambda: event.story
            return
        if self._running.pop(event.pairing.round, None):
            self._forget(_name(event.pairing.round.encode()))
        if isinstance(event, Finished):
            self.add(event.pgn.encode(), event.story)

    def write(self, standings: Standings, games: int | None, *, running: bool) -> None:
        """Put everything in its place, unless that was done a moment ago and will be done again."""
        now = time.monotonic()
        if running and now - self._written < _PAUSE:
            return
        for name, story in self._new.items():
            self._write(self._place(name), story())
        self._new.clear()
        state = self._state(standings, games, running)
        self._write(self._folder / "live.json", state)
        self._remove(now - _LEFT if running else now)
        self._written = now
        if not running or now - self._page_written >= _PAGE_PAUSE:
            output_files.replace(self.path, self._page(state).encode(), lasting=not running)
            self._page_written = now

    def _state(self, standings: Standings, games: int | None, running: bool) -> dict[str, Any]:
        if standings.games != self._counted:
            lines = standings.lines()
            both = (announce.crosstable(standings, lines), announce.scorings(standings, lines))
            self._tables = [{"heads": heads, "rows": rows} for heads, rows in both]
            self._counted = standings.games
        over = games is None or standings.games >= games
        return {
            "generator": _GENERATOR,
            "state": "running" if running else "over" if over else "stopped",
            "at": time.time(),
            "score": announce.score_line(standings),
            "told": announce.status_line(standings, games).replace("  ", ", "),
            "tables": self._tables,
            "running": [
                {**game.brief, "file": _name(round_.encode())}
                for round_, game in (sorted(self._running.items(), key=_in_order) if running else ())
            ],
            "played": standings.games,
            "games": list(self._games),
        }

    def _page(self, state: Mapping[str, Any]) -> str:
        """The page. What it can tell where it is opened as a file is in it: browsers let such a page load nothing."""
        stories = {
            row["file"]: from_json(self._place(row["file"]).read_bytes()) for row in state["running"] or state["games"]
        }
        title = escape(self._title)
        return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="{_GENERATOR}">
<title>{title}</title><link rel="icon" href="data:image/svg+xml,{quote(_asset("icon.svg"))}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>{_asset("chessground/chessground.css")}{SHEET.read_text(encoding="utf-8")}
{_asset("style.css")}{_asset("match.css", _LIVE)}</style></head>
<body data-folder="{escape(self._folder.name)}"><a class="skip" href="#main">Skip to the content</a>
<header><span class="brand">tbgen</span></header><main id="main"><h1>{title}</h1><p id="told"></p>
{_asset("match.html", _LIVE)}</main>
<footer><p>This page stores nothing and asks no other site. tbgen {__version__}, GPL-3.0-or-later.</p></footer>
<script type="application/json" id="state">{_embedded(state)}</script>
<script type="module" async>{_IMPORTS.sub("", _asset("words.js") + _asset("match.js", _LIVE))}</script>
<script type="application/json" id="stories">{_embedded(stories)}</script>
</body></html>
"""

    def _forget(self, name: str) -> None:
        """A game that is no longer shown."""
        self._new.pop(name, None)
        self._over.append((time.monotonic(), name))

    def _remove(self, before: float) -> None:
        while self._over and self._over[0][0] <= before:
            self._place(self._over.popleft()[1]).unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    @staticmethod
    def _write(place: Path, found: Mapping[str, Any]) -> None:
        output_files.replace(place, to_json(found).encode(), lasting=False)


_ROW: Final = ("round", "white", "black", "result", "points", "end")


def _name(about: bytes) -> str:
    """The name of a game's file: that of a finished game is found again by a later run."""
    return hashlib.sha256(about).hexdigest()[:_DIGITS]


def _in_order(game: tuple[str, Live]) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", game[0])]


def _embedded(found: Any) -> str:
    return to_json(found).replace("<", "\\u003c")


@cache
def _asset(name: str, folder: Path = STATIC) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return _MARK in file.read(_HEAD)
