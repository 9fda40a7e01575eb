"""What there is to see of a match on a terminal, in a pipe and in a browser."""

import shlex
from collections import Counter
from typing import Final

from tbgen.cli.common import remark
from tbgen.cli.remarks import Remarks
from tbgen.referee.match import announce
from tbgen.referee.match.events import Event, Finished, Note, Unplayed
from tbgen.referee.match.ledger import Ledger
from tbgen.referee.match.live import Live
from tbgen.referee.match.run import Match
from tbgen.system.text import counted, say, to_json, width
from tbgen.web.pages.match import Page

_NAMED: Final = 8
"""Missing tables that are named."""


class Show:
    """What there is to see of a match: every event goes to the terminal, as text or JSON, and to the page."""

    def __init__(self, match: Match, page: Page | None, *, json: bool, quiet: bool, every: int) -> None:
        self._match = match
        self._page = page
        self._json = json
        self._quiet = quiet
        self._every = every
        self._missing = Counter[str]()
        self._unplayed = Remarks()

    def resumed(self, ledger: Ledger | None) -> None:
        """Say what an earlier run has left."""
        if ledger is None or self._json or self._quiet:
            return
        if ledger.torn is not None:
            say(f"the last game in the PGN file breaks off: it is played again (what there was is in {ledger.torn_at})")
        if self._match.standings.games:
            say(f"{counted(self._match.standings.games, 'game')} played, {len(self._match.todo)} to come")

    def begin(self) -> None:
        """There is something to watch from the first moment on."""
        if self._page is not None and self._match.todo:
            self._page.write(self._match.standings, self._match.games, running=True)
            if not (self._json or self._quiet):
                folder = shlex.quote(str(self._page.path.parent))
                say(f"to watch it, open {self._page.path}, or that page of python3 -m http.server -d {folder}")

    def watch(self, event: Event) -> None:
        """Something has happened."""
        if isinstance(event, Finished):
            self._missing.update(event.missing)
        if self._page is not None and not isinstance(event, Note):
            self._page.follow(event)
            self._page.write(self._match.standings, self._match.games, running=True)
        if isinstance(event, Live):
            return
        if self._json:
            say(to_json(event.as_dict()), flush=True)
        elif isinstance(event, Unplayed):
            self._unplayed.add(announce.remark(event), event.words)
        elif isinstance(event, Note):
            remark(announce.remark(event))
        elif not self._quiet:
            say(announce.game_line(event))
            say(f"    {announce.status_line(self._match.standings, self._match.games)}", flush=True)
        if isinstance(event, Finished) and self._every and self._match.standings.games % self._every == 0:
            self._table("standings")

    def _table(self, name: str) -> None:
        standings = self._match.standings
        if self._json:
            say(to_json({"event": name, **standings.as_dict(), "missing": dict(self._missing)}), flush=True)
        elif standings.games:
            say(*announce.table(standings, width()), flush=True)

    def end(self) -> None:
        """The table, however the match ended."""
        try:
            if self._page is not None:
                self._page.write(self._match.standings, self._match.games, running=False)
        finally:  # a full disk may have ended it
            self._table("end")
        if self._json:
            return
        self._unplayed.end()
        for words, times in self._missing.most_common(_NAMED):
            remark(f"{words} (asked for {counted(times, 'time')})")
        if len(self._missing) > _NAMED:
            remark(f"and {counted(len(self._missing) - _NAMED, 'other table')}")
