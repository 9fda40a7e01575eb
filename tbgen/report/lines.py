"""Lines of best play: moves from the tables, the record kept by the rules."""

import io
from collections.abc import Iterable, Iterator
from dataclasses import replace

import chess
import chess.pgn

from tbgen._version import __version__
from tbgen.board.men.board import FairyBoard
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable, UnsupportedPosition
from tbgen.probe import Tablebase
from tbgen.report.document import Line, Step
from tbgen.rules import Record, tags
from tbgen.rules.fen import Fen
from tbgen.rules.rulesets import IGNORED, W
from tbgen.rules.scoring import classical_result
from tbgen.system.text import SIDES


def best_line(tablebase: Tablebase, board: chess.Board, key: str, title: str) -> Line | None:
    """Best play from a position under its own record; None where a table that it leads to is missing."""
    try:
        result = tablebase.probe(board, line=True)
    except MissingTable:
        return None
    record = Record(board, whole_game=tablebase.rules == TableRules.WHOLE_GAME)
    steps = []
    for move in result.line or ():
        san = record.board.san(move.move)
        steps.append(Step(san, record.push(move.move).outcome))
    return Line(key, title, board.fen(), result.outcome, tuple(steps), tablebase.rules)


def kept_line(line: Line, sans: Iterable[str]) -> Line:
    """The line with moves that were kept as text: each must be legal, and the last must score what the line says."""
    record = Record(line.board(), whole_game=line.rules == TableRules.WHOLE_GAME)
    steps = [Step(san, record.push(record.board.parse_san(san)).outcome) for san in sans]
    reached = steps[-1].record if steps else line.outcome
    if reached != line.outcome:
        raise BadInput(f"{line.title}: the moves lead to {outcome.text(reached)}")
    return replace(line, steps=tuple(steps))


def to_move(line: Line) -> str:
    return f"{SIDES[line.board().turn]} to move"


def words(line: Line) -> str:
    """The moves in one line of text; where the record changes, the new one follows in brackets."""
    return " ".join(f"({word})" if is_record else word for word, is_record in spans(line))


def spans(line: Line) -> Iterator[tuple[str, bool]]:
    """Move numbers and moves, and records where they change; with each whether it is a record."""
    if not line.steps:
        yield "on the board", False
        return
    board = line.board()
    number, white, record = board.fullmove_number, board.turn, None
    if not white:
        yield f"{number}...", False
    for step in line.steps:
        if white:
            yield f"{number}.", False
        yield step.san, False
        if step.record != record:
            yield outcome.text(step.record), True
            record = step.record
        number, white = number + (not white), not white


def pgn(line: Line, *, record_in_fen: bool = False) -> str:
    """A game whose moves bear the record as comments, `{G3.5}`, after each. Its tags say that 50 moves are not
    counted, as in the tables: so `tbgen adjudicate` reads it back."""
    board = line.board()
    if isinstance(board, FairyBoard):
        raise UnsupportedPosition(f"PGN has no men beyond chess: {line.fen}")
    game = chess.pgn.Game()
    game.headers.clear()
    game.headers.update(
        {
            "Event": line.title if line.rules == TableRules.RESET else f"{line.title}, whole-game mobility",
            "Site": f"tbgen {__version__}",
            "Date": "????.??.??",
            "Round": "-",
        }
        | {"White": "?", "Black": "?", "Result": classical_result(line.outcome)}
        | {tags.RESULT: outcome.text(line.outcome), "PlyCount": str(len(line.steps))}
    )
    whole_game = line.rules == TableRules.WHOLE_GAME
    tags.write_rules(game.headers, replace(W, fifty=IGNORED, whole_game=whole_game))
    tags.write_start(game.headers, board, line.record)
    node: chess.pgn.GameNode = game
    for step in line.steps:
        node = node.add_variation(node.board().parse_san(step.san), comment=outcome.text(step.record))
    buffer = io.StringIO()
    game.accept(chess.pgn.FileExporter(buffer))
    text = buffer.getvalue().strip()
    if record_in_fen and (fen := tags.fen_with_record(game.headers, Fen(board, line.record), whole_game=whole_game)):
        text = text.replace(f'[FEN "{game.headers["FEN"]}"]', f'[FEN "{fen}"]', 1)  # python-chess takes six fields
    return text
