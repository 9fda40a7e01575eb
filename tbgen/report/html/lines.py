"""Lines of best play as text, with boards where they are few, and cards of what they show. The player (player.js) reads
lines from here.
"""

from collections.abc import Iterator
from html import escape

import chess

from tbgen.core import outcome
from tbgen.core.position import level
from tbgen.core.table_rules import TableRules
from tbgen.drawing.board import sharing
from tbgen.probe.words import situation
from tbgen.report.document import Exhibits, Line, Lines
from tbgen.report.lines import spans, to_move
from tbgen.rules.scoring import classical_result
from tbgen.system.text import SIDES, plies


def lines(block: Lines) -> Iterator[str]:
    yield f'<div class="{"boards" if block.boards else "lines"}">'
    for line in block.lines:
        yield from _article(line, boards=block.boards)
    yield "</div>"


def exhibits(block: Exhibits) -> Iterator[str]:
    """A card each: where the line begins, what is told, and the way to the line."""
    yield '<div class="exhibits">'
    for exhibit in block.exhibits:
        line = exhibit.line
        yield f'<div class="exhibit"><h3>{escape(exhibit.title)}</h3>{sharing(line.board(), to_move(line))}'
        yield f"<div><p>{escape(exhibit.text).replace(' %', '&nbsp;%')}</p>"
        yield f'<a href="#line-{escape(line.key)}">{to_move(line)}: play {plies(len(line.steps))}</a></div></div>'
    yield "</div>"


def _article(line: Line, *, boards: bool) -> Iterator[str]:
    positions = list(_positions(line))
    steps = " ".join(map(_step, positions[1:]))
    rules = "" if line.rules == TableRules.RESET else f' data-rules="{line.rules}"'
    yield (
        f'<article id="line-{escape(line.key)}" data-fen="{escape(line.fen)}" '
        f'data-goal="{outcome.text(line.outcome)}" data-result="{classical_result(line.outcome)}" '
        f'data-start="{level(positions[0])}" data-steps="{steps}"{rules}>'
        f"<h4>{escape(line.title)}</h4>"
    )
    if boards:
        ends = ((0, "At the start"), (-1, "After the last move"))
        yield f'<div class="pair">{"".join(sharing(positions[place], told) for place, told in ends)}</div>'
    yield f'<p class="told">{escape(_sentence(line))}</p>'
    yield f"<p><code>{escape(line.fen)}</code></p>"
    yield f'<p class="moves">{_moves(line)}</p></article>'


def _sentence(line: Line) -> str:
    winner = SIDES[line.outcome > 0]
    return f"{to_move(line)}. {winner} forces {outcome.text(line.outcome)}: {situation(line.outcome)}."


def _positions(line: Line) -> Iterator[chess.Board]:
    now = line.board()
    yield now.copy(stack=False)
    for step in line.steps:
        now.push_san(step.san)
        yield now.copy(stack=1)


def _step(reached: chess.Board) -> str:
    """The move, the level that it leads to, and the square of a pawn that can be captured in passing."""
    words = f"{reached.peek().uci()}:{level(reached)}"
    if reached.ep_square is not None and reached.has_legal_en_passant():
        words += f":{chess.square_name(reached.ep_square)}"
    return words


def _moves(line: Line) -> str:
    """The record stands behind the move that changes it."""
    return " ".join(f"<b>{escape(word)}</b>" if is_record else escape(word) for word, is_record in spans(line))
