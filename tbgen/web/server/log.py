"""The server's log. On standard error, why answers fail: a line for each cause and state of the file that it names. On
standard output, where that is asked for, every request."""

import re
import sys
import threading
from collections import OrderedDict
from datetime import datetime
from pathlib import Path
from typing import Final

from starlette.types import Scope

from tbgen.store import Stamp, stamp_of
from tbgen.store.directory import SUFFIX
from tbgen.system.text import say, shown

_LONGEST: Final = 500
"""Characters of a line. The name of a file comes first."""
_CAUSES: Final = 1000
"""That are remembered."""
_END_OF_NAME: Final = re.compile(re.escape(SUFFIX))


class Log:
    def __init__(self) -> None:
        self._told: OrderedDict[tuple[str, Stamp | None], None] = OrderedDict()
        self._telling = threading.Lock()

    def tell(self, words: str) -> None:
        say(f"tbgen: {_cut(words)}", file=sys.stderr)

    def tell_once(self, error: Exception) -> None:
        """Tell of an error, unless that was done while the file that it names was as it is now."""
        words = str(error) or type(error).__name__
        cause = words, _stamp(words)
        with self._telling:
            if cause in self._told:
                return
            self._told[cause] = None
            if len(self._told) > _CAUSES:
                self._told.popitem(last=False)
        self.tell(words)


LOG: Final = Log()


def tell_request(scope: Scope, status: int, seconds: float) -> None:
    """A status of 0 is that of an answer that could not begin."""
    client, *_ = scope.get("client") or ("-",)
    query = scope["query_string"]
    target = (scope["raw_path"] + (b"?" + query if query else b"")).decode("latin-1")
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    say(f'{now} {client} "{scope["method"]} {_cut(target)}" {status} {1000 * seconds:.1f} ms', flush=True)


def _cut(words: str) -> str:
    line = shown(words)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _stamp(words: str) -> Stamp | None:
    """The state of the file whose name words begin with; None where there is none."""
    for end in _END_OF_NAME.finditer(words):
        try:
            return stamp_of(Path(words[: end.end()]).stat())
        except OSError:
            continue
    return None
