"""How a match looks to people, line by line, and to programs, object by object."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from tbgen.core import outcome
from tbgen.referee.match.events import Finished, Note, Unplayed
from tbgen.referee.match.standings import Line, Standings
from tbgen.rules.scoring import Exponential, decimal, digits_of, points_text
from tbgen.rules.statistics import Interval, Sequential, SprtVerdict
from tbgen.rules.tiebreaks import by_gscore
from tbgen.system import text_tables
from tbgen.system.text import counted

_SHARE_DIGITS: Final = 4
"""Decimals of the points against one opponent, where they are no halves."""
_BALANCES: Final = 6
"""G-scores whose balance is told."""


def game_line(game: Finished) -> str:
    points = points_text(game.points, whole=game.whole)
    moves = (game.plies + 1) // 2
    score = outcome.text(game.entry.result)
    entry = game.entry
    return f"{entry.round}  {entry.white} - {entry.black}  {score}  {points}  {game.ending}, {counted(moves, 'move')}"


def remark(event: Note | Unplayed) -> str:
    """What a director should know."""
    if isinstance(event, Note):
        return event.words
    return f"{event.pairing.round}  {event.white} - {event.black}  is not played: {event.words}"


def status_line(standings: Standings, games: int | None) -> str:
    """Where a match stands: how many games, and of two engines the first one's score."""
    first = standings.players[0]
    sample = standings.account.samples[first]
    words = counted(standings.games, "game") if games is None else f"{standings.games} of {counted(games, 'game')}"
    if len(standings.players) == 2 and standings.games:
        elo = _elo(sample.elo())
        words += f"  {first} {sample.games.ratio:.4f}  {f'Elo {elo}' if elo else 'no estimate of Elo'}"
        words += f"  LOS {100 * sample.los:.1f} %"
    if standings.sprt is None:
        return words
    return f"{words}  {sprt_words(standings)}"


def score_line(standings: Standings) -> str:
    """Of two engines: `Fish 3 – 1 Tbgen`."""
    if len(standings.players) != 2 or not standings.games:
        return ""
    first, second = standings.players
    scores = [standings.score(first), standings.score(second)]
    digits = digits_of(scores)
    return f"{first} {decimal(scores[0], digits)} – {decimal(scores[1], digits)} {second}"


def sprt_words(standings: Standings) -> str:
    sprt = standings.sprt
    if sprt is None:
        return ""
    low, high = sprt.bounds
    return f"SPRT [{sprt.elo0:g}, {sprt.elo1:g}] LLR {sprt.llr:.2f} ({low:.2f}, {high:.2f}){_verdict(sprt)}"


def _verdict(sprt: Sequential) -> str:
    return "" if sprt.verdict is SprtVerdict.CONTINUE else f": {sprt.verdict}"


def table(standings: Standings, width: int | None = None) -> Iterator[str]:
    """The crosstable, the tiebreaks, and what other scorings make of the games. `width`: of the terminal that it
    goes to, if it does."""
    lines = standings.lines()
    yield from text_tables.plain(*crosstable(standings, lines), width, words=1)
    yield ""
    yield from text_tables.plain(*scorings(standings, lines), width, words=1)
    yield from _balances(lines)
    if standings.sprt is not None:
        yield sprt_words(standings)


def crosstable(standings: Standings, lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of the table. No column stands twice: a score that is r-mobility is not told again."""
    digits = digits_of(line.score for line in lines)
    each_digits = 1 if digits == 1 else _SHARE_DIGITS
    mobility_digits = digits_of(line.mobility for line in lines)
    opponents = len(lines) > 2
    mobility = not isinstance(standings.scoring, Exponential)
    heads = ["", "player", "games", "score", *(str(n) for n in range(1, len(lines) + 1) if opponents)]
    heads += [*(["r-mobility"] if mobility else []), *(["SB"] if opponents else [])]
    heads += ["White +=-", "Black +=-", "Elo", "LOS", "pairs 0-2", "forfeits"]
    rows = []
    for line in lines:
        against = ["-" if points is None else decimal(points, each_digits) for points in line.against]
        row = [str(line.place), line.player, str(line.games), decimal(line.score, digits)]
        row += [*(against if opponents else ()), *([decimal(line.mobility, mobility_digits)] if mobility else [])]
        row += [decimal(line.sonneborn_berger, max(2, each_digits))] if opponents else []
        row += [str(line.as_white), str(line.as_black), _elo(line.elo) or "no estimate", f"{100 * line.los:.1f} %"]
        row += [" ".join(map(str, line.pairs)), str(line.forfeits or "")]
        rows.append(row)
    return heads, rows


def scorings(standings: Standings, lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    """What the other scorings make of the games, one below the other."""
    rows = []
    for account in standings.others:
        points = {line.player: standings.score(line.player, account=account) for line in lines}
        digits = digits_of(points.values())
        for line in lines:
            sample = account.samples[line.player]
            row = [account.scoring.title, line.player, decimal(points[line.player], digits)]
            row += [_elo(sample.elo()) or "no estimate", f"{100 * sample.los:.1f} %"]
            if account.sprt is not None:
                is_first = line.player == standings.players[0]
                row.append(f"{account.sprt.llr:.2f}{_verdict(account.sprt)}" if is_first else "")
            rows.append(row)
    return ["by other scorings", "player", "points", "Elo", "LOS", *(["LLR"] if standings.sprt else [])], rows


def _balances(lines: Sequence[Line]) -> Iterator[str]:
    """Stalemates given minus suffered, and so on; not all, for what comes first decides."""
    width = max(len(line.player) for line in lines)
    for line in lines:
        counts = by_gscore(line.balance)
        if counts:
            told = "  ".join(f"{score} {count:+d}" for score, count in islice(counts.items(), _BALANCES))
            more = "  ..." if len(counts) > _BALANCES else ""
            yield f"given minus suffered  {line.player.ljust(width)}  {told}{more}"


def _elo(interval: Interval) -> str:
    """The estimate; nothing where there is none, as when one side has all points."""
    if not math.isfinite(interval.value):
        return ""
    value = f"{interval.value:+z.1f}"
    return f"{value} ± {interval.margin:.1f}" if math.isfinite(interval.margin) else value
