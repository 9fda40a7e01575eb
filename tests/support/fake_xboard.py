"""An engine of Winboard's protocol for tests: plays any legal move at once.

    python tests/support/fake_xboard.py [--resign N] [--old] [--variants NAMES]

With --resign it gives up at its Nth move of a game. With --old it knows the first version of the protocol only.
"""

import argparse
import random
import sys

import chess
import chess.variant


def say(line: str) -> None:
    print(line, flush=True)


class Engine:
    def __init__(self, resign: int | None, old: bool, variants: str) -> None:
        self.variants = variants
        self.kind = chess.Board
        self.resign = resign
        self.old = old
        self.editing: bool | None = None
        """Whose men are put on the board."""
        self.rng = random.Random(0)
        self.board = chess.Board()
        self.moves = 0

    def obey(self, line: str) -> None:
        command, _, rest = line.strip().partition(" ")
        if self.editing is not None:
            self.edit(command)
        elif self.old and command in ("protover", "ping", "setboard", "usermove", "computer"):
            say(f"Error (unknown command): {command}")
        elif self.old and command[1:2].isdigit():
            self.board.push_uci(command)
        elif self.old and command == "edit":
            self.editing = chess.WHITE
        elif command == "protover":
            say('feature ping=1 setboard=1 usermove=1 myname="fake xboard"')
            say(f'feature variants="normal{self.variants}" done=1')
        elif command == "ping":
            say(f"pong {rest}")
        elif command == "new":
            self.kind = chess.Board
            self.board, self.moves = chess.Board(), 0
        elif command == "variant":
            self.kind = next(kind for kind in chess.variant.VARIANTS[3:] if kind.xboard_variant == rest)
        elif command == "setboard":
            self.board = self.kind(rest)
        elif command == "usermove":
            self.board.push_uci(rest)
        elif command == "go":
            self.go()
        elif command == "quit":
            sys.exit()

    def edit(self, command: str) -> None:
        if command == "#":
            self.board.clear_board()
        elif command == "c":
            self.editing = not self.editing
        elif command == ".":
            self.editing = None
            self.board.castling_rights = chess.BB_CORNERS
            self.board.castling_rights = self.board.clean_castling_rights()
        else:
            symbol = command[0] if self.editing else command[0].lower()
            self.board.set_piece_at(chess.parse_square(command[1:]), chess.Piece.from_symbol(symbol))

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
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--variants", default="", help="with a comma before each")
    engine = Engine(**vars(parser.parse_args()))
    for line in sys.stdin:
        engine.obey(line)


if __name__ == "__main__":
    main()
