"""What a new user gets who writes what is not there, or nothing."""

from pathlib import Path

import chess
import pytest

from tbgen.cli.main import COMMANDS, main, parser_of
from tbgen.cli.parser import OTHERWISE
from tests.support.runs import BISHOP


def failure(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(words)
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    return code, line


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("download KRvKP", "fetch"), ("stats", "report stats"), ("eval", "probe"), ("generate", "build"),
        ("build all", "--all 4"), ("plan ALL", "--all 4"), ("pack all", "--all 4"),
        ("fetch all --from http://127.0.0.1:1", "--all 4"),
        ("info all", "to name none, which takes all"), ("verify all", "to name none, which takes all"),
        ("report stats all", "to name none, which takes all"),
        ("probe startpos", chess.STARTING_FEN), ("solve startpos", chess.STARTING_FEN),
    ],
)  # fmt: skip
def test_what_others_call_it(words: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, line = failure(capsys, *words.split())
    assert code == 2
    assert f"(did you mean {meant}?" in line
    assert "choose from" not in line


def test_what_is_suggested_is_there() -> None:
    for name in {*OTHERWISE.values()} - {"--version"}:
        assert name.split()[0] in COMMANDS
    assert not set(OTHERWISE) & set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_word_that_is_missing_comes_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """For `probe`, README's."""
    try:
        parser_of(name).parse_intermixed_args([])
    except SystemExit:
        line = capsys.readouterr().err
        assert f"(as in: tbgen {name} " in line
        assert name != "probe" or BISHOP in line
        assert "material" not in line, "who names none means all"


def test_help_by_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str) -> str:
        assert main(words) == 0
        return capsys.readouterr().out

    assert told() == told("help") == told("help", "help") == told("--help")
    for name in COMMANDS:
        assert told("help", name) == told(name, "--help")
    assert "did you mean probe?" in failure(capsys, "help", "prob")[1]


def test_missing_tables_come_with_the_command_that_builds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        "info KRvKP",
        "pack KRvKP",
        "report stats KRvKP",
        "probe 4k3/7p/8/8/8/8/8/R3K3 w - - 0 1",
    ):
        code, line = failure(capsys, *words.split(), "--tables", str(tmp_path))
        assert code == 4
        assert f"tbgen build KRvKP --tables {tmp_path}" in line


@pytest.mark.parametrize("name", ["build", "verify", "pack", "plan"])
def test_too_many_men(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "tbgen solve" in failure(capsys, name, "KRPPPvKRPP")[1]
