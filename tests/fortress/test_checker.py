"""A certificate that is changed proves no more than it says."""

import json
from collections.abc import Iterator

import chess
import pytest

from tbgen import outcome
from tbgen.checker import check, read
from tbgen.errors import BadInput, WrongClaim
from tbgen.fortress import claims, prove

FINE = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 10 60"


def certificate(turn: str, record: str, defender: chess.Color) -> list[str]:
    board, given = chess.Board(FINE.format(turn)), outcome.parse(record)
    proof = next(proof for proof in prove(board, given) if proof.defender == defender)
    (claim,) = claims(board, given, proof, None)
    return list(claim.lines())


def verify(lines: list[str]) -> None:
    for claim in read(lines):
        check(claim, None)


def changed(line: str, **fields: object) -> str:
    return json.dumps(json.loads(line) | fields)


def test_what_is_proved_is_accepted() -> None:
    verify([*certificate("b", "-G3.0", chess.BLACK), *certificate("w", "-G3.0", chess.BLACK)])


def test_every_reply_is_needed() -> None:
    head, *replies = certificate("b", "-G3.0", chess.BLACK)
    for missing in range(0, len(replies), 9):
        with pytest.raises(WrongClaim, match="there is no reply"):
            verify([head, *replies[:missing], *replies[missing + 1 :]])


def other_replies(line: str) -> Iterator[str]:
    placement, reply = line.split()
    board = chess.Board(f"{placement} b - - 0 1")
    for move in board.legal_moves:
        if move.uci() != reply:
            yield f"{placement} {move.uci()}"


def test_a_worse_reply_is_found() -> None:
    """Where the kings oppose each other at a distance, one square is right and the others lose."""
    head, *replies = certificate("b", "-G3.0", chess.BLACK)
    found = 0
    for at, line in list(enumerate(replies))[::9]:
        for other in other_replies(line):
            try:
                verify([head, *replies[:at], other, *replies[at + 1 :]])
            except WrongClaim:
                found += 1
    assert found > len(replies) / 9


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"record": "G3.0"}, "makes|better for the defender"),
        ({"record": "G9.5"}, "makes|own goal|better"),
        ({"bound": "-G2.5"}, "better for the defender than the record"),
        ({"defender": "white"}, "no legal move"),
        ({"fen": FINE.format("w")}, "no reply|no table"),
    ],
)
def test_a_claim_that_says_more_is_refused(fields: dict[str, str], message: str) -> None:
    head, *replies = certificate("b", "-G3.0", chess.BLACK)
    with pytest.raises(WrongClaim, match=message):
        verify([changed(head, **fields), *replies])


def test_no_more_plies_than_proved() -> None:
    head, *replies = certificate("w", "-G3.0", chess.BLACK)
    verify([changed(head, plies=25), *replies])
    with pytest.raises(WrongClaim, match=r"no table knows it|no reply"):
        verify([changed(head, plies=28), *replies])


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["e4"],
        ["{"],
        ['{"claim": "tbgen 2"}'],
        ['{"claim": "tbgen 1"}'],
        ["[1]"],
        ['{"claim": "tbgen 1", "fen": 3}'],
        ['{"claim": "tbgen 1", "fen": "8/8", "record": "G1.0", "bound": "G1.0", "defender": "white", "plies": null}'],
        [certificate("b", "-G3.0", chess.BLACK)[0].replace("null", "true")],
        [certificate("b", "-G3.0", chess.BLACK)[0], "8/8 nowhere"],
    ],
)
def test_what_is_no_certificate(lines: list[str]) -> None:
    with pytest.raises(BadInput):
        verify(lines)
