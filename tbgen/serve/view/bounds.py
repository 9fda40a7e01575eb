"""A position of which local tables know bounds: what each side is sure of, and the moves by that."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from tbgen import outcome
from tbgen.probe import Sure, SureMove, SureResult
from tbgen.probe.words import bounds, late
from tbgen.rules.fen import format_fen
from tbgen.serve.question import Question
from tbgen.serve.view.frame import meaning, move_item, remark
from tbgen.text import SIDES


def panel(asked: Question, known: SureResult) -> str:
    """All that stands beside the board."""
    record = known.record
    return (
        f'<section class="verdict" aria-live="polite"><h2>{_words(known.sure)}</h2>'
        f"<p>{_more(known.sure)} The record so far is <b>{outcome.text(record)}</b> "
        f"({SIDES[record > 0]}’s: {meaning(record)}).</p>{remark(late(asked.board.halfmove_clock, known.sure.dtg))}"
        f'<p class="note">{known.material}, from tables made for this position alone; {SIDES[asked.board.turn]} to '
        f"move</p></section>"
        f'<section aria-label="Moves"><h2>Moves</h2>{"".join(_moves(asked, known.moves))}</section>'
    )


def _words(sure: Sure) -> str:
    if sure.exact:
        return bounds(sure)
    told = [f"{SIDES[colour]} is sure of {outcome.text(value)}" for colour, value in _said(sure)]
    return ", ".join(told) or "Nothing is known"


def _more(sure: Sure) -> str:
    """The same, as it looks on the board."""
    told = [
        f"{SIDES[colour]} ends with no less than {SIDES[value > 0]}’s {outcome.text(value)}: {meaning(value)}."
        for colour, value in _said(sure)
    ]
    return " ".join([*told, "These tables do not know all that can come of the position: more is not proved."])


def _said(sure: Sure) -> list[tuple[bool, int]]:
    """What each side is sure of, White's first, but for what everybody knows: that nothing is worse than mate."""
    both = ((True, sure.white), (False, sure.black))
    return [(colour, value) for colour, value in both if outcome.level(value) > 0 or (value > 0) == colour]


def _moves(asked: Question, moves: Sequence[SureMove]) -> Iterator[str]:
    for sure, group in groupby(moves, key=lambda move: move.sure._replace(dtg=None)):
        yield f'<div class="group"><h3>{_words(sure)}</h3><ul class="moves">'
        for move in group:
            board = asked.board.copy(stack=False)
            san = board.san_and_push(move.move)
            fen = format_fen(board, move.record, whole_game=asked.whole_game)
            badge = "reset" if move.reset else ""
            yield move_item(asked.board.uci(move.move), san, fen, asked.rules, move.sure.dtg, badge)
        yield "</ul></div>"
