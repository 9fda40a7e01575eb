"""A batch by columns says what single answers say."""

import json
import random
from pathlib import Path

import chess
import pytest

from tbgen.core.table_rules import TableRules
from tbgen.probe import Tablebase, open_tablebase
from tbgen.web.server import answers, many

ODD = (
    *("", " ", "\n", "nonsense", "8/8/8/4KBk1/8/8/8/8", "8/8/8/4KBk1/8/8/8/8 b", "8/8/8/4KBk1/8/8/8/8 b - -"),
    *("8/8/8/4KBk1/8/8/8/8 b - - 0 1 ", " 8/8/8/4KBk1/8/8/8/8 b - - 0 1", "8/8/8/4KBk1/8/8/8/8_b_-_-_0_1"),
    *("8/8/8/4KBk1/8/8/8/8 b - - - - 0 1", "8/8/8/4KBk1/8/8/8/8 x - - 0 1", "8/8/8/4KBk1/8/8/44/8 b - - 0 1"),
    *("8/8/8/4KBk1/8/8/8/7 b - - 0 1", "8/8/8/4KBk1/8/8/8/9 b - - 0 1", "8/8/8/5KBk1/8/8/8/7 b - - 0 1"),
    *("8/8/8/4KBk1/8/8/8 b - - 0 1", "8/8/8/4KBk1/8/8/8/8/8 b - - 0 1", "8/8/8/4KBk1/8/8/88 b - - 0 1"),
    *('8/8/8/4KB"1/8/8/8/8 b - - 0 1', "8/8/8/4K\\k1/8/8/8/8 b - - 0 1", "8/8/8/4KÉk1/8/8/8/8 b - - 0 1"),
    *("8/8/8/\n4KBk1/8/8/8/8 b - - 0 1", "8/8/8/4KBk1/8/8/8/8 b - - 0 1\n", "8/8/8/4KBk1/8/8/8/8 b - - 0 9999999"),
    *("8/8/8/4KBk1/8/8/8/8 b - - ٣ 1", "8/8/8/4KBk1/8/8/8/8 b - - 3 1 G", "8/8/8/4KBk1/8/8/8/8 b - - 3 1 G9.7"),
    *("8/8/8/4KBk1/8/8/8/8 b - - 0 1 G1.0", "8/8/8/4KBk1/8/8/8/8 b - - 3 1 G0.5", "8/8/8/8/8/8/8/8 w - - 0 1"),
    *("8/8/8/4K3/8/8/8/8 w - - 0 1", "8/8/8/4KKk1/8/8/8/8 w - - 0 1", "8/8/8/QRBNKnk1/8/8/8/8 w - - 0 1"),
    *("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 3 3", "P7/8/8/4K1k1/8/8/8/8 w - - 0 1"),
    *(chess.STARTING_FEN, "PPPPPPPP/8/8/8/8/8/8/8 w - - 0 1"),
)  # fmt: skip
MEN = ("Kk", "KkB", "KkB", "Kkb", "KkP", "Kkp", "KkR", "KkQ", "KkN", "KkQRB", "KkPP")


def a_batch(seed: int) -> list[str]:
    """Of materials with and without tables, legal and illegal, with records and nonsense between them."""
    dice = random.Random(seed)
    fens = list(ODD)
    for _ in range(800):
        board = chess.Board(None)
        for square, letter in zip(dice.sample(range(64), 5), dice.choice(MEN), strict=False):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        record = dice.choice(("", "", f" {dice.choice(('', '-', '+', 'm'))}G{dice.randrange(20)}.{dice.choice('05')}"))
        clocks = f"{dice.choice((0, 1, 40, 99))} {dice.randrange(1, 100)}"
        fens.append(f"{board.board_fen()} {dice.choice('wb')} - - {clocks}{record}")
    dice.shuffle(fens)
    return fens


@pytest.mark.parametrize("record", [None, "", "G3.0", "-G6.5", "G0.5", "nonsense"])
@pytest.mark.parametrize("rules", TableRules)
def test_the_same_answers_as_one_by_one(small_tables: Path, rules: TableRules, record: str | None) -> None:
    fens = a_batch(len(record or ""))
    with open_tablebase(small_tables, rules) as there:
        found = many.lines(fens, record, rules, there, with_moves=False).decode().splitlines()
        known = many._at_once(fens, record, rules, there)
        expected = [answers.one(fen, record, rules, there, with_moves=False) for fen in fens]
    assert found == expected
    assert any(json.loads(line).get("late") for line in found) == (record not in ("G0.5", "nonsense"))
    if record not in ("G0.5", "nonsense"):  # those take all as an error, one by one
        assert {json.loads(line)["material"] for line in known if line} >= {"KBvK", "KPvK", "KRvK"}


def test_what_is_usual_goes_by_columns(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    probe = Tablebase.probe
    monkeypatch.setattr(Tablebase, "probe", lambda *given, **options: asked.append(given) or probe(*given, **options))
    fens = [f"8/8/8/4KBk1/8/8/8/8 b - - {n} 50 G3.5" for n in range(1, 200)]
    with open_tablebase(small_tables) as there:
        found = many.lines(fens, None, TableRules.RESET, there, with_moves=False)
    assert not asked
    assert [json.loads(line)["fen"] for line in found.splitlines()] == fens


def test_an_empty_batch(small_tables: Path) -> None:
    with open_tablebase(small_tables) as there:
        assert many.lines([], None, TableRules.RESET, there, with_moves=False) == b""
