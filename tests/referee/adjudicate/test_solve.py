"""`tbgen adjudicate --solve`: drawn games that no table covers, proved, bounded or as played."""

import json
from contextlib import nullcontext
from pathlib import Path

import chess
import pytest

from tbgen.beyond.local.attempt import Means
from tbgen.beyond.prove.games import Solver
from tbgen.core.outcome import parse, text
from tbgen.errors import MissingTable
from tbgen.probe import Sure, Tablebase, open_tablebase
from tbgen.referee.adjudicate.decide import Basis
from tbgen.referee.adjudicate.game import Judge
from tbgen.referee.adjudicate.settings import make_settings
from tbgen.rules.pgn.split import Unit
from tbgen.rules.pgn.tags import TagSection
from tests.support.adjudicating import run
from tests.support.judged_games import game
from tests.support.local_tables import RACE, keep_alone, links

pytestmark = pytest.mark.usefixtures("here", "no_bundle")

BLOCKED = "8/8/3k4/3p4/3P4/8/{}/8 w - - 4 60 {}"
SIX = "8/8/3k4/p2p4/P2P4/8/3K4/8 w - - 4 60 G5.5"


def judged(sure: Sure | None, record: str = "G5.5", **tags: str) -> tuple[str, str, Basis]:
    data = game("1/2-1/2", FEN=SIX.replace("G5.5", record), Termination="adjudication", **tags)
    with Judge(make_settings(tables=Path()), lambda board, record: sure) as judge:
        found = judge.judge(Unit(7, 100, data))
    assert found.verdict is not None
    headers = TagSection(found.data).headers
    return headers["RMobilityResult"], headers["RMobilityTermination"], found.verdict.decision.basis


def test_what_is_proved_is_the_result() -> None:
    best, worst = parse("G0.0"), parse("-G0.0")
    proved, middle = parse("G1.5"), parse("-G7.0")
    assert judged(Sure(proved, proved, 12)) == ("G1.5", "proved, DTG 12", Basis.PROVED)
    assert judged(Sure(proved, proved)) == ("G1.5", "proved", Basis.PROVED)
    assert judged(Sure(middle, best)) == ("G5.5", "bounded: White is sure of -G7.0, Black of G0.0", Basis.BOUNDED)
    assert judged(Sure(worst, middle))[:1] == ("-G7.0",)
    assert judged(Sure(worst, best)) == ("G5.5", "played", Basis.PLAYED)
    assert judged(None) == ("G5.5", "played", Basis.PLAYED)


def test_in_whole_games_nothing_is_solved() -> None:
    mate = parse("G0.0")
    assert judged(Sure(mate, mate, 1), RMobilityRules="wg") == ("G5.5", "played", Basis.PLAYED)


def test_games_with_the_same_pawns_share_tables(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    links(small_tables, tmp_path, "KvK KQvK KRvK KBvK KNvK KPvK")
    boards = [BLOCKED.format("4K3", "G5.5"), BLOCKED.format("3K4", "G5.5"), BLOCKED.format("2K5", "G8.0")]
    Path("in.pgn").write_bytes(b"\n".join(game("1/2-1/2", FEN=fen, Termination="adjudication") for fen in boards))
    words = ["in.pgn", "-o", "out.pgn", "--tables", str(tmp_path), "--jobs", "1"]
    code, out, err = run(capsys, *words, "--solve", "10m", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)["solved"]
    # the first one is solved; the others are then answered as by any table
    assert (found["tried"], found["proved"], found["bounded"], found["as_played"]) == (1, 1, 0, 0)
    (first,) = found["games"]
    assert (first["material"], first["record"], first["result"], first["dtg"]) == ("KPvKP", "G5.5", "G0.5", 29)
    written = Path("out.pgn").read_text()
    assert '[RMobilityTermination "proved, DTG 29"]' in written
    assert written.count('[RMobilityTermination "stands, DTG 0"]') == 1
    assert len([*(tmp_path / "local").iterdir()]) == 1
    code, out, _ = run(capsys, *words, "--report")
    assert code == 0
    assert "beyond tables" not in out


def test_the_report_in_words(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    links(small_tables, tmp_path, "KvK KQvK KRvK KBvK KNvK KPvK")
    fens = [BLOCKED.format("4K3", "G5.5"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 9 30"]
    Path("in.pgn").write_bytes(b"\n".join(game("1/2-1/2", FEN=fen, Termination="adjudication") for fen in fens))
    words = ["in.pgn", "-o", "out.pgn", "--tables", str(tmp_path), "--jobs", "1", "--solve", "10m"]
    code, out, _ = run(capsys, *words, "--report")
    assert code == 0
    assert "KPvKP  Ann - Bob: G0.5, proved; G0.5 in 29 plies\n" in out
    assert "beyond tables 2: 1 proved (50 %), 0 bounded (0 %), 1 as played (50 %); 1 not what was played\n" in out
    next((tmp_path / "local").iterdir()).unlink()
    code, _, err = run(capsys, *words)
    assert code == 0
    assert "1 proved" in err


def test_bounds_that_were_kept_count_without_solving(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep_alone(tmp_path, RACE)
    fen = RACE.replace("0 1", "5 30")
    Path("in.pgn").write_bytes(game("1/2-1/2", FEN=f"{fen} G3.0", Termination="adjudication"))
    code, out, _ = run(capsys, "in.pgn", "-o", "out.pgn", "--tables", str(tmp_path), "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["missing"], found["solved"]["tried"]) == ({}, 1)
    with open_tablebase(tmp_path) as tables:
        known = tables.sure(fen, "G3.0")
    assert known is not None
    (one,) = found["solved"]["games"]
    assert one["material"] == "KPvK"  # as tables name it, though Black has the pawn
    assert (one["white"], one["black"]) == (text(known.sure.white), text(known.sure.black))
    assert one["basis"] == ("bounded" if known.sure.known else "played")


def test_bounds_that_were_kept_count_where_nothing_is_solved(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With tables that were not there before more could be proved, but not in this time."""
    keep_alone(tmp_path, RACE)
    links(small_tables, tmp_path, "KQvK")
    fen = RACE.replace("0 1", "5 30")
    Path("in.pgn").write_bytes(game("1/2-1/2", FEN=f"{fen} G3.0", Termination="adjudication"))
    words = ["in.pgn", "-o", "out.pgn", "--tables", str(tmp_path), "--json"]
    found = [json.loads(run(capsys, *words, *more)[1])["solved"] for more in ([], ["--solve", "0.001s"])]
    assert found[0]["bounded"] == 1
    assert found[0] == found[1]


def test_bounds_that_go_meanwhile_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another process may remove them after they were met: what they said is proved."""

    def gone(*asked: object) -> None:
        raise MissingTable("local/KPvK.r.1f0c9d2e8a7b55aa.03bd11c2.worst.h5 is missing")

    keep_alone(tmp_path, RACE)
    monkeypatch.setattr(Tablebase, "sure", gone)
    fen = RACE.replace("0 1", "5 30")
    Path("in.pgn").write_bytes(game("1/2-1/2", FEN=f"{fen} G3.0", Termination="adjudication"))
    code, out, _ = run(capsys, "in.pgn", "-o", "out.pgn", "--tables", str(tmp_path), "--json")
    assert code == 0
    assert '"solved"' in out


class Seen:
    """A watcher that remembers what it was told."""

    def __init__(self) -> None:
        self.total = self.done = 0.0
        self.what = ""

    def begin(self, what: str, total: float) -> None:
        self.what, self.total, self.done = what, total, 0

    def remark(self, line: str) -> None: ...

    def advance(self, count: float) -> None:
        self.done += count

    def at(self, done: float, total: float) -> None:
        self.done, self.total = done, total


def test_a_watcher_is_told_how_far_solving_is(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, "KvK KQvK KRvK KBvK KNvK KPvK")
    seen = Seen()
    board = chess.Board(" ".join(BLOCKED.format("4K3", "G5.5").split()[:6]))
    with Tablebase(tmp_path) as tables:
        solver = Solver(tables, lambda: nullcontext(Means(tmp_path, 1 << 30, 600.0, 1)), seen)
        assert solver(board, parse("G5.5")) is not None
    assert seen.what == "solving KPvKP"
    assert seen.done == seen.total > 0
