"""What there is to say of single games among many: a line each, but only of the first few. The rest is counted."""

import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Final, Self

from tbgen.errors import brief
from tbgen.system.text import counted, say, shown

MOST: Final = 10
"""Remarks that are printed."""
_KINDS: Final = 5
"""Kinds of others that are named."""
_PLACE: Final = re.compile(r".*?:\d+: (?:game \d+: )?")
_DETAIL: Final = re.compile(r": | \(")


def _to_errors(line: str) -> None:
    say(brief(shown(line)), file=sys.stderr, flush=True)


class Remarks:
    """Takes remarks such as `games.pgn:7: game 2: illegal move: Ke3 (ply 3)`, and says at the end how many more there
    were of which kind."""

    def __init__(self, out: Callable[[str], None] = _to_errors) -> None:
        self._out = out
        self._said = 0
        self._others: Counter[str] = Counter()

    def add(self, remark: str, kind: str = "") -> None:
        """`kind`: what others have in common with it, if the remark does not say so itself."""
        if self._said < MOST:
            self._said += 1
            self._out(f"tbgen: {remark}")
        else:
            place = _PLACE.match(remark)
            self._others[kind or _DETAIL.split(remark[place.end() if place else 0 :])[0]] += 1

    def end(self) -> None:
        """Say how many more there were."""
        if self._others:
            kinds = [f"{words} ({count:,})" for words, count in self._others.most_common(_KINDS)]
            more = ", ..." if len(self._others) > _KINDS else ""
            self._out(f"tbgen: and {counted(self._others.total(), 'more such game')}: {', '.join(kinds)}{more}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()
