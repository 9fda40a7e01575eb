"""`tbgen.solve`: what `tbgen solve` does, for programs."""

from pathlib import Path

import chess
import pytest

import tbgen
from tbgen.cli.main import main
from tbgen.errors import BadInput
from tbgen.probe import open_tablebase
from tests.support.local_tables import RACE, links

FINE = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 10 60 -G3.0"
THREE = "KvK KQvK KRvK KBvK KNvK"


class Seen:
    """Remembers what it is shown."""

    def __init__(self) -> None:
        self.tasks: list[str] = []

    def begin(self, what: str, total: float) -> None:
        self.tasks.append(what)

    def remark(self, line: str) -> None: ...

    def advance(self, count: float) -> None: ...

    def at(self, done: float, total: float) -> None: ...


def test_what_is_held() -> None:
    solution = tbgen.solve(FINE, time=0)
    assert (solution.white, solution.black, solution.exact, solution.dtg) == ("-G3.0", "-G3.0", True, 0)
    assert "The result is -G3.0: the record stands." in str(solution)
    assert solution.as_dict()["gscore"] == "-G3.0"
    board = chess.Board(" ".join(FINE.split()[:6]))
    assert tbgen.solve(board, "-G3.0", time=0).sure == solution.sure
    assert repr(solution) == f"<Solution of {board.fen()}: -G3.0>"
    assert "<svg" in solution._repr_html_()
    assert "the record is -G3.0" in solution._repr_html_()


def test_a_board_and_its_record_are_checked() -> None:
    with pytest.raises(BadInput, match="a board"):
        tbgen.solve(7)  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        tbgen.solve(FINE, "quartz", time=0)
    with pytest.raises(BadInput, match="no such directory"):
        tbgen.solve(FINE, tables="/nowhere/at/all")


@pytest.mark.usefixtures("no_bundle")
def test_local_tables_are_solved_kept_and_certified(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links(small_tables, tmp_path, THREE)
    proof, seen = tmp_path / "proof.txt", Seen()
    solution = tbgen.solve(RACE, tables=tmp_path, keep=True, line=True, certificate=proof, watch=seen)
    assert solution.exact
    assert solution.attempt is not None
    assert seen.tasks[:2] == ["trying what can be held", "solving KPvK"]
    assert main(["check", str(proof), "--tables", str(tmp_path)]) == 0
    assert ": right" in capsys.readouterr().out
    with open_tablebase(tmp_path) as tables:
        again = tbgen.solve(RACE, tables=tables, line=True)
        assert again.sure == solution.sure
        assert [str(one) for one in again.line] == [str(one) for one in solution.line]
        # with time for nothing, and memory for nothing, kept tables are certified
        for options in ({"time": 0.0}, {"memory": 1}):
            proof.unlink()
            found = tbgen.solve(RACE, tables=tables, certificate=proof, **options)  # type: ignore[arg-type]
            assert found.sure == solution.sure
            assert main(["check", str(proof), "--tables", str(tmp_path)]) == 0
            assert ": right" in capsys.readouterr().out


def test_nothing_is_kept_in_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TBGEN_TABLES", raising=False)
    with pytest.raises(BadInput, match="name a directory"):
        tbgen.solve(FINE, keep=True)
