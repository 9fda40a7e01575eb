"""The JavaScript client in clients/js, asked by scripts in Node, and what it is asked."""

import hashlib
import json
import random
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.core import outcome
from tests.support.places import ROOT

CLIENT = ROOT / "clients" / "js"
SCRIPTS = ROOT / "tests" / "clients"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node here: scripts/programs installs it")
ROWS = [json.loads(line) for line in (ROOT / "docs" / "vectors.jsonl").read_text().splitlines()]
FEW = ("KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK")
PAWN = "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"
Question = tuple[str, str, dict[str, Any]]


def run(script: str, *words: str, given: Sequence[Any], program: Sequence[str] = ("node",)) -> list[Any]:
    """What a script prints, line by line."""
    lines = "\n".join(map(json.dumps, given))
    done = subprocess.run(
        [*program, SCRIPTS / script, *words], input=lines, capture_output=True, text=True, check=False, timeout=1800
    )
    assert not done.stderr, done.stderr
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask(where: Path | str, questions: Sequence[Any], **options: Any) -> list[Any]:
    return run("ask.mjs", given=[[str(where), options], *questions])


def positions(materials: Sequence[str], count: int, seed: int) -> Iterator[tuple[str, str | None]]:
    """Any legal ones, with records or without; with rights to capture en passant where they can be."""
    chance = random.Random(seed)
    while count:
        first, second = chance.sample(chance.choice(materials).split("v"), 2)
        letters = sorted(first + second.lower(), key="Pp".find, reverse=True)  # pawns stand on six ranks only
        pawns = chance.sample(range(8, 56), sum(letter in "Pp" for letter in letters))
        others = chance.sample(sorted({*range(64)} - {*pawns}), len(letters) - len(pawns))
        board = chess.Board(None)
        for square, letter in zip(pawns + others, letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.random() < 0.5
        board.halfmove_clock = chance.choice([0, 1, 30, 99])
        if not board.is_valid():
            continue
        passed = [square for square in (*range(16, 24), *range(40, 48)) if is_sound(board, square)]
        board.ep_square = max(passed, key=lambda square: is_sound(board, square, capture=True), default=None)
        record = chance.choice([1, -1]) * (outcome.BASE - chance.randrange(2, 40))
        count -= 1
        yield board.fen(en_passant="fen"), outcome.text(record) if chance.random() < 0.6 else None


def is_sound(board: chess.Board, passed: int, *, capture: bool = False) -> bool:
    """Whether a pawn may just have passed a square, and can be captured there."""
    board = board.copy()
    board.ep_square = passed
    return board.is_valid() and (not capture or board.has_legal_en_passant())


def check_vectors(rows: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]) -> None:
    for row, answer in zip(rows, found, strict=True):
        wanted = row["outcome"] if row["fen"].split()[1] == "w" else -row["outcome"]
        told = (answer.get("outcome"), answer.get("dtg"), answer.get("material"))
        assert told == (wanted, row["distance"], row["material"]), (row, answer)


def vectors(materials: Sequence[str], rules: Sequence[str]) -> list[dict[str, Any]]:
    found = [row for row in ROWS if row["material"] in materials and row["rules"] in rules]
    assert len(found) > 100
    return found


def questions_of(rows: Sequence[dict[str, Any]]) -> list[Question]:
    return [("probe", row["fen"], {"record": row["record"], "rules": row["rules"]}) for row in rows]


def catalogue(directory: Path, *, heads: bool = True) -> bytes:
    rows = []
    for path in sorted(directory.glob("*.h5")):
        with path.open("rb") as file:
            head = file.read(4096).rstrip(b"\0").decode()
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        row = {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
        rows.append(row | ({"head": head} if heads else {}))
    return json.dumps({"tables": rows}).encode()
