"""The solver against its slow twin: every position, every record, every distance."""

import random
from functools import cache

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS, Contents, Steps, distances, outcomes
from tbgen.index import layout_of
from tbgen.index.atlas import MEN, make_atlas
from tbgen.index.kernels import locate_many
from tbgen.material import Material, parse
from tbgen.retro import solver
from tbgen.retro.checkpoint import InMemory
from tbgen.retro.export import finish
from tbgen.retro.values.staircase import make_links
from tbgen.table_rules import TableRules
from tests.support.boards import material_on
from tests.support.slow_twin.goals import LEVELS, Goal, Result, Rules, goal_of, goal_worth, scores_of, worth
from tests.support.slow_twin.placements import KINDS, MAN_MAPS, Placement, board_of, men_of
from tests.support.slow_twin.slice import Slice
from tests.support.slow_twin.twin import Twin
from tests.support.solved import contents

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Node = tuple[Placement, chess.Color]

assert LEVELS == outcome.BASE, "solver and twin write values alike"


class Reader:
    """V(p, r) from what a table contains, by its description and not by the solver's code. White is the first side."""

    def __init__(self, table: Contents) -> None:
        self.table = table
        self._layout = layout_of(table.material)
        self._atlas = make_atlas([self._layout])
        steps = table.steps
        self._staircase_of_step = np.repeat(np.arange(len(steps.start) - 1), np.diff(steps.start))
        # one more, so that step -1 is one that nobody takes
        self._pays, self._plies = np.append(steps.outcome, 0).astype(np.int64), np.append(steps.distance, 0)

    def numbers(self, men: Ints, whites: Flags) -> Ints:
        """Row by row; all rows list the same men alike."""
        letters = [KINDS[kind] for kind in (men[0] // 64).tolist()]
        squares, numbers = np.zeros((len(men), MEN), np.int64), np.zeros(len(men), np.int64)
        for slot, (side, letter) in enumerate(self._layout.letters):
            column = letters.index(letter if side == 0 else letter.lower())
            squares[:, slot] = men[:, column] % 64
            letters[column] = "taken"
        locate_many(self._atlas, 0, squares, (~whites).astype(np.int64), numbers)
        return numbers

    def number(self, board: chess.Board) -> int:
        """Where White is the second side, colours are swapped."""
        normal = self._normal(board)
        return int(self.numbers(np.array([men_of(normal)]), np.array([normal.turn]))[0])

    def fresh(self, numbers: Ints, whites: Flags) -> tuple[Ints, Ints]:
        """v(p) as White sees it, and the distance."""
        entries = self.table.entries[numbers]
        return np.where(whites, 1, -1) * outcomes(entries).astype(np.int64), distances(entries).astype(np.int64)

    def under(self, record: Goal, numbers: Ints, whites: Flags) -> tuple[Ints, Ints]:
        """V(p, r) and the distance, in positions whose own goal does not replace the record."""
        values, plies = self.fresh(numbers, whites)
        inside = outcome.BASE - abs(values) >= record.level
        values[inside], plies[inside] = worth(record), 0
        for turn in chess.COLORS:
            last = self._last_steps(MOVER_HOLDS if turn == record.owner else OPPONENT_HOLDS, record.level)
            step = last[self.table.staircases[numbers]]
            paid = (1 if turn else -1) * self._pays[step]
            gains = (paid < worth(record)) if record.owner else (paid > worth(record))
            taken = inside & (whites == turn) & (step >= 0) & gains
            values[taken], plies[taken] = paid[taken], self._plies[step[taken]]
        return values, plies

    def _last_steps(self, holder: int, level: int) -> Ints:
        """`[staircase]`: its last step for this holder up to this level, or -1."""
        steps = self.table.steps
        last = np.full(len(steps.start) - 1, -1)
        at = np.flatnonzero((steps.holder == holder) & (steps.level <= level))
        np.maximum.at(last, self._staircase_of_step[at], at)
        return last

    def result(self, board: chess.Board, record: Goal) -> Result:
        """V(p, r) of one position, its own goal counted in."""
        if self._normal(board) is not board:
            goal, plies = self.result(board.mirror(), record.of_other_side())
            return Result(goal.of_other_side(), plies)
        numbers, whites = np.array([self.number(board)]), np.array([board.turn])
        own = record == goal_of(board)
        value, plies = self.fresh(numbers, whites) if own else self.under(record, numbers, whites)
        return Result(goal_worth(int(value[0])), int(plies[0]))

    def _normal(self, board: chess.Board) -> chess.Board:
        men = sorted(p.symbol() for p in board.piece_map().values() if p.color == chess.WHITE)
        return board if men == sorted("K" + self.table.material.first) else board.mirror()


def differences(reader: Reader, part: Slice) -> list[str]:
    """The first few entries on which table and twin differ."""
    whites, levels = np.array([turn for _, turn in part.nodes]), np.array(part.levels)
    numbers = reader.numbers(np.array([men for men, _ in part.nodes]), whites)
    values, plies = reader.fresh(numbers, whites)
    wrong = [(node, None) for node in np.flatnonzero((values != part._values) | (plies != part._plies)).tolist()]
    for record, scores in part._layers.items():
        nodes = np.flatnonzero(levels >= record.level)
        values, plies = reader.under(record, numbers[nodes], whites[nodes])
        differ = scores_of(values, plies, worth(record)) != scores[nodes]
        wrong += [(node, record) for node in nodes[differ].tolist()]
    told = []
    for node, record in wrong[:10]:
        board = board_of(*part.nodes[node])
        found = reader.result(board, record or goal_of(board))
        told.append(f"{board.fen()} under {record}: {found}, but {part.arrive(node, record)}")
    return told


# --- three men, complete -----------------------------------------------------------------------------


@cache
def twin(rules: Rules) -> Twin:
    return Twin(rules)


THREE_MEN = ("KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK")


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("KvK", "wg"),
        *((name, "r") for name in THREE_MEN),
        *(pytest.param(name, "wg", marks=pytest.mark.full) for name in THREE_MEN[1:]),
    ],
)
def test_every_entry_for_three_men(name: str, rules: Rules) -> None:
    reader = Reader(contents(name, rules))
    judged = np.zeros(len(reader.table.entries), np.bool_)
    for part in twin(rules).solve(name):
        assert not differences(reader, part)
        men, whites = np.array([men for men, _ in part.nodes]), np.array([turn for _, turn in part.nodes])
        numbers = reader.numbers(men, whites)
        # the twin solves one of all images; where both kings stand on the diagonal, a table may hold two
        for image in MAN_MAPS[: 2 if "P" in name else 8]:
            others = reader.numbers(np.array(image)[men], whites)
            judged[others] = True
            assert (reader.table.entries[others] == reader.table.entries[numbers]).all()
            assert (reader.table.staircases[others] == reader.table.staircases[numbers]).all()
    assert (judged == (reader.table.entries != 0)).all()


# --- pawns of both sides, en passant -------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("name", "pawns", "rules"),
    [
        ("KPvKP", "Pe2 pd4", "r"), ("KPvKP", "Pe2 pd4", "wg"), ("KPvKP", "Pd4 pe5", "r"), ("KPvKP", "Pe4 pe5", "r"),
        *(pytest.param("KPvKP", pawns, rules, marks=pytest.mark.full) for rules in ("r", "wg")
          for pawns in ("Pa2 pb4", "Ph5 pg7", "Pb7 pg2", "Pe2 pd7", "Pc3 ph6", "Pf2 pf3")),
        *(pytest.param(name, pawns, rules, marks=pytest.mark.full) for rules in ("r", "wg")
          for name, pawns in (("KPPvKP", "Pc2 Pe2 pd4"), ("KPPvKP", "Pa7 Pb3 pb5"), ("KPPvKP", "Pd4 Pf4 pe4"),
                              ("KPPPvK", "Pa2 Pa3 Ph7"))),
    ],
)  # fmt: skip
def test_every_entry_between_pawns(name: str, pawns: str, rules: Rules) -> None:
    material = parse(name)
    outside = Surroundings(material, rules, pawns)
    (part,) = Twin(rules, outside).solve(name, [pawns])
    entries = {one: reader.table.entries for one, reader in outside.readers.items()}
    layout = layout_of(material)
    code = sum(chess.parse_square(word[1:]) << 6 * at for at, word in enumerate(pawns.split()))
    number = int(layout.placements.slice_of[code]) >> 4

    solved = solver.Solved(
        layout, TableRules(rules), entries[material], np.zeros(layout.size, np.int32), make_links(1 << 18)
    )
    solver._solve_slice(solver._make_job(solved, entries, InMemory(), lambda numbers: None), number, None, 1)
    assert np.count_nonzero(solved.staircases) > 0 or rules == "wg"
    assert not differences(Reader(finish(solved)), part)
