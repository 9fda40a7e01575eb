"""The package's own tables: they say what tables built here say, and they fill the gaps of a directory."""

import json
import shutil
from pathlib import Path

import pytest

import tbgen
from tbgen.cli.main import main
from tbgen.core.material import every, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable
from tbgen.store import BUNDLED, find_table, open_table, readable_tables
from tbgen.store.format.head import FORMAT
from tests.support.runs import BISHOP

ROOKS = "4k3/8/8/8/8/8/7r/R3K3 w - - 0 1"
NAMES = sorted(f"{material.name}.{rules}.h5" for men in (2, 3) for material in every(men) for rules in TableRules)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without tables."""
    monkeypatch.delenv("TBGEN_TABLES", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_of_two_and_three_men_are_there() -> None:
    assert sorted(path.name for path in BUNDLED.iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_they_say_what_tables_built_here_say(name: str, small_tables: Path) -> None:
    """`scripts/bundle` makes them anew."""
    with open_table(BUNDLED / name) as own, open_table(small_tables / name) as built:
        own.check()
        assert own.digest() == built.digest()
        assert own.head.minor == FORMAT[1]


def test_tables_of_the_directory_come_first(small_tables: Path, tmp_path: Path) -> None:
    bishop, rooks = parse("KBvK"), parse("KRvKR")
    for directory in (tmp_path, tmp_path / "nowhere"):
        assert find_table(directory, bishop, "r") == BUNDLED / "KBvK.r.h5"
        assert find_table(directory, rooks, "r") == directory / "KRvKR.r.h5"
    with tbgen.open_tablebase(tmp_path) as tablebase:
        assert tablebase.probe(BISHOP).gscore == "G1.5"
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    assert find_table(tmp_path, bishop, "r") == tmp_path / "KBvK.r.h5"
    (tmp_path / "KNvK.wg.h5").write_bytes(b"no table")
    with tbgen.open_tablebase(tmp_path, "wg") as tablebase, pytest.raises(CorruptTable, match=str(tmp_path)):
        tablebase.probe(BISHOP.replace("B", "N"))
    listed = [path for path, _, _ in readable_tables(tmp_path)]
    mine = [tmp_path / "KBvK.r.h5", tmp_path / "KNvK.wg.h5"]
    assert listed[:2] == mine
    assert sorted(path.name for path in listed) == NAMES
    assert {path.parent for path in listed[2:]} == {BUNDLED}


def test_python_needs_no_directory() -> None:
    with tbgen.open_tablebase() as tablebase, tbgen.open_tablebase(rules="wg") as whole:
        assert tablebase.probe(BISHOP).gscore == "G1.5"
        assert whole.probe(BISHOP).material == "KBvK"
        how = r"to build it: tbgen build KRvKR --tables DIR; open_tablebase\(DIR\) reads it"
        with pytest.raises(MissingTable, match=rf"KRvKR\.r\.h5 is missing \({how}\)"):
            tablebase.probe(ROOKS)


def test_commands_need_no_directory(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = fresh / "game.pgn"
    game.write_text(f'[FEN "{BISHOP}"]\n[Result "1/2-1/2"]\n\n1... Kh5 1/2-1/2\n')
    for words in (
        ["probe", BISHOP],
        ["probe", BISHOP, "--rules", "wg"],
        ["solve", BISHOP],
        ["annotate", str(game), "-o", "told.pgn"],
        ["adjudicate", str(game), "-o", "tagged.pgn", "--strict", "--decide", "all"],
        ["report", "compare", "KBvK", "--rules", "r", "wg"],
    ):
        assert main(words) == 0, words
        assert "KBvK" in capsys.readouterr().out or words[0] in ("solve", "annotate", "adjudicate")
    assert 'RMobilityTermination "tablebase' in (fresh / "tagged.pgn").read_text()
    assert "table G1.5" in (fresh / "told.pgn").read_text()
    assert not list(fresh.glob("**/*.h5"))


def test_a_missing_table_is_told_with_where_it_was_looked_for(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", ROOKS]) == 4
    assert capsys.readouterr().err == (
        f"tbgen: data/KRvKR.r.h5 is missing (to build it: tbgen build KRvKR --tables data); looked in {fresh}/data "
        "(not there), the default, because neither --tables nor $TBGEN_TABLES names a directory; the package itself "
        "has those of two and three men only\n"
    )


def test_a_directory_that_is_named_must_be_there(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["probe", BISHOP], ["info"], ["report", "stats"], ["uci"]):
        assert main([*command, "--tables", "dta"]) == 2
        assert capsys.readouterr().err == "tbgen: no such directory of tables: dta\n"


def test_builds_and_verification_keep_to_the_directory(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table and all that it was made from lie together, so that they can be verified, moved and served."""
    assert main(["verify"]) == 4
    assert "no tables in data" in capsys.readouterr().err
    assert main(["verify", "KvK"]) == 4
    assert main(["build", "KBvK", "--threads", "1", "-q"]) == 0
    assert {path.name for path in (fresh / "data").glob("*.h5")} == {"KvK.r.h5", "KBvK.r.h5"}


def test_info_tells_them_apart(
    fresh: Path, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        f"no tables in data (to build some: tbgen build --all 3 --tables data)\nin the package, {BUNDLED}\n"
    )
    assert "12 tables" in out
    (fresh / "data").mkdir()
    shutil.copy(small_tables / "KBvK.r.h5", fresh / "data")
    assert main(["info", "KBvK"]) == 0
    mine, _, own = capsys.readouterr().out.partition(f"in the package, {BUNDLED}\n")
    assert (mine.startswith("data\n"), mine.count("KBvK"), own.count("KBvK")) == (True, 1, 1)
    assert main(["info", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["material"], row["rules"]) for row in rows if not row["bundled"]] == [("KBvK", "r")]
    assert sum(row["bundled"] for row in rows) == 11
    assert main(["info", "KBvK", "--tables", str(small_tables)]) == 0
    assert "package" not in capsys.readouterr().out
    assert main(["info", "KRvKR"]) == 4


def test_digests_cover_them(fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published = Path(__file__).parents[2] / "docs" / "digests.txt"
    assert main(["info", "--digests"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NAMES)
    assert set(lines) <= set(published.read_text().splitlines())
    assert main(["verify", "--digests", str(published), "KBvK"]) == 4
    assert "KBvK.r.h5 is missing" in capsys.readouterr().out
