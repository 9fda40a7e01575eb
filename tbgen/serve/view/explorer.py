"""A position: what it is worth in words and in notation, its moves by outcome, its staircase, its line."""

from collections.abc import Iterator
from contextlib import suppress
from html import escape
from itertools import groupby
from typing import Any, Final

import chess
import chess.svg

from tbgen import outcome, position
from tbgen.errors import BadInput, MissingTable, TbgenError
from tbgen.probe import OnlyBounds, Tablebase
from tbgen.probe.numbering import material_of
from tbgen.probe.words import late
from tbgen.report.grades import colour_class
from tbgen.rules.fen import format_fen
from tbgen.serve import answers
from tbgen.serve.problem import Problem, problem_of
from tbgen.serve.question import Question, after, question
from tbgen.serve.view import bounds
from tbgen.serve.view.frame import hint, link_to, meaning, move_item, options, page, problem, remark
from tbgen.serve.view.pictures import staircase
from tbgen.table_rules import TableRules
from tbgen.text import SIDES, plies, to_json

START: Final = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
"""The board that a visitor finds."""
_TITLE: Final = "tbgen: endgame explorer"
_INTRODUCTION: Final = """<details class="about"><summary>R-mobility is chess without draws: what counts is how few
moves one leaves the opponent.</summary><dl>
<dt>G-score</dt><dd>The number of legal moves of the side to move, and a half more when it is not in check. Checkmate
is G0.0, stalemate G0.5, one move in check G1.0. The other side scores it: White’s is written G1.5, Black’s -G1.5, and
the lower number is the better one.</dd>
<dt>Record</dt><dd>The best G-score so far. Who holds it when the game ends has won by it. A capture or a pawn move
begins a new one.</dd>
<dt>White forces G1.5 in 4 plies</dt><dd>Against any defence White brings that position about within four moves, each
side’s counted, and nobody can force more.</dd></dl></details>
"""
_NAMES: Final = ("pawn", "knight", "bishop", "rook", "queen", "king")


def panel(fen: str, rules: TableRules, tablebase: Tablebase, *, moves: str = "", with_line: bool) -> str:
    """All that stands beside the board; of what is wrong, that it is."""
    return _panel(fen, _read(fen, moves, rules), tablebase, with_line=with_line)


def _read(fen: str, moves: str, rules: TableRules) -> Question | Problem:
    try:
        asked = question(fen, None, rules)
        return after(asked, moves) if moves else asked
    except TbgenError as error:
        return problem_of(error)


def _panel(fen: str, asked: Question | Problem, tablebase: Tablebase, *, with_line: bool) -> str:
    if isinstance(asked, Problem):
        return _wrong(fen, asked)
    try:
        found = answers.moves(asked, tablebase, fens=True)
    except OnlyBounds as error:
        return _head(asked, None) + bounds.panel(asked, error.known)
    except TbgenError as error:
        return _head(asked, None) + _wrong_inside(problem_of(error)) + "".join(_beyond(asked, tablebase))
    moves = _moves(asked, found["moves"], "the table is missing")
    parts = [_head(asked, found), _verdict(asked, found), *moves, _stairs(asked, tablebase)]
    parts.append(_line(asked, tablebase, found) if with_line else _line_link(asked, found))
    return "".join(parts)


def _head(asked: Question, found: dict[str, Any] | None) -> str:
    """What the board is to show, for the script; and the men in words, for who does not see it."""
    board = asked.board
    record = asked.record
    if found is not None and (board.halfmove_clock or asked.whole_game or record is not None):
        record = outcome.parse(found["record"])
    fen = format_fen(board, record, whole_game=asked.whole_game)
    check = chess.COLOR_NAMES[board.turn] if board.is_check() else ""
    men = ". ".join(f"{SIDES[colour]}: {_men(board, colour)}" for colour in (True, False))
    steps = f' data-steps="{escape(to_json(asked.steps))}"' if asked.steps else ""
    return (
        f'<div id="position"{steps} data-fen="{escape(fen)}" data-turn="{chess.COLOR_NAMES[board.turn]}" '
        f'data-check="{check}" data-rules="{asked.rules}" data-title="{_title(board)}"></div>'
        f'<p class="sr">{men}. {SIDES[board.turn]} to move.</p>'
    )


def _title(board: chess.Board) -> str:
    """Of the page, for lists of pages."""
    return f"{material_of(board)}, {SIDES[board.turn]} to move"


def _men(board: chess.Board, colour: chess.Color) -> str:
    return ", ".join(
        f"{_NAMES[kind - 1]} {chess.square_name(square)}"
        for kind in reversed(chess.PIECE_TYPES)
        for square in board.pieces(kind, colour)
    )


def _wrong(fen: str, told: Problem) -> str:
    fen = fen.replace("_", " ")
    head = f'<div id="position" data-fen="{escape(fen)}" data-wrong="true" data-title="{_TITLE}"></div>'
    with suppress(BadInput):
        if lacks := position.fault(position.read(fen)):  # men on their way to a position: nothing has gone wrong
            return head + hint("Not a position yet:", f"{lacks}.", "Set up puts men on the board.")
    return head + _wrong_inside(told)


def _wrong_inside(told: Problem) -> str:
    match told.status:
        case 404:
            return hint("Not known:", f"{told}.", f"To have it: {told.hint}" if told.code == "missing_table" else "")
        case 422:
            return hint("Not in any table:", f"{told}.")
    return problem("Not a position." if told.status == 400 else "No answer.", str(told))


def _beyond(asked: Question, tablebase: Tablebase) -> Iterator[str]:
    """Without a table the board can still be played on, and some moves may lead to one."""
    return _moves(asked, answers.moves_beyond(asked, tablebase), "no table has what comes then", best=False)


def _verdict(asked: Question, found: dict[str, Any]) -> str:
    value, record = outcome.parse(found["gscore"]), outcome.parse(found["record"])
    winner = SIDES[value > 0]
    loser = SIDES[value < 0]
    if not found["stands"]:
        words = f"{winner} forces {found['gscore']} in {plies(found['dtg'])}"
        more = f"With best play {loser} then faces {meaning(value)}. Neither side can do better."
    elif not found["moves"] and outcome.level(value) <= 1:
        words = f"{meaning(value).capitalize()}: {found['gscore']}"
        more = f"The game is over; {winner} scores."
    else:
        words = f"The record stands: {found['gscore']}"
        more = f"{winner} has had {loser} down to {meaning(value)}, and neither side can force better."
    told = ""
    if not found["stands"]:
        told = f" The record so far is <b>{found['record']}</b> ({SIDES[record > 0]}’s: {meaning(record)})."
    dropped = ""
    if "dropped" in found:
        dropped = remark(f"The record {found['dropped']} does not count: the halfmove clock is 0.")
    return (
        f'<section class="verdict {colour_class(value)}" aria-live="polite"><h2>{escape(words)}</h2>'
        f"<p>{escape(more)}{told}</p>{remark(late(asked.board.halfmove_clock, found['dtg']))}{dropped}"
        f'<p class="note"><a href="/materials/{found["material"]}?rules={asked.rules}">{found["material"]}</a>, '
        f"{SIDES[asked.board.turn]} to move</p></section>"
    )


def _moves(asked: Question, found: list[dict[str, Any]], unknown: str, *, best: bool = True) -> Iterator[str]:
    """By outcome. `unknown`: why there may be none. `best`: whether the first one is the best."""
    if not found:
        return
    yield '<section aria-label="Moves"><h2>Moves</h2>'
    for gscore, group in groupby(found, key=lambda move: move["gscore"]):
        moves = list(group)
        if gscore is None:
            yield f'<div class="group"><h3><span class="badge">unknown</span> {unknown}</h3>'
        else:
            value = outcome.parse(gscore)
            yield (
                f'<div class="group"><h3><span class="badge {colour_class(value)}">{gscore}</span> '
                f"{SIDES[value > 0]}: {meaning(value)}</h3>"
            )
        yield '<ul class="moves">'
        for move in moves:
            badge = "reset" if move["reset"] else ""
            yield move_item(move["uci"], move["san"], move["fen"], asked.rules, move["dtg"], badge, best=best)
        yield "</ul></div>"
    yield "</section>"


def _stairs(asked: Question, tablebase: Tablebase) -> str:
    picture = ""
    with suppress(MissingTable):  # under some records local tables may know bounds only
        picture = staircase(answers.staircase(asked, tablebase))
    if not picture:
        return ""
    return (
        '<section class="stairs" aria-label="Staircase"><h2>Under other records</h2>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="Picture of the staircase">{picture}</div>'
        '<p class="note">Across: the record. Up: what the position is worth under it. Where the line leaves the '
        "dashes, somebody can better the record; the upright line marks the present one. "
        '<span class="narrow">Push the picture aside for the rest of it.</span></p></section>'
    )


def _line_link(asked: Question, found: dict[str, Any]) -> str:
    if found["stands"]:
        return ""
    return (
        '<section aria-label="Line"><h2>Best play</h2>'
        f'<p><a id="show-line" href="{link_to(asked.fen, asked.rules, "line=1")}">Show the line</a></p></section>'
    )


def _line(asked: Question, tablebase: Tablebase, found: dict[str, Any]) -> str:
    if found["stands"]:
        return ""
    try:
        line = tablebase.probe(asked.board, asked.record, line=True).line or ()
    except TbgenError as error:
        return f'<section aria-label="Line"><h2>Best play</h2>{_wrong_inside(problem_of(error))}</section>'
    board, items, record = asked.board.copy(stack=False), [], outcome.parse(found["record"])
    for place, step in enumerate(line):
        number = f"{board.fullmove_number}{'.' if board.turn else '...'} " if board.turn or not place else ""
        uci, san = board.uci(step.move), board.san_and_push(step.move)
        fen = format_fen(board, step.record, whole_game=asked.whole_game)
        new = f' <span class="badge small">{outcome.text(step.record)}</span>' if step.record != record else ""
        record = step.record
        items.append(
            f'<li>{number}<a href="{link_to(fen, asked.rules)}" data-line="{uci}" data-fen="{escape(fen)}">'
            f"{escape(san)}</a>{new}</li>"
        )
    pgn = link_to(asked.fen, asked.rules, "format=pgn").replace("/?", "/v1/line?", 1)
    return (
        f'<section aria-label="Line"><h2>Best play</h2><ol class="line">{"".join(items)}</ol>'
        f'<p><a href="{pgn}" download="line.pgn">As PGN</a></p></section>'
    )


def whole(fen: str, rules: TableRules, tablebase: Tablebase, *, moves: str = "", with_line: bool) -> str:
    """The page with its panel."""
    asked = _read(fen, moves, rules)
    board = None if isinstance(asked, Problem) else asked.board
    title = _TITLE if board is None else _title(board)
    picture = "" if board is None else chess.svg.board(board)
    words = escape((fen if isinstance(asked, Problem) else asked.fen).replace("_", " "))
    body = f"""<h1 class="sr">Endgame explorer</h1>
{_INTRODUCTION}<div class="explorer"><div class="left">
<div id="board" class="board"><noscript>{picture}</noscript></div>
<div id="tools" class="tools" hidden></div>
<form class="ask" action="/" method="get"><label for="fen">FEN, with the record as seventh field</label>
<div class="row"><input id="fen" name="fen" value="{words}" autocomplete="off" spellcheck="false">
<button type="submit">Ask</button></div>
<label for="rules">Rules</label><select id="rules" name="rules" autocomplete="off">{options(rules)}</select></form>
</div><div id="panel" class="right">{_panel(fen, asked, tablebase, with_line=with_line)}</div></div>
<dialog id="promote" aria-label="Promote to"></dialog>"""
    return page(title, body, "explorer.js", "/")
