"""A finished game as PGN, with the tags of rules/tags.py.

Behind each move stands what its engine said of it, as other referees write it: score, depth and seconds,
and the record if the move set it: `{+0.31/14 0.52s, G3.5}`.
"""

import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

import chess

from tbgen.core import outcome
from tbgen.referee.match.conditions import Setting
from tbgen.referee.match.eco import name_of
from tbgen.referee.match.game_loop import Bout
from tbgen.referee.match.ply import Ply, said
from tbgen.rules.pgn.tags import written
from tbgen.rules.scoring import classical_result
from tbgen.rules.tags import TERMINATION, write_start

PV: Final = "pv"
_LEFT: Final = "left"
MORE: Final = ("nodes", "nps", "seldepth", "hashfull", "tbhits", PV, _LEFT)
"""What else can stand behind moves: figures of the engine, its line, and the seconds left on its clock."""
_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
_WIDTH: Final = 100
_NO_BRACES: Final = str.maketrans("{}", "()")


def write_game(bout: Bout, setting: Setting, identities: tuple[str, str] = ("", "")) -> str:
    """The text of a game, an empty line at its end. The identities are what the engines call themselves."""
    tags = _tags(bout, setting, identities)
    section = "".join(f"{written(name, value).decode()}\n" for name, value in tags.items())
    words = " ".join([*_moves(bout, setting.comments), tags["Result"]])
    text = "\n".join(textwrap.wrap(words, _WIDTH, break_long_words=False, break_on_hyphens=False))
    return f"{section}\n{text}\n\n"


def _tags(bout: Bout, setting: Setting, identities: tuple[str, str]) -> dict[str, str]:
    white, black = setting.engines[bout.pairing.white], setting.engines[bout.pairing.black]
    conditions = setting.conditions
    tags = {
        "Event": setting.event,
        "Site": setting.site,
        "Date": bout.begun.strftime("%Y.%m.%d"),
        "Round": bout.pairing.round,
        "White": white.name,
        "Black": black.name,
        "Result": classical_result(bout.end.outcome),
    }
    for colour, one in (("White", white), ("Black", black)):
        if one.elo is not None:
            tags[f"{colour}Elo"] = str(one.elo)
    tags["GameStartTime"] = bout.begun.astimezone(UTC).strftime(_TIME)
    tags["GameEndTime"] = datetime.now(UTC).strftime(_TIME)
    for colour, identity in zip(("White", "Black"), identities, strict=True):
        if identity:
            tags[f"{colour}Engine"] = identity
    name = name_of(bout.opening.board, bout.game.board.move_stack)
    if name is not None:
        tags["ECO"], tags["Opening"] = name
    write_start(
        tags,
        bout.opening.board,
        bout.opening.record,
        record_in_fen=setting.record_in_fen,
        whole_game=conditions.rules.whole_game,
    )
    tags["PlyCount"] = str(bout.game.record.ply)
    tags["Termination"] = bout.termination
    tags["TerminationDetails"] = bout.end.words.translate(_NO_BRACES)
    tags.update(conditions.tags(white, black))
    conditions.write_result(tags, bout.end.outcome, bout.opening.komi)
    tags[TERMINATION] = _basis(bout)
    return tags


def _basis(bout: Bout) -> str:
    """What the result rests on, as `tbgen adjudicate` says it."""
    if bout.end.awarded:
        return "awarded"
    return "played" if bout.end.verdict is None else str(bout.end.verdict)


def _moves(bout: Bout, more: Sequence[str]) -> Iterator[str]:
    """The moves with their numbers, the engines' with comments, and at last why the game is over."""
    board = bout.opening.board.copy(stack=False)
    numbered = True

    def move(played: chess.Move) -> str:
        dots = "." if board.turn else "..."
        number = f"{board.fullmove_number}{dots} " if board.turn or numbered else ""
        return f"{number}{board.san_and_push(played)}"

    for played in bout.opening.moves:
        yield move(played)
        numbered = False
    for ply in bout.plies[:-1]:
        yield f"{move(ply.move)} {{{_comment(ply, more)}}}"
        numbered = False
    ending = bout.end.words.translate(_NO_BRACES)
    if bout.plies:
        last = bout.plies[-1]
        yield f"{move(last.move)} {{{_comment(last, more)}, {ending}}}"
    else:
        yield f"{{{ending}}}"


def _comment(ply: Ply, more: Sequence[str]) -> str:
    words = f"{said(ply.info)} {ply.seconds:.2f}s".lstrip()
    if ply.record is not None:
        words = f"{words}, {outcome.text(ply.record)}"
    return ", ".join([words, *_more(ply, more)])


def _more(ply: Ply, wanted: Sequence[str]) -> Iterator[str]:
    """What else was asked for, where there is such."""
    for name in wanted:
        if name == _LEFT and ply.left is not None:
            yield f"left {ply.left:.2f}s"
        elif name == PV and PV in ply.info:
            yield f"pv {' '.join(map(chess.Move.uci, ply.info['pv']))}"
        elif name in ply.info:
            yield f"{name} {ply.info[name]}"  # type: ignore[literal-required]
