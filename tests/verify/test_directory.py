"""`tbgen verify` of a directory in which things are missing or damaged: every table is reported, whatever others do."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import DTypeLike, NDArray

from tbgen.cli import progress
from tbgen.cli.main import main
from tbgen.core.material import Material, parse
from tbgen.store import open_table, table_path
from tbgen.store.read import forms as form_reader
from tbgen.store.write import write_table
from tbgen.verify import file
from tbgen.verify.run import Verdict

FIELDS = [
    "material", "rules", "body_sha256", "program", "code", "error", "positions", "checked", "unchecked", "wrong",
    "lost", "seed", "seconds", "examples",
]  # fmt: skip


def place(tables: Path, directory: Path, *names: str, rules: str = "r") -> None:
    for name in names:
        (directory / f"{name}.{rules}.h5").write_bytes((tables / f"{name}.{rules}.h5").read_bytes())


def damage(path: Path) -> None:
    """A byte in the middle, among the chunks."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def verify(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[dict[str, Any]]]:
    """`-q`, as a slow machine would tell how far it is."""
    code = main(["verify", "--json", "-q", "--threads", "1", *map(str, words)])
    captured = capsys.readouterr()
    assert captured.err == ""
    found = [json.loads(line) for line in captured.out.splitlines()]
    assert all(list(one) == FIELDS for one in found)
    return code, found


def test_all_rules_and_dependencies_first(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place(small_tables, tmp_path, "KBvK", "KvK")
    place(small_tables, tmp_path, "KNvK", "KvK", rules="wg")
    expected = [("KvK", "r"), ("KBvK", "r"), ("KvK", "wg"), ("KNvK", "wg")]
    code, found = verify(capsys, "--tables", tmp_path)
    assert code == 0
    assert [(one["material"], one["rules"]) for one in found] == expected
    assert [one["checked"] for one in found] == [462, 53380, 462, 54926]
    assert [one["positions"] for one in found] == [462, 52234, 462, 53806]
    for rules in ("r", "wg"):
        code, found = verify(capsys, "--tables", tmp_path, "--rules", rules)
        assert [(one["material"], one["rules"]) for one in found] == [one for one in expected if one[1] == rules]
    assert main(["verify", "--tables", str(tmp_path), "--threads", "1", "-q"]) == 0
    assert "\nKNvK (wg): 53,806 positions checked in " in capsys.readouterr().out
    code, found = verify(capsys, "KBvK", "kk", "kvkb", "--tables", tmp_path)
    assert [(one["material"], one["rules"]) for one in found] == expected[:2]


def test_what_is_wrong_with_one_table_is_not_all_there_is_to_say(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place(small_tables, tmp_path, "KPvK", "KNvK", "KBvK")
    place(small_tables, tmp_path, "KvK", "KQvK", rules="wg")
    damage(tmp_path / "KNvK.r.h5")
    (tmp_path / "KRvK.r.h5").mkdir()
    code, found = verify(capsys, "--tables", tmp_path)
    assert code == 5
    by_name = {(one["material"], one["rules"]): one for one in found}
    assert list(by_name) == [
        ("KRvK", "r"), ("KBvK", "r"), ("KNvK", "r"), ("KPvK", "r"), ("KvK", "wg"), ("KQvK", "wg")
    ]  # fmt: skip
    for name in ("KRvK", "KNvK"):
        bad = by_name[name, "r"]
        assert str(tmp_path / f"{name}.r.h5") in bad["error"]
        assert (bad["code"], bad["checked"], bad["wrong"], bad["unchecked"]) == (5, 0, None, None)
    bishop, pawn, queen = by_name["KBvK", "r"], by_name["KPvK", "r"], by_name["KQvK", "wg"]
    assert (bishop["code"], bishop["wrong"]) == (4, 0)
    assert bishop["lost"].keys() == {"KvK"}
    assert "tbgen build KvK --tables" in bishop["lost"]["KvK"]
    assert (bishop["unchecked"], bishop["checked"], bishop["positions"]) == (2838, 53380 - 2838, None)
    assert (pawn["code"], pawn["wrong"]) == (5, 0)
    assert pawn["lost"].keys() == {"KvK", "KQvK", "KRvK", "KNvK"}
    assert 0 < pawn["unchecked"] < 60000
    assert pawn["unchecked"] + pawn["checked"] == 165676
    assert (queen["code"], queen["error"], queen["unchecked"], queen["checked"]) == (0, None, 0, 47136)


def test_what_was_not_checked_is_said(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place(small_tables, tmp_path, "KBvK")
    words = ["verify", "--tables", str(tmp_path), "--threads", "1", "-q"]
    assert main(words) == 4
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("KBvK: 50,542 stored entries checked in ")
    assert first.endswith(", all right, 2,838 NOT CHECKED")
    assert second.startswith("  what some captures and promotions lead to is not known: ")
    assert "KvK.r.h5 is missing" in second
    damage(tmp_path / "KBvK.r.h5")
    assert main(words) == 5
    assert capsys.readouterr().out.endswith("has changed since it was written; no position has been checked\n")


def test_own_errors_are_found_without_the_tables_below(
    small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sealed anew, so that the file says nothing."""
    path = table_path(tmp_path, parse("KPvK"), "r")
    with open_table(small_tables / path.name) as table:
        contents = table.part(0, table.size)
    entries = contents.entries.copy()
    entries[entries != 0] ^= 1  # every distance
    write_table(path, replace(contents, entries=entries), {})
    code, found = verify(capsys, "--tables", tmp_path)
    assert code == 5
    assert len(found[0]["lost"]) == 5
    assert found[0]["wrong"] > 100_000
    assert found[0]["examples"][0]["fen"]


def test_missing_tables_that_were_named(small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place(small_tables, tmp_path, "KBvK", "KvK")
    code, found = verify(capsys, "KNvK", "KBvK", "--tables", tmp_path)
    assert code == 4
    assert [(one["material"], one["code"]) for one in found] == [("KBvK", 0), ("KNvK", 4)]
    assert "to build it: tbgen build KNvK" in found[1]["error"]


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory"), OSError(errno.ENOSPC, "No space left")]
)
def test_no_room_for_one_table(
    error: Exception,
    small_tables: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place(small_tables, tmp_path, "KvK", "KBvK", "KNvK")
    real = file.verify

    def verify_with_little_room(source: Any, *others: Any, **options: Any) -> Verdict:
        if source.material == Material("B", ""):
            raise error
        return real(source, *others, **options)

    monkeypatch.setattr(file, "verify", verify_with_little_room)
    code, found = verify(capsys, "--tables", tmp_path)
    assert code == 6
    assert [one["code"] for one in found] == [0, 6, 0]
    assert found[1]["error"] in ("out of memory", "Cannot allocate memory", "No space left")
    damage(tmp_path / "KNvK.r.h5")
    code, found = verify(capsys, "--tables", tmp_path)
    assert code == 5
    assert [one["code"] for one in found] == [0, 6, 5]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.ENOMEM, errno.EMFILE])
def test_no_room_for_forms_is_no_damage(number: int, small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a large table lie on disk while it is read as a whole."""

    def full(count: int, kind: DTypeLike) -> NDArray[Any]:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(form_reader, "_MANY", 0)
    with (
        open_table(small_tables / "KRvK.r.h5", make=full) as table,
        pytest.raises(OSError, match=os.strerror(number)) as caught,
    ):
        table.part(0, table.size)
    assert caught.value.errno == number


def test_an_interrupt_leaves_the_reports_of_tables_that_are_done(
    small_tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = file.verify

    def verify_until_interrupted(source: Any, *others: Any, **options: Any) -> Verdict:
        if source.material == Material("B", ""):
            raise KeyboardInterrupt
        return real(source, *others, **options)

    monkeypatch.setattr(file, "verify", verify_until_interrupted)
    assert main(["verify", "KvK", "KBvK", "KNvK", "--tables", str(small_tables), "--threads", "1", "-q"]) == 130
    captured = capsys.readouterr()
    assert captured.out.startswith("KvK: 462 positions checked")
    assert captured.out.count("\n") == 1
    assert captured.err == "tbgen: interrupted; 1 of 3 tables have been checked\n"


@pytest.mark.parametrize("harm", ["directory", "file"])
def test_what_is_no_table_is_not_laid_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    """The layout of four pawns takes 400 MB."""

    def no_layout(material: Material) -> None:
        raise AssertionError(f"{material} was laid out")

    monkeypatch.setattr(progress, "layout_of", no_layout, raising=False)
    monkeypatch.setattr(file, "layout_of", no_layout)
    monkeypatch.setattr("tbgen.index.layout_of", no_layout)
    path = table_path(tmp_path, parse("KPPvKPP"), "r")
    path.mkdir() if harm == "directory" else path.write_bytes(b"not a table")
    for words in ([], ["--json"]):
        assert main(["verify", "--tables", str(tmp_path), *words]) == 5
        said = capsys.readouterr().out
        assert said.count("\n") == 1
        assert ("is a directory" if harm == "directory" else "is not a table of tbgen") in said
