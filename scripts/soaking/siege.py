"""Honest clients beside hostile ones: how long a single probe takes while one address attacks, and the empty route."""

import http.client
import multiprocessing
import random
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from soaking.case import shown
from soaking.ground import tables_of
from soaking.hostile import ATTACKS, attack
from soaking.positions import a_board
from tests.support.serving import serving

_MORE: Final = 0.05
"""Seconds that 99 of 100 probes may take beyond what the empty route takes."""
_PAUSE: Final = 0.02
"""Between honest questions: together they stay below what one client may ask."""
_LINE_EVERY: Final = 25
"""Questions, of which one is for best play."""
_WARM: Final = 1.0
"""Seconds in which an attack begins."""
_FEWER: Final = 4
"""So many times fewer answers than in quiet are too few, even where the empty route is as slow."""
_SHARE: Final = 0.25
"""Of the soak's time."""
_SHORTEST: Final = 2.0
"""Seconds of an attack."""


class Told(NamedTuple):
    """What honest clients met with."""

    attack: str
    empty: list[float]
    """Seconds that the empty route took."""
    probes: list[float]
    refused: list[str]

    def more(self, part: float) -> float:
        """Seconds within which this part of the probes is answered, beyond those of the empty route."""
        return share(self.probes, part) - share(self.empty, part)

    def is_good(self, quiet: "Told", part: float = 0.99) -> bool:
        is_served = len(self.probes) * _FEWER >= len(quiet.probes)
        return not self.refused and is_served and self.more(part) <= _MORE


def soak(ground: Path, minutes: float) -> int:
    """Every attack, one after the other, on a server as it is by default. The exit code: 1 if one succeeds."""
    seconds = max(_SHORTEST, 60 * minutes * _SHARE / len(ATTACKS))
    with serving(tables_of(ground)) as server:
        found = besieged(server.port, seconds)
        memory = peak(server.process.pid)
    print(report(found))
    failed = [one for one in found if not one.is_good(found[0])]
    for one in failed:
        print(f"WRONG: {one.attack}: {shown(' '.join(one.refused)) or 'too slow'}", file=sys.stderr)
    print(f"{len(ATTACKS) - 1} attacks, {len(failed)} succeeded; the server took {memory >> 20} MiB at most")
    return 1 if failed else 0


def peak(pid: int) -> int:
    """Bytes of memory that a process has ever had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) << 10 if found else 0


def share(took: list[float], part: float) -> float:
    return sorted(took)[min(len(took) - 1, int(part * len(took)))] if took else float("inf")


def besieged(port: int, seconds: float, names: Iterable[str] = ATTACKS) -> list[Told]:
    return [_under(name, port, seconds) for name in names]


def _under(name: str, port: int, seconds: float) -> Told:
    attacker = multiprocessing.get_context("spawn").Process(target=attack, args=(name, port), daemon=True)
    attacker.start()
    try:
        time.sleep(_WARM)
        found = Told(name, [], [], [])
        until, draw = time.monotonic() + seconds, random.Random(1)
        number = 0
        while time.monotonic() < until:
            number += 1
            fen = quote(a_board(draw, "KRvK").fen())
            if number % _LINE_EVERY == 0:
                _ask(port, f"/v1/line?fen={fen}", found.refused)
            found.empty.append(_ask(port, "/robots.txt", found.refused))
            time.sleep(_PAUSE)
            found.probes.append(_ask(port, f"/v1/probe?fen={fen}", found.refused))
            time.sleep(_PAUSE)
        return found
    finally:
        attacker.kill()
        attacker.join()


def _ask(port: int, path: str, refused: list[str]) -> float:
    """Seconds until the whole answer, by a stranger: on a connection of its own."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            refused.append(f"{path}: {answer.status}")
    except (OSError, http.client.HTTPException) as error:
        refused.append(f"{path}: {error!r}")
    finally:
        connection.close()
    return time.perf_counter() - begun


def report(found: Iterable[Told]) -> str:
    """In Markdown, milliseconds."""
    rows = [
        "| attack | empty route: half, 99 of 100 | probes: half, 99 of 100 | more | refused |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        times = (f"{1000 * share(took, part):.1f}" for took in (one.empty, one.probes) for part in (0.5, 0.99))
        empty_half, empty_most, half, most = times
        rows.append(
            f"| {one.attack} | {empty_half}, {empty_most} | {half}, {most} | {1000 * one.more(0.99):.1f} | "
            f"{len(one.refused)} of {len(one.empty) + len(one.probes)} |"
        )
    return "\n".join(rows)
