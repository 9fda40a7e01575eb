"""A certificate that is changed proves no more than it says."""

from collections.abc import Iterator

import chess
import pytest

from tbgen.beyond.checker import check, read
from tbgen.beyond.holding import claims, prove
from tbgen.core import outcome
from tbgen.errors import BadInput, WrongClaim
from tests.support.certificates import changed, counted

FINE = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 10 60"


def certificate(turn: str, record: str, defender: chess.Color) -> list[str]:
    board, given = chess.Board(FINE.format(turn)), outcome.parse(record)
    proof = next(proof for proof in prove(board, given) if proof.defender == defender)
    (claim,) = claims(board, given, proof, None)
    return list(claim.lines())


def verify(lines: list[str]) -> None:
    for claim in read(lines):
        check(claim, None)


def test_what_is_proved_is_accepted() -> None:
    verify([*certificate("b", "-G3.0", chess.BLACK), *certificate("w", "-G3.0", chess.BLACK)])


def test_every_reply_is_needed() -> None:
    lines = certificate("b", "-G3.0", chess.BLACK)
    for missing in range(2, len(lines), 9):
        with pytest.raises(WrongClaim, match="there is no reply"):
            verify(counted([*lines[:missing], *lines[missing + 1 :]]))


def other_replies(line: str) -> Iterator[str]:
    placement, reply = line.split()
    board = chess.Board(f"{placement} b - - 0 1")
    for move in board.legal_moves:
        if move.uci() != reply:
            yield f"{placement} {move.uci()}"


def test_a_worse_reply_is_found() -> None:
    """Where the kings oppose each other at a distance, one square is right and the others lose."""
    head, record, *replies = certificate("b", "-G3.0", chess.BLACK)
    found = 0
    for at, line in list(enumerate(replies))[::9]:
        for other in other_replies(line):
            try:
                verify([head, record, *replies[:at], other, *replies[at + 1 :]])
            except WrongClaim:
                found += 1
    assert found > len(replies) / 9


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"record": "G3.0"}, "no reply under G3.0"),
        ({"record": "G9.5"}, "own goal is better"),
        ({"bound": "-G2.5"}, "has no rank"),
        ({"defender": "white"}, "no reply"),
        ({"fen": FINE.format("w")}, "no reply"),
    ],
)
def test_a_claim_that_says_more_is_refused(fields: dict[str, str], message: str) -> None:
    head, *replies = certificate("b", "-G3.0", chess.BLACK)
    with pytest.raises(WrongClaim, match=message):
        verify([changed(head, **fields), *replies])


@pytest.mark.parametrize("record", ["-G0.0", "-G0.5"])
def test_no_game_goes_on_after_mate_and_stalemate(record: str) -> None:
    """Under such a record every reply would do."""
    head, _, *replies = certificate("b", "-G3.0", chess.BLACK)
    with pytest.raises(WrongClaim, match=f"the record cannot be {record}: no game goes on after that"):
        verify([changed(head, record=record, bound=record), record, *replies])


def test_no_more_plies_than_proved() -> None:
    head, *replies = certificate("w", "-G3.0", chess.BLACK)
    verify([changed(head, plies=25), *replies])
    with pytest.raises(WrongClaim, match="too early"):
        verify([changed(head, plies=28), *replies])


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["e4"],
        ["{"],
        ['{"claim": "tbgen 1"}'],
        ['{"claim": "tbgen 2"}'],
        ["[1]"],
        ['{"claim": "tbgen 2", "fen": 3}'],
        [changed(certificate("b", "-G3.0", chess.BLACK)[0], fen="8/8")],
        [changed(certificate("b", "-G3.0", chess.BLACK)[0], plies=True)],
        [changed(certificate("b", "-G3.0", chess.BLACK)[0], plies=0, replies=0)],
        [changed(certificate("b", "-G3.0", chess.BLACK)[0], replies="1")],
        certificate("b", "-G3.0", chess.BLACK)[:-1],
        [*certificate("b", "-G3.0", chess.BLACK), certificate("b", "-G3.0", chess.BLACK)[-1]],
        [certificate("b", "-G3.0", chess.BLACK)[0], certificate("b", "-G3.0", chess.BLACK)[-1]],
        [*certificate("b", "-G3.0", chess.BLACK)[:2], "8/8 nowhere"],
        [*certificate("b", "-G3.0", chess.BLACK)[:2], "8/8 e2e4 now"],
        [*certificate("b", "-G3.0", chess.BLACK)[:2], "8/8 e2e4 1 2"],
        [certificate("b", "-G3.0", chess.BLACK)[0], "G3.3"],
    ],
)
def test_what_is_no_certificate(lines: list[str]) -> None:
    with pytest.raises(BadInput):
        verify(lines)
