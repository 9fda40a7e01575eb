"""What docs/format.md promises of format 1.x: a later file, which has more in it, says the same to today's readers."""

from pathlib import Path

import chess
import pytest

from tbgen import open_tablebase
from tests.support.js_client import FEW, ask, check_vectors, needs_node, questions_of, vectors

RULES = ("r", "wg")


@pytest.mark.usefixtures("no_bundle")
@pytest.mark.parametrize("rules", RULES)
def test_tbgen_reads_it(later: Path, rules: str) -> None:
    with open_tablebase(later, rules) as tablebase:
        for row in vectors(FEW, RULES):
            if row["rules"] == rules:
                found = tablebase.probe(row["fen"], row["record"])
                sign = 1 if chess.Board(row["fen"]).turn else -1
                assert (sign * found.outcome, found.dtg) == (row["outcome"], row["distance"]), row


@needs_node
def test_the_client_in_javascript_reads_it(later: Path) -> None:
    rows = vectors(FEW, RULES)
    check_vectors(rows, ask(later, questions_of(rows)))
