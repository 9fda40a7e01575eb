"""Files of games, right and wrong, for `tbgen adjudicate`."""

import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Final

import chess
import chess.pgn

from soaking import command
from soaking.case import Limits, names_in, shown
from soaking.ground import tables_of
from soaking.mangle import mangled
from soaking.positions import LETTERS, a_board, a_record

CODES: Final = (0, 3)
"""Exit codes. Any file is read: games that cannot be read are copied, and reported."""
_APART: Final = 0.003
_TAGS: Final = (
    b"RMobilityResult",
    b"Points",
    b"RMobilityScoring",
    b"RMobilityTermination",
    b"RMobilityCutoff",
    b"RMobilityRules",
    b"RMobilityRuleSet",
    b"RMobilityFifty",
    b"Komi",
)
_ADDED: Final = re.compile(rb'^\[(?:Legacy|(?:%s) "[^"\r\n]*")\]\r?\n' % b"|".join(_TAGS), re.MULTILINE)
_LINES: Final = re.compile(rb"(?:\A|\r?\n)(?:\r?\n)*")
_ENDS: Final = (
    '[Termination "adjudication"]', '[Termination "time forfeit"]',
    '[TerminationDetails "Draw by 3-fold repetition"]', "[Legacy]",
    '[Legacy "1"]', '[Variant "Chess960"]', '[SetUp "1"]', '[FEN "8/8/8/4KBk1/8/8/8/8 b - - 12 40 G3.5"]',
    '[Komi "-G3.25"]',
    '[White "\\"A\\" \\\\ B"]', "[White \"\"]", '[Points "1-0"]', '[RMobilityResult "G1.0"]',
)  # fmt: skip


class Games:
    limits = Limits(seconds=60, memory=200 << 20, lives=2000)

    def __init__(self, ground: Path) -> None:
        self._tables = str(tables_of(ground))

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        games = [_game(draw) for _ in range(draw.choice((1, 1, 2, 5)))]
        given = b"\n".join(games)
        if draw.random() < 0.85:
            given = mangled(draw, given, games)
        if draw.random() < 0.05:
            given = given.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n")))
        if draw.random() < _APART:
            return self._apart(draw, given)
        words = [
            "adjudicate",
            "-j",
            "1",
            "--tables",
            self._tables,
            "--decide",
            draw.choice(("all", "none", "agreement")),
        ]
        words += draw.choice(
            ([], [], ["--scoring", "komi"], ["--scoring", "winner"], ["--rules-set", "C-legacy"], ["-q"])
        )
        if draw.random() < 0.3:
            words += ["--report", *draw.choice(([], ["--json"], ["--top", "1"]))]
        if draw.random() < 0.7:
            ran = command.run_here([*words, "-", "-o", "-"], given)
            written = ran.out
        else:
            Path("in.pgn").write_bytes(given)
            ran = command.run_here([*words, "in.pgn", "-o", "out.pgn"])
            ran = ran._replace(given=given)
            written = Path("out.pgn").read_bytes() if ran.code in CODES else b""
            if names_in(place) - {"in.pgn", "out.pgn"}:
                raise ran.fail(f"left behind: {names_in(place)}")
        command.judge(ran, CODES, raw=written is ran.out, tells="--report" in words)
        did = Counter({f"exit {ran.code}": 1, "games": len(games)})
        told_so = "C-legacy" in words and b"[Legacy" in given
        if not told_so and not any(tag in given for tag in _TAGS):
            plain = _ADDED.sub(lambda tag: tag[0] if tag[0] in given else b"", written)
            # in front of moves that had no tags, tags end with an empty line
            if plain != given and _LINES.sub(b"\n", plain) != _LINES.sub(b"\n", given):
                raise ran.fail(f"not kept byte for byte: {_difference(given, plain)}")
            did["kept byte for byte"] += 1
        return did

    def _apart(self, draw: random.Random, given: bytes) -> Counter[str]:
        redirect = draw.choice(("", "<&-", ">&-", "2>&-", ">/dev/full", "2>/dev/full"))
        words = ["adjudicate", "-", "-o", "-", "--report", "--tables", self._tables, "-j", draw.choice("12")]
        locale = draw.choice(("C", "C.UTF-8", "en_US.ISO-8859-1"))
        ran = command.run_apart(words, given, redirect=redirect, LC_ALL=locale)
        command.judge(ran, CODES if not redirect else command.CODES, raw=True, tells=True)
        if redirect == ">/dev/full" and given.strip() and ran.code != 6:
            raise ran.fail("a full disk is exit code 6")
        return Counter({"processes": 1, f"exit {ran.code}": 1})


def _game(draw: random.Random) -> bytes:
    """A random game, from the start or from a position with few men."""
    game = chess.pgn.Game()
    if draw.random() < 0.7:
        board = a_board(draw, draw.choice(tuple(LETTERS)))
        game.setup(board)
    board = game.board()
    node: chess.pgn.GameNode = game
    for _ in range(draw.choice((0, 1, 5, 20))):
        moves = list(board.legal_moves)
        if not moves:
            break
        node = node.add_variation(draw.choice(moves))
        board.push(node.move)
        if draw.random() < 0.05:
            node.comment = draw.choice(("Draw agreed", "a {", "; b", "[%clk 0:00:01]", "G3.5"))
    game.headers["Result"] = draw.choice(("1-0", "0-1", "1/2-1/2", "1/2-1/2", "*"))
    text = str(game)
    if draw.random() < 0.4:
        tag = draw.choice(_ENDS) if draw.random() < 0.8 else f'[Komi "{a_record(draw)}"]'
        text = text.replace("\n[Result", f"\n{tag}\n[Result", 1)
    return text.encode() + b"\n"


def _difference(given: bytes, kept: bytes) -> str:
    at = len(os.path.commonprefix([given, kept]))
    return f"from byte {at} on, {shown(given[at : at + 60])} became {shown(kept[at : at + 60])}"
