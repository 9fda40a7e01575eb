"""Commands with men beyond chess."""

import json
import shutil
from pathlib import Path

import pytest

from tbgen.board.men import defined
from tbgen.core.material import parse
from tbgen.store import open_table
from tests.support.runs import tbgen

WIZARD = ("--men", "X=WDN")


def said(*words: str | Path, code: int = 0) -> str:
    run = tbgen(*words)
    assert run.returncode == code, run.stderr
    return (run.stdout if code == 0 else run.stderr).decode()


def test_a_file_says_how_its_men_move(fairy_tables: Path) -> None:
    with open_table(fairy_tables / "KCvKX.r.h5") as found:
        assert found.head.kinds == {"K": "WF", "C": "WF", "X": "WDN"}
        assert found.head.men == "KkCx"
        assert found.material == parse("KXvKC", men=defined(["X=WDN"]))
    rows = [json.loads(row) for row in said("info", *WIZARD, "--json", "--tables", fairy_tables).splitlines()]
    assert {row["men"] for row in rows if row["material"] == "KCvKX"} == {"C=WF X=WDN"}
    assert "X=WDN" in said("info", "--tables", fairy_tables), "nobody else defines it"
    assert "KCvKX" in said("verify", "--tables", fairy_tables)


def test_whoever_means_another_man_by_the_letter_is_refused(fairy_tables: Path, tmp_path: Path) -> None:
    asked = ("probe", "8/8/8/3XK1k1/8/8/8/8 w - - 0 1", "--tables", fairy_tables)
    assert "its X moves WDN, and the X=W here is another man" in said(*asked, "--men", "X=W", code=5)
    assert "no man has the letter X" in said(*asked, code=2)
    shutil.copy(fairy_tables / "KXvK.r.h5", tmp_path)
    refused = said("build", "KXXvK", "--men", "X=W", "--tables", tmp_path, code=5)
    assert "its X moves WDN, and the X=W here is another man" in refused
    assert len(refused.strip().splitlines()) == 1


@pytest.mark.parametrize("rules", ["r", "wg"])
def test_tables_are_verified_packed_and_made_again(fairy_tables: Path, tmp_path: Path, rules: str) -> None:
    options = (*WIZARD, "--rules", rules, "--quiet")
    assert "all right" in said("verify", "KCvKX", *options[:4], "--tables", fairy_tables)
    said("pack", "KCvKX", "KXvK", "KCvK", *options, "--tables", fairy_tables, "-o", tmp_path)
    said("unpack", *sorted(tmp_path.glob("*.slim.h5")), *options[:2], "--quiet", "--tables", tmp_path)
    for name in (f"KCvKX.{rules}.h5", f"KXvK.{rules}.h5"):
        assert (tmp_path / name).read_bytes() == (fairy_tables / name).read_bytes()


def test_a_probe_tells_moves_and_a_line(fairy_tables: Path) -> None:
    asked = ("probe", "8/8/8/4KC1k/8/8/8/8 w - - 0 1", "--tables", fairy_tables)
    found = json.loads(said(*asked, "--json", "--moves", "--line"))
    assert (found["material"], found["gscore"], found["dtg"]) == ("KCvK", "G0.0", 9)
    assert len(found["moves"]) == 14
    assert found["line"][-1]["san"].endswith("#")
    assert "White forces G0.0 (Black mated) in 9 plies" in said(*asked)


@pytest.mark.parametrize("bad", ["C=WD", "X=", "X=Y", "X=W9", "Q=W", "X=WA 0,2", "X=WA 0,3 0,3"])
def test_a_bad_definition_is_one_line(bad: str) -> None:
    assert len(said("info", "--men", bad, code=2).strip().splitlines()) == 1
