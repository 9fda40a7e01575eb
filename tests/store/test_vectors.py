"""docs/vectors.jsonl: every reader answers its rows, and they are what the slow twin says."""

import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import chess
import jsonschema
import pytest
import vectors

from tbgen.core.material import Material, every, parse
from tbgen.core.table_rules import TableRules
from tbgen.probe import Tablebase
from tbgen.probe.numbering import make_numbering, number_of, signature
from tbgen.store import BUNDLED, table_path
from tests.support.format_reader import Reader, Step
from tests.support.places import ROOT
from tests.support.slow_twin.goals import Goal, goal_of, record_after
from tests.support.slow_twin.twin import Twin
from tests.support.small_tables import make

Row = dict[str, Any]
PAGE = ROOT / "docs" / "vectors.jsonl"
LINES = PAGE.read_text(encoding="ascii").splitlines()
ROWS: list[Row] = [json.loads(line) for line in LINES]
MATERIALS = [material for men in (2, 3, 4) for material in every(men)]
FEW = [material.name for material in MATERIALS if material.men < 4]
BASE = 512


def rows_of(materials: Iterable[str], rules: str) -> list[Row]:
    found = [row for row in ROWS if row["material"] in materials and row["rules"] == rules]
    assert len(found) > 15
    return found


def relative(row: Row, outcome: int) -> int:
    return outcome if row["fen"].split()[1] == "w" else -outcome


def goal_in(text: str) -> Goal:
    """A record as the slow twin has it."""
    return Goal(text[0] != "-", round(2 * float(text.lstrip("-G"))))


# --- what is there -----------------------------------------------------------------------------------------------


def test_rows_fit_the_schema() -> None:
    schema = json.loads((ROOT / "docs" / "vectors.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert not [error.message for row in ROWS for error in validator.iter_errors(row)]
    for wrong in ({"number": None}, {"outcome": 0}, {"record": "3.5"}, {"staircase": [[1, 9, 500]]}, {"more": 1}):
        assert not validator.is_valid(ROWS[0] | wrong)


def test_all_kinds_are_there() -> None:
    assert len(ROWS) >= 2000
    assert PAGE.stat().st_size < 600_000
    assert {(row["material"], row["rules"]) for row in ROWS} == {
        (m.name, rules) for m in MATERIALS for rules in ("r", "wg")
    }
    why = Counter((row["why"], row["rules"], row["fen"].split()[1]) for row in ROWS)
    for rules in ("r", "wg"):
        for turn in "wb":
            for kind in ("mate", "stalemate", "its own mirror image: one number", "the best move is en passant"):
                assert why[kind, rules, turn]
            for holder in ("White", "Black"):
                for answer in ("the record stands", "the fresh outcome has a lower level than the record"):
                    assert why[f"{holder} holds the record: {answer}", rules, turn]
                assert why[f"{holder} holds the record: a step of the staircase answers", "r", turn]
    images = Counter((row["material"], row["why"]) for row in ROWS if row["why"].startswith("symmetry"))
    for name in {row["material"] for row in ROWS}:
        symmetries = 2 if "P" in name else 8
        assert sum(count for (material, _), count in images.items() if material == name) == 2 * symmetries
    assert {row["first"] for row in ROWS} == {"white", "black"}
    assert sum("other_number" in row for row in ROWS) > 100


def test_records_are_such_as_a_game_can_have() -> None:
    for row in ROWS:
        board = chess.Board(row["fen"])
        assert board.is_valid()
        assert (row["number"] is None) == board.has_legal_en_passant()
        if row["record"] is not None:
            assert row["rules"] == "wg" or board.halfmove_clock
            assert goal_in(row["record"]).level >= 2


# --- probes ------------------------------------------------------------------------------------------------------


def check_probes(tablebase: Tablebase, rows: Iterable[Row]) -> None:
    for row in rows:
        result = tablebase.probe(row["fen"], row["record"])
        assert (row["outcome"], row["distance"]) == (relative(row, result.outcome), result.dtg), row
        assert row["material"] == result.material
        table = tablebase.table(parse(row["material"]))
        for name in ("number", "other_number"):
            if row.get(name) is not None:
                assert list(map(list, table.steps_of(table.look(row[name])[2]))) == row["staircase"], row


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_probes_of_bundled_tables(rules: str) -> None:
    with Tablebase(None, rules) as tablebase:
        check_probes(tablebase, rows_of(FEW, rules))


def small(rules: str) -> list[Material]:
    """What the session has tables of."""
    return [*map(parse, FEW), *[parse("KNNvK")] * (rules == "r")]


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_the_script_gives_the_same(rules: str, small_tables: Path) -> None:
    """And the rows of one table do not depend on those of others."""
    for material in small(rules):
        there = [line for line, row in zip(LINES, ROWS, strict=True) if row in rows_of([material.name], rules)]
        assert "".join(vectors.lines_of(small_tables, material, TableRules(rules))).splitlines() == there
    with Tablebase(small_tables, rules) as tablebase:
        check_probes(tablebase, rows_of({material.name for material in small(rules)}, rules))


@pytest.mark.parametrize("name", ["KNNvK", "KPvK"])
def test_a_large_table_is_looked_at_in_stretches(
    name: str, small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "WHOLE", 0)
    monkeypatch.setattr(vectors, "STRETCH", 1 << 10)
    words = [name, "--rules", "r", "--tables", str(small_tables), "-o", str(tmp_path / "rows")]
    monkeypatch.setattr("sys.argv", ["vectors", *words])
    vectors.main()
    rows = [json.loads(line) for line in (tmp_path / "rows").read_text().splitlines()]
    validator = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "vectors.schema.json").read_text()))
    assert not [error.message for row in rows for error in validator.iter_errors(row)]
    assert {row["material"] for row in rows} == {name}
    assert {"any position", "a long distance", "symmetry 1"} <= {row["why"] for row in rows}
    with Tablebase(small_tables, "r") as tablebase:
        check_probes(tablebase, rows)
        numbers = [
            number_of(make_numbering(signature(board)), board) for board in (chess.Board(row["fen"]) for row in rows)
        ]
    assert all(number in (row["number"], row.get("other_number")) for number, row in zip(numbers, rows, strict=True))


# --- another program ---------------------------------------------------------------------------------------------


class Stranger:
    """A table as the program reads it that knows docs/format.md alone."""

    def __init__(self, directory: Path, name: str, rules: str) -> None:
        self._reader = Reader(table_path(directory, parse(name), rules))
        self.whole_game = rules == "wg"
        self.chunk = cache(self._reader.chunk)

    def number(self, board: chess.Board, first: chess.Color) -> int:
        men = board if first else board.mirror()
        squares = {letter: [*men.pieces(chess.PIECE_SYMBOLS.index(letter.lower()), letter.isupper())]
                   for letter in self._reader.men}  # fmt: skip
        return self._reader.number([squares[letter].pop() for letter in self._reader.men], board.turn != first)

    def look(self, number: int) -> tuple[int, int, list[Step]]:
        return self.chunk(number // self._reader.width)[number % self._reader.width]

    def under(self, number: int, record: Goal, own: Goal, turn: chess.Color) -> tuple[int, int]:
        """The three rules of docs/format.md."""
        outcome, distance, steps = self.look(number)
        if record == own or BASE - abs(outcome) < record.level:
            return outcome, distance
        holder = record.owner == turn
        stands = BASE - record.level if holder else record.level - BASE
        step = next((step for step in reversed(steps) if step[0] == holder and step[1] <= record.level), None)
        if step is not None and not self.whole_game and (step[2] < stands if holder else step[2] > stands):
            return step[2], step[3]
        return stands, 0


def check_stranger(directory: Path, name: str, rules: str) -> None:
    table = Stranger(directory, name, rules)
    for row in rows_of([name], rules):
        if row["number"] is None:  # it would have to ask other tables
            continue
        board, own = chess.Board(row["fen"]), goal_of(chess.Board(row["fen"]))
        assert table.number(board, row["first"] == "white") == row["number"]
        record = own if row["record"] is None else record_after(goal_in(row["record"]), own)
        assert table.under(row["number"], record, own, board.turn) == (row["outcome"], row["distance"]), row
        for number in {row["number"], row.get("other_number", row["number"])}:
            assert list(map(list, table.look(number)[2])) == row["staircase"]


@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("name", FEW)
def test_another_program_answers_from_the_file_alone(name: str, rules: str) -> None:
    check_stranger(BUNDLED, name, rules)


@pytest.mark.full
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_all_of_it_with_all_tables(rules: str, tmp_path: Path) -> None:
    make(tmp_path, MATERIALS, rules)
    there = [line for line, row in zip(LINES, ROWS, strict=True) if row["rules"] == rules]
    made = [line for material in MATERIALS for line in vectors.lines_of(tmp_path, material, TableRules(rules))]
    assert "".join(made).splitlines() == there
    with Tablebase(tmp_path, rules) as tablebase:
        check_probes(tablebase, [row for row in ROWS if row["rules"] == rules])
    for material in MATERIALS:
        check_stranger(tmp_path, material.name, rules)


# --- the slow twin -----------------------------------------------------------------------------------------------

QUICK = [("KvK", "r"), ("KvK", "wg"), ("KNvK", "r"), ("KRvK", "wg")]


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param(name, rules, marks=[] if (name, rules) in QUICK else pytest.mark.full)
        for name in FEW
        for rules in ("r", "wg")
    ],
)
def test_the_slow_twin_says_the_same(name: str, rules: str) -> None:
    twin = Twin(rules)  # type: ignore[arg-type]
    for row in rows_of([name], rules):
        board = chess.Board(row["fen"])
        own = goal_of(board)
        record = own if row["record"] is None else record_after(goal_in(row["record"]), own)
        goal, plies = twin.fresh(board) if record == own else twin.value(board, record)
        outcome = BASE - goal.level if goal.owner == board.turn else goal.level - BASE
        assert (outcome, plies) == (row["outcome"], row["distance"]), row
