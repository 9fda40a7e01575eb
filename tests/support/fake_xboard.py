"""An engine of Winboard's protocol for tests: plays any legal move at once.

    python tests/support/fake_xboard.py [--resign N]

With --resign it gives up at its Nth move of a game.
"""

import argparse
import random
import sys

import chess


def say(line: str) -> None:
    print(line, flush=True)


class Engine:
    def __init__(self, resign: int | None) -> None:
        self.resign = resign
        self.rng = random.Random(0)
        self.board = chess.Board()
        self.moves = 0

    def obey(self, line: str) -> None:
        command, _, rest = line.strip().partition(" ")
        if command == "protover":
            say('feature ping=1 setboard=1 usermove=1 myname="fake xboard" done=1')
        elif command == "ping":
            say(f"pong {rest}")
        elif command == "new":
            self.board, self.moves = chess.Board(), 0
        elif command == "setboard":
            self.board = chess.Board(rest)
        elif command == "usermove":
            self.board.push_uci(rest)
        elif command == "go":
            self.go()
        elif command == "quit":
            sys.exit()

    def go(self) -> None:
        self.moves += 1
        if self.moves == self.resign:
            say("resign")
            return
        move = self.rng.choice(sorted(self.board.legal_moves, key=str))
        self.board.push(move)
        say("1 12 0 1 e2e4")
        say(f"move {move.uci()}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--resign", type=int)
    engine = Engine(parser.parse_args().resign)
    for line in sys.stdin:
        engine.obey(line)


if __name__ == "__main__":
    main()
