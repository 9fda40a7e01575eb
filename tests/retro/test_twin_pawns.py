"""The solver against its slow twin with pawns of both sides, en passant included: single slices."""

import random

import chess
import numpy as np
import pytest

from tbgen.core import outcome
from tbgen.core.material import Material, parse
from tbgen.core.table_contents import Contents, Steps
from tbgen.core.table_rules import TableRules
from tbgen.index import layout_of
from tbgen.index.exits import exits_of
from tbgen.retro import solver
from tbgen.retro.checkpoint import InMemory
from tbgen.retro.export import finish
from tbgen.retro.job import Solved
from tbgen.retro.slice_solver import SliceSolver
from tbgen.retro.values.staircase import make_links
from tests.support.boards import material_on
from tests.support.slow_twin.goals import Goal, Result, Rules, goal_of
from tests.support.slow_twin.placements import Placement, men_of
from tests.support.slow_twin.twin import Twin
from tests.support.table_reader import Reader, differences

Node = tuple[Placement, chess.Color]


class Surroundings:
    """Tables around one slice in which every answer is made up when it is first asked for.

    What resets pay is a constant to the slice, so any constants will do, and wild ones ask more of the solver.
    """

    def __init__(self, material: Material, rules: Rules, seed: str) -> None:
        self._rules = rules
        self._chance = random.Random(seed)
        self._fresh: dict[Node, tuple[Goal, Result]] = {}
        self.readers = {one: Reader(self._nothing(one)) for one in (material, *material.successors())}

    def _nothing(self, material: Material) -> Contents:
        entries, staircases = np.zeros((2, layout_of(material).size), np.int32)
        none = Steps(np.zeros(2, np.int64), *(np.zeros(0, kind) for kind in (np.uint8, np.uint8, np.int16, np.uint16)))
        return Contents(material, self._rules, entries, staircases, none)

    def __call__(self, board: chess.Board, record: Goal) -> Result | None:
        if board.has_legal_en_passant():
            return None
        key = men_of(board), board.turn
        if key not in self._fresh:
            reader, own = self.readers[material_on(board)], goal_of(board)
            number = reader.number(board)
            if not reader.table.entries[number]:
                reader.table.entries[number] = self._make_up(own.level)
            self._fresh[key] = own, reader.result(board, own)
        own, fresh = self._fresh[key]
        return fresh if record == own or fresh.goal.level < record.level else Result(record, 0)

    def _make_up(self, own: int) -> int:
        """Without resets nothing is worse than the own goal, which stands."""
        level = self._chance.randrange(40 if self._rules == "r" else own + 1)
        value = self._chance.choice([1, -1]) * (outcome.BASE - level)
        if self._rules == "wg" and level == own:
            return (own - outcome.BASE) << 16
        return value << 16 | self._chance.randrange(60)


TWO = ["Pe2 pd4", "Pd4 pe5", "Pe4 pe5", "Pa2 pb4", "Ph5 pg7", "Pb7 pg2", "Pe2 pd7", "Pc3 ph6", "Pf2 pf3"]
MORE = [("KPPvKP", "Pc2 Pe2 pd4"), ("KPPvKP", "Pa7 Pb3 pb5"), ("KPPvKP", "Pd4 Pf4 pe4"), ("KPPPvK", "Pa2 Pa3 Ph7")]
ALL = [(*one, rules) for one in (*(("KPvKP", pawns) for pawns in TWO), *MORE) for rules in ("r", "wg")]
FEW = [
    *(("KPvKP", pawns, "r") for pawns in ("Pe2 pd4", "Pb7 pg2", "Pe4 pe5")),
    ("KPvKP", "Pe4 pe5", "wg"),
]


@pytest.mark.parametrize(
    ("name", "pawns", "rules"), [pytest.param(*one, marks=() if one in FEW else pytest.mark.full) for one in ALL]
)
def test_every_entry_between_pawns(name: str, pawns: str, rules: Rules) -> None:
    material = parse(name)
    outside = Surroundings(material, rules, pawns)
    (slice_,) = Twin(rules, outside).solve(name, [pawns])
    entries = {one: reader.table.entries for one, reader in outside.readers.items()}
    layout = layout_of(material)
    code = sum(chess.parse_square(word[1:]) << 6 * at for at, word in enumerate(pawns.split()))
    number = int(layout.pawns.slice_of[code]) >> 4

    solved = Solved(
        layout, TableRules(rules), entries[material], np.zeros(layout.size, np.int32), make_links(1 << 18, shared=True)
    )
    job = solver._make_job(solved, exits_of(material, entries), InMemory(), *[lambda told: None] * 3)
    SliceSolver(job, number, None, 1).solve()
    assert np.count_nonzero(solved.staircases) > 0 or rules == "wg"
    assert not differences(Reader(finish(solved)), slice_)
