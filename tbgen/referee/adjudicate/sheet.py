"""The score sheet of a game over the board, made from its moves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from tbgen.core import outcome
from tbgen.rules import scoresheet
from tbgen.rules.endings import Ending
from tbgen.rules.ends import Game
from tbgen.rules.pgn import moves as pgn_moves
from tbgen.rules.pgn import san
from tbgen.rules.pgn.moves import BadMoves
from tbgen.rules.pgn.replay import play_all
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.record import Standing
from tbgen.rules.rulesets import OTB, SHEET_LEVEL
from tbgen.rules.scoring import points_text, scoring_name
from tbgen.rules.tags import NO_RESULT, SCORING, begin, scoring_of
from tbgen.system.text import plies

_LINE: Final = "-" * 16
_WON: Final = ("1-0", "0-1")


class Written(NamedTuple):
    """An entry with the move that made it."""

    move: str
    """As in `12... Kh5`; empty where the start position has it, or brings it along."""
    standing: Standing


class Sheet(NamedTuple):
    """What two players have written down."""

    white: str
    black: str
    parts: list[list[Written]]
    """Entries between the lines, which captures and pawn moves draw."""
    points: str
    quiet: int
    """Plies since the last entry, capture or pawn move."""
    end: Ending | None
    """What ended the game by the rules; None: it could have gone on."""
    left: int
    """Plies that were played after that."""
    result: str
    """The one that the game says: `*` if it is not over."""


def sheet_of(data: bytes, level: int | None = None) -> Sheet | None:
    """The sheet of a game, of scores up to this level; None for what is none. BadLine where moves cannot be read.

    Without a level it is the game's own by its tags, else that of G3.5.
    """
    section = TagSection(data)
    text = section.text
    if not section.headers and not text.strip():
        return None
    try:
        return _sheet_of(section, text, _level_of(section.headers) if level is None else level)
    except BadMoves as error:
        raise section.bad_line(error, text) from None


def _level_of(headers: Mapping[str, str]) -> int:
    """The weakest score that players wrote down, as far as the tags of their game say."""
    scheme = scoring_of(headers) if scoring_name(headers.get(SCORING, "")) == OTB.name else None
    return SHEET_LEVEL if scheme is None or scheme.cutoff is None else scheme.cutoff - 1


def _sheet_of(section: TagSection, text: str, level: int) -> Sheet:
    rules, start = begin(section.headers, replace(OTB, cutoff=level + 1), own_rules=False)
    game = Game(start.board, start.record, rules)
    playing = start.board.copy(stack=False)
    written = pgn_moves.read(text)
    play_all(written.tokens, text, partial(san.play, playing))
    names: list[str] = [""]
    board = start.board.copy(stack=False)
    for move in playing.move_stack:
        if game.ended:
            break
        names.append(f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san_and_push(move)}")
        game.push_legal(move)
    parts = scoresheet.parts(game.record.standings, level, whole_game=rules.whole_game)
    return Sheet(
        section.headers.get("White", "?"),
        section.headers.get("Black", "?"),
        [[Written(names[entry.ply], entry) for entry in part] for part in parts],
        points_text(scoresheet.points(parts), whole=True),
        game.turn.quiet,
        game.turn.ending,
        len(playing.move_stack) - game.record.ply,
        written.result,
    )


def lines(sheet: Sheet) -> Iterator[str]:
    """The sheet as players keep it."""
    yield f"{sheet.white} - {sheet.black}"
    for number, part in enumerate(sheet.parts):
        if number:
            yield _LINE
        for move, entry in part:
            yield f"{move or 'start':<12}  {outcome.text(entry.outcome)}"
    last = sheet.parts[-1][-1].standing.outcome if sheet.parts[-1] else None
    if last is None:
        why = "no entry below the last line" if len(sheet.parts) > 1 else "no entry"
    else:
        why = f"{'White' if last > 0 else 'Black'} holds the last entry, {outcome.text(last)}"
    yield f"{sheet.points}  {why}"
    yield f"{sheet.quiet / 2:g} of 50 moves since the last entry, capture or pawn move"
    if sheet.end is not None:
        after = f"; play went on for {plies(sheet.left)}" if sheet.left else ""
        yield f"ended by {sheet.end}{after}"
    elif sheet.result == NO_RESULT:
        yield "not over: so it stands"
    elif sheet.result in _WON and sheet.result != sheet.points:
        yield f"but won otherwise, as by resignation: {sheet.result}"
