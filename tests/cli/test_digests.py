"""`tbgen info --digests` and `tbgen verify --digests FILE`."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tbgen.cli.digests import read_digests
from tbgen.cli.main import main
from tbgen.core.material import every, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.store.format.schema import CHUNKS
from tests.support.damaged import damaged
from tests.support.places import ROOT
from tests.support.terminal import in_terminal

PUBLISHED = ROOT / "docs" / "digests.txt"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_published_digests_are_those_of_tables_built_here(
    small_tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(PUBLISHED))
    assert (code, err) == (0, "")
    assert out.count(": says the same\n") == len(list(small_tables.iterdir()))


def test_every_table_up_to_four_men_is_published() -> None:
    published = read_digests(PUBLISHED)
    for men in (2, 3, 4):
        for material in every(men):
            for rules in TableRules:
                assert (material, rules) in published


def test_what_is_printed_can_be_compared(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "digests.txt"
    code, out, _ = run(capsys, "info", "--tables", str(small_tables), "--digests", "KPvK", "KvK")
    assert code == 0
    listed.write_text("# a remark\n\n" + out)
    code, out, _ = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(listed), "KPvK", "KvK")
    assert (code, out) == (0, "KvK (r): says the same\nKPvK (r): says the same\n")
    code, out, _ = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(listed), "--rules", "wg")
    assert (code, out.count("same"), out.count("not compared")) == (0, 2, 1)


@pytest.mark.parametrize("more", [[], ["--json"], ["--digests"]])
def test_a_table_that_is_named_and_not_there(
    more: list[str], small_tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are listed all the same."""
    code, out, err = run(capsys, "info", "KRvKR", "KvK", "KQvKR", "--tables", str(small_tables), *more)
    assert (code, err) == (4, f"tbgen: no such tables in {small_tables}: KRvKR, KQvKR\n")
    assert out.count("KvK") == 2


def test_programs_get_them_on_a_terminal_too(small_tables: Path) -> None:
    words = ("info", "KBvK", "--digests", "--json", "--tables", str(small_tables))
    found = in_terminal(sys.executable, "-m", "tbgen", *words, TERM="xterm")
    assert [json.loads(line)["rules"] for line in found.splitlines()] == ["r", "wg"]


def test_other_contents_are_told(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed, known = tmp_path / "digests.txt", read_digests(PUBLISHED)
    digest = known[parse("KQvK"), TableRules.RESET]
    listed.write_text(f"KQvK r {digest}\nKRvK r {digest}\n")
    code, out, _ = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(listed), "KQvK", "KRvK")
    right = known[parse("KRvK"), TableRules.RESET]
    assert (code, out) == (
        5,
        f"KQvK (r): says the same\nKRvK (r): says SOMETHING ELSE than {listed} has: digest {right}\n",
    )
    code, out, _ = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(listed), "--json", "KRvK")
    assert (code, json.loads(out)["same"]) == (5, False)


def test_a_table_without_a_digest(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "digests.txt"
    listed.write_text("# nothing\n")
    code, _, err = run(capsys, "verify", "--tables", str(small_tables), "--digests", str(listed), "KRvK")
    assert (code, err) == (2, f"tbgen: {listed} has no digest of this table\n")


def test_missing_and_damaged_tables(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", "--tables", str(tmp_path), "--digests", str(PUBLISHED), "KRvK")
    assert (code, "KRvK.r.h5" in out) == (4, True)
    table = tmp_path / "KRvK.r.h5"
    shutil.copyfile(small_tables / table.name, table)
    table.write_bytes(damaged(table.read_bytes(), CHUNKS))
    code, out, _ = run(capsys, "info", "--tables", str(tmp_path), "--digests", "KRvK")
    assert (code, out[:12], out.count("\n")) == (5, "# KRvK (r): ", 2)
    whole_game = read_digests(PUBLISHED)[parse("KRvK"), TableRules.WHOLE_GAME]
    assert out.splitlines()[1] == f"KRvK wg {whole_game}", "the package's own"
    code, out, _ = run(capsys, "verify", "--tables", str(tmp_path), "--digests", str(PUBLISHED), "KRvK")
    assert (code, "is damaged" in out) == (5, True)


@pytest.mark.parametrize("line", ["KRvK r 1234", "KRvK  " + "0" * 64, "KRvX r " + "0" * 64, "KRvK q " + "0" * 64])
def test_lines_that_are_no_digest(tmp_path: Path, line: str) -> None:
    listed = tmp_path / "digests.txt"
    listed.write_text(f"# one\n{line}\n")
    with pytest.raises(BadInput):
        read_digests(listed)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nothing\.txt cannot be read: No such file"):
        read_digests(tmp_path / "nothing.txt")
