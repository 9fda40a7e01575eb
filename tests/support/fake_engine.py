"""A UCI engine for tests: plays any legal move at once, and misbehaves on request.

    python tests/support/fake_engine.py [--fault FAULT] [--at N] [--after N] [--seed N] [--heard FILE]
                                         [--variants NAMES]

FAULT is what it does at its Nth move of a game (default 2), --after N games without fault.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import chess
import chess.variant

FAULTS = {
    "crash": "dies without an answer",
    "killed": "dies by a signal",
    "hang": "never answers, and does not listen any more",
    "illegal": "a move that is not legal",
    "garbage": "an answer that is no move, and bytes that are no text",
    "null": "the null move",
    "none": "(none), as if there were no legal move",
    "slow": "an answer that is late",
    "twice": "two answers: the second is for nobody",
    "stale": "a second answer after the next question",
    "unready": "no answer to isready after its move",
    "chatter": "odd lines before the answer",
    "long": "a line of 10 MB before the answer",
    "flood": "30 MB of lines before the answer",
    "endless": "a line that never ends",
    "noise": "lines without end, also when it is not its turn",
    "confess": "dies, and says on standard error why",
    "mute": "closes its output and goes on",
    "weep": "30 MB on standard error before the answer",
    "orphan": "dies, and leaves a child that holds its pipes open",
    "stubborn": "takes no signal but the last, and does not quit",
}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")  # in one piece: with PYTHONUNBUFFERED print writes the end of a line apart
    sys.stdout.flush()


def make_noise() -> None:
    while True:
        os.write(1, b"info string nobody wants to know\n" * 120)  # a pipe takes up to 4096 bytes in one piece


def may_live(args: argparse.Namespace) -> bool:
    """Whether there is a life left; the file counts them."""
    if args.lives is None:
        return True
    used = args.births.stat().st_size if args.births.exists() else 0
    with args.births.open("a") as file:
        file.write("x")
    return bool(used < args.lives)


class Engine:
    noisy = unready = pondering = False

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.kind = chess.Board
        self.board = chess.Board()
        self.games = self.moves = 0

    def obey(self, line: str) -> None:
        command, *words = line.split() or [""]
        if command == "uci":
            say("id name fake")
            say("option name Hash type spin default 1 min 1 max 8")
            say("option name Style type combo default calm var calm var wild")
            say("option name Ponder type check default false")
            if self.args.variants:
                known = " ".join(f"var {name}" for name in ("chess", *self.args.variants.split(",")))
                say(f"option name UCI_Variant type combo default chess {known}")
            say("uciok")
        elif command == "isready" and not self.unready:
            say("readyok")
        elif words[:2] == ["name", "UCI_Variant"]:
            self.kind = next(kind for kind in chess.variant.VARIANTS if kind.uci_variant == words[-1])
        elif command == "ucinewgame":
            if self.pondering:
                time.sleep(600)  # Stockfish waits for the end of its search
            self.games, self.moves = self.games + 1, 0
        elif command == "position":
            self.position(words)
        elif command == "go":
            self.pondering = "ponder" in words
            if not self.pondering:
                self.go()
        elif command in ("stop", "ponderhit") and self.pondering:
            self.pondering = False
            self.go()
        elif command == "quit" and self.args.fault != "stubborn":
            sys.exit()
        if self.args.heard is not None:
            with self.args.heard.open("a") as file:
                print(line.strip(), file=file)

    def position(self, words: list[str]) -> None:
        at = words.index("moves") if "moves" in words else len(words)
        fields = 6 + (self.kind is chess.variant.ThreeCheckBoard)
        self.board = self.kind() if words[0] == "startpos" else self.kind(" ".join(words[1:at][:fields]))
        for move in words[at + 1 :]:
            self.board.push_uci(move)

    def choose(self, board: chess.Board) -> str:
        """By the seed and the position alone: a game is the same in any process, and after any other."""
        rng = random.Random(f"{self.args.seed} {board.fen()}")
        return rng.choice(sorted(map(str, board.legal_moves)) or ["0000"])

    def reply(self, move: str) -> str:
        board = self.board.copy()
        board.push_uci(move)
        return self.choose(board)

    def go(self) -> None:
        self.moves += 1
        fault = self.args.fault if self.moves == self.args.at and self.games > self.args.after else None
        move = self.choose(self.board)
        if fault == "crash":
            os._exit(7)
        if fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "hang":
            time.sleep(600)
        if fault == "slow":
            time.sleep(self.args.seconds)
        if fault == "confess":
            print("first words\nout of memory\n\x07at line 7", file=sys.stderr, flush=True)
            os._exit(3)
        if fault == "mute":
            os.close(1)
            time.sleep(600)
        if fault == "weep":
            for _ in range(300):
                os.write(2, b"woe is me, and woe is the world, and nobody listens\n" * 2000)
        if fault == "orphan":
            subprocess.Popen(["sleep", "600"])
            os._exit(9)
        if fault == "long":
            say("info depth 9 score cp 5 pv" + " e2e4" * 2_000_000)
        if fault == "flood":
            for _ in range(300):
                sys.stdout.write("info depth 9 score cp 5 nodes 1000000 pv e2e4 e7e5\n" * 2000)
        while fault == "endless":
            sys.stdout.write("x" * 65536)
        if fault == "noise" and not self.noisy:
            self.noisy = True
            threading.Thread(target=make_noise, daemon=True).start()
        if fault in ("garbage", "chatter"):
            sys.stdout.buffer.write(b"\xff\xfe\n\ninfo depth x score cp y pv e9e9\noption name\ninfo\n")
            sys.stdout.buffer.flush()
        say(f"info depth 1 score cp {self.args.score} pv {move}")
        time.sleep(self.args.pace)
        answer = {"illegal": "e1e5", "garbage": "@@@@", "null": "0000", "none": "(none)"}.get(fault or "", move)
        self.unready = self.unready or fault == "unready"
        expected = f" ponder {self.reply(move)}" if self.args.ponders else ""
        say("\n".join([f"bestmove {answer}{expected}"] * (2 if fault == "twice" else 1)))
        if fault == "stale":
            time.sleep(self.args.pause)
            say(f"bestmove {answer}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=FAULTS)
    parser.add_argument("--at", type=int, default=2)
    parser.add_argument("--after", type=int, default=0, help="games of this process")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--pace", type=float, default=0, help="seconds that each move takes")
    parser.add_argument("--ponders", action="store_true", help="says what it expects")
    parser.add_argument("--pause", type=float, default=0.3, help="seconds until the second answer")
    parser.add_argument("--score", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--heard", type=Path, help="where to write down what comes in")
    parser.add_argument("--lives", type=int, help="how often it starts")
    parser.add_argument("--births", type=Path, help="where it counts them")
    parser.add_argument("--variants", default="", help="as UCI_Variant has them")
    parser.add_argument("--late", type=float, default=0, help="seconds that it takes to start")
    args = parser.parse_args()
    if not may_live(args):
        sys.exit("no more lives")
    time.sleep(args.late)
    if args.fault == "stubborn":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    engine = Engine(args)
    for line in sys.stdin:
        engine.obey(line)


if __name__ == "__main__":
    main()
